# Types of selkie.mass_spring.
from typing import Any, Callable, Iterable, Optional, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import StepReport

_Array = NDArray[np.float64]

class Model:
    @property
    def vertex_count(self) -> int: ...
    @property
    def spring_count(self) -> int: ...
    @property
    def masses(self) -> _Array: ...
    @property
    def springs(self) -> NDArray[np.uint32]: ...
    @property
    def rest_lengths(self) -> _Array: ...
    @property
    def source(self) -> NDArray[np.uint32]: ...
    @property
    def total_mass(self) -> float: ...

class Params:
    integrator: str
    stiffness: float
    damping: float
    damping_kind: str
    directional_damping: bool
    tension_knee: float
    tension_slope: float
    compression_factor: float
    compression_knee: float
    compression_slope: float
    drag: float
    solver: str
    tolerance: float
    max_iterations: int
    newton_iterations: int
    newton_tolerance: float
    contact_thickness: float
    grab_speed: float
    def __init__(self, **parameters: Any) -> None: ...
    def to_dict(self) -> dict[str, Any]: ...
    def copy(self) -> Params: ...

class State:
    positions: _Array
    velocities: _Array
    pinned: NDArray[np.uint8]
    grabbed_vertex: int
    grab_target: _Array
    previous_step: float
    def __init__(self, model: Model, positions: ArrayLike, pinned: Optional[Iterable[int]] = None) -> None: ...
    def copy(self) -> State: ...

class Collider:
    def __init__(self, **description: Any) -> None: ...

class Diagnostics:
    kinetic_energy: float
    elastic_energy: float
    gravitational_energy: float
    total_energy: float
    momentum: _Array
    angular_momentum: _Array
    centre_of_mass: _Array
    max_stretch: float
    max_compression: float
    max_speed: float

def build_model(positions: ArrayLike, springs: ArrayLike, masses: ArrayLike, factors: Optional[ArrayLike] = None,
                rest_lengths: Optional[ArrayLike] = None, stiffness_per_length: bool = False) -> Model: ...
def from_triangles(positions: ArrayLike, triangles: ArrayLike, density: float, bending: float = 0.0,
                   stiffness_per_length: bool = False) -> Model: ...
def from_tets(positions: ArrayLike, tets: ArrayLike, density: float,
              stiffness_per_length: bool = False) -> Model: ...
def from_segments(positions: ArrayLike, segments: ArrayLike, density: float,
                  stiffness_per_length: bool = False) -> Model: ...
def step(model: Model, params: Params, state: State, dt: float, gravity: ArrayLike = (0.0, -9.81, 0.0),
         time: float = 0.0, forces: Optional[ArrayLike] = None,
         pinned_motion: Optional[Callable[[int, float], ArrayLike]] = None,
         colliders: Sequence[Collider] = ()) -> StepReport: ...
def forces(model: Model, params: Params, state: State, elastic_only: bool = False) -> _Array: ...
def step_limit(model: Model, params: Params, state: State) -> float: ...
def stability_limit(model: Model, params: Params, state: State) -> float: ...
def diagnose(model: Model, params: Params, state: State, gravity: ArrayLike = (0.0, -9.81, 0.0)) -> Diagnostics: ...

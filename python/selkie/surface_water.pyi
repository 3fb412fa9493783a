# Types of selkie.surface_water.
from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import StepReport

_Array = NDArray[np.float64]

class Model:
    @property
    def vertex_count(self) -> int: ...
    @property
    def face_count(self) -> int: ...
    @property
    def euler_characteristic(self) -> int: ...
    @property
    def component_count(self) -> int: ...
    @property
    def positions(self) -> _Array: ...
    @property
    def triangles(self) -> NDArray[np.uint32]: ...
    @property
    def original(self) -> NDArray[np.uint32]: ...
    @property
    def areas(self) -> _Array: ...
    @property
    def dual_areas(self) -> _Array: ...

class Params:
    method: str
    substeps: int
    more_substeps: bool
    advection: bool
    attraction: float
    world_gravity: float
    density: float
    friction: float
    least_angle: float
    acceleration_limit: float
    inertia: float
    inertia_smoothing: float
    normal_smoothing: float
    gradient_share: float
    coriolis: bool
    donor_limited: bool
    longest_segment: float
    no_negative_weights: bool
    damping: float
    solver: str
    control: str
    control_strength: float
    control_depth: float
    control_width: float
    control_direction: _Array
    body_drag: float
    drag_law: str
    buoyancy: bool
    rays_at_corners: bool
    droplets: bool
    droplet_volume: float
    iso_level: float
    sheet_thickness: float
    cap: bool
    freeze: bool
    def __init__(self, **parameters: Any) -> None: ...
    def to_dict(self) -> dict[str, Any]: ...
    def copy(self) -> Params: ...

class State:
    depth: _Array
    rate_1: _Array
    rate_2: _Array
    positions: _Array
    positions_before: _Array
    acceleration: _Array
    dual_area: _Array
    normal_acceleration: _Array
    depth_before: _Array
    depth_rate: _Array
    depth_curvature: _Array
    history: int
    step_before: float
    drop_positions: _Array
    drop_velocities: _Array
    drop_volumes: _Array
    push_points: _Array
    push_velocities: _Array
    push_radii: _Array
    poured: float
    drained: float
    shed: float
    lost: float
    clip_time: float
    offset: _Array
    offset_target: _Array
    anchor: _Array
    spring: int
    spring_rate: float
    def __init__(self, model: Model, depth: ArrayLike) -> None: ...
    def copy(self) -> State: ...

def build_model(positions: ArrayLike, triangles: ArrayLike, bottom: float = 0.2, least_angle: float = 10.0,
                open: bool = False, rim: str = "wall") -> Model: ...
def step(model: Model, params: Params, state: State, dt: float, positions: Optional[ArrayLike] = None,
         acceleration: ArrayLike = (0.0, 0.0, 0.0), field: Optional[ArrayLike] = None, rim_depth: float = 0.0,
         time: float = 0.0) -> StepReport: ...
def gradient(model: Model, values: ArrayLike) -> _Array: ...
def divergence(model: Model, velocities: ArrayLike) -> _Array: ...
def laplacian(model: Model, values: ArrayLike) -> _Array: ...
def velocities(state: State) -> _Array: ...
def set_velocities(state: State, velocities: ArrayLike) -> None: ...
def trace(state: State, face: int, time: float, start: Optional[ArrayLike] = None) -> dict[str, Any]: ...
def volume(state: State) -> float: ...
def diagnose(state: State) -> dict[str, float]: ...

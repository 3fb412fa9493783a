# Types of selkie.grid.
from typing import Any, Optional, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Array = NDArray[np.float64]

def advect(field: ArrayLike, velocity: Sequence[ArrayLike], cell_size: float, dt: float, place: str = "cell",
           periodic: tuple[bool, bool, bool] = (False, False, False), **scheme: str) -> _Array: ...
def project(velocity: Sequence[ArrayLike], cell_size: float, open: Sequence[str] = (), solid: Optional[ArrayLike] = None,
            source: Optional[ArrayLike] = None, voxels: bool = False, tolerance: float = 1e-8,
            max_iterations: int = 200) -> dict[str, Any]: ...
def divergence(velocity: Sequence[ArrayLike], cell_size: float, open: Sequence[str] = (),
               solid: Optional[ArrayLike] = None, voxels: bool = False) -> _Array: ...

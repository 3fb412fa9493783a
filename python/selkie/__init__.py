"""Selkie: solids and fluids in one world, from Python.

    import selkie
    world = selkie.load("flag.toml", set={"cloth.stiffness": 200})
    cloth = world["cloth"]
    cloth.velocities[:, 2] += 1      # m/s; the solver's own memory, no copy
    world.run_frames(30)
    print(world.time, cloth.figures()["energy"])

load() and scene() make a World; run() computes one to files. selkie.mass_spring, selkie.geometry and selkie.math
hold the functions below a World, for studies. Units are SI. Guide: docs/python.md.
"""
import sys as _sys

from . import _selkie
from ._selkie import (InputError, NumericalError, OutputError, Progress, RunResult, StepReport, SyncReport, System,
                      SystemReport, World, geometry, info, load, mass_spring, math, run, scene, scene_format,
                      set_threads)

__version__ = info()["version"]
__all__ = ["InputError", "NumericalError", "OutputError", "Progress", "RunResult", "StepReport", "SyncReport",
           "System", "SystemReport", "World", "geometry", "info", "load", "mass_spring", "math", "run", "scene",
           "scene_format", "set_threads"]


def _show_under(module, name):
    """Names things after the place a user finds them in, so that help(), repr() and errors agree."""
    module.__name__ = name
    for key, value in vars(module).items():
        if not key.startswith("_") and getattr(value, "__module__", "").startswith("selkie._selkie"):
            value.__module__ = name


for _module in (geometry, mass_spring, math):
    _name = "selkie." + _module.__name__.rpartition(".")[2]
    _show_under(_module, _name)
    _sys.modules[_name] = _module  # so that `import selkie.mass_spring` works
for _key in __all__:
    if getattr(globals()[_key], "__module__", "").startswith("selkie._selkie"):
        globals()[_key].__module__ = __name__
del _key, _module, _name

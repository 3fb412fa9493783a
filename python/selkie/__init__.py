"""Selkie: solids and fluids in one world, from Python.

    import selkie
    world = selkie.load("flag.toml", set={"cloth.stiffness": 200})
    cloth = world["cloth"]
    cloth.velocities[:, 2] += 1      # m/s; the solver's own memory, no copy
    world.run_frames(30)
    print(world.time, cloth.figures()["energy"])

load() and scene() make a World; run() computes one to files; verify() runs a study.
selkie.mass_spring, selkie.shallow_water, selkie.surface_water, selkie.grid, selkie.geometry and selkie.math hold the
functions below a World.
Units are SI. Guide: docs/python.md.
"""
from ._selkie import (InputError, NumericalError, OutputError, Progress, RunResult, StepReport, StudyResult, StudyTable,
                      SyncReport, System, SystemReport, World, geometry, grid, info, load, mass_spring, math, run,
                      scene, scene_format, set_threads, shallow_water, studies, surface_water, verify)

__version__ = info()["version"]
__all__ = ["InputError", "NumericalError", "OutputError", "Progress", "RunResult", "StepReport", "StudyResult",
           "StudyTable", "SyncReport", "System", "SystemReport", "World", "geometry", "grid", "info", "load",
           "mass_spring", "math", "run", "scene", "scene_format", "set_threads", "shallow_water", "studies",
           "surface_water", "verify"]

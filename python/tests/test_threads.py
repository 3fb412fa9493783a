"""The number of threads stays while anything computes: set_threads() ends those that loops run on."""
import threading
import time

import numpy as np
import pytest

import selkie
import selkie.geometry as geometry
import selkie.grid as grid
import selkie.mass_spring as ms
import selkie.shallow_water as sh
import selkie.surface_water as sw
from conftest import cloth_scene


def mass_spring():
    positions, tets = geometry.tet_box(divisions=[20, 20, 20])
    model, params = ms.from_tets(positions, tets, 1000), ms.Params()
    state = ms.State(model, positions)
    return lambda: ms.step(model, params, state, 1e-3)


def shallow_water():
    model, params = sh.build_model((300, 300), 0.1), sh.Params()
    state = sh.State(model, 1.0)
    return lambda: sh.step(model, params, state, 1e-3)


def surface_water():
    model, params = sw.build_model(*geometry.icosphere(radius=1, divisions=40)), sw.Params()
    state = sw.State(model, 0.2)
    return lambda: sw.step(model, params, state, 1e-3)


def flow():
    n = 300
    rng = np.random.default_rng(1)
    return n, (rng.normal(size=(n + 1, n)), rng.normal(size=(n, n + 1)))


def advection():
    n, velocity = flow()
    return lambda: grid.advect(np.zeros((n, n)), velocity, 1 / n, 1e-3)


def projection():
    n, velocity = flow()
    return lambda: grid.project(velocity, 1 / n, open=["low_x"])


def world():
    made = selkie.scene(cloth_scene(mesh={"sheet": {"divisions": [60, 60]}}))
    return made.step


@pytest.mark.parametrize("make", [mass_spring, shallow_water, surface_water, advection, projection, world])
def test_the_number_of_threads_cannot_be_set_while_another_thread_computes(make):
    compute, threads = make(), selkie.info()["threads"]
    selkie.set_threads(threads)
    finished, failures = threading.Event(), []

    def work():
        try:
            while not finished.is_set():
                compute()
        except Exception as error:
            failures.append(error)

    worker = threading.Thread(target=work)
    worker.start()
    refused, deadline = False, time.monotonic() + 20  # s; the first attempts suffice on an idle machine
    try:
        while not refused and not failures and time.monotonic() < deadline:
            try:
                selkie.set_threads(threads)
            except RuntimeError as error:
                assert "is computing" in str(error)
                refused = True
            time.sleep(1e-4)  # lets the worker have the interpreter
    finally:
        finished.set()
        worker.join()
    assert not failures and refused
    selkie.set_threads(threads)  # and nothing is left that would refuse it


def test_a_function_that_a_step_calls_cannot_set_the_number_of_threads():
    model = ms.build_model([[0, 0, 0], [1, 0, 0]], [[0, 1]], masses=[1, 1])
    state = ms.State(model, [[0, 0, 0], [1, 0, 0]], pinned=[0])
    threads = selkie.info()["threads"]

    def motion(vertex, time):
        selkie.set_threads(threads)

    with pytest.raises(RuntimeError, match="is computing"):
        ms.step(model, ms.Params(), state, 0.1, pinned_motion=motion)
    selkie.set_threads(threads)

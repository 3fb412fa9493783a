"""State arrays as NumPy views: no copies, writable, safe."""
import gc

import numpy as np
import pytest

import selkie
from conftest import cloth_scene


def address(array):
    return array.__array_interface__["data"][0]


def test_positions_written_from_numpy_change_the_next_step(world):
    reference = selkie.scene(cloth_scene())
    positions = world["cloth"].positions
    before = address(positions)
    positions[24] += [0, 0.5, 0]
    world.step(), reference.step()
    moved = world["cloth"].positions - reference["cloth"].positions
    assert abs(moved[24]).max() > 0.01
    assert abs(moved[17]).max() > 1e-6  # a neighbour is pulled along
    assert address(world["cloth"].positions) == before == address(positions)


def test_a_view_shows_what_steps_and_retries_write(world):
    view = world["cloth"].positions
    start = view.copy()
    world.run_frames(3)
    assert view[:, 1].min() < start[:, 1].min() - 0.01
    assert np.array_equal(view, world["cloth"].positions)


def test_views_have_the_shape_and_type_of_the_solver(world):
    cloth = world["cloth"]
    assert cloth.positions.shape == (49, 3) and cloth.positions.dtype == np.float64
    assert cloth.pinned.shape == (49,) and cloth.pinned.dtype == np.uint8
    assert cloth.grab_target.shape == (3,)
    assert isinstance(cloth.grabbed_vertex, int) and isinstance(cloth.previous_step, float)
    assert cloth.positions.flags.writeable and not cloth.positions.flags.owndata
    assert address(cloth["velocities"]) == address(cloth.velocities)


def test_assigning_an_array_copies_into_place(world):
    cloth = world["cloth"]
    before = address(cloth.positions)
    cloth.positions = cloth.positions[::-1]
    assert address(cloth.positions) == before
    cloth.velocities = [0, 0, 1]
    assert np.array_equal(cloth.velocities, np.tile([0, 0, 1], (49, 1)))
    cloth.pinned = np.arange(49) < 7
    assert cloth.pinned.sum() == 7
    cloth.grabbed_vertex = 3
    assert cloth.grabbed_vertex == 3


def test_reversing_an_array_in_place_is_not_garbled_by_the_overlap(world):
    cloth = world["cloth"]
    expected = cloth.positions[::-1].copy()
    cloth.positions = cloth.positions[::-1]
    assert np.array_equal(cloth.positions, expected)


@pytest.mark.parametrize("name, value, text", [
    ("positions", np.zeros((5, 3)), r"'cloth.positions' must have the shape \(49, 3\), but has \(5, 3\)"),
    ("positions", "up", "must hold numbers"),
    ("pinned", 0.5, "do not fit"),
    ("pinned", 256, "do not fit"),
    ("grabbed_vertex", [1, 2], "shape"),
])
def test_an_array_that_does_not_fit_is_refused_and_nothing_changes(world, name, value, text):
    before = world.hash()
    with pytest.raises(selkie.InputError, match=text):
        setattr(world["cloth"], name, value)
    assert world.hash() == before


def test_a_view_outlives_its_world():
    world = selkie.scene(cloth_scene())
    view, target = world["cloth"].positions, world["cloth"].grab_target
    expected = view.copy()
    del world
    gc.collect()
    hog = [np.full((49, 3), 7.0) for _ in range(100)]  # would land in freed memory
    assert np.array_equal(view, expected) and target.tolist() == [0, 0, 0] and hog


def test_a_world_is_freed_with_its_last_user():
    import weakref
    world = selkie.scene(cloth_scene())
    gone = []
    weakref.finalize(world, gone.append, 1)
    cloth = world["cloth"]
    del world
    gc.collect()
    assert gone and cloth.positions.shape == (49, 3)  # the system keeps what it needs, without a cycle


def test_a_failed_step_leaves_the_state_where_it_was(world):
    cloth = world["cloth"]
    cloth.positions[24, 0] = np.nan
    before = cloth.positions.copy()
    with pytest.raises(selkie.NumericalError, match="halvings of the step") as caught:
        world.step()
    assert isinstance(caught.value, ArithmeticError) and caught.value.time == 0
    assert np.array_equal(cloth.positions, before, equal_nan=True) and world.time == 0


@pytest.mark.parametrize("array", ["depth", "flow_x"])
def test_water_written_as_nan_fails_its_step_and_no_more(array):
    world = selkie.scene({"shallow_water": [{
        "name": "pond", "method": "semi-lagrangian",
        "domain": {"min": [0, 0], "max": [1, 1], "cells": 16}, "water": [{"level": "0.5"}]}]})
    getattr(world["pond"], array)[...] = np.nan
    with pytest.raises(selkie.NumericalError, match="finite"):
        world.step()


def test_a_spring_written_beyond_the_mesh_is_none():
    world = selkie.scene({"surface_water": [{"name": "skin", "mesh": {"icosphere": {}}}]})
    world["skin"].spring = 50_000_000
    world.step()
    assert world["skin"].spring == -1

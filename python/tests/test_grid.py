"""Fields of grids: views of a gas, and transport and projection from arrays."""
import numpy as np
import pytest

import selkie
import selkie.grid as grid


def gas(**smoke):
    return selkie.scene({
        "scene": {"fps": 30, "frames": 2},
        "smoke": [{"name": "smoke", "domain": {"max": [1, 1.5, 0.5], "cells": 24}, "buoyancy": 0.2, **smoke}],
    })


def address(array):
    return array.__array_interface__["data"][0]


def centres(shape, cell):
    return np.meshgrid(*((np.arange(n) + 0.5) * cell for n in shape), indexing="ij")


@pytest.mark.parametrize("precision, kind", [("float", np.float32), ("double", np.float64)])
def test_fields_of_a_gas_are_views_with_the_shape_of_the_grid(precision, kind):
    world = gas(precision=precision)
    smoke = world["smoke"]
    assert smoke.density.shape == (16, 24, 8) and smoke.density.dtype == kind
    assert smoke.velocity_x.shape == (17, 24, 8)
    assert smoke.velocity_y.shape == (16, 25, 8)
    assert smoke.velocity_z.shape == (16, 24, 9)
    assert smoke.fuel.shape == (0,)  # nothing burns
    assert smoke.density.flags.writeable and not smoke.density.flags.owndata
    assert smoke.density.strides[0] == kind().itemsize  # x is the fastest
    assert "Amount of smoke at cell centres [1; f" in smoke.describe() and "(16, 24, 8)]" in smoke.describe()


def test_a_start_set_from_an_array_rises_and_the_view_shows_it():
    world = gas()
    smoke = world["smoke"]
    view, before = smoke.density, address(smoke.density)
    x, y, z = centres(view.shape, 1 / 16)
    blob = np.exp(-((x - 0.5) ** 2 + (y - 0.4) ** 2 + (z - 0.25) ** 2) / 0.02)
    smoke.density = blob
    smoke.temperature = 200 * blob
    assert view == pytest.approx(blob, abs=1e-6)
    # figures() sums what is inside the box; a halo in the view would have been written, too
    assert smoke.figures()["smoke"] == pytest.approx(blob.sum() / 16 ** 3, rel=1e-5)
    height = (view * y).sum() / view.sum()
    world.run_frames(6)
    assert address(smoke.density) == before
    assert (view * y).sum() / view.sum() > height + 0.02
    assert smoke.velocity_y[8, 8, 4] > 0.1


def test_a_flat_gas_has_flat_fields_and_wrong_shapes_are_refused():
    world = selkie.scene({"scene": {}, "smoke": [{"name": "smoke", "domain": {"max": [1, 1, 0], "cells": 8}}]})
    smoke = world["smoke"]
    assert smoke.density.shape == (8, 8) and smoke.velocity_y.shape == (8, 9)
    with pytest.raises(selkie.InputError, match=r"'smoke.density' must have the shape \(8, 8\), but has \(9, 8\)"):
        smoke.density = np.zeros((9, 8))
    smoke.density = 0.5
    assert smoke.density.sum() == 32


def test_a_wave_is_carried_at_second_order():
    def error(n):
        u, v = np.full((n + 1, 4), 1.0), np.zeros((n, 5))
        x = (np.arange(n) + 0.5) / n
        field = np.repeat(np.sin(2 * np.pi * x)[:, None], 4, axis=1)
        steps = 3 * n // 4
        for _ in range(steps):
            field = grid.advect(field, (u, v), 1 / n, 1 / steps, periodic=(True, True, False), limiter="none")
        return np.abs(field[:, 1] - np.sin(2 * np.pi * x)).mean()
    assert np.log2(error(32) / error(64)) == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("shape", [(12, 10), (10, 8, 9)])
def test_projection_leaves_no_divergence_and_changes_nothing_twice(shape):
    rng = np.random.default_rng(3)
    velocity = [rng.normal(size=tuple(n + (a == axis) for a, n in enumerate(shape))) for axis in range(len(shape))]
    corners = np.meshgrid(*(np.arange(n + 1) for n in shape), indexing="ij")
    ball = np.sqrt(sum((c - 5.2) ** 2 for c in corners)) - 2.3
    once = grid.project(velocity, 0.1, open=["high_y"], solid=ball, tolerance=1e-12)
    left = grid.divergence(once["velocity"], 0.1, open=["high_y"], solid=ball)
    # 1e-12 of the residual, near 30 m/s over 0.1 m
    assert np.abs(left).max() < 1e-8 and np.abs(grid.divergence(velocity, 0.1)).max() > 1
    assert once["pressure"].shape == shape and once["iterations"] > 0
    again = grid.project(once["velocity"], 0.1, open=["high_y"], solid=ball, tolerance=1e-3)["velocity"]
    for a, b in zip(once["velocity"], again):
        assert np.abs(a - b).max() < 1e-8


def test_whole_cells_can_be_asked_for():
    u, v = np.ones((9, 8)), np.zeros((8, 9))
    x, y = np.meshgrid(np.arange(9) - 4.0, np.arange(9) - 4.0, indexing="ij")
    disc = np.hypot(x, y) - 2.2
    cut, whole = (grid.project((u, v), 1, open=["low_x", "high_x"], solid=disc, voxels=w)["velocity"][0]
                  for w in (False, True))
    assert np.abs(cut - whole).max() > 0.01


def test_a_closed_box_with_a_source_and_other_nonsense_is_refused_with_the_reason():
    u, v = np.zeros((5, 4)), np.zeros((4, 5))
    with pytest.raises(selkie.InputError, match="open a side"):
        grid.project((u, v), 1, source=np.ones((4, 4)))
    with pytest.raises(selkie.InputError, match="low_z"):
        grid.project((u, v), 1, open=["low_z"])
    with pytest.raises(selkie.InputError, match=r"velocity\[1\].*\(4, 5\)"):
        grid.project((u, u), 1)
    with pytest.raises(selkie.InputError, match="components"):
        grid.project([u], 1)
    with pytest.raises(selkie.InputError, match="cell_size"):
        grid.advect(np.zeros((4, 4)), (u, v), 0, 0.1)
    with pytest.raises(selkie.InputError, match="place"):
        grid.advect(np.zeros((4, 4)), (u, v), 1, 0.1, place="edge")
    with pytest.raises(selkie.InputError, match="maccormac"):
        grid.advect(np.zeros((4, 4)), (u, v), 1, 0.1, scheme="maccormak")

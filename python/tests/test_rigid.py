"""Rigid bodies as NumPy views: all of them live in the system called "thrown", scene and thrown ones alike."""
import numpy as np
import pytest

import selkie


def boxes(**more):
    return selkie.scene({
        "scene": {"name": "boxes", "fps": 60, "frames": 4, "gravity": [0, 0, 0]},
        "rigid": [{"name": "box", "shape": {"box": {"size": [1, 1, 1]}}, "mass": 6,
                   "copies": {"grid": {"count": [3, 1, 1], "spacing": [4, 1, 1]}}, **more}],
    })


def test_state_of_bodies_can_be_read():
    world = boxes(velocity=[0, 2, 0], spin=[0, 0, 3])
    bodies = world["thrown"]
    assert bodies.positions.shape == bodies.velocities.shape == bodies.angular_momenta.shape == (3, 3)
    assert bodies.orientations.shape == (3, 4)  # x, y, z, w
    assert np.array_equal(bodies.orientations, [[0, 0, 0, 1]] * 3)
    assert np.allclose(bodies.angular_momenta, [[0, 0, 3 * 6 * 2 / 12]] * 3)
    assert np.array_equal(bodies.masses, [6, 6, 6])
    world.run_frames(30)
    assert np.allclose(bodies.positions[:, 1], 1)
    assert np.allclose(bodies.orientations, [[0, 0, np.sin(0.75), np.cos(0.75)]] * 3)


def test_what_is_written_moves_the_bodies():
    world = boxes()
    bodies = world["thrown"]
    bodies.velocities[1] = [0, 0, 5]
    bodies.positions[2] += [0, 7, 0]
    world.run_frames(60)
    assert np.allclose(bodies.positions, [[-4, 0, 0], [0, 0, 5], [4, 7, 0]])


def test_wind_and_solver_parameters_are_live():
    world = boxes()
    world["thrown"].drag = 2.0
    world["thrown"].wind = [1, 0, 0]
    world.run_frames(60)
    assert np.allclose(world["thrown"].velocities[:, 0], 1 - np.exp(-2))


def test_rays_and_overlaps_ask_the_bodies():
    world = boxes(velocity=[0, 2, 0])  # at x = -4, 0 and 4
    bodies = world["thrown"]
    hits = bodies.ray_cast([[-10, 0, 0], [0, 5, 0.2], [0, 5, 2]], [[2, 0, 0], [0, -1, 0], [0, -1, 0]])
    assert hits["body"].tolist() == [0, 1, -1]
    assert np.allclose(hits["distance"][:2], [5.5, 4.5]) and np.isinf(hits["distance"][2])
    assert np.allclose(hits["point"][:2], [[-4.5, 0, 0], [0, 0.5, 0.2]])
    assert np.allclose(hits["normal"][:2], [[-1, 0, 0], [0, 1, 0]])
    assert bodies.within([2, 0, 0], 1.6) == [1, 2]
    assert bodies.overlapping("box", [3, 0, 0], 0.6) == [2]
    assert bodies.overlapping("ball", [2, 0, 0], 1) == []
    world.run_frames(60)  # 2 m up
    assert bodies.within([4, 2, 0], 0.1) == [2]
    bodies.positions[2] = [4, 20, 0]  # written, not stepped
    assert bodies.within([4, 2, 0], 0.1) == [] and bodies.within([4, 20, 0], 0.1) == [2]


def test_only_rigid_bodies_can_be_asked(world):
    with pytest.raises(selkie.InputError, match="holds no rigid bodies"):
        world["cloth"].within([0, 0, 0], 1)
    with pytest.raises(selkie.InputError, match="directions"):
        boxes()["thrown"].ray_cast([[0, 0, 0]], [[1, 0, 0], [0, 1, 0]])

"""A liquid of a World as NumPy views: particles can be read and written, fields are those of the solver."""
import numpy as np
import pytest

import selkie


def pool(height=0.5, **more):
    return selkie.scene({
        "scene": {"name": "pool", "fps": 50, "frames": 4},
        "liquid": [{"name": "water", "domain": {"min": [0, 0, 0], "max": [1, 1, 1], "cells": 12},
                    "fill": [{"box": {"min": [0, 0, 0], "max": [1, height, 1]}}], **more}],
    })


def particles(world, name):
    return getattr(world["water"], "particles." + name)


def test_particles_fill_what_the_scene_says():
    world = pool()
    y = particles(world, "y")
    assert len(y) == 12 * 6 * 12 * 8
    assert 0 < y.min() and y.max() < 6  # in cells
    assert world["water"].figures()["volume"] == pytest.approx(0.5, rel=0.02)


def test_what_is_written_moves_the_liquid():
    world = pool(height=0.25)
    particles(world, "u")[:] = 0.6
    world.run_frames(2)
    assert particles(world, "u").mean() > 0.2  # a push to the right; the walls stop it later
    still = pool(height=0.25)
    still.run_frames(2)
    assert abs(particles(still, "u").mean()) < 0.02
    assert particles(world, "x").mean() > particles(still, "x").mean() + 0.05


def test_parameters_are_live_and_a_pool_stays_level():
    world = pool()
    world["water"].flip_share = 0.5
    world.run_frames(25)
    figures = world["water"].figures()
    assert figures["volume"] == pytest.approx(0.5, rel=0.02)
    assert figures["unaccounted"] == 0
    assert figures["top_speed"] < 0.1 * np.sqrt(9.81 * 1 / 12) * 4

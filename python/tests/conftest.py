"""Shared by the tests of the package: a small cloth that every test may change."""
import pytest

import selkie


def cloth_scene(**body):
    return {
        "scene": {"name": "small", "fps": 30, "frames": 4, "steps_per_frame": 2},
        "mass_spring": [{
            "name": "cloth",
            "mesh": {"sheet": {"divisions": [6, 6]}},
            "pin": [{"vertices": [0, 6]}],
            "stiffness": 500,
            **body,
        }],
    }


@pytest.fixture
def description():
    return cloth_scene()


@pytest.fixture
def world():
    return selkie.scene(cloth_scene())

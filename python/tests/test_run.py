"""selkie.run: what it refuses, what it leaves alone, what it says of a failure."""
import numpy as np
import pytest

import selkie
from conftest import cloth_scene

CLOTH = """
[scene]
frames = 2
[[mass_spring]]
name = "cloth"
mesh = { sheet = { divisions = [4, 4] } }
"""
THROW = """
[[event]]
frame = 1
system = "thrown"
action = "throw"
arguments = { shape = "ball", position = [0, 1, 0], velocity = [1, 0, 0], size = 0.2, density = 300 }
"""


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("loaded", [False, True])
def test_a_run_never_replaces_its_scene_file(loaded, overwrite, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scene.toml").write_text(CLOTH)
    scene = selkie.load("scene.toml") if loaded else "scene.toml"
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere" if loaded else tmp_path)
    with pytest.raises(selkie.InputError, match="holds scene.toml, which the run reads and would replace"):
        selkie.run(scene, tmp_path, overwrite=overwrite)
    assert (tmp_path / "scene.toml").read_text() == CLOTH


def test_a_run_never_replaces_the_recording_it_replays(tmp_path):
    world = selkie.scene(cloth_scene())
    (tmp_path / "inputs.toml").write_text(THROW)
    world.replay(tmp_path / "inputs.toml")
    with pytest.raises(selkie.InputError, match="holds inputs.toml, which the run reads"):
        selkie.run(world, tmp_path, overwrite=True)
    assert (tmp_path / "inputs.toml").read_text() == THROW


def test_a_scene_without_a_system_is_refused(tmp_path):
    (tmp_path / "empty.toml").write_text("[scene]\nframes = 2\n")
    for empty in [{"scene": {"frames": 2}}, tmp_path / "empty.toml", selkie.scene({})]:
        with pytest.raises(selkie.InputError, match="holds no system to simulate"):
            selkie.run(empty, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_world_into_which_things_are_thrown_is_run_and_resumed(tmp_path):
    empty = {"scene": {"frames": 4}}
    (tmp_path / "inputs.toml").write_text(THROW)

    def world():
        made = selkie.scene(empty)
        made.replay(tmp_path / "inputs.toml")
        return made

    whole = selkie.run(world(), tmp_path / "whole")
    selkie.run(world(), tmp_path / "parts", frames=2)
    assert selkie.run(empty, tmp_path / "parts", resume=True).hash == whole.hash


def test_a_failure_tells_how_often_the_step_was_halved(tmp_path, world):
    world["cloth"].positions[24, 0] = np.nan
    with pytest.raises(selkie.NumericalError, match="after 8 halvings of the step") as caught:
        selkie.run(world, tmp_path / "run", frames=2)
    assert caught.value.retries == 8


def test_a_world_is_saved_after_its_mesh_was_removed(tmp_path):
    (tmp_path / "cloth.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    world = selkie.scene({"mass_spring": [{"name": "cloth", "mesh": {"file": "cloth.obj"}}]}, folder=tmp_path)
    (tmp_path / "cloth.obj").unlink()
    world.save(tmp_path / "checkpoint.h5")
    world.step()
    world.restore(tmp_path / "checkpoint.h5")
    assert world.frame == 0

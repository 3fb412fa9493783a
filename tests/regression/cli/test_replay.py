"""What users did is replayed to the same state: twice, with one and two threads, and across a resume."""
import csv
import json

import pytest
from conftest import selkie

SCENE = """
[scene]
name = "replay"
fps = 60
frames = 30
steps_per_frame = 2
[output]
checkpoint_every = 7
[[collider]]
name = "floor"
shape = { plane = {} }
[[mass_spring]]
name = "cloth"
mesh = { sheet = { center = [0, 1, 0], size = [1, 1], divisions = [12, 12], v = [0, 1, 0] } }
contact_thickness = 0.005
pin = [{ box = { min = [-0.6, 1.49, -1], max = [0.6, 1.51, 1] } }]
"""

# (frame, system, action, arguments): everything a page may send.
DONE = [
    (1, "cloth", "grab", "point = [0.5, 0.5, 0], target = [0.5, 0.5, 0]"),
    (1.5, "cloth", "drag", "target = [0.4, 0.6, 0.2]"),
    (2, "thrown", "throw", 'shape = "ball", position = [0, 1, 0.5], velocity = [0, 1, -9], size = 0.15, density = 300'),
    (3.25, "cloth", "drag", "target = [0.2, 0.8, 0.3]"),
    (4, "", "set", 'path = "gravity", value = [0, -5, 0.5]'),
    (5, "thrown", "throw", 'shape = "box", position = [0.2, 1.2, 0.6], velocity = [0, 0, -20], size = 0.12, '
                           'density = 5000, spin = [3, 2, 1]'),
    (6, "cloth", "release", ""),
    (8, "cloth", "push", "point = [0, 1, 0], direction = [0, 0, 1], strength = 5, radius = 0.2"),
    (9, "cloth", "set", 'path = "stiffness", value = 700.0'),
    (10, "thrown", "set", 'path = "friction", value = 0.9'),
    (11, "thrown", "grab", "point = [0, 1, 0], target = [0, 1.5, 0.5]"),
    (13, "thrown", "drag", "target = [0.3, 1.2, 0.7]"),
    (15, "thrown", "release", ""),
    (16, "thrown", "impulse", "point = [0, 1, 0], impulse = [0, 2, 0]"),
    (17, "cloth", "unpin", "point = [-0.5, 1.5, 0]"),
    (18, "thrown", "kick", "velocity = [0, 3, 0]"),
    (19, "cloth", "kick", "velocity = [0, 0, 1]"),
    (20, "thrown", "push", "point = [0, 0, 0], direction = [1, 0, 0], strength = 2, radius = 3"),
    (26, "thrown", "clear", ""),
    (27, "thrown", "throw", 'shape = "box", position = [0, 0.2, 0], velocity = [0, 0, 0], size = 0.1, density = 100'),
]


@pytest.fixture
def recorded(tmp_path):
    scene, inputs = tmp_path / "scene.toml", tmp_path / "done.toml"
    scene.write_text(SCENE)
    inputs.write_text("".join(
        f'[[event]]\nframe = {frame}\nsystem = "{system}"\naction = "{action}"\narguments = {{ {arguments} }}\n'
        for frame, system, action, arguments in DONE))
    return scene, inputs


def run_hash(scene, folder, *arguments):
    done = selkie("run", scene, "-o", folder, "--json", *arguments, check=0)
    return json.loads(done.stdout.strip().splitlines()[-1])["hash"]


def columns(folder):
    """stats.csv without timings, which differ from run to run."""
    with open(folder / "stats.csv", newline="") as file:
        return [{name: value for name, value in row.items() if not name.startswith("ms.")} for row in csv.DictReader(file)]


def test_a_recording_replays_to_the_same_state_with_one_and_two_threads(recorded, tmp_path):
    scene, inputs = recorded
    first = run_hash(scene, tmp_path / "a", "--inputs", inputs, "--threads", "1")
    log = tmp_path / "a/inputs.toml"
    assert log.read_text().count("[[event]]") == len(DONE)
    assert run_hash(scene, tmp_path / "b", "--inputs", log, "--threads", "2") == first
    assert run_hash(scene, tmp_path / "c", "--inputs", log, "--threads", "1") == first
    assert (tmp_path / "c/inputs.toml").read_bytes() == log.read_bytes()
    assert columns(tmp_path / "b") == columns(tmp_path / "a")


def test_a_resumed_recording_ends_in_the_same_state_and_statistics(recorded, tmp_path):
    scene, inputs = recorded
    whole = run_hash(scene, tmp_path / "whole", "--inputs", inputs)
    run_hash(scene, tmp_path / "parts", "--inputs", inputs, "--frames", "12")
    assert run_hash(scene, tmp_path / "parts", "--resume") == whole
    assert columns(tmp_path / "parts") == columns(tmp_path / "whole")
    assert (tmp_path / "parts/inputs.toml").read_bytes() == (tmp_path / "whole/inputs.toml").read_bytes()


@pytest.mark.parametrize("frames", [1, 6])
def test_a_run_whose_bodies_are_all_thrown_is_resumed(frames, tmp_path):
    scene, inputs = tmp_path / "floor.toml", tmp_path / "throw.toml"
    scene.write_text('[scene]\nframes = 9\n[[collider]]\nname = "floor"\nshape = { plane = {} }\n')
    inputs.write_text('[[event]]\nframe = 2\nsystem = "thrown"\naction = "throw"\narguments = { shape = "ball", '
                      'position = [0, 1, 0], velocity = [1, 0, 0], size = 0.2, density = 300 }\n')
    whole = run_hash(scene, tmp_path / "whole", "--inputs", inputs)
    run_hash(scene, tmp_path / "parts", "--inputs", inputs, "--frames", frames)
    assert run_hash(scene, tmp_path / "parts", "--resume") == whole
    assert "holds no system to simulate" in selkie("run", scene, "-o", tmp_path / "none", check=2).stderr


def test_statistics_and_frames_of_thrown_bodies_begin_when_something_is_thrown(recorded, tmp_path):
    scene, inputs = recorded
    run_hash(scene, tmp_path / "out", "--inputs", inputs)
    rows = columns(tmp_path / "out")
    assert rows[0]["thrown.bodies"] == "" and rows[-1]["thrown.bodies"] == "1"
    assert not (tmp_path / "out/thrown.0001.ply").exists() and (tmp_path / "out/thrown.0005.ply").exists()
    run_hash(scene, tmp_path / "out", "--overwrite", "--frames", "3")
    assert not list((tmp_path / "out").glob("thrown.*")) and "thrown.bodies" not in columns(tmp_path / "out")[0]


def test_inputs_of_a_scene_happen_and_a_recording_replaces_them(recorded, tmp_path):
    scene, inputs = recorded
    own = tmp_path / "own.toml"
    own.write_text(SCENE.replace("fps = 60", 'fps = 60\ninputs = "done.toml"'))
    first = run_hash(own, tmp_path / "a")
    assert run_hash(own, tmp_path / "b", "--inputs", tmp_path / "a/inputs.toml") == first
    own.write_text(own.read_text().replace("done.toml", "nowhere.toml"))
    message = selkie("check", own, check=2).stderr
    assert "nowhere.toml" in message and "own.toml" in message

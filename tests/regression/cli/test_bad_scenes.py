"""Each bad scene is refused with exactly the expected words, exit code 2, and nothing written.

A new case needs two files: bad_scenes/NN-name.toml and NN-name.expected, where {dir} stands for the folder.
"""
import pathlib

import pytest
from conftest import selkie

FOLDER = pathlib.Path(__file__).parent / "bad_scenes"
SCENES = sorted(FOLDER.glob("*.toml"))


def refuse(arguments, tmp_path):
    """The message of a refusal that left no trace."""
    output = tmp_path / "out"
    done = selkie("run", *arguments, "-o", output, "--frames", "1")
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stdout == ""
    assert not output.exists(), "a refused scene must not create its output folder"
    return done.stderr


def test_there_are_scenes_to_refuse():
    assert len(SCENES) >= 24


@pytest.mark.parametrize("scene", SCENES, ids=lambda path: path.stem)
def test_bad_scene_is_refused_with_these_words(scene, tmp_path):
    expected = scene.with_suffix(".expected").read_text().replace("{dir}", str(FOLDER))
    assert refuse([scene], tmp_path) == expected


@pytest.mark.parametrize("scene", SCENES, ids=lambda path: path.stem)
def test_check_says_the_same_as_run(scene, tmp_path):
    assert selkie("check", scene, check=2).stderr == refuse([scene], tmp_path)


SETTINGS = {
    "cloht.stiffness=3": "there is no system called 'cloht'\n  did you mean 'cloth'? Known: scene, output, light, bodies or cloth\n",
    "cloth.stifness=3": "unknown key 'stifness' in 'mass_spring[0]'\n  did you mean 'stiffness'? Known: ",
    "cloth.stiffness=high": "'mass_spring[0].stiffness' must be a number, but is the text \"high\"\n",
    "cloth.stiffness=-1": "'mass_spring[0].stiffness' is -1, which is out of range\n  use a value of at least 0 N/m\n",
    "cloth.stiffness": "is not of the form system.key=value\n  for example --set scene.frames=10\n",
    "stiffness=3": "is not of the form system.key=value\n  for example --set scene.frames=10\n",
    "cloth.=3": "has an empty key\n  for example --set scene.frames=10\n",
    "cloth.pin.4.vertices=[0]": "there is no element '4' in the list\n  it holds 1 element(s), counted from 0\n",
    "cloth.velocity=[1, 2": "'[1, 2' is not a TOML value\n  examples: 96, 0.5, true, \"text\", [0, -9.81, 0]\n",
    "scene.frames=": "'' is not a TOML value\n  examples: 96, 0.5, true, \"text\", [0, -9.81, 0]\n",
    "cloth.integrator=rk5": "'mass_spring[0].integrator' does not know \"rk5\"\n  did you mean \"rk",
    "cloth.stiffness.x=3": "there is no key 'x' inside a whole number\n  for example --set scene.frames=10\n",
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_bad_setting_is_refused_with_these_words(setting, cloth, tmp_path):
    message = refuse([cloth, "--set", setting], tmp_path)
    assert message.startswith(f"error: --set {setting}: {SETTINGS[setting]}"), message


EVENT = '[[event]]\nframe = 1\nsystem = "cloth"\naction = "set"\n'
INPUTS = {
    "unknown-system": (
        EVENT.replace("cloth", "cloht"), ":1:1: an input event names the unknown system 'cloht'\n  known systems: cloth"),
    "unknown-key": (EVENT.replace("action", "acton"), ":4:1: unknown key 'acton' in an event\n  did you mean 'action'? "),
    "no-time": (EVENT.replace("frame = 1\n", ""), ":1:1: an event needs either 'tick' or 'frame'\n  for example frame = 10"),
    "no-action": (EVENT.replace('action = "set"\n', ""), ":1:1: an event lacks the key 'action'\n  add what happens"),
    "unknown-action": (EVENT.replace('"set"', '"sett"'), ":1:1: 'cloth' does not know the action 'sett'\n  a system of kind mass_spring takes: set, grab"),
    "set-without-path": (EVENT, ":1:1: a 'set' event needs the keys 'path' (text) and 'value'"),
    "set-unknown-parameter": (
        EVENT + 'arguments = { path = "stifness", value = 3 }\n',
        ":5:42: unknown key 'stifness'\n  did you mean 'stiffness'? "),
    "set-wrong-type": (
        EVENT + 'arguments = { path = "stiffness", value = "x" }\n',
        ":5:43: 'stiffness' must be a number, but is the text \"x\""),
    "grab-without-target": (
        EVENT.replace('"set"', '"grab"') + "arguments = { vertex = 3 }\n",
        ":5:13: the action 'grab' needs the argument 'target'"),
    "grab-vertex-out-of-range": (
        EVENT.replace('"set"', '"grab"') + "arguments = { vertex = 300, target = [0, 0, 0] }\n",
        ":5:24: 'vertex' is 300\n  use a number from 0 to 80"),
    "not-a-list": ("[event]\nframe = 1\n", ":1:1: 'event' must be a list of tables\n  write [[event]]"),
    "other-table": ("[[events]]\nframe = 1\n", ":1:3: unknown key 'events' in an input file\n  an input file holds [[event]] tables only"),
    "negative-tick": (EVENT.replace("frame = 1", "tick = -1"), ":2:8: 'tick' must be a whole number of at least 0"),
    "not-toml": ("[[event]\n", ": not valid TOML: "),
}


@pytest.mark.parametrize("name", INPUTS)
def test_bad_input_file_is_refused_with_these_words(name, cloth, tmp_path):
    text, words = INPUTS[name]
    file = tmp_path / "events.toml"
    file.write_text(text)
    message = refuse([cloth, "--inputs", file], tmp_path)
    assert message.startswith(f"error: {file}") and words in message, message


def test_missing_input_file_is_refused(cloth, tmp_path):
    missing = tmp_path / "none.toml"
    assert refuse([cloth, "--inputs", missing], tmp_path).startswith(
        f"error: {missing}: cannot be opened: No such file or directory")


def test_missing_scene_names_the_nearest_shipped_one(tmp_path):
    message = refuse(["hanging-shet"], tmp_path)
    assert message.startswith("error: hanging-shet: no such scene file\n  did you mean the shipped scene 'hanging-sheet'?")


def test_folder_as_scene_is_refused(tmp_path):
    folder = tmp_path / "scene.toml"
    folder.mkdir()
    assert refuse([folder], tmp_path) == f"error: {folder}: is a folder, not a file\n  name a file inside it\n"


def test_deep_keys_are_refused_and_do_not_exhaust_the_stack(tmp_path):
    scene = tmp_path / "deep.toml"
    scene.write_text("a." * 100000 + "a = 1\n")
    assert "nest more than 64 deep" in refuse([scene], tmp_path)

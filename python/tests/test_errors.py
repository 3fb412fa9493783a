"""Exceptions carry the words of the command line, with places."""
import os

import pytest

import selkie
from conftest import cloth_scene


def test_a_misspelt_key_in_a_file_has_line_column_and_remedy(tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text('[[mass_spring]]\nname = "cloth"\nmesh = { sheet = {} }\nstifness = 3\n')
    with pytest.raises(selkie.InputError) as caught:
        selkie.load(path)
    error = caught.value
    assert isinstance(error, ValueError)
    assert (error.file, error.line, error.column) == (str(path), 4, 1)
    assert "unknown key 'stifness'" in error.problem and "did you mean 'stiffness'?" in error.remedy
    assert str(error) == f"{path}:4:1: {error.problem}\n  {error.remedy}"


def test_a_mistake_in_a_dictionary_is_placed_as_python_would_index_it():
    with pytest.raises(selkie.InputError) as caught:
        selkie.scene(cloth_scene(stiffness=-1))
    assert str(caught.value).startswith('scene["mass_spring"][0]["stiffness"]: ')
    assert "at least 0 N/m" in caught.value.remedy
    with pytest.raises(selkie.InputError, match=r'scene\["mass_spring"\]\[0\]\["drag"\].*type object'):
        selkie.scene(cloth_scene(drag=object()))


def test_a_wrong_setting_is_named_as_on_the_command_line(description):
    with pytest.raises(selkie.InputError, match="--set clth.stiffness=3.*no system called 'clth'"):
        selkie.scene(description, set={"clth.stiffness": 3})


def test_a_missing_file_is_an_input_error(tmp_path):
    with pytest.raises(selkie.InputError, match="nowhere.toml"):
        selkie.load(tmp_path / "nowhere.toml")


def test_a_refused_parameter_stays_as_it_was(world):
    with pytest.raises(selkie.InputError, match="cloth: 'stiffness' is -5"):
        world["cloth"].stiffness = -5
    with pytest.raises(selkie.InputError, match='did you mean "rk4"'):
        world["cloth"].integrator = "rk44"
    assert world["cloth"].stiffness == 500 and world.events == []


def test_unknown_attributes_name_the_nearest(world):
    with pytest.raises(AttributeError, match="did you mean 'positions'"):
        world["cloth"].position
    with pytest.raises(AttributeError, match="did you mean 'stiffness'"):
        world["cloth"].stifness = 3
    with pytest.raises(AttributeError, match="cannot be assigned"):
        world["cloth"].name = "other"
    assert not hasattr(world["cloth"], "nonsense")


def test_a_folder_that_cannot_be_made_is_an_output_error(tmp_path, description):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(selkie.OutputError) as caught:
        selkie.run(description, tmp_path / "file" / "run")
    assert isinstance(caught.value, OSError) and str(tmp_path / "file") in str(caught.value)


@pytest.mark.parametrize("frames, text", [
    ("ten", 'must be a whole number, but is the text "ten"'),
    (1.5, "must be a whole number, but is 1.5"),
    (-1, "is -1, which is out of range\n  use a value from 0 to"),
    (2**70, "does not fit into 64 bits"),
])
def test_a_wrong_number_of_frames_is_refused_in_the_words_of_a_scene(frames, text, tmp_path, description):
    with pytest.raises(selkie.InputError, match=f"'frames'.* {text}"):
        selkie.run(description, tmp_path / "run", frames=frames)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("when, text", [
    ({"frame": "x"}, "'frame' must be a number, but is the text \"x\""),
    ({"frame": [1]}, "'frame' must be a number, but is a list"),
    ({"frame": float("nan")}, "'frame' is nan"),
    ({"frame": -2}, "'frame' is -2\n  use a number from 0"),
    ({"frame": object()}, "'frame': a Python object of type object"),
    ({"tick": 2**70}, "'tick': the number 1180591620717411303424 does not fit into 64 bits"),
    ({"tick": 0.5}, "'tick' must be a whole number, but is 0.5"),
])
def test_a_wrong_time_of_an_event_is_named(when, text, world):
    with pytest.raises(selkie.InputError, match=text):
        world.queue_event("cloth", "release", **when)
    assert world.pending_events == []


def test_text_that_is_not_unicode_is_refused_and_a_file_so_named_is_not(tmp_path):
    half = "\ud800"  # half of a pair: no character
    with pytest.raises(selkie.InputError, match=r"ud800' is not valid Unicode"):
        selkie.scene(cloth_scene(name=half))
    with pytest.raises(selkie.InputError, match=r"ud800' is not valid Unicode"):
        selkie.scene({half: 1})
    name = b"caf\xe9.toml"  # as another encoding left it on the disk
    with pytest.raises(selkie.InputError, match="cannot be opened") as caught:
        selkie.load(tmp_path / os.fsdecode(name))
    assert os.fsencode(caught.value.file).endswith(name)
    path = os.path.join(os.fsencode(tmp_path), name)
    with open(path, "w") as file:
        file.write(selkie.scene(cloth_scene()).scene_text)
    assert selkie.load(path).systems == ["cloth"]


def test_an_event_in_the_past_or_for_nobody_is_refused(world):
    world.step_frame()
    with pytest.raises(selkie.InputError, match="past"):
        world.queue_event("cloth", "release", frame=0.5)
    with pytest.raises(selkie.InputError, match="no system called 'rope'"):
        world.queue_event("rope", "release", frame=2)
    with pytest.raises(selkie.InputError, match="'frame' or 'tick'"):
        world.queue_event("cloth", "release")

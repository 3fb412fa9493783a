"""`selkie render` from outside: pictures, films, choices of frames and cameras, and what goes wrong."""
import json
import os
import pty
import shutil
import signal
import struct
import subprocess
import time
import zlib

import pytest
from conftest import SELKIE, selkie

SMALL = ["--size", "64x36", "--samples", "2"]
ffmpeg = pytest.mark.skipif(not shutil.which("ffmpeg") or not shutil.which("ffprobe"), reason="ffmpeg is not installed")

CAMERAS = """
[[camera]]
name = "front"
position = [0, 0.2, 3]
target = [0, -0.2, 0]

[[camera]]
name = "top"
position = [0, 3, 0.1]
target = [0, 0, 0]
"""


def pixels(path):
    """Width, height and the rows of an 8-bit RGB picture."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert (depth, colour) == (8, 2)
        if kind == b"IDAT":
            packed += body
        at += 12 + length
    raw, stride, rows = zlib.decompress(packed), 3 * width, []
    before = bytearray(stride)
    for y in range(height):
        kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            left = row[i - 3] if i >= 3 else 0
            up, corner = before[i], before[i - 3] if i >= 3 else 0
            if kind == 4:
                guess = left + up - corner
                paeth = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            row[i] = (row[i] + [0, left, up, (left + up) // 2, paeth if kind == 4 else 0][kind]) % 256
        rows.append(row)
        before = row
    return width, height, rows


def mean_difference(a, b):
    assert a[:2] == b[:2]
    return sum(abs(x - y) for p, q in zip(a[2], b[2]) for x, y in zip(p, q)) / (3 * a[0] * a[1])


@pytest.fixture
def run(cloth, tmp_path):
    selkie("run", cloth, "-o", tmp_path / "run", check=0)
    return tmp_path / "run"


# ---- pictures ----

def test_a_picture_has_the_size_asked_for_and_the_same_bytes_for_any_number_of_threads(cloth, tmp_path):
    for name, threads in [("a.png", 1), ("b.png", 1), ("c.png", 2)]:
        selkie("render", cloth, "-o", tmp_path / name, *SMALL, "--frame", 3, "--threads", threads, check=0)
    first = (tmp_path / "a.png").read_bytes()
    assert (tmp_path / "b.png").read_bytes() == first and (tmp_path / "c.png").read_bytes() == first
    width, height, rows = pixels(tmp_path / "a.png")
    assert (width, height) == (64, 36)
    assert len({bytes(row) for row in rows}) > 10, "there is something to see"
    selkie("render", cloth, "-o", tmp_path / "d.png", *SMALL, "--frame", 3, "--seed", 2, check=0)
    assert (tmp_path / "d.png").read_bytes() != first


def test_a_run_and_its_scene_give_the_same_picture(cloth, run, tmp_path):
    selkie("render", cloth, "-o", tmp_path / "scene.png", *SMALL, check=0)
    selkie("render", run, "-o", tmp_path / "run.png", *SMALL, check=0)
    # Frame files hold floats: a ray at an edge may fall on the other side, one in hundreds.
    assert mean_difference(pixels(tmp_path / "scene.png"), pixels(tmp_path / "run.png")) < 0.5


def test_the_last_frame_is_the_default_and_the_name_that_of_the_scene(run, tmp_path):
    selkie("render", run, *SMALL, cwd=tmp_path, check=0)
    selkie("render", run, *SMALL, "--frame", 6, "-o", tmp_path / "six.png", check=0)
    selkie("render", run, *SMALL, "--frame", 2, "-o", tmp_path / "two.png", check=0)
    default = (tmp_path / "small.png").read_bytes()
    assert default == (tmp_path / "six.png").read_bytes() != (tmp_path / "two.png").read_bytes()


def test_sequences_go_into_a_folder_with_numbers(run, tmp_path):
    selkie("render", run, *SMALL, "--frames", "1:5:2", "-o", tmp_path / "some", check=0)
    assert sorted(p.name for p in (tmp_path / "some").iterdir()) == [f"small.{i:04}.png" for i in (1, 3, 5)]
    done = selkie("render", run, *SMALL, "-o", f"{tmp_path}/every/", "--json", check=0)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [e["frame"] for e in events[:-1]] == list(range(7)) and events[-1]["end"] == "finished"
    assert all(os.path.exists(e["file"]) for e in events[:-1])
    selkie("render", run, *SMALL, "--all", cwd=tmp_path, check=0)
    assert len(list((tmp_path / "small-pictures").iterdir())) == 7


def test_cameras_overlays_wire_and_blur_change_the_picture(cloth, tmp_path):
    cloth.write_text(cloth.read_text() + CAMERAS)
    seen = set()
    for arguments in [[], ["--camera", "top"], ["--camera", "auto"], ["--overlay", "strain"],
                      ["--overlay", "velocity", "--range", "0:9"], ["--overlay", "velocity", "--range", "0:1"],
                      ["--wire"], ["--motion-blur"], ["--set", "light.exposure=0.5"]]:
        selkie("render", cloth, "-o", tmp_path / "x.png", *SMALL, *arguments, check=0)
        seen.add((tmp_path / "x.png").read_bytes())
    assert len(seen) == 9
    selkie("render", cloth, "-o", tmp_path / "y.png", *SMALL, "--camera", "front", check=0)
    selkie("render", cloth, "-o", tmp_path / "x.png", *SMALL, check=0)
    assert (tmp_path / "y.png").read_bytes() == (tmp_path / "x.png").read_bytes(), "the first camera is the default"


def test_quiet_is_quiet_and_plain_lines_have_no_control_characters(run, tmp_path):
    assert selkie("render", run, *SMALL, "-q", "-o", tmp_path / "a.png", check=0).stdout == ""
    text = selkie("render", run, *SMALL, "-o", tmp_path / "a.png", check=0).stdout
    assert "picture 1/1  frame 6" in text and "finished: 1 picture in" in text and "\x1b" not in text


def test_a_terminal_sees_one_line_that_rewrites_itself(run, tmp_path):
    here, there = pty.openpty()
    process = subprocess.Popen([SELKIE, "render", str(run), *SMALL, "--all", "-o", str(tmp_path / "p")], stdout=there)
    os.close(there)
    text = b""
    try:
        while piece := os.read(here, 4096):
            text += piece
    except OSError:  # the other end is closed
        pass
    os.close(here)
    assert process.wait(60) == 0
    assert b"\r\x1b[Kpicture 7/7" in text


# ---- films ----

@ffmpeg
def test_a_film_has_one_picture_per_frame_at_the_pace_of_the_scene(run, tmp_path):
    selkie("render", run, *SMALL, "-o", tmp_path / "film.mp4", check=0)
    told = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries",
                           "stream=nb_read_frames,width,height,pix_fmt,avg_frame_rate", "-of", "json",
                           tmp_path / "film.mp4"], capture_output=True, text=True, check=True)
    stream = json.loads(told.stdout)["streams"][0]
    assert stream == {"width": 64, "height": 36, "pix_fmt": "yuv420p", "avg_frame_rate": "30/1", "nb_read_frames": "7"}
    assert not [p for p in tmp_path.iterdir() if p.name.endswith(".part")]
    message = selkie("render", run, *SMALL, "-o", tmp_path / "film.mp4", check=2).stderr
    assert "exists already" in message and "--overwrite" in message
    selkie("render", run, *SMALL, "--frames", "0:6:2", "--overwrite", "-o", tmp_path / "film.mp4", check=0)


@ffmpeg
def test_a_film_of_a_scene_needs_no_run(cloth, tmp_path):
    selkie("render", cloth, *SMALL, "--frames", "0:2", "--fps", "5", "-o", tmp_path / "a film's.mp4", check=0)
    assert (tmp_path / "a film's.mp4").stat().st_size > 500


def test_a_missing_ffmpeg_is_told_with_how_to_get_it(run, tmp_path):
    environment = dict(os.environ, PATH=str(tmp_path))
    done = selkie("render", run, *SMALL, "-o", tmp_path / "film.mp4", env=environment, check=4)
    assert "ffmpeg, which was not found" in done.stderr and "apt-get install ffmpeg" in done.stderr
    assert "PNG needs no ffmpeg" in done.stderr
    selkie("render", run, *SMALL, "-o", tmp_path / "a.png", env=environment, check=0)


def test_the_last_words_of_an_ffmpeg_that_fails_are_shown(run, tmp_path):
    fake = tmp_path / "bin/ffmpeg"
    fake.parent.mkdir()
    fake.write_text('#!/bin/sh\ncase "$*" in *-encoders*) echo " V libx264 x" ;; *) echo "the disk sulks" >&2; exit 9;; esac\n')
    fake.chmod(0o755)
    environment = dict(os.environ, PATH=f"{fake.parent}:{os.environ['PATH']}")
    done = selkie("render", run, *SMALL, "-o", tmp_path / "film.mp4", env=environment, check=4)
    assert "ffmpeg failed" in done.stderr and "the disk sulks" in done.stderr
    assert not (tmp_path / "film.mp4").exists()


def test_a_film_of_odd_size_is_refused_with_the_next_even_one(run, tmp_path):
    assert "--size 66x36" in selkie("render", run, "--size", "65x36", "-o", tmp_path / "f.mp4", check=2).stderr


# ---- what goes wrong ----

@pytest.mark.parametrize("arguments, words", [
    (["--frame", "9"], ["there is no frame 9", "frames 0 to 6"]),
    (["--frames", "4:9"], ["there is no frame 9"]),
    (["--frames", "4-9"], ["--frames 4-9", "for example --frames 0:120"]),
    (["--frames", "4:2"], ["cannot be understood"]),
    (["--camera", "tpo"], ["no camera of this name", "did you mean 'top'", "front, top or auto"]),
    (["--overlay", "stran"], ["nothing in this scene has the attribute", "did you mean 'strain'", "velocity"]),
    (["--overlay", "strain", "--range", "3:1"], ["--range 3:1", "the lower end first"]),
    (["--size", "big"], ["--size big", "960x540"]),
    (["--size", "0x10"], ["--size 0x10"]),
    (["--set", "clth.stiffness=1"], ["did you mean 'cloth'"]),
])
def test_mistakes_in_the_command_are_told_with_a_remedy(cloth, tmp_path, arguments, words):
    cloth.write_text(cloth.read_text() + CAMERAS)
    selkie("run", cloth, "-o", tmp_path / "run", check=0)
    done = selkie("render", tmp_path / "run", *SMALL[2:], *arguments, "-o", tmp_path / "o", check=2)
    for word in words:
        assert word in done.stderr, done.stderr


def test_options_that_contradict_each_other_or_make_no_sense_are_refused(run):
    for arguments in (["--frame", "1", "--all"], ["--frame", "-2"], ["--samples", "0"], ["--width", "0"], ["--range", "0:1"],
                      ["--size", "9x9", "--width", "9"], ["--time-budget", "-1"]):
        selkie("render", run, *arguments, check=2)


def test_folders_without_frames_or_scene_are_told_apart(tmp_path, run, cloth):
    (tmp_path / "empty").mkdir()
    assert "holds no frames" in selkie("render", tmp_path / "empty", check=2).stderr
    (run / "scene.toml").unlink()
    assert "no scene.toml" in selkie("render", run, check=2).stderr
    cloth.write_text(cloth.read_text().replace("[output]", '[output]\nformats = ["vtk"]'))
    selkie("run", cloth, "-o", tmp_path / "vtk", check=0)
    assert "VTK" in selkie("render", tmp_path / "vtk", check=2).stderr
    assert "no such scene file" in selkie("render", tmp_path / "absent.toml", check=2).stderr


def test_a_damaged_frame_is_named(run, tmp_path):
    frame = run / "cloth.0006.ply"
    frame.write_bytes(frame.read_bytes()[:-100])
    message = selkie("render", run, *SMALL, "-o", tmp_path / "a.png", check=2).stderr
    assert "cloth.0006.ply" in message and "run the scene again" in message
    assert not (tmp_path / "a.png").exists()
    selkie("render", run, *SMALL, "--frame", 5, "-o", tmp_path / "a.png", check=0)


def test_places_that_cannot_be_written_are_told_before_anything_is_drawn(run, tmp_path):
    (tmp_path / "file").write_text("x")
    done = selkie("render", run, *SMALL, "-o", tmp_path / "file/a.png", check=4)
    assert "file" in done.stderr and "choose another" in done.stderr
    assert "cannot be written as '.jpg'" in selkie("render", run, "-o", tmp_path / "a.jpg", check=2).stderr
    assert "several frames" in selkie("render", run, "--all", "-o", tmp_path / "a.png", check=2).stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_write_permission_is_an_output_error(run, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    assert "permissions" in selkie("render", run, *SMALL, "-o", tmp_path / "locked/a.png", check=4).stderr


def test_other_files_are_not_overwritten_but_pictures_are(run, tmp_path):
    target = tmp_path / "a.png"
    target.write_text("my notes")
    assert "not a PNG picture" in selkie("render", run, *SMALL, "-o", target, check=2).stderr
    assert target.read_text() == "my notes"
    selkie("render", run, *SMALL, "-o", target, "--overwrite", check=0)
    selkie("render", run, *SMALL, "-o", target, check=0)


def test_a_simulation_that_fails_on_the_way_is_a_numerical_failure(cloth, tmp_path):
    # So far above the stability limit that doubles overflow within a few steps.
    arguments = ["--set", "cloth.integrator=explicit-euler", "--set", "cloth.step=0.05", "--set", "cloth.stiffness=1e16"]
    done = selkie("render", cloth, *SMALL, *arguments, "-o", tmp_path / "a.png", "--frame", 100, check=3)
    assert "numerical failure" in done.stderr and not (tmp_path / "a.png").exists()


def test_an_interrupt_keeps_the_pictures_that_are_finished(run, tmp_path):
    process = subprocess.Popen([SELKIE, "render", str(run), "--size", "160x90", "--samples", "64", "--all", "-o",
                                str(tmp_path / "p")], stdout=subprocess.PIPE, text=True)
    deadline = time.time() + 60
    while time.time() < deadline and not list((tmp_path / "p").glob("*.png") if (tmp_path / "p").exists() else []):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    text, _ = process.communicate(timeout=60)
    finished = sorted((tmp_path / "p").iterdir())
    assert finished and all(p.suffix == ".png" for p in finished)
    for path in finished:
        pixels(path)
    if len(finished) < 7:
        assert process.returncode == 130 and "interrupted" in text

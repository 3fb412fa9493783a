"""What the command-line tests share: the program under test and small scenes."""
import csv
import json
import os
import pathlib
import re
import subprocess

import pytest

SELKIE = os.environ["SELKIE_PROGRAM"]
SOURCE = pathlib.Path(__file__).resolve().parents[3]

CLOTH = """\
[scene]
name = "small"
fps = 30
frames = 6

[output]
checkpoint_every = 2

[[mass_spring]]
name = "cloth"
mesh = { sheet = { size = [1, 1], divisions = [8, 8] } }
stiffness = 200
pin = [{ box = { min = [-0.6, -0.1, -0.6], max = [-0.4, 0.1, 0.6] } }]
"""


def selkie(*arguments, cwd=None, check=None, **options):
    """Runs the program to its end; `check` is the exit code that must come out."""
    done = subprocess.run([SELKIE, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=120, **options)
    if check is not None:
        assert done.returncode == check, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


@pytest.fixture
def cloth(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(CLOTH)
    return path


HASH = re.compile(r"^[0-9a-f]{32}$")


def end_of(done):
    """The closing JSON line of a run with --json."""
    return json.loads(done.stdout.strip().splitlines()[-1])


def run_hash(scene, folder, *arguments, check=0, **options):
    return end_of(selkie("run", scene, "-o", folder, "--json", *arguments, check=check, **options))["hash"]


def stats(folder):
    with open(folder / "stats.csv", newline="") as file:
        return list(csv.DictReader(file))


# What a user does to the cloth.
EVENTS = """\
[[event]]
frame = 1
system = "cloth"
action = "set"
arguments = { path = "stiffness", value = 120.0 }

[[event]]
frame = 1.5
system = "cloth"
action = "grab"
arguments = { vertex = 40, target = [0.1, 0.3, 0.0] }

[[event]]
frame = 3
system = "cloth"
action = "release"

[[event]]
frame = 3.25
system = "cloth"
action = "impulse"
arguments = { point = [0.5, 0.0, 0.5], impulse = [0.0, 0.01, 0.0] }
"""

# A closed surface, corners counted from one.
CUBE = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
FACES = [(1, 4, 2), (1, 3, 4), (5, 6, 8), (5, 8, 7), (1, 2, 6), (1, 6, 5),
         (3, 8, 4), (3, 7, 8), (1, 5, 7), (1, 7, 3), (2, 4, 8), (2, 8, 6)]


def write_obj(path, faces):
    path.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in CUBE) + "".join(f"f {a} {b} {c}\n" for a, b, c in faces))
    return path

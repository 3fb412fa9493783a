"""What the command-line tests share: the program under test and small scenes."""
import os
import pathlib
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

"""The `selkie` program from outside: verbs, files, exit codes, resume, interruption, trouble."""
import csv
import json
import os
import pty
import re
import resource
import select
import shlex
import signal
import subprocess
import time

import pytest
from conftest import SELKIE, SOURCE, selkie

HASH = re.compile(r"^[0-9a-f]{32}$")


def end_of(done):
    """The closing JSON line of a run with --json."""
    return json.loads(done.stdout.strip().splitlines()[-1])


def run_hash(scene, folder, *arguments, check=0, **options):
    return end_of(selkie("run", scene, "-o", folder, "--json", *arguments, check=check, **options))["hash"]


def stats(folder):
    with open(folder / "stats.csv", newline="") as file:
        return list(csv.DictReader(file))


# ---- help, version, lists ----

@pytest.mark.parametrize("verb", ["run", "render", "check", "verify", "bench", "mesh", "scenes", "info"])
def test_every_verb_explains_itself(verb):
    text = selkie(verb, "--help", check=0).stdout
    assert "--threads" in text and "--json" in text


def test_help_names_verbs_and_exit_codes():
    text = selkie("--help", check=0).stdout
    for word in ["run", "render", "check", "verify", "bench", "mesh", "scenes", "info", "Exit codes", "130"]:
        assert word in text


def test_version_is_the_projects():
    version = re.search(r"project\(selkie VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text())[1]
    assert selkie("--version", check=0).stdout.strip() == version


def test_a_folder_called_like_a_shipped_scene_does_not_hide_it(tmp_path):
    (tmp_path / "rope").mkdir()
    assert "vertices" in selkie("check", "rope", check=0, cwd=tmp_path).stdout


def test_no_verb_and_unknown_verbs_or_options_are_bad_input(cloth):
    assert "subcommand is required" in selkie(check=2).stderr
    selkie("rnu", check=2)
    assert "--frams" in selkie("run", cloth, "--frams", "3", check=2).stderr
    selkie("run", cloth, "--frames", "-1", check=2)
    selkie("run", cloth, "--threads", "many", check=2)
    selkie("run", cloth, "--resume", "--overwrite", check=2)


def test_scenes_lists_what_is_shipped():
    names = sorted(path.stem for path in (SOURCE / "scenes").glob("*.toml"))
    lines = selkie("scenes", check=0).stdout.splitlines()
    assert [line.split()[0] for line in lines] == names
    assert all(len(line.split()) > 3 for line in lines), "each scene says what it shows"
    assert [entry["name"] for entry in json.loads(selkie("scenes", "--json", check=0).stdout)] == names


def test_info_lists_licences():
    text = selkie("info", check=0).stdout
    for word in ["Apache-2.0", "Eigen", "MPL-2.0", "HDF5", "BSD-3-Clause", "toml++", "MIT", "threads", "CHOLMOD"]:
        assert word in text
    data = json.loads(selkie("info", "--json", check=0).stdout)
    assert {"version", "compiler", "build", "threads", "cpu_features", "linked"} <= data.keys()
    assert all(part["licence"] for part in data["linked"])


def test_scene_format_page_is_what_the_program_prints():
    assert selkie("info", "--scene-format", check=0).stdout == (SOURCE / "docs/scene-format.md").read_text()


def test_json_schema_names_every_table():
    schema = json.loads(selkie("info", "--json-schema", check=0).stdout)
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert {"scene", "output", "collider", "mass_spring", "coupling"} <= schema["properties"].keys()


def test_json_schema_accepts_the_shipped_scenes_and_refuses_unknown_keys():
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(selkie("info", "--json-schema", check=0).stdout)
    scene = json.loads(selkie("check", "hanging-sheet", "--json", check=0).stdout)["scene"]
    jsonschema.validate(scene, schema)
    scene["mass_spring"][0]["stifness"] = 3
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(scene, schema)


# ---- check ----

def test_checked_scene_can_be_loaded_again_and_is_a_fixed_point(cloth, tmp_path):
    once = selkie("check", cloth, "--set", "scene.scale=0.5", check=0).stdout
    assert "divisions = [4, 4]" in once
    again = tmp_path / "again.toml"
    again.write_text(once)
    assert selkie("check", again, check=0).stdout == once


def test_check_prints_schedule_and_estimates(cloth):
    text = selkie("check", cloth, check=0).stdout
    for word in ["# the schedule", "cloth (mass_spring)", "81 vertices", "sub-step(s) a frame", "# all systems: about"]:
        assert word in text
    data = json.loads(selkie("check", cloth, "--json", check=0).stdout)
    assert data["systems"][0]["name"] == "cloth" and data["memory_bytes"] > 0
    assert selkie("check", cloth, "--quiet", check=0).stdout == ""


# ---- run: files, figures, folders ----

def test_run_writes_frames_statistics_scene_log_and_checkpoint(cloth, tmp_path):
    out = tmp_path / "out"
    done = selkie("run", cloth, "-o", out, check=0)
    names = {path.name for path in out.iterdir()}
    assert names == {f"cloth.{i:04}.ply" for i in range(7)} | {"scene.toml", "stats.csv", "log.txt", "checkpoint.h5"}
    rows = stats(out)
    assert [int(row["frame"]) for row in rows] == list(range(1, 7))
    for column in ["frame", "step", "time", "dt", "retries", "cloth.substeps", "cloth.iterations", "cloth.residual",
                   "cloth.energy", "cloth.max_stretch", "hash", "ms.mass_spring.step"]:
        assert column in rows[0], column
    assert all(HASH.match(row["hash"]) for row in rows)
    assert f"state hash {rows[-1]['hash']}" in done.stdout
    assert "wrote 7 frame files" in done.stdout and "cloth.0000.ply ... cloth.0006.ply" in done.stdout
    assert "ended at frame 6" in (out / "log.txt").read_text()


def test_stored_scene_runs_to_the_same_state(cloth, tmp_path):
    first = run_hash(cloth, tmp_path / "a", "--set", "scene.scale=0.7", "--set", "cloth.stiffness=150")
    assert run_hash(tmp_path / "a/scene.toml", tmp_path / "b") == first


def test_default_folder_carries_the_scenes_name(cloth, tmp_path):
    selkie("run", cloth, "--frames", "1", cwd=tmp_path, check=0)
    assert (tmp_path / "out/small/cloth.0001.ply").exists()


def test_second_run_into_a_folder_is_refused_without_overwrite(cloth, tmp_path):
    out = tmp_path / "out"
    first = run_hash(cloth, out)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    message = selkie("run", cloth, "-o", out, check=2).stderr
    assert message == (f"error: {out}: already holds a run\n  continue it with --resume, replace it with --overwrite, "
                       "or choose another folder with -o\n")
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert run_hash(cloth, out, "--overwrite") == first


def test_overwriting_with_fewer_frames_leaves_no_frame_of_the_old_run(cloth, tmp_path):
    out = tmp_path / "out"
    run_hash(cloth, out)
    run_hash(cloth, out, "--overwrite", "--frames", "2")
    assert sorted(path.name for path in out.glob("*.ply")) == [f"cloth.{i:04}.ply" for i in range(3)]


def test_formats_and_every_are_obeyed(cloth, tmp_path):
    out = tmp_path / "out"
    run_hash(cloth, out, "--set", 'output.formats=["vtk"]', "--set", "output.every=4")
    assert sorted(path.name for path in out.glob("cloth.*")) == [f"cloth.{i:04}.vtp" for i in (0, 4, 6)]
    assert (out / "series.pvd").exists()


def test_threads_do_not_change_the_state(cloth, tmp_path):
    hashes = {run_hash(cloth, tmp_path / n, "--threads", n, "--set", "cloth.mesh.sheet.divisions=[40, 40]") for n in "12"}
    assert len(hashes) == 1


def test_explicit_integrators_take_sub_steps(cloth, tmp_path):
    run_hash(cloth, tmp_path / "out", "--set", "cloth.integrator=rk4", "--set", "cloth.stiffness=5000")
    assert int(stats(tmp_path / "out")[0]["cloth.substeps"]) > 5


# ---- resume ----

def test_resuming_a_finished_run_with_more_frames_equals_one_long_run(cloth, tmp_path):
    long = run_hash(cloth, tmp_path / "long", "--frames", "9")
    run_hash(cloth, tmp_path / "out", "--frames", "5")
    assert run_hash(cloth, tmp_path / "out", "--frames", "9", "--resume") == long
    assert [row["hash"] for row in stats(tmp_path / "out")] == [row["hash"] for row in stats(tmp_path / "long")]
    for frame in (tmp_path / "long").glob("*.ply"):
        assert frame.read_bytes() == (tmp_path / "out" / frame.name).read_bytes()


def test_resuming_a_complete_run_changes_nothing(cloth, tmp_path):
    first = run_hash(cloth, tmp_path / "out")
    assert run_hash(cloth, tmp_path / "out", "--resume") == first


def test_resume_with_another_scene_is_refused(cloth, tmp_path):
    out = tmp_path / "out"
    run_hash(cloth, out, "--frames", "2")
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    message = selkie("run", cloth, "-o", out, "--resume", "--set", "cloth.stiffness=300", check=2).stderr
    assert message.startswith(f"error: {out}/checkpoint.h5: was written by a different scene or different --set values\n  resume with")
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_resume_without_a_checkpoint_is_refused(cloth, tmp_path):
    message = selkie("run", cloth, "-o", tmp_path / "none", "--resume", check=2).stderr
    assert message == f"error: {tmp_path}/none: holds no checkpoint to resume from\n  run without --resume to start from the beginning\n"
    assert not (tmp_path / "none").exists()


def test_damaged_checkpoint_is_refused(cloth, tmp_path):
    out = tmp_path / "out"
    run_hash(cloth, out, "--frames", "2")
    data = bytearray((out / "checkpoint.h5").read_bytes())
    data[len(data) // 2] ^= 0xFF
    (out / "checkpoint.h5").write_bytes(data)
    assert selkie("run", cloth, "-o", out, "--resume", check=2).stderr.startswith(f"error: {out}/checkpoint.h5: ")


# ---- output that cannot be written ----

def test_folder_below_a_file_cannot_be_made(cloth, tmp_path):
    (tmp_path / "file").write_text("")
    message = selkie("run", cloth, "-o", tmp_path / "file/out", check=4).stderr
    assert message == (f"error: {tmp_path}/file/out: cannot be written: Not a directory\n"
                       "  A part of the path is a file, not a folder: choose another output folder.\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_folder_without_permission_cannot_be_made(cloth, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    assert "Permission denied" in selkie("run", cloth, "-o", tmp_path / "locked/out", check=4).stderr


def test_kernel_folder_cannot_be_made(cloth):
    message = selkie("run", cloth, "-o", "/proc/selkie-test", check=4).stderr
    assert message.startswith("error: /proc/selkie-test: cannot be written: ")


def test_name_that_is_too_long_cannot_be_made(cloth, tmp_path):
    assert "File name too long" in selkie("run", cloth, "-o", tmp_path / ("x" * 300), check=4).stderr


def test_full_disk_keeps_the_last_checkpoint(cloth, tmp_path):
    # A limit on the size of files stands in for a full disk: the growing stats.csv meets it first.
    out = tmp_path / "out"
    arguments = ["--set", "output.checkpoint_every=1", "--set", "scene.steps_per_frame=100", "--frames", "8"]
    whole = run_hash(cloth, tmp_path / "whole", *arguments)
    limit = (tmp_path / "whole/stats.csv").stat().st_size * 2 // 3
    assert limit > (tmp_path / "whole/checkpoint.h5").stat().st_size
    done = selkie("run", cloth, "-o", out, *arguments, check=4,
                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert done.stderr.startswith(f"error: {out}/stats.csv: cannot be written: File too large\n")
    assert done.stderr.count("cannot be written") == 1
    frame = int(re.search(r"the checkpoint at frame (\d+) are kept; make room and continue with --resume", done.stderr)[1])
    assert frame >= 3
    assert run_hash(cloth, out, *arguments, "--resume") == whole
    assert not list(out.glob("*partial*"))


# ---- interruption ----

SLOW = ["--set", "cloth.mesh.sheet.divisions=[40, 40]", "--set", "scene.gravity=[0, -9.81, 1]", "--frames", "60"]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_prints_a_command_that_finishes_it(sent, cloth, tmp_path):
    whole = run_hash(cloth, tmp_path / "whole", *SLOW)
    out = tmp_path / "a folder"
    with subprocess.Popen([SELKIE, "run", cloth, "-o", out, *SLOW], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while not (out / "cloth.0002.ply").exists() and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(sent)
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert "interrupted at frame" in stdout
    command = shlex.split(stderr.split("continue with\n")[1])
    assert command[:2] == ["selkie", "run"] and "--resume" in command
    assert (out / "checkpoint.h5").exists() and not (out / "cloth.0060.ply").exists()
    assert run_hash(command[2], out, *[word for word in command[3:] if word not in ("-o", str(out))]) == whole


# ---- what is printed ----

def test_quiet_prints_nothing(cloth, tmp_path):
    done = selkie("run", cloth, "-o", tmp_path / "out", "--quiet", check=0)
    assert (done.stdout, done.stderr) == ("", "")


def test_json_lines_parse_and_count_frames(cloth, tmp_path):
    done = selkie("run", cloth, "-o", tmp_path / "out", "--json", check=0)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["frame"] for line in lines if line["event"] == "frame"] == list(range(1, 7))
    assert lines[-1]["event"] == "end" and lines[-1]["end"] == "finished" and HASH.match(lines[-1]["hash"])
    assert done.stderr == ""


def test_progress_in_a_pipe_is_plain_lines(cloth, tmp_path):
    text = selkie("run", cloth, "-o", tmp_path / "out", check=0).stdout
    assert re.search(r"^frame 6/6  step \d+  dt .* elapsed, .* left$", text, re.M)
    assert "\r" not in text and "\x1b" not in text


def test_progress_on_a_terminal_rewrites_its_line(cloth, tmp_path):
    master, slave = pty.openpty()
    process = subprocess.Popen([SELKIE, "run", cloth, "-o", tmp_path / "out"], stdout=slave, stderr=slave)
    os.close(slave)
    text = b""
    while True:
        ready, _, _ = select.select([master], [], [], 60)
        try:
            piece = os.read(master, 65536) if ready else b""
        except OSError:  # the other end is closed
            piece = b""
        if not piece:
            break
        text += piece
    os.close(master)
    assert process.wait(timeout=60) == 0
    assert b"\r\x1b[Kframe " in text and b"frame 6/6" in text
    assert b"left\r\nfinished at frame 6" in text, "the summary begins on a fresh line"


# ---- numerical failure ----

def test_numerical_failure_keeps_the_finished_frames(cloth, tmp_path):
    # From frame 2 on the fixed step is so far above the stability limit that the body grows without bound, and eight
    # halvings of the sync step do not save it once doubles overflow.
    out = tmp_path / "out"
    events = tmp_path / "events.toml"
    events.write_text('[[event]]\nframe = 2\nsystem = "cloth"\naction = "set"\n'
                      'arguments = { path = "stiffness", value = 1e16 }\n')
    done = selkie("run", cloth, "-o", out, "--inputs", events, "--json", "--set", "cloth.integrator=explicit-euler",
                  "--set", "cloth.step=0.05", "--set", "cloth.stiffness=1", "--frames", "100", check=3)
    end = end_of(done)
    frame = end["frame"]
    assert end["end"] == "failed" and 2 <= frame < 100
    assert done.stderr.startswith("numerical failure: t = ") and "'cloth'" in done.stderr
    assert done.stderr.count("not finite") == 1, "the reason is told once"
    assert "are kept in" in done.stderr and "implicit integrator" in done.stderr
    assert [path.name for path in sorted(out.glob("*.ply"))] == [f"cloth.{i:04}.ply" for i in range(frame + 1)]
    assert sum(row["hash"] != "" for row in stats(out)) == frame and (out / "checkpoint.h5").exists()
    assert "rejected" in (out / "log.txt").read_text()


# ---- inputs ----

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


def test_recorded_inputs_replay_to_the_same_state(cloth, tmp_path):
    events = tmp_path / "events.toml"
    events.write_text(EVENTS)
    undisturbed = run_hash(cloth, tmp_path / "undisturbed")
    first = run_hash(cloth, tmp_path / "first", "--inputs", events)
    assert first != undisturbed
    assert run_hash(cloth, tmp_path / "second", "--inputs", tmp_path / "first/inputs.toml") == first
    assert run_hash(cloth, tmp_path / "third", "--inputs", tmp_path / "second/inputs.toml") == first
    assert (tmp_path / "third/inputs.toml").read_bytes() == (tmp_path / "first/inputs.toml").read_bytes()


def test_inputs_survive_a_resume(cloth, tmp_path):
    events = tmp_path / "events.toml"
    events.write_text(EVENTS)
    whole = run_hash(cloth, tmp_path / "whole", "--inputs", events)
    run_hash(cloth, tmp_path / "out", "--inputs", events, "--frames", "2")
    assert run_hash(cloth, tmp_path / "out", "--resume") == whole
    assert (tmp_path / "out/inputs.toml").read_bytes() == (tmp_path / "whole/inputs.toml").read_bytes()


# ---- shipped scenes ----

@pytest.mark.parametrize("name", sorted(path.stem for path in (SOURCE / "scenes").glob("*.toml")))
def test_shipped_scene_gives_one_state_for_one_and_two_threads(name, tmp_path):
    # Scenes whose scale 1 is the size of their source are shipped at a smaller one.
    shipped = re.search(r"^scale *= *([0-9.]+)", (SOURCE / "scenes" / f"{name}.toml").read_text(), re.MULTILINE)
    scale = min(0.3, 0.4 * float(shipped[1]) if shipped else 1)
    small = ["--frames", "3", "--set", f"scene.scale={scale}"]
    assert run_hash(name, tmp_path / "1", *small, "--threads", "1") == run_hash(name, tmp_path / "2", *small, "--threads", "2")


# ---- mesh ----

CUBE = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
FACES = [(1, 4, 2), (1, 3, 4), (5, 6, 8), (5, 8, 7), (1, 2, 6), (1, 6, 5),
         (3, 8, 4), (3, 7, 8), (1, 5, 7), (1, 7, 3), (2, 4, 8), (2, 8, 6)]


def write_obj(path, faces):
    path.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in CUBE) + "".join(f"f {a} {b} {c}\n" for a, b, c in faces))
    return path


@pytest.mark.parametrize("mesher", ["bcc", "delaunay"])
def test_mesh_fills_a_cube_and_the_result_is_a_body(mesher, tmp_path):
    cube = write_obj(tmp_path / "cube.obj", FACES)
    told = json.loads(selkie("mesh", cube, "-o", tmp_path / "cube.msh", "--divisions", "8", "--mesher", mesher,
                             "--json", check=0).stdout)
    assert told["tetrahedra"] > 1000 and abs(told["volume"] - 1) < 0.02 and told["surface_volume"] == 1
    assert "exists already" in selkie("mesh", cube, "-o", tmp_path / "cube.msh", check=2).stderr
    scene = tmp_path / "body.toml"
    scene.write_text('[[elastic]]\nname = "body"\nmesh = { file = "cube.msh" }\n')
    assert f"{told['tetrahedra']} tetrahedra" in selkie("check", scene, check=0).stdout


def test_mesh_refuses_an_open_surface_and_writes_nothing(tmp_path):
    message = selkie("mesh", write_obj(tmp_path / "open.obj", FACES[:-1]), "-o", tmp_path / "open.msh", check=2).stderr
    assert "1 hole (first: edge 1-5)" in message
    assert not (tmp_path / "open.msh").exists()

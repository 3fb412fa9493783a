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
import struct
import subprocess
import time
import tomllib
import zlib

import jsonschema
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
    assert selkie("scenes", "--quiet", check=0).stdout == ""


def test_studies_are_listed_as_text_or_as_json():
    lines = selkie("verify", "--list", check=0).stdout.splitlines()
    data = json.loads(selkie("verify", "--list", "--json", check=0).stdout)
    assert [entry["study"] for entry in data] == [line.split()[0] for line in lines] and len(data) > 3
    assert all(entry["about"] for entry in data)
    assert selkie("verify", "--list", "--quiet", check=0).stdout == ""


def test_quiet_bench_prints_nothing(cloth):
    assert selkie("bench", cloth, "--frames", "1", "--warmup", "0", "--quiet", check=0).stdout == ""


def test_info_lists_licences():
    text = selkie("info", check=0).stdout
    for word in ["Apache-2.0", "Eigen", "MPL-2.0", "HDF5", "BSD-3-Clause", "toml++", "MIT", "threads", "CHOLMOD"]:
        assert word in text
    data = json.loads(selkie("info", "--json", check=0).stdout)
    assert {"version", "compiler", "build", "threads", "cpu_features", "linked"} <= data.keys()
    assert all(part["licence"] for part in data["linked"])


# What a header belongs to: the beginning of its name, the entry of `selkie info`.
THIRD_PARTY = {
    "Eigen/": "Eigen", "unsupported/Eigen/": "Eigen", "Spectra/": "Spectra", "tbb/": "oneTBB", "fmt/": "fmt",
    "spdlog/": "spdlog", "toml++/": "toml++", "openvdb/": "OpenVDB", "embree3/": "Embree", "assimp/": "Assimp",
    "boost/": "Boost", "nlohmann/": "nlohmann-json", "png.h": "libpng", "hdf5.h": "HDF5", "metis.h": "METIS",
    "muParser.h": "muParser", "cholmod.h": "CHOLMOD", "CLI/": "CLI11",
}
SYSTEM = {"unistd.h", "fcntl.h", "immintrin.h", "spawn.h"}


def test_info_names_every_library_that_is_included():
    # Headers of the standard library have neither a dot nor a folder; those of the kernel are in sys/.
    headers = {header for folder in ("src", "apps") for path in (SOURCE / folder).rglob("*") if path.suffix in (".h", ".cpp")
               for header in re.findall(r"^\s*#\s*include <([^>]+)>", path.read_text(), re.M)
               if ("." in header or "/" in header) and not header.startswith("sys/") and header not in SYSTEM}
    assert {"fmt/format.h", "boost/asio.hpp", "png.h"} <= headers
    linked = {part["name"] for part in json.loads(selkie("info", "--json", check=0).stdout)["linked"]} | {"CHOLMOD"}
    for header in headers:
        library = next((name for prefix, name in THIRD_PARTY.items() if header.startswith(prefix)), None)
        assert library in linked, f"<{header}> belongs to no entry of `selkie info`"


def test_scene_format_page_is_what_the_program_prints():
    assert selkie("info", "--scene-format", check=0).stdout == (SOURCE / "docs/scene-format.md").read_text()


def test_json_schema_names_every_table():
    schema = json.loads(selkie("info", "--json-schema", check=0).stdout)
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert {"scene", "output", "collider", "mass_spring", "coupling"} <= schema["properties"].keys()


def test_json_schema_accepts_the_shipped_scenes_and_refuses_unknown_keys():
    schema = json.loads(selkie("info", "--json-schema", check=0).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    shipped = sorted((SOURCE / "scenes").glob("*.toml"))
    assert len(shipped) > 10
    for path in shipped:
        errors = [f"{path.name}: {error.json_path}: {error.message}"
                  for error in validator.iter_errors(tomllib.loads(path.read_text()))]
        assert not errors, errors
    scene = json.loads(selkie("check", "hanging-sheet", "--json", check=0).stdout)["scene"]
    assert validator.is_valid(scene), "the resolved form"
    scene["mass_spring"][0]["stifness"] = 3
    assert not validator.is_valid(scene)


# (what stands in the sheet, what the program says of it): a number, a vector, an optional one, a list.
OUT_OF_RANGE = ['stiffness = -1', 'mesh = { sheet = { size = [1, 0], divisions = [2, 2] } }', 'step = -0.1',
                'pin = [{ vertices = [3, -1] }]']


@pytest.mark.parametrize("line", OUT_OF_RANGE)
def test_json_schema_refuses_what_the_program_finds_out_of_range(line, tmp_path):
    schema = json.loads(selkie("info", "--json-schema", check=0).stdout)
    mesh = "" if line.startswith("mesh") else "mesh = { sheet = { size = [1, 1], divisions = [2, 2] } }\n"
    path = tmp_path / "scene.toml"
    path.write_text(f'[[mass_spring]]\nname = "cloth"\n{mesh}{line}\n')
    assert "out of range" in selkie("check", path, check=2).stderr
    assert not jsonschema.Draft202012Validator(schema).is_valid(tomllib.loads(path.read_text()))


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
    assert f"wrote 7 frame files, scene.toml, stats.csv, log.txt and checkpoint.h5 to {out}\n" in done.stdout
    assert "\n  cloth.0000.ply ... cloth.0006.ply\n" in done.stdout
    assert "ended at frame 6" in (out / "log.txt").read_text()


def test_stored_scene_runs_to_the_same_state(cloth, tmp_path):
    first = run_hash(cloth, tmp_path / "a", "--set", "scene.scale=0.7", "--set", "cloth.stiffness=150")
    assert run_hash(tmp_path / "a/scene.toml", tmp_path / "b") == first


def grey_png():
    """A picture of one black pixel."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b""))


def test_stored_scene_finds_its_files_from_anywhere(tmp_path):
    home = tmp_path / "home"
    (home / "parts").mkdir(parents=True)
    write_obj(home / "parts/cube.obj", FACES)
    (home / "parts/ground.png").write_bytes(grey_png())
    (home / "events.toml").write_text('[[event]]\nframe = 1\nsystem = "net"\naction = "set"\n'
                                      'arguments = { path = "stiffness", value = 120.0 }\n')
    cube = 'file = "parts/cube.obj"'
    (home / "scene.toml").write_text(f'''
[scene]
name = "files"
frames = 2
inputs = "events.toml"
[[collider]]
mesh = {{ {cube}, place = {{ translate = [9, 0, 0] }} }}
[[mass_spring]]
name = "net"
mesh = {{ {cube} }}
[[elastic]]
name = "jelly"
mesh = {{ tetrahedra = {{ surface = {{ {cube} }}, divisions = 2 }} }}
[[rigid]]
name = "stone"
shape = {{ hull = {{ surface = {{ {cube} }} }} }}
position = [0, 5, 0]
[[smoke]]
name = "steam"
domain = {{ min = [-1, 20, -1], max = [2, 23, 2], cells = 8 }}
emit = [{{ mesh = {{ {cube}, place = {{ translate = [0, 21, 0] }} }} }}]
[[shallow_water]]
name = "pond"
domain = {{ min = [50, 50], max = [60, 60], cells = 8 }}
ground = {{ image = "parts/ground.png" }}
[[surface_water]]
name = "dew"
mesh = {{ {cube} }}
place = {{ translate = [0, -50, 0] }}
sequence = {{ files = ["parts/cube.obj", "parts/cube.obj"] }}
''')
    first = run_hash("home/scene.toml", "a", cwd=tmp_path)
    stored = (tmp_path / "a/scene.toml").read_text()
    assert stored.count(f'"{home}/parts/cube.obj"') == 8 and f'"{home}/parts/ground.png"' in stored
    (tmp_path / "elsewhere").mkdir()
    assert run_hash("../a/scene.toml", "b", cwd=tmp_path / "elsewhere") == first
    checked = json.loads(selkie("check", tmp_path / "home/scene.toml", "--json", check=0).stdout)["scene"]
    assert checked["mass_spring"][0]["mesh"]["file"] == f"{home}/parts/cube.obj"
    # ... and it continues the run that it was stored by.
    assert run_hash("a/scene.toml", "a", "--resume", cwd=tmp_path) == first
    assert (tmp_path / "a/scene.toml").read_text() == stored


def test_every_file_that_a_scene_may_name_is_known_by_its_key():
    # scene/paths.cpp finds file names by their keys: file, files, image, inputs.
    page = (SOURCE / "docs/scene-format.md").read_text()
    keys = {row.split("|")[1].strip(" `") for row in page.splitlines()
            if re.search(r"\| (list of: )?text \|.*(beside the scene|relative to it|\bPNG\b|\.obj\b)", row)}
    assert keys == {"file", "files", "image", "inputs"}


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


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("name", ["scene.toml", "stats.csv", "log.txt", "series.pvd", "inputs.toml", "cloth.0099.ply",
                                  "cloth.0000.vtp", "cloth-part.0001.ply"])
def test_a_users_files_are_not_replaced_or_removed_without_overwrite(name, cloth, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / name).write_text("mine")
    (out / "notes.txt").write_text("mine too")
    message = selkie("run", cloth, "-o", out, check=2).stderr
    assert message == (f"error: {out}: already holds files that the run would replace or remove: {name}\n"
                       "  choose another folder with -o, or let them go with --overwrite\n")
    assert contents(out) == {name: b"mine", "notes.txt": b"mine too"}
    selkie("run", cloth, "-o", out, "--overwrite", check=0)
    assert (out / "notes.txt").read_text() == "mine too"


def test_a_folder_with_other_files_may_be_used(cloth, tmp_path):
    others = ["cloths.0001.ply", "cloth.ply", "cloth.12.ply", "cloth.0001.png", "scene.tom", "users.part"]
    out = tmp_path / "out"
    out.mkdir()
    for name in others:
        (out / name).write_text("mine")
    run_hash(cloth, out)
    run_hash(cloth, out, "--overwrite")
    assert all((out / name).read_text() == "mine" for name in others)


@pytest.mark.parametrize("arguments", [[], ["--overwrite"]])
def test_a_run_never_replaces_what_it_is_made_from(arguments, cloth, tmp_path):
    scene = tmp_path / "scene.toml"
    scene.write_text(cloth.read_text())
    cloth.unlink()
    before = contents(tmp_path)
    message = selkie("run", "scene.toml", "-o", ".", *arguments, cwd=tmp_path, check=2).stderr
    assert message == ("error: .: holds scene.toml, which the run reads and would replace or remove\n"
                       "  choose another folder with -o\n")
    assert contents(tmp_path) == before
    # A recording and a mesh are sources, too.
    out = tmp_path / "out"
    out.mkdir()
    (out / "inputs.toml").write_text(EVENTS)
    assert "holds inputs.toml, which" in selkie("run", scene, "--inputs", out / "inputs.toml", "-o", out, *arguments,
                                                check=2).stderr
    assert contents(out) == {"inputs.toml": EVENTS.encode()}
    (out / "inputs.toml").unlink()
    selkie("run", scene, "-o", out, "--frames", "1", check=0)
    scene.write_text('[[mass_spring]]\nname = "cloth"\nmesh = { file = "out/cloth.0001.ply" }\n')
    before = contents(out)
    assert "holds cloth.0001.ply, which" in selkie("run", scene, "-o", out, *arguments, check=2).stderr
    assert contents(out) == before


def test_overwriting_leaves_no_part_of_a_system_behind(tmp_path):
    scene, out = tmp_path / "lake.toml", tmp_path / "out"
    scene.write_text('[scene]\nframes = 2\n[[shallow_water]]\nname = "lake"\n'
                     'domain = { min = [0, 0], max = [1, 1], cells = 8 }\n')
    run_hash(scene, out)
    assert (out / "lake-ground.0002.ply").exists()
    run_hash(scene, out, "--overwrite", "--frames", "1")
    assert sorted(path.name for path in out.glob("*.ply")) == [
        f"{name}.{frame:04}.ply" for name in ("lake-ground", "lake") for frame in (0, 1)]


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


# The superuser may do everything, so the program becomes nobody; NOBODY may look into the folders of a test.
NOBODY = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}


@pytest.fixture
def open_path(cloth, tmp_path):
    for folder in [tmp_path, *tmp_path.parents]:
        if folder.stat().st_uid == os.geteuid() and not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o011)
    cloth.chmod(0o644)
    return tmp_path


def test_folder_without_permission_cannot_be_made(cloth, open_path):
    (open_path / "locked").mkdir(mode=0o555)
    message = selkie("run", cloth, "-o", open_path / "locked/out", check=4, **NOBODY).stderr
    assert message == (f"error: {open_path}/locked/out: cannot be written: Permission denied\n"
                       "  Check the permissions of the folder, or choose another output folder.\n")


@pytest.mark.parametrize("resume", [False, True])
def test_folder_that_may_not_be_looked_into_is_told_in_words(resume, cloth, open_path):
    (open_path / "closed").mkdir(mode=0o600 if NOBODY else 0o000)
    done = selkie("run", cloth, "-o", open_path / "closed/out", *(["--resume"] if resume else []), **NOBODY)
    assert done.returncode == (2 if resume else 4)
    assert done.stderr.startswith(f"error: {open_path}/closed/out") and "Permission denied\n" in done.stderr
    assert "filesystem error" not in done.stderr and done.stderr.count("\n") == 2


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
    assert not list(out.glob("*.part"))


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


def test_summary_names_every_series_and_what_else_was_written(cloth, tmp_path):
    cloth.write_text(cloth.read_text() + '\n[[mass_spring]]\nname = "veil"\n'
                     'mesh = { sheet = { center = [3, 0, 0], size = [1, 1], divisions = [2, 2] } }\n')
    (tmp_path / "events.toml").write_text(EVENTS)
    text = selkie("run", cloth, "-o", tmp_path / "out", "--inputs", tmp_path / "events.toml",
                  "--set", 'output.formats=["ply", "vtk"]', check=0).stdout
    assert "wrote 28 frame files, scene.toml, stats.csv, log.txt, checkpoint.h5, series.pvd and inputs.toml to " in text
    for name in ["cloth", "veil"]:
        for extension in ["ply", "vtp"]:
            assert f"\n  {name}.0000.{extension} ... {name}.0006.{extension}\n" in text


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
    done = selkie("run", cloth, "-o", tmp_path / "out", "--resume", "--inputs", events, check=2)
    assert done.stderr.startswith("error: --inputs cannot be used with --resume\n  the checkpoint holds the input events")
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

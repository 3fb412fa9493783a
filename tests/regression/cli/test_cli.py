"""The `selkie` program from outside: verbs, files, exit codes, resume, interruption, trouble."""
import json
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import time
import tomllib

import jsonschema
import pytest
from conftest import EVENTS, FACES, HASH, SELKIE, SOURCE, end_of, run_hash, selkie, stats, write_obj


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


def test_quiet_verify_prints_nothing_of_a_study_that_passes():
    assert selkie("verify", "integrators", "--quiet", check=0).stdout == ""


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


# What the linker names, less versions: the parts of `selkie info`, and what every C++ program needs.
SHARED = {"fmt": "fmt", "embree3": "Embree", "assimp": "Assimp", "openvdb": "OpenVDB", "hdf5_serial": "HDF5",
          "png16": "libpng", "tbb": "oneTBB", "spdlog": "spdlog", "muparser": "muParser", "metis": "METIS",
          "cholmod": "CHOLMOD"}
RUNTIME = {"c", "m", "stdc++", "gcc_s", "pthread", "dl", "atomic", "asan", "ubsan", "tsan", "ld-linux-x86-64"}


@pytest.mark.skipif(shutil.which("readelf") is None, reason="needs readelf")
def test_info_names_every_library_that_is_linked():
    dynamic = subprocess.run(["readelf", "-d", SELKIE], stdout=subprocess.PIPE, text=True, check=True).stdout
    needed = {name.removeprefix("lib") for name in re.findall(r"\(NEEDED\).*\[(.+?)\.so", dynamic)}
    assert "openvdb" in needed
    linked = {part["name"] for part in json.loads(selkie("info", "--json", check=0).stdout)["linked"]}
    for name in needed - RUNTIME:
        assert SHARED.get(name) in linked, f"lib{name} belongs to no entry of `selkie info`"


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


def test_readme_shows_what_check_prints():
    text = selkie("check", SOURCE / "scenes/hanging-sheet.toml", check=0).stdout
    assert "```\n" + text[text.index("# the schedule"):] + "```\n" in (SOURCE / "README.md").read_text()


# ---- interruption ----

SLOW = ["--set", "cloth.mesh.sheet.divisions=[40, 40]", "--set", "scene.gravity=[0, -9.81, 1]", "--frames", "60"]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
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


# ---- standard output that cannot be written ----

FULL = ("error: standard output: cannot be written: No space left on device\n"
        "  make room where it goes, or send it elsewhere\n")


def selkie_to(stdout, *arguments, **options):
    return subprocess.run([SELKIE, *map(str, arguments)], stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=120,
                          **options)


@pytest.mark.parametrize("arguments", [["info", "--json-schema"], ["scenes"], ["--help"]])
def test_output_onto_a_full_disk_is_told(arguments):
    with open("/dev/full", "w") as full:
        done = selkie_to(full, *arguments)
    assert (done.returncode, done.stderr) == (4, FULL)


def test_a_run_goes_on_when_its_progress_cannot_be_shown(cloth, tmp_path):
    whole = run_hash(cloth, tmp_path / "whole", "--frames", "60")
    with open("/dev/full", "w") as full:
        done = selkie_to(full, "run", cloth, "-o", tmp_path / "out", "--frames", "60", "--json")
    assert (done.returncode, done.stderr) == (4, FULL)
    assert stats(tmp_path / "out")[-1]["hash"] == whole
    assert run_hash(cloth, tmp_path / "out", "--frames", "60", "--resume") == whole


def test_a_run_goes_on_when_its_reader_has_gone(cloth, tmp_path):
    whole = run_hash(cloth, tmp_path / "whole", "--frames", "60")
    reader, writer = os.pipe()
    os.close(reader)
    done = selkie_to(writer, "run", cloth, "-o", tmp_path / "out", "--frames", "60", "--json",
                     preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
    os.close(writer)
    assert (done.returncode, done.stderr) == (4, ""), "not all was told, but whoever left knows"
    assert stats(tmp_path / "out")[-1]["hash"] == whole


def test_a_terminal_that_hangs_up_again_and_again_leaves_a_checkpoint(cloth, tmp_path):
    out = tmp_path / "out"
    with subprocess.Popen([SELKIE, "run", cloth, "-o", out, *SLOW], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True) as process:
        while not (out / "cloth.0002.ply").exists() and process.poll() is None:
            time.sleep(0.005)
        while process.poll() is None:
            process.send_signal(signal.SIGHUP)
            time.sleep(0.001)
        assert process.returncode == 130, process.stderr.read()
    assert (out / "checkpoint.h5").exists() and not (out / "cloth.0060.ply").exists()


def test_a_run_under_nohup_outlives_its_terminal(cloth, tmp_path):
    out = tmp_path / "out"
    with subprocess.Popen([SELKIE, "run", cloth, "-o", out, *SLOW], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
        while not (out / "cloth.0002.ply").exists() and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(signal.SIGHUP)
        assert process.wait(timeout=60) == 0, process.stderr.read()


@pytest.mark.parametrize("handling, code", [(signal.SIG_DFL, -signal.SIGPIPE), (signal.SIG_IGN, 4)])
def test_a_reader_that_closes_its_pipe_is_told_nothing(handling, code):
    reader, writer = os.pipe()
    os.close(reader)
    done = selkie_to(writer, "info", "--json-schema", preexec_fn=lambda: signal.signal(signal.SIGPIPE, handling))
    os.close(writer)
    assert (done.returncode, done.stderr) == (code, "")


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
    assert "its 'step' of 0.0333 s is beyond" in done.stderr.splitlines()[0], "warned of before it fails"
    assert "\nnumerical failure: t = " in done.stderr and "'cloth'" in done.stderr
    assert done.stderr.count("not finite") == 1, "the reason is told once"
    assert "are kept in" in done.stderr and "implicit integrator" in done.stderr
    assert [path.name for path in sorted(out.glob("*.ply"))] == [f"cloth.{i:04}.ply" for i in range(frame + 1)]
    assert sum(row["hash"] != "" for row in stats(out)) == frame and (out / "checkpoint.h5").exists()
    assert "rejected" in (out / "log.txt").read_text()


# ---- inputs ----

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

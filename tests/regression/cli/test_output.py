"""What a run leaves in its folder: files, what it may replace, resumes, output that cannot be written."""
import json
import os
import re
import resource
import struct
import zlib

import pytest
from conftest import EVENTS, FACES, HASH, SOURCE, run_hash, selkie, stats, write_obj


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


def test_vtk_files_hold_the_inside_of_bodies(tmp_path):
    scene = tmp_path / "jelly.toml"
    scene.write_text("""
[scene]
name = "jelly"
frames = 2
[output]
formats = ["ply", "vtk"]
[[elastic]]
name = "jelly"
mesh = { tet_box = { min = [0, 0, 0], max = [1, 1, 1], divisions = [2, 2, 2] } }
""")
    selkie("run", scene, "-o", tmp_path / "out", check=0)
    inside = (tmp_path / "out/jelly-interior.0002.vtu").read_bytes()
    head = inside[:inside.index(b"<AppendedData")].decode()
    assert 'NumberOfPoints="27" NumberOfCells="48"' in head  # the surface has 26 vertices
    assert "velocity [m/s]" in head and "stress [Pa]" in head
    series = (tmp_path / "out/series.pvd").read_text()
    assert series.count("jelly-interior.") == 3 and series.count("jelly.000") == 3
    scene.write_text(scene.read_text().replace('"ply", "vtk"', '"ply"'))
    selkie("run", scene, "-o", tmp_path / "out", "--overwrite", check=0)
    assert sorted(p.name for p in (tmp_path / "out").glob("jelly*")) == [f"jelly.{i:04}.ply" for i in range(3)]


LAKE = """
[[shallow_water]]
name = "lake"
domain = { min = [50, 50], max = [51, 51], cells = 8 }
"""
JELLY = """
[[elastic]]
name = "jelly"
mesh = { tet_box = { divisions = [2, 2, 2] } }
"""
SHEET = """
[[mass_spring]]
name = "NAME"
mesh = { sheet = {} }
"""
STONE = """
[[rigid]]
name = "NAME"
shape = { ball = { radius = 0.1 } }
"""


@pytest.mark.parametrize("system, other, part, formats", [
    (LAKE, SHEET, "lake-ground", "ply"), (LAKE, STONE, "lake-ground", "ply"), (JELLY, SHEET, "jelly-interior", "vtk")])
def test_systems_that_would_write_the_same_frame_files_are_refused(system, other, part, formats, tmp_path):
    scene, out = tmp_path / "names.toml", tmp_path / "out"
    scene.write_text(f'[scene]\nframes = 0\n[output]\nformats = ["{formats}"]\n' + system + other.replace("NAME", part))
    message = selkie("run", scene, "-o", out, check=2).stderr
    assert re.fullmatch(rf"error: '[a-z-]+' and '[a-z-]+' would both write the frame files {part}\.NNNN\n"
                        rf"  give '{part}' another name\n", message)
    assert f"'{part}'" in message and f"'{part.split('-')[0]}'" in message and not out.exists()
    selkie("run", scene, "-o", out, "--set", f"{part}.name=other", check=0)
    if formats == "vtk":  # only this one holds what is inside
        selkie("run", scene, "-o", out, "--overwrite", "--set", 'output.formats=["ply"]', check=0)


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


@pytest.fixture
def net(tmp_path):
    scene = tmp_path / "home/net.toml"
    scene.parent.mkdir()
    write_obj(scene.parent / "cube.obj", FACES)
    scene.write_text('[scene]\nframes = 4\n[[mass_spring]]\nname = "net"\nmesh = { file = "cube.obj" }\n')
    return scene


def test_resume_over_a_changed_mesh_is_refused(net, tmp_path):
    run_hash(net, tmp_path / "out", "--frames", "2")
    cube = net.parent / "cube.obj"
    cube.write_text(cube.read_text().replace("v 1 1 1\n", "v 1 1 1.5\n"))
    message = selkie("run", net, "-o", tmp_path / "out", "--resume", check=2).stderr
    assert "was written by a different scene or different --set values\n" in message


def test_a_run_is_resumed_when_its_scenes_folder_has_moved(net, tmp_path):
    whole = run_hash(net, tmp_path / "whole")
    run_hash(net, tmp_path / "out", "--frames", "2")
    net.parent.rename(tmp_path / "elsewhere")
    assert run_hash(tmp_path / "elsewhere/net.toml", tmp_path / "out", "--resume") == whole


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


def test_the_log_of_an_overwritten_run_is_its_own(cloth, tmp_path):
    out = tmp_path / "out"
    first = run_hash(cloth, out)
    run_hash(cloth, out, "--overwrite", "--set", "cloth.stiffness=150")
    log = (out / "log.txt").read_text()
    assert first not in log and log.count("started at frame 0") == 1
    run_hash(cloth, out, "--set", "cloth.stiffness=150", "--frames", "8", "--resume")
    assert "started at frame 0" in (out / "log.txt").read_text()


def test_a_log_that_cannot_be_written_ends_no_run(cloth, tmp_path):
    whole = run_hash(cloth, tmp_path / "whole")
    out = tmp_path / "out"
    out.mkdir()
    (out / "log.txt").symlink_to("/dev/full")
    done = selkie("run", cloth, "-o", out, "--overwrite", check=0)
    assert done.stderr.count("the log file is given up") == 1
    assert stats(out)[-1]["hash"] == whole


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

"""`--plots` of verify and bench: files that parse, names that are told, errors before the work."""
import json
import os
import xml.etree.ElementTree as xml

import pytest
from conftest import CLOTH, selkie

SVG = "{http://www.w3.org/2000/svg}"
STUDY_PLOTS = ["convergence", "energy", "limits", "stability"]


def parse(path):
    """The root of a drawing that keeps what every one promises."""
    root = xml.parse(path).getroot()
    assert root.tag == SVG + "svg" and root.get("role") == "img"
    assert root.find(SVG + "title").text and root.find(SVG + "desc").text
    text = path.read_text()
    assert "prefers-color-scheme:dark" in text
    assert "href" not in text and "@import" not in text and "url(http" not in text, "nothing from outside"
    return root


def texts(root):
    return [element.text for element in root.iter(SVG + "text")]


def test_verify_draws_each_plot_of_a_study_and_names_the_files(tmp_path):
    folder = tmp_path / "new" / "plots"
    out = selkie("verify", "integrators", "--plots", folder, check=0).stdout
    assert sorted(path.name for path in folder.iterdir()) == [f"integrators-{name}.svg" for name in STUDY_PLOTS]
    for path in folder.iterdir():
        parse(path)
        assert f"drawn: {path}\n" in out
    legend = texts(parse(folder / "integrators-convergence.svg"))
    assert any(text.startswith("rk4") and text.endswith("(4)") for text in legend)


def test_verify_draws_the_same_bytes_twice_and_lists_them_as_json(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, threads in [(first, 1), (second, 2)]:
        report = json.loads(selkie("verify", "integrators", "--json", "--threads", threads, "--plots", folder, check=0).stdout)
        assert sorted(report[0]["plots"]) == [str(folder / f"integrators-{name}.svg") for name in STUDY_PLOTS]
    for path in first.iterdir():
        assert path.read_bytes() == (second / path.name).read_bytes()


def test_without_plots_nothing_is_drawn(tmp_path):
    selkie("verify", "integrators", "-q", cwd=tmp_path, check=0)
    assert list(tmp_path.iterdir()) == []


def test_bench_draws_phases_and_with_several_thread_counts_scaling(tmp_path):
    scene = tmp_path / "a<b>&\"c.toml"  # the file's name becomes text of the drawing
    scene.write_text(CLOTH)
    command = ["bench", scene, "--frames", "2", "--warmup", "0", "--plots", tmp_path / "plots"]
    out = selkie(*command, "--threads", "1", check=0).stdout
    phases = parse(tmp_path / "plots" / "bench-phases.svg")
    assert f"{scene}, 1 thread" in texts(phases) and "mass_spring.forces" in texts(phases)
    assert not (tmp_path / "plots" / "bench-scaling.svg").exists()
    assert "drawn: " in out

    entries = json.loads(selkie(*command, "--threads-list", "2,1", "--json", check=0).stdout)
    assert [entry["threads"] for entry in entries] == [1, 2]
    assert f"{scene}, 2 threads" in texts(parse(tmp_path / "plots" / "bench-phases.svg"))
    scaling = parse(tmp_path / "plots" / "bench-scaling.svg")
    assert {"1", "2", "threads", str(scene)} <= set(texts(scaling))


def test_bad_thread_lists_are_bad_input():
    for numbers in ["0", "1,x", "1,-2", ""]:
        assert selkie("bench", "rope", "--threads-list", numbers).returncode == 2


@pytest.mark.parametrize("verb", [["verify"], ["bench", "rope", "--frames", "1"]], ids=lambda verb: verb[0])
def test_a_folder_that_cannot_be_made_is_told_before_the_work(verb, tmp_path):
    blocker = tmp_path / "file"
    blocker.write_text("")
    done = selkie(*verb, "--plots", blocker / "plots", check=4)
    assert done.stdout == "" and str(blocker / "plots") in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_missing_permission_is_an_output_error(tmp_path):
    tmp_path.chmod(0o500)
    assert "ermission" in selkie("verify", "integrators", "--plots", tmp_path, check=4).stderr


def test_a_file_that_cannot_be_written_is_an_output_error(tmp_path):
    taken = tmp_path / "integrators-energy.svg"
    taken.mkdir()
    assert str(taken) in selkie("verify", "integrators", "--plots", tmp_path, check=4).stderr
    assert not list(tmp_path.glob("*.part"))

"""`selkie view` from outside: what it prints, how it ends, and what it refuses. Pages are tested elsewhere."""
import json
import pathlib
import signal
import subprocess
import urllib.request

from conftest import SELKIE, selkie


class Viewer:
    """A running server; ends it with Ctrl-C."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([SELKIE, "view", *map(str, arguments), "--json"], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def __enter__(self):
        self.address = json.loads(self.process.stdout.readline())
        return self

    def __exit__(self, *trouble):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.stdout, self.stderr = self.process.communicate(timeout=60)


def test_serves_its_page_and_ends_with_zero(cloth, tmp_path):
    log = tmp_path / "inputs.toml"
    with Viewer(cloth, "--port", 0, "--record", log) as viewer:
        assert viewer.address["url"].startswith(f"http://127.0.0.1:{viewer.address['port']}/?token=")
        with urllib.request.urlopen(viewer.address["url"], timeout=20) as page:
            assert page.status == 200 and "text/html" in page.headers["Content-Type"]
    assert viewer.process.returncode == 0
    assert viewer.stderr == ""
    # Nobody touched anything: an empty log that a run accepts.
    selkie("run", cloth, "-o", tmp_path / "out", "--inputs", log, check=0)


def test_a_port_in_use_is_bad_input_with_a_remedy(cloth):
    with Viewer(cloth, "--port", 0) as viewer:
        second = selkie("view", cloth, "--port", viewer.address["port"], check=2)
        assert "in use" in second.stderr and "--port" in second.stderr


def test_listening_elsewhere_warns(cloth):
    with Viewer(cloth, "--port", 0, "--host", "0.0.0.0") as viewer:
        pass
    assert "warning" in viewer.stderr and "other machines" in viewer.stderr


def test_a_finished_run_can_be_viewed_and_other_folders_cannot(cloth, tmp_path):
    selkie("run", cloth, "-o", tmp_path / "run", check=0)
    with Viewer(tmp_path / "run", "--port", 0) as viewer:
        pass
    assert viewer.process.returncode == 0
    (tmp_path / "empty").mkdir()
    assert "no finished run" in selkie("view", tmp_path / "empty", "--port", 0, check=2).stderr
    selkie("view", tmp_path / "run", "--set", "cloth.stiffness=1", "--port", 0, check=2)


def test_a_log_that_cannot_be_written_shows_at_once(cloth):
    missing = pathlib.Path("no") / "such" / "folder" / "inputs.toml"
    assert "cannot be written" in selkie("view", cloth, "--port", 0, "--record", missing, check=4).stderr

"""Kills a run with SIGKILL at ten moments spread over its length, resumes each to the end and compares the final
state hash and every frame file, byte for byte, with a run that nobody disturbed. Then kills one run again and again.

usage: kill_resume.py PROGRAM [SEED]
"""
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

FRAMES = 30
SCENE = f"""\
[scene]
name = "kill"
fps = 30
frames = {FRAMES}

[[collider]]
name = "floor"
shape = {{ plane = {{ point = [0, -0.3, 0] }} }}

[[mass_spring]]
name = "cloth"
mesh = {{ sheet = {{ size = [1, 1], divisions = [36, 36] }} }}
pin = [{{ box = {{ min = [-0.6, -0.1, -0.6], max = [-0.49, 0.1, 0.6] }} }}]
"""


def command(program, scene, folder, every, *more):
    return [program, "run", scene, "-o", folder, "--json", "--set", f"output.checkpoint_every={every}", *more]


def finish(program, scene, folder, every):
    """Brings the run in `folder` to its end, resuming when there is a checkpoint, and returns its hash."""
    resumable = (folder / "checkpoint.h5").exists()
    done = subprocess.run(command(program, scene, folder, every, "--resume" if resumable else "--overwrite"),
                          capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"exit {done.returncode} from {done.args}\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])["hash"], resumable


def kill_at(frame, seconds, program, scene, folder, every):
    """Starts (or resumes) a run and kills it `seconds` after it reports `frame`; False when it had ended by then."""
    how = "--resume" if (folder / "checkpoint.h5").exists() else "--overwrite"
    with subprocess.Popen(command(program, scene, folder, every, how), stdout=subprocess.PIPE, text=True) as process:
        reached = 0
        while reached < frame:
            line = process.stdout.readline()
            if not line:
                break
            reached = json.loads(line)["frame"]
        time.sleep(seconds)
        alive = process.poll() is None
        process.send_signal(signal.SIGKILL)
    return alive and process.returncode == -signal.SIGKILL


def frames(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.ply")}


def hashes(folder):
    """The hash column of stats.csv: one state per finished frame."""
    rows = [line.split(",") for line in (folder / "stats.csv").read_text().splitlines()]
    return [row[rows[0].index("hash")] for row in rows[1:]]


def main():
    program, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    pick = random.Random(seed)
    failures = 0
    with tempfile.TemporaryDirectory(prefix="selkie-kill-") as work:
        work = pathlib.Path(work)
        scene = work / "kill.toml"
        scene.write_text(SCENE)
        began = time.monotonic()
        want, _ = finish(program, scene, work / "whole", 5)
        length = time.monotonic() - began
        want_frames, want_hashes = frames(work / "whole"), hashes(work / "whole")
        print(f"undisturbed: {length:.2f} s, {len(want_frames)} frame files, hash {want}")

        def compare(folder, every, story):
            nonlocal failures
            got, resumed = finish(program, scene, folder, every)
            same = got == want and frames(folder) == want_frames and hashes(folder) == want_hashes
            left = [path.name for path in folder.iterdir() if path.suffix == ".part"]
            failures += not same or bool(left)
            print(f"{story}: {'resumed' if resumed else 'started again'}, "
                  f"{'the same' if same else 'DIFFERENT'}{' LEFT ' + str(left) if left else ''}")

        for trial in range(10):
            # One moment in each tenth of the run, anywhere within a frame; odd trials write a checkpoint a frame, so
            # that many kills fall into the writing of one. A run that outruns its killer is tried again.
            every = 1 if trial % 2 else 5
            killed = False
            for attempt in range(5):
                folder = work / f"killed-{trial}-{attempt}"
                frame, seconds = int(FRAMES * (trial + pick.random()) / 10), pick.random() * length / FRAMES
                killed = kill_at(frame, seconds, program, scene, folder, every)
                if killed:
                    break
            failures += not killed
            compare(folder, every, f"{'killed' if killed else 'NOT KILLED'} {seconds * 1e3:.1f} ms after frame {frame} "
                                   f"(checkpoint every {every})")

        folder, kills = work / "often", 0
        for frame in range(3, FRAMES, 5):
            kills += kill_at(frame, pick.random() * length / FRAMES, program, scene, folder, 1)
        failures += kills < 3
        compare(folder, 1, f"killed {kills} times in a row")
    if failures:
        sys.exit(f"{failures} of 11 differ")
    print("11 of 11 are the same")


main()

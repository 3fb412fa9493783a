"""Worlds: building, stepping, parameters, events, checkpoints, runs."""
import os
import signal
import threading

import numpy as np
import pytest

import selkie
from conftest import cloth_scene


def test_a_world_steps_and_its_clock_follows(world):
    report = world.step()
    assert report.dt == pytest.approx(1 / 60) and world.time == report.time
    assert not world.at_frame and report.retries == 0
    assert report.systems["cloth"].substeps >= 1
    assert report.systems["cloth"].figures == world["cloth"].figures()
    world.step_frame()
    assert world.frame == 1 and world.at_frame and world.tick == 2**32


def test_run_frames_reports_after_every_frame(world):
    times = []
    last = world.run_frames(3, progress=lambda report: times.append(report.time))
    assert times == pytest.approx([1 / 30, 2 / 30, 3 / 30]) and last.time == times[-1]
    assert world.run_frames(0) is None


def test_a_scene_file_and_a_dictionary_give_the_same_bits(tmp_path, world):
    path = tmp_path / "small.toml"
    path.write_text(world.scene_text)
    other = selkie.load(path)
    assert other.hash() == world.hash()
    world.step_frame(), other.step_frame()
    assert other.hash() == world.hash()


def test_results_do_not_depend_on_the_number_of_threads():
    hashes = set()
    for threads in (1, 2):
        selkie.set_threads(threads)
        world = selkie.scene(cloth_scene())
        world.run_frames(2)
        hashes.add(world.hash())
    selkie.set_threads(0)
    assert len(hashes) == 1


@pytest.mark.parametrize("setting", [{"cloth.stiffness": 123.5, "cloth.integrator": "rk4"},
                                     ["cloth.stiffness=123.5", "cloth.integrator=rk4"]])
def test_settings_change_keys_as_on_the_command_line(description, setting):
    cloth = selkie.scene(description, set=setting)["cloth"]
    assert cloth.stiffness == 123.5 and cloth.integrator == "rk4"


def test_numpy_numbers_and_arrays_may_stand_in_a_scene(description):
    description["mass_spring"][0]["mesh"]["sheet"]["size"] = np.array([2.0, 3.0])
    description["mass_spring"][0]["stiffness"] = np.float32(250)
    description["mass_spring"][0]["density"] = None
    world = selkie.scene(description)
    assert world["cloth"].stiffness == 250
    assert np.ptp(world["cloth"].positions, axis=0) == pytest.approx([3, 0, 2])


def test_a_parameter_set_from_python_is_checked_recorded_and_used(world):
    reference = selkie.scene(cloth_scene())
    world["cloth"].stiffness = 50
    assert world["cloth"].params["stiffness"] == 50
    (event,) = world.events
    assert event["action"] == "set" and event["arguments"] == {"path": "stiffness", "value": 50}
    world.run_frames(2), reference.run_frames(2)
    assert world["cloth"].figures()["max_stretch"] > reference["cloth"].figures()["max_stretch"]


def test_gravity_is_changed_by_a_recorded_event(tmp_path, description):
    world, again = selkie.scene(description), selkie.scene(description)
    world.step_frame()
    world.gravity = (0, 3, 0)
    assert world.gravity == (0, 3, 0)
    (event,) = world.events
    assert event["system"] == "" and event["arguments"] == {"path": "gravity", "value": [0, 3, 0]}
    world.queue_event("", "set", {"path": "gravity", "value": [1, 0, 0]}, frame=2)
    world.run_frames(2)
    assert world.gravity == (1, 0, 0)
    world.write_events(tmp_path / "inputs.toml")
    again.replay(tmp_path / "inputs.toml")
    again.run_frames(3)
    assert again.hash() == world.hash()


def test_a_refused_gravity_stays_as_it_was(world):
    for wrong in [(0, 1), "down", (0, float("nan"), 0)]:
        with pytest.raises(selkie.InputError, match="gravity"):
            world.gravity = wrong
    assert world.gravity == (0, -9.81, 0) and world.events == []


def test_queued_events_wait_for_their_frame_and_can_be_replayed(tmp_path, world):
    world.queue_event("cloth", "set", {"path": "stiffness", "value": 60.0}, frame=1.5)
    assert len(world.pending_events) == 1
    world.step_frame()
    assert world["cloth"].stiffness == 500
    world.step_frame()
    assert world["cloth"].stiffness == 60 and not world.pending_events
    world.write_events(tmp_path / "inputs.toml")
    again = selkie.scene(cloth_scene())
    again.replay(tmp_path / "inputs.toml")
    again.run_frames(2)
    assert again.hash() == world.hash()


@pytest.mark.parametrize("bad", ['action = "dance"', 'action = "set"\narguments = { path = "stifness", value = 1 }'])
def test_a_recording_that_the_world_would_refuse_leaves_the_pending_events(bad, tmp_path, world):
    inputs = tmp_path / "inputs.toml"
    inputs.write_text(f'[[event]]\nframe = 1\nsystem = "cloth"\n{bad}\n')
    world.queue_event("cloth", "set", {"path": "stiffness", "value": 60}, frame=1)
    before, state = world.pending_events, world.hash()
    with pytest.raises(selkie.InputError, match="dance|stifness"):
        world.replay(inputs)
    assert world.pending_events == before and world.hash() == state
    world.run_frames(2)
    inputs.write_text('[[event]]\nframe = 1\nsystem = "cloth"\naction = "release"\n')
    with pytest.raises(selkie.InputError, match="past"):
        world.replay(inputs)


def test_an_action_reaches_the_solver(world):
    cloth = world["cloth"]
    cloth.apply("grab", vertex=20, target=[0, 1, 0])
    assert cloth.grabbed_vertex == 20 and cloth.grab_target.tolist() == [0, 1, 0]
    cloth.apply("release")
    assert cloth.grabbed_vertex == -1
    with pytest.raises(selkie.InputError, match="does not know the action 'dance'"):
        cloth.apply("dance")


def test_the_point_that_is_grabbed_follows_its_target(world):
    cloth = world["cloth"]
    corners = [8, 9, 16]  # of a face; 7 vertices make a row
    point = cloth.positions[corners].mean(axis=0)
    way = np.array([0.0, 0.1, 0.05])
    cloth.apply("grab", point=point.tolist(), target=point.tolist())
    assert cloth.grabbed_vertex in corners
    assert cloth.grab_target == pytest.approx(cloth.positions[cloth.grabbed_vertex], abs=1e-15)
    cloth.apply("drag", target=(point + way).tolist())
    world.run_frames(3)
    assert cloth.positions[corners].mean(axis=0) == pytest.approx(point + way, abs=1e-12)
    cloth.grabbed_vertex = -1
    world.step()
    assert set(cloth.pinned) <= {0, 1}


def test_a_restored_world_continues_bit_for_bit_in_the_same_memory(tmp_path, world):
    world.step_frame()
    world.save(tmp_path / "checkpoint.h5")
    view = world["cloth"].positions
    world.run_frames(2)
    after = world.hash()
    world.restore(tmp_path / "checkpoint.h5")
    assert world.frame == 1
    assert view.__array_interface__["data"] == world["cloth"].positions.__array_interface__["data"]
    world.run_frames(2)
    assert world.hash() == after
    other = selkie.scene(cloth_scene(stiffness=7))
    with pytest.raises(selkie.InputError, match="different scene"):
        other.restore(tmp_path / "checkpoint.h5")


def test_a_run_writes_files_refuses_to_overwrite_and_resumes(tmp_path, description):
    seen = []
    result = selkie.run(description, tmp_path / "run", frames=2, progress=lambda p: seen.append(p.step))
    assert result.frame == 2 and seen == [1, 2, 3, 4] and result.step == 4
    assert {os.path.basename(f) for f in result.files} == {f"cloth.{i:04}.ply" for i in range(3)}
    assert (tmp_path / "run" / "stats.csv").exists()
    with pytest.raises(selkie.InputError, match="already holds a run"):
        selkie.run(description, tmp_path / "run", frames=2)
    resumed = selkie.run(description, tmp_path / "run", resume=True)
    whole = selkie.run(description, tmp_path / "whole", formats=["vtk"])
    assert resumed.frame == 4 and resumed.hash == whole.hash
    assert all(f.endswith(".vtp") for f in whole.files)


def test_an_exception_in_progress_stops_a_run_that_can_be_resumed(tmp_path, description):
    def stop(progress):
        if progress.frame == 1:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        selkie.run(description, tmp_path / "run", progress=stop)
    resumed = selkie.run(description, tmp_path / "run", resume=True)
    assert resumed.hash == selkie.run(description, tmp_path / "whole").hash


def test_interrupting_a_run_keeps_its_checkpoint(tmp_path, description):
    with pytest.raises(KeyboardInterrupt):
        selkie.run(description, tmp_path / "run", frames=1000,
                   progress=lambda p: p.step == 3 and signal.raise_signal(signal.SIGINT))
    assert selkie.run(description, tmp_path / "run", frames=4, resume=True).frame == 4


def test_a_progress_callback_may_look_at_the_world_but_not_step_it(tmp_path, world):
    heights = []

    def look(progress):
        heights.append(world["cloth"].positions[:, 1].min())
        with pytest.raises(RuntimeError, match="inside run"):
            world.step()

    selkie.run(world, tmp_path / "run", frames=2, progress=look)
    assert len(heights) == 4 and heights[-1] < heights[0] and world.frame == 2


def test_other_threads_run_while_a_world_steps():
    world = selkie.scene(cloth_scene(mesh={"sheet": {"divisions": [60, 60]}}, pin=[{"vertices": [0]}]))
    finished = threading.Event()
    worker = threading.Thread(target=lambda: (world.run_frames(4), finished.set()))
    worker.start()
    turns = refused = 0
    while not finished.is_set():
        turns += 1
        try:
            world.hash()
        except RuntimeError as error:
            assert "another thread" in str(error)
            refused += 1
    worker.join()
    assert turns > 10 and refused > 0


def test_drawables_are_dictionaries_of_arrays(world):
    (cloth,) = world.drawables()
    assert cloth["name"] == "cloth" and cloth["kind"] == "triangles"
    assert cloth["positions"].shape == (49, 3) and cloth["triangles"].shape == (72, 3)
    assert cloth["velocity"].shape == (49, 3) and cloth["strain"].shape == (49,)


def test_a_world_lists_its_systems_and_its_schedule(world):
    assert world.systems == ["cloth"] == list(world) and len(world) == 1 and "cloth" in world
    assert world["cloth"] is world["cloth"]
    assert any("cloth (mass_spring)" in line for line in world.schedule())
    assert "small" in repr(world) and "49 vertices" in repr(world["cloth"])
    with pytest.raises(KeyError, match="did you mean 'cloth'"):
        world["clothe"]

"""Water below a World: shallow_water and surface_water."""
import numpy as np
import pytest

import selkie
import selkie.geometry as geometry
import selkie.shallow_water as sh
import selkie.surface_water as sw


def channel(cells=200, **model):
    m = sh.build_model((cells, 1), 20 / cells, **model)
    return m, sh.Params()


def test_a_dam_break_keeps_its_volume_and_has_ritters_depth_at_the_gate():
    model, params = channel()
    depth = np.where(np.arange(200) < 100, 0.2, 0.0)[None, :]
    state = sh.State(model, depth)
    start, time = sh.volume(state), 0.0
    while time < 2:
        dt = min(sh.step_limit(model, params, state), 2 - time)
        sh.step(model, params, state, dt, time=time)
        time += dt
    assert sh.volume(state) == pytest.approx(start, rel=1e-13)
    assert state.depth.min() >= 0
    # 4/9 of the depth behind the dam; 2 %: the cells beside the gate at 200 cells
    assert state.depth[0, 99:101].mean() == pytest.approx(4 / 9 * 0.2, rel=0.02)


def test_fields_are_views_of_the_cells_and_ghosts_stay_hidden():
    model, params = channel(8)
    state = sh.State(model, 1.0)
    view = state.depth
    assert view.shape == (1, 8)
    view[0, 3] = 1.5
    assert state.depth[0, 3] == 1.5 and sh.volume(state) == pytest.approx((8 + 0.5) * 2.5 * 2.5)
    sh.step(model, params, state, 0.01)
    assert view[0, 3] < 1.5
    assert not np.shares_memory(model.ground, model.ground)


def test_sides_and_walls_do_what_they_say():
    model, params = channel(100, sides={"low_x": "inflow"}, walls=np.arange(100)[None, :] == 60)
    state = sh.State(model, 0.5)
    state.depth[0, 60] = 0
    for _ in range(50):
        sh.step(model, params, state, 0.01, sides={"low_x": 0.1})
    # discharge per metre, times the channel's width of one cell, times 0.5 s; 2 %: it starts from rest
    assert state.through_sides == pytest.approx(0.1 * 0.2 * 0.5, rel=0.02)
    assert state.depth[0, 61:] == pytest.approx(np.full(39, 0.5), abs=1e-14)


def test_bad_water_is_refused_with_a_reason():
    with pytest.raises(selkie.InputError, match="low_y"):
        channel(sides={"low_y": "closed"})
    with pytest.raises(selkie.InputError, match="absorbing"):
        channel(sides={"low_x": "open"})
    model, params = channel(4)
    with pytest.raises(selkie.InputError, match=r"\(1, 4\)"):
        sh.State(model, [1, 2, 3])
    with pytest.raises(selkie.InputError, match="depth"):
        sh.State(model, -1)
    with pytest.raises(selkie.InputError, match="dt"):
        sh.step(model, params, sh.State(model, 1), 0)
    with pytest.raises(selkie.InputError, match="another model"):
        sh.step(channel(4)[0], params, sh.State(model, 1), 0.1)


@pytest.mark.parametrize("array", ["depth", "flow_x", "flow_z"])
@pytest.mark.parametrize("method", ["conservative", "semi-lagrangian"])
def test_water_that_is_not_finite_is_a_failure_and_stays_as_it_was(method, array):
    model, params = channel(64, method=method)
    state = sh.State(model, 1.0)
    getattr(state, array)[0, 5] = np.nan
    with pytest.raises(selkie.NumericalError, match="finite"):
        sh.step(model, params, state, 0.01)
    assert np.isnan(getattr(state, array)[0, 5]) and np.isnan(getattr(state, array)).sum() == 1


@pytest.mark.parametrize("wrong, text", [
    ({"gravity": np.inf}, "'gravity' is inf"),
    ({"sides": {"low_x": np.nan}}, "'low_x' is nan"),
    ({"sides": {"low_x": "much"}}, "'low_x' must be a number, but is the text \"much\""),
    ({"sides": {0: 1.0}}, "'side' must be a piece of text, but is 0"),
])
def test_what_drives_the_water_is_checked(wrong, text):
    model, params = channel(8, method="semi-lagrangian", sides={"low_x": "inflow"})
    with pytest.raises(selkie.InputError, match=text):
        sh.step(model, params, sh.State(model, 1.0), 0.01, **wrong)
    with pytest.raises(selkie.InputError, match="'high_x' must be a piece of text, but is 3"):
        channel(8, sides={"high_x": 3})


def sphere(divisions=8):
    positions, triangles = geometry.icosphere(radius=1, divisions=divisions)
    return sw.build_model(positions, triangles)


def test_gradient_and_divergence_are_adjoint_and_make_the_laplacian():
    model, rng = sphere(), np.random.default_rng(1)
    f, g = rng.normal(size=(2, model.vertex_count))
    grad = sw.gradient(model, f)
    other = sw.gradient(model, g)
    left = np.sum(model.dual_areas * g * sw.divergence(model, grad))
    right = -np.sum(model.areas[:, None] * grad * other)
    assert left == pytest.approx(right, rel=1e-12)
    assert sw.laplacian(model, f) == pytest.approx(sw.divergence(model, grad), rel=1e-10, abs=1e-9)
    # Σ over x, y, z of fᵀKf is twice the area, on any mesh
    stiff = sum(-np.sum(model.dual_areas * x * sw.laplacian(model, x)) for x in model.positions.T)
    assert stiff == pytest.approx(2 * model.areas.sum(), rel=1e-12)
    assert model.euler_characteristic == 2 and model.component_count == 1


def test_water_keeps_its_volume_on_a_mesh_that_moves():
    model, params = sphere(), sw.Params(friction=99)
    state = sw.State(model, 0.2 + 0.02 * model.positions[:, 1])
    start = sw.volume(state)
    for k in range(30):
        stretched = model.positions * [1, 1 + 0.1 * np.sin(k / 5), 1]
        sw.step(model, params, state, 1 / 60, positions=stretched, acceleration=(0.1, 0, 0))
    assert sw.volume(state) == pytest.approx(start, rel=1e-13)
    assert sw.diagnose(state)["top_speed"] > 0


def test_velocities_go_in_and_come_out_tangential_and_paths_follow_them():
    model = sphere()
    state = sw.State(model, 0.2)
    corners = model.positions[model.triangles]
    middle = corners.mean(axis=1)
    spin = np.cross([0, 0, 1], middle)  # m/s: one radian a second
    sw.set_velocities(state, spin)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    got = sw.velocities(state)
    assert np.abs(np.sum(got * normals, axis=1)).max() < 1e-14
    assert np.abs(got - spin).max() < 0.02  # spin is tangential to the sphere, nearly so to its faces
    # Paths that are not stopped where the velocities of two faces oppose each other: most of them.
    near = np.flatnonzero(np.abs(middle[:, 2]) < 0.3)
    ends = {face: sw.trace(state, int(face), 0.5) for face in near}
    whole = [face for face in near if ends[face]["left"] == 0]
    assert len(whole) > len(near) / 2
    before = np.array([middle[face] for face in whole])
    after = np.array([ends[face]["point"] for face in whole])
    turned = np.arctan2(before[:, 1], before[:, 0]) - np.arctan2(after[:, 1], after[:, 0])
    turned = (turned + np.pi) % (2 * np.pi) - np.pi
    assert np.median(turned) == pytest.approx(0.5, rel=0.03)  # radians; paths are straight in each face


def test_meshes_that_water_cannot_live_on_are_refused():
    positions, triangles = geometry.icosphere(radius=1, divisions=2)
    with pytest.raises(selkie.InputError, match="hole"):
        sw.build_model(positions, triangles[1:])
    assert sw.build_model(positions, triangles[1:], open=True, rim="drain").face_count == len(triangles) - 1
    with pytest.raises(selkie.InputError, match="flipped"):
        sw.build_model(positions, np.vstack([triangles[:1, ::-1], triangles[1:]]))
    with pytest.raises(selkie.InputError, match="rim"):
        sw.build_model(positions, triangles, rim="sea")
    model = sw.build_model(positions, triangles)
    with pytest.raises(selkie.InputError, match="positions"):
        sw.step(model, sw.Params(), sw.State(model, 0.2), 0.01, positions=positions[1:])

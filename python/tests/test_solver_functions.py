"""The functions below a World: mass_spring, geometry, math."""
import numpy as np
import pytest

import selkie
import selkie.geometry as geometry
import selkie.math as smath
import selkie.mass_spring as ms

REST = [[0, 0, 0], [1, 0, 0]]


def one_spring(**params):
    model = ms.build_model(REST, [[0, 1]], masses=[1, 2])
    return model, ms.Params(stiffness=10, damping=0, **params), ms.State(model, REST)


def test_spring_forces_are_hookes_and_cancel():
    model, params, state = one_spring()
    state.positions[1, 0] = 1.25
    assert ms.forces(model, params, state) == pytest.approx(np.array([[2.5, 0, 0], [-2.5, 0, 0]]))


def test_free_fall_is_exact_for_verlet():
    model, params, state = one_spring(integrator="verlet")
    for _ in range(10):
        ms.step(model, params, state, dt=0.01)
    # v dt + a dt²/2 per step is exact for constant acceleration; 1e-12: ten steps of round-off
    assert state.positions[:, 1] == pytest.approx([-9.81 * 0.1**2 / 2] * 2, abs=1e-12)


def test_the_state_is_a_view_and_step_writes_through_it():
    model, params, state = one_spring()
    positions, address = state.positions, state.positions.__array_interface__["data"]
    state.velocities[:] = [0, 0, 1]
    ms.step(model, params, state, dt=0.1, gravity=(0, 0, 0))
    assert positions[:, 2] == pytest.approx([0.1, 0.1])
    assert state.positions.__array_interface__["data"] == address


def test_a_copy_of_a_state_is_independent():
    _, _, state = one_spring()
    copy = state.copy()
    copy.positions[0, 0] = 9
    assert state.positions[0, 0] == 0


def test_pinned_vertices_follow_a_python_function():
    model, params, _ = one_spring(integrator="rk4")
    state = ms.State(model, REST, pinned=[0])
    ms.step(model, params, state, dt=0.1, time=1.0, pinned_motion=lambda vertex, time: [0, time - 1, 0])
    assert state.positions[0] == pytest.approx([0, 0.1, 0], abs=1e-9)
    before = state.positions.copy()
    with pytest.raises(ZeroDivisionError):
        ms.step(model, params, state, dt=0.1, pinned_motion=lambda vertex, time: 1 / 0)
    assert np.array_equal(state.positions, before)


def test_loads_and_colliders_act():
    model, params, state = one_spring()
    ms.step(model, params, state, dt=0.1, gravity=(0, 0, 0), forces=[[0, 1, 0], [0, 2, 0]])
    assert state.velocities[:, 1] == pytest.approx([0.1, 0.1])
    floor = ms.Collider(shape={"plane": {"point": [0, -0.1, 0]}})
    for i in range(20):
        report = ms.step(model, params, state, dt=0.05, time=i * 0.05, colliders=[floor])
    assert report.contacts > 0 and state.positions[:, 1].min() > -0.1 - 1e-6


def test_limits_and_diagnostics():
    model, params, state = one_spring(integrator="symplectic-euler")
    # omega² = k (1/m1 + 1/m2) = 15, stable to 2/omega; the bound may be shorter, not longer
    assert 0.25 < ms.stability_limit(model, params, state) <= 2 / np.sqrt(15) * (1 + 1e-12)
    assert ms.step_limit(model, params, state) == pytest.approx(0.9 * ms.stability_limit(model, params, state))
    assert ms.stability_limit(model, ms.Params(integrator="implicit-euler"), state) == np.inf
    state.positions[1, 0] = 1.1
    d = ms.diagnose(model, params, state)
    assert d.elastic_energy == pytest.approx(0.05) and d.max_stretch == pytest.approx(0.1)
    assert d.centre_of_mass == pytest.approx([2.2 / 3, 0, 0])


@pytest.mark.parametrize("call, text", [
    (lambda: ms.build_model(REST, [[0, 2]], [1, 1]), "2"),
    (lambda: ms.build_model(REST, [[0, -1]], [1, 1]), "counted from 0"),
    (lambda: ms.build_model(REST, [[0, 1]], [1]), "'masses' holds 1 numbers"),
    (lambda: ms.build_model(REST, [[0.5, 1]], [1, 1]), "whole numbers"),
    (lambda: ms.build_model([0, 1], [[0, 1]], [1, 1]), r"'positions' must have the shape \(n, 3\)"),
    (lambda: ms.Params(stiffnes=3), "did you mean 'stiffness'"),
    (lambda: ms.build_model(REST, [[0, 1]], [1, 1], rest_lengths=[np.nan]), "spring 0 has the rest length nan m"),
    (lambda: ms.build_model(REST, [[0, 1], [0, 1]], [1, 1], rest_lengths=[1, -3]), "spring 1 has the rest length -3 m"),
    (lambda: ms.build_model(REST, [[0, 1]], [1, 1], rest_lengths=[np.inf]), "rest length inf m"),
    (lambda: ms.build_model(REST, [[0, 1]], [1, 1], factors=[np.inf]), "spring 0 has the stiffness factor inf"),
    (lambda: ms.build_model(REST, [[0, 1]], [1, 1], factors=[-1]), "spring 0 has the stiffness factor -1"),
    (lambda: ms.State(one_spring()[0], REST, pinned=[2]), "names vertex 2"),
    (lambda: ms.State(one_spring()[0], REST, pinned=[-1]), "names vertex -1"),
    (lambda: ms.State(one_spring()[0], REST, pinned=[0, 0.5]), r"'pinned\[1\]' must be a whole number, but is 0.5"),
    (lambda: ms.State(one_spring()[0], REST, pinned=[2**70]), "does not fit into 64 bits"),
    (lambda: ms.State(one_spring()[0], REST, pinned=1), "'pinned' must be a list of vertices, but is of type int"),
    (lambda: ms.step(*one_spring(), dt=0.1, colliders=["floor"]), "'floor', which is no Collider"),
    (lambda: ms.step(*one_spring(), dt=0.1, colliders=1), "'colliders' must be a list"),
    (lambda: ms.step(*one_spring(), dt=0.1, pinned_motion=[0, 1, 0]), "'pinned_motion' .*cannot be called"),
    (lambda: ms.step(*one_spring(), dt=-1), "'dt' is -1"),
    (lambda: ms.step(one_spring()[0], *one_spring()[1:], dt=0.1), "another model"),
    (lambda: geometry.sheet(sizes=[1, 1]), "unknown key 'sizes' in 'sheet'"),
    (lambda: geometry.signed_distance({"bal": {}}, [[0, 0, 0]]), "did you mean 'ball'"),
    (lambda: geometry.measure(REST, [[0, 1, 5]]), "range"),
    (lambda: smath.polar(np.eye(4)), r"\(\.\.\., 3, 3\)"),
])
def test_wrong_arguments_say_what_is_wrong(call, text):
    with pytest.raises(selkie.InputError, match=text):
        call()


@pytest.mark.parametrize("vertex", [2, 50_000_000, 2**62])
def test_a_hand_that_holds_no_vertex_of_the_body_is_refused(vertex):
    model, params, state = one_spring()
    state.grabbed_vertex = vertex
    with pytest.raises(selkie.InputError, match=f"'grabbed_vertex' is {vertex}, but the model has 2 vertices"):
        ms.step(model, params, state, dt=0.1)
    assert np.array_equal(state.positions, REST)
    state.grabbed_vertex, state.grab_target = 1, [1, 0.5, 0]
    ms.step(model, params, state, dt=0.1)
    assert state.positions[1] == pytest.approx([1, 0.5, 0])


def test_rest_lengths_that_are_given_are_used_as_they_are():
    model = ms.build_model(REST, [[0, 1], [0, 1]], masses=[1, 1], rest_lengths=[0, 2.5])
    assert model.rest_lengths.tolist() == [0, 2.5]
    assert ms.build_model(REST, [[0, 1]], masses=[1, 1]).rest_lengths.tolist() == [1]


def test_a_step_that_fails_raises_and_keeps_the_state():
    model, params, state = one_spring()
    state.velocities[0] = np.inf
    with pytest.raises(selkie.NumericalError):
        ms.step(model, params, state, dt=0.1)
    assert np.array_equal(state.positions, REST)


def test_params_read_write_and_copy():
    params = ms.Params(stiffness=3)
    copy = params.copy()
    copy.stiffness = 4
    assert (params.stiffness, copy.stiffness) == (3, 4) and params.to_dict()["integrator"] == "implicit-euler"
    with pytest.raises(selkie.InputError):
        params.stiffness = -1
    with pytest.raises(AttributeError, match="did you mean 'damping'"):
        params.dampin = 1
    assert "stiffness" in dir(params)


def test_generated_meshes_have_the_measures_of_their_shapes():
    assert geometry.measure(*geometry.sheet(size=[2, 3])) == pytest.approx(6)
    assert geometry.measure(*geometry.box(min=[0, 0, 0], max=[1, 2, 3])) == pytest.approx(22)
    assert geometry.measure(*geometry.tet_box(min=[0, 0, 0], max=[1, 2, 3])) == pytest.approx(6)
    assert geometry.measure(*geometry.chain(end=[5, 0, 0], segments=4)) == pytest.approx(5)
    # an inscribed mesh is smaller; 16 divisions leave less than 1 %
    assert 0.99 < geometry.measure(*geometry.icosphere(radius=1, divisions=16)) / (4 * np.pi) < 1
    for make in (geometry.ball, geometry.cylinder, geometry.torus, geometry.shell):
        positions, triangles = make()
        assert len(geometry.unique_edges(triangles)) * 2 == len(triangles) * 3  # closed
    positions, tets = geometry.tet_ball(divisions=3)
    skin = geometry.boundary_triangles(tets)
    assert len(geometry.unique_edges(skin)) * 2 == len(skin) * 3
    assert geometry.lumped_masses(positions, tets, 1000).sum() == pytest.approx(
        1000 * geometry.measure(positions, tets))
    assert np.linalg.norm(geometry.vertex_normals(*geometry.box()), axis=1) == pytest.approx(1)


def test_signed_distances_are_negative_inside():
    distance, normal = geometry.signed_distance({"ball": {"radius": 1}}, [[0.5, 0, 0], [0, 3, 0]])
    assert distance == pytest.approx([-0.5, 2]) and normal[1] == pytest.approx([0, 1, 0])


def test_decompositions_rebuild_a_batch_and_keep_handedness():
    f = np.random.default_rng(1).normal(size=(4, 5, 3, 3))
    u, sigma, v = smath.svd(f)
    assert u @ (sigma[..., None] * np.swapaxes(v, -1, -2)) == pytest.approx(f)
    assert np.linalg.det(u) == pytest.approx(1) and np.sign(sigma[..., 2]) == pytest.approx(np.sign(np.linalg.det(f)))
    rotation, stretch = smath.polar(f)
    assert rotation @ stretch == pytest.approx(f) and np.linalg.det(rotation) == pytest.approx(1)
    r2, s2 = smath.polar([[0, -2], [2, 0]])
    assert r2 == pytest.approx(np.array([[0, -1], [1, 0]])) and s2 == pytest.approx(2 * np.eye(2))
    kept, _ = smath.polar(np.zeros((3, 3)), previous=smath.rotation_from_vector([0, 0, 1]))
    assert kept == pytest.approx(smath.rotation_from_vector([0, 0, 1]))


def test_rotation_vectors_go_there_and_back():
    omega = np.array([[0.1, -0.2, 0.3], [0, 0, 3.1], [1e-9, 0, 0]])
    assert smath.rotation_vector(smath.rotation_from_vector(omega)) == pytest.approx(omega)
    assert smath.rotation_between([1, 0, 0], [0, 2, 0]) @ [1, 0, 0] == pytest.approx([0, 1, 0])
    assert smath.skew([1, 2, 3]) @ [4, 5, 6] == pytest.approx(np.cross([1, 2, 3], [4, 5, 6]))
    assert np.linalg.det(smath.gram_schmidt(np.diag([1, 2, -3]))) == pytest.approx(1)

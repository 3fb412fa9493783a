"""Forces, energies, tensions and tangents of selkie.mass_spring against each other, by finite differences."""
import numpy as np
import pytest

import selkie
import selkie.geometry as geometry
import selkie.mass_spring as ms

CURVED = {"tension_slope": 3, "tension_knee": 0.01, "compression_factor": 0.4, "compression_slope": 2}


def jittered(positions, size=0.03):
    """No two altitudes of a tetrahedron as long as each other, so that the shortest one is not decided by a hair."""
    return positions + np.random.default_rng(7).uniform(-size, size, positions.shape)


def block(**options):
    positions, tets = geometry.tet_box(divisions=[2, 1, 2])
    positions = jittered(positions)
    return ms.from_tets(positions, tets, 1.0, **options), positions


def sheet(**options):
    positions, triangles = geometry.sheet(divisions=[3, 3])
    positions = jittered(positions)
    return ms.from_triangles(positions, triangles, 1.0, **options), positions


def strained(model, positions):
    """Bent, turned, moving, and pressed to half its height: tetrahedra count as squeezed below 0.6."""
    x, y, z = positions.T
    bent = np.column_stack([x + 0.1 * np.sin(3 * y), 0.5 * y + 0.1 * x * z, z - 0.08 * x])
    state = ms.State(model, bent @ selkie.math.rotation_from_vector([0.3, -0.2, 0.4]).T)
    state.velocities = np.random.default_rng(8).normal(size=positions.shape)
    return state


def derivative(function, state, name, step=1e-6):
    """Central differences by each of the 3n numbers of an array of the state; they are the last axis."""
    numbers, columns = getattr(state, name).reshape(-1), []
    for k in range(numbers.size):
        kept = numbers[k]
        ends = []
        for sign in (1, -1):
            numbers[k] = kept + sign * step
            ends.append(np.ravel(function()))
        numbers[k] = kept
        columns.append((ends[0] - ends[1]) / (2 * step))
    return np.array(columns).T


BODIES = {
    "tetrahedra": lambda: block(),
    "tetrahedra with altitude springs": lambda: block(altitude=1.5),
    "stiffness per length": lambda: block(altitude=0.5, stiffness_per_length=True),
    "triangles": lambda: sheet(bending=0.3),
    "triangles with axial bending": lambda: sheet(altitude=0.7),
    "triangles with both": lambda: sheet(bending=0.2, altitude=0.7),
}


@pytest.mark.parametrize("law", [{}, CURVED], ids=["linear", "curved"])
@pytest.mark.parametrize("body", BODIES)
def test_elastic_forces_are_minus_the_gradient_of_the_energy(body, law):
    model, positions = BODIES[body]()
    params, state = ms.Params(stiffness=1000, damping=0.5, **law), strained(model, positions)
    forces = ms.forces(model, params, state, elastic_only=True)
    gradient = derivative(lambda: ms.energy(model, params, state), state, "positions")
    assert np.abs(forces).max() > 10
    # energies of some 100 J over 2e-6 m: round-off 1e-8 N; 1e-6 of the largest force is above it
    assert gradient.reshape(-1, 3) == pytest.approx(-forces, abs=1e-6 * np.abs(forces).max())
    assert ms.energy(model, params, state) == ms.diagnose(model, params, state).elastic_energy


@pytest.mark.parametrize("law", [{}, CURVED], ids=["linear", "curved"])
@pytest.mark.parametrize("body", ["tetrahedra", "triangles"])
def test_the_tangent_is_minus_the_derivative_of_the_forces(body, law):
    model, positions = BODIES[body]()
    params, state = ms.Params(stiffness=1000, damping=0.5, **law), strained(model, positions)
    forces = lambda: ms.forces(model, params, state, elastic_only=True)
    tangent = ms.tangent(model, params, state, dense=True)
    # forces of 1000 N over 2e-6 m: round-off 1e-7 N/m
    assert derivative(forces, state, "positions") == pytest.approx(-tangent, abs=1e-6 * np.abs(tangent).max())


@pytest.mark.parametrize("body", ["tetrahedra with altitude springs", "triangles with axial bending"])
def test_altitude_springs_are_in_the_tangent(body):
    # At rest, where they pull at nothing, their turning changes no force, so that the tangent has all of it.
    model, positions = BODIES[body]()
    params, state = ms.Params(stiffness=1000, damping=0.5), ms.State(model, positions)
    stiffness = ms.tangent(model, params, state, dense=True)
    found = derivative(lambda: ms.forces(model, params, state, elastic_only=True), state, "positions")
    # differences of a bent force: 1e-6 m of a shortest altitude of some 0.1 m
    assert found == pytest.approx(-stiffness, abs=1e-4 * np.abs(stiffness).max())


@pytest.mark.parametrize("directional", [True, False])
@pytest.mark.parametrize("body", ["tetrahedra with altitude springs", "triangles with axial bending"])
def test_the_damping_matrix_is_minus_the_derivative_by_velocities(body, directional):
    model, positions = BODIES[body]()
    params = ms.Params(stiffness=1000, damping=0.5, directional_damping=directional)
    state = strained(model, positions)
    damping = ms.tangent(model, params, state, stiffness=0, damping=1, dense=True)
    found = derivative(lambda: ms.forces(model, params, state), state, "velocities", step=1e-3)
    assert found == pytest.approx(-damping, abs=1e-8 * np.abs(damping).max())  # linear: round-off only


def test_blocks_are_the_dense_matrix_in_order_and_each_once():
    model, positions = block(altitude=1)
    params, state = ms.Params(), strained(model, positions)
    weights = {"stiffness": 1e-4, "damping": 1e-2, "mass": 1, "geometric": "positive"}
    rows, columns, blocks = ms.tangent(model, params, state, **weights)
    dense = ms.tangent(model, params, state, **weights, dense=True)
    n = model.vertex_count
    filled = np.zeros((n, 3, n, 3))
    filled[rows, :, columns, :] = blocks
    assert np.array_equal(filled.reshape(3 * n, 3 * n), dense)
    assert dense == pytest.approx(dense.T, abs=1e-15)  # blocks n nᵀ k of at most 1 kg, each rounded by itself
    places = rows * n + columns
    assert (np.diff(places) > 0).all() and len(places) == n + 2 * model.spring_count
    assert np.linalg.eigvalsh(dense).min() > 0


def test_the_weights_of_a_tangent_add_up():
    model, positions = block(altitude=1)
    params, state = ms.Params(), strained(model, positions)
    part = lambda **weights: ms.tangent(model, params, state, dense=True, **{"stiffness": 0, **weights})
    assert np.array_equal(part(mass=2), np.diag(2 * np.repeat(model.masses, 3)))
    whole = part(mass=3, stiffness=0.25, damping=0.5)
    # 1e-12: a few operations on each entry
    sums = 3 * part(mass=1) + 0.25 * part(stiffness=1) + 0.5 * part(damping=1)
    assert whole == pytest.approx(sums, abs=1e-12 * np.abs(whole).max())


def test_a_compressed_bodys_exact_tangent_is_indefinite_and_the_others_are_not():
    model, positions = block()
    params, state = ms.Params(inversion_guard=0), ms.State(model, 0.3 * positions)
    least = {kind: np.linalg.eigvalsh(ms.tangent(model, params, state, geometric=kind, dense=True)).min()
             for kind in ("exact", "positive", "absolute", "none")}
    assert least["exact"] < -100
    assert min(least[kind] for kind in ("positive", "absolute", "none")) > -1e-9  # round-off of 1e4 N/m


def test_altitude_springs_are_those_of_the_state_as_it_is_now():
    model, positions = block(altitude=1)
    params, state = ms.Params(), strained(model, positions)
    ms.forces(model, params, state)
    turned = selkie.math.rotation_from_vector([1.0, 0.5, -0.7])
    state.positions = 1.1 * positions @ turned.T
    fresh = ms.State(model, state.positions)
    fresh.velocities = state.velocities
    assert np.array_equal(ms.forces(model, params, state), ms.forces(model, params, fresh))


def test_forces_asked_for_inside_a_step_do_not_disturb_it():
    model, positions = block(altitude=1)
    params = ms.Params(stiffness=1000)

    def stepped(ask):
        state = ms.State(model, 1.1 * positions, pinned=[0])
        def stays(vertex, time):
            if ask:
                ms.forces(model, params, other), ms.tangent(model, params, state), ms.energy(model, params, state)
            return 1.1 * positions[0]
        other = strained(model, positions)
        ms.step(model, params, state, 0.01, pinned_motion=stays)
        return state.positions.copy()

    assert np.array_equal(stepped(True), stepped(False))


def test_every_tetrahedron_and_every_pair_of_triangles_gets_an_altitude_spring_when_asked_for():
    positions, tets = geometry.tet_box(divisions=[2, 2, 2])
    assert ms.from_tets(positions, tets, 1).altitude_count == 0
    assert ms.from_tets(positions, tets, 1, altitude=1).altitude_count == len(tets)
    positions, triangles = geometry.sheet(divisions=[3, 4])
    inner = 3 * len(triangles) - len(geometry.unique_edges(triangles))  # two triangles at each
    assert ms.from_triangles(positions, triangles, 1, altitude=1).altitude_count == inner


def test_axial_bending_resists_the_first_bit_of_bending_where_bending_springs_do_not():
    positions, triangles = geometry.sheet(divisions=[2, 2])
    ways = np.zeros((len(positions), 3))
    ways[:, 1] = positions[:, 0] ** 2  # flat sheets lie across y
    for options, resists in [({"bending": 1}, False), ({"altitude": 1}, True)]:
        model = ms.from_triangles(positions, triangles, 1, **options)
        tangent = ms.tangent(model, ms.Params(), ms.State(model, positions), dense=True)
        energy = ways.ravel() @ tangent @ ways.ravel()
        assert (energy > 1) if resists else abs(energy) < 1e-9


def test_tensions_make_up_the_forces_of_springs():
    model, positions = sheet(bending=0.4)
    params, state = ms.Params(stiffness=300, damping=0, **CURVED), strained(model, positions)
    pulls = ms.tension(model, params, state)
    assert pulls.shape == (model.spring_count,) and pulls.min() < 0 < pulls.max()
    low, high = model.springs.T
    ways = state.positions[high] - state.positions[low]
    ways *= (pulls / np.linalg.norm(ways, axis=1))[:, None]
    summed = np.zeros_like(state.positions)
    np.add.at(summed, low, ways), np.subtract.at(summed, high, ways)
    assert summed == pytest.approx(ms.forces(model, params, state), abs=1e-10 * np.abs(pulls).max())


def test_the_law_of_a_spring_has_its_knees_and_is_the_derivative_of_its_energy():
    params = ms.Params(stiffness=10, tension_slope=3, tension_knee=0.1, compression_factor=0.5)
    law = ms.spring_law(params, [1.0, 1.1, 1.3, 0.9], rest_length=1)
    # 10 N/m to the knee at 0.1 m, 30 beyond; 5 in compression
    assert law["tension"] == pytest.approx([0, 1, 7, -0.5]) and law["slope"][2:] == pytest.approx([30, 5])
    assert law["energy"] == pytest.approx([0, 0.05, 0.05 + 0.2 * 4, 0.025])
    lengths, step = np.linspace(0.01, 3, 200), 1e-6
    up, down = (ms.spring_law(params, lengths + by, 2, stiffness=70) for by in (step, -step))
    law = ms.spring_law(params, lengths, 2, stiffness=70)
    assert (up["energy"] - down["energy"]) / (2 * step) == pytest.approx(law["tension"], abs=1e-6)
    assert (up["tension"] - down["tension"]) / (2 * step) == pytest.approx(law["slope"], rel=1e-6)


@pytest.mark.parametrize("call, text", [
    (lambda m, p, s: ms.tangent(m, p, s, stiffness=-1), "'stiffness' is -1"),
    (lambda m, p, s: ms.tangent(m, p, s, mass=np.inf), "'mass' is inf"),
    (lambda m, p, s: ms.tangent(m, p, s, geometric="right"), "'geometric' is \"right\"\n.*exact, positive"),
    (lambda m, p, s: ms.tangent(ms.build_model([[0, 0, 0]], [], [1]), p, s), "another model"),
    (lambda m, p, s: ms.spring_law(p, [1, -1]), r"'lengths\[1\]' is -1"),
    (lambda m, p, s: ms.spring_law(p, [1], rest_length=np.nan), "'rest_length' is nan"),
    (lambda m, p, s: ms.spring_law(p, [1], stiffness="stiff"), "'stiffness' must be a number"),
    (lambda m, p, s: block(altitude=-1), "altitude springs have the stiffness factor -1"),
    (lambda m, p, s: sheet(bending=np.nan), "bending springs have the stiffness factor nan"),
])
def test_wrong_questions_are_refused_with_the_value(call, text):
    model, positions = block()
    with pytest.raises(selkie.InputError, match=text):
        call(model, ms.Params(), ms.State(model, positions))


def test_a_dense_tangent_that_would_fill_the_memory_is_refused():
    count = 4001
    model = ms.build_model(np.zeros((count, 3)), np.zeros((0, 2), dtype=int), np.ones(count))
    with pytest.raises(selkie.InputError, match="4001 vertices would take 1.1 GiB"):
        ms.tangent(model, ms.Params(), ms.State(model, np.zeros((count, 3))), dense=True)

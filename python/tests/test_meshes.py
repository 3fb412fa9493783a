"""Meshes from files, and what is wrong with a mesh."""
import os
from pathlib import Path

import numpy as np
import pytest

import selkie
import selkie.geometry as geometry

FILES = Path(os.environ["SELKIE_SOURCE_DIR"]) / "tests" / "fuzz" / "corpus"


def test_surfaces_are_read_as_arrays_whatever_the_format():
    for name in ["obj/tetrahedron.obj", "ply/ascii.ply", "ply/binary_big.ply", "stl/ascii.stl", "gltf/binary.glb"]:
        positions, triangles = geometry.read_triangles(FILES / name)
        assert positions.dtype == np.float64 and positions.shape[1] == 3
        assert triangles.dtype == np.uint32 and triangles.shape[1] == 3
        assert triangles.max() < len(positions)
    assert np.array_equal(geometry.read_triangles(FILES / "ply/ascii.ply")[1],
                          geometry.read_triangles(str(FILES / "ply/binary_little.ply"))[1])


def test_tets_and_segments_are_read_from_gmsh_files(tmp_path):
    path = tmp_path / "two.msh"
    path.write_text("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
                    "$Elements\n2\n1 4 0 1 2 3 4\n2 1 0 1 2\n$EndElements\n")
    positions, tets = geometry.read_tets(path)
    assert positions.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] and tets.tolist() == [[0, 1, 2, 3]]
    # 1/6 is one rounded quotient away
    assert geometry.measure(positions, tets) == pytest.approx(1 / 6, rel=1e-15)
    positions, segments = geometry.read_segments(path)
    assert segments.tolist() == [[0, 1]]


def test_a_damaged_file_is_refused_in_the_words_of_the_command_line(tmp_path):
    path = tmp_path / "wrong.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n")
    with pytest.raises(selkie.InputError) as caught:
        geometry.read_triangles(path)
    assert (caught.value.file, caught.value.line) == (str(path), 4)
    with pytest.raises(selkie.InputError) as scene:  # the same file by way of a scene
        selkie.scene({"mass_spring": [{"name": "cloth", "mesh": {"file": str(path)}}]})
    assert caught.value.problem in str(scene.value)
    with pytest.raises(selkie.InputError, match="known extensions: .*ply"):
        geometry.read_triangles(tmp_path / "mesh.doc")


def test_a_clean_mesh_gives_a_clean_report():
    report = geometry.check_mesh(*geometry.icosphere(radius=1, divisions=1), closed=True)
    assert report.clean is True and report.findings == {} and report.remedy == ""
    assert str(report) == "no trouble found" and "no trouble found" in repr(report)
    assert geometry.check_mesh(*geometry.tet_box(divisions=[1, 1, 1])).clean
    assert geometry.check_mesh(*geometry.chain(segments=3)).clean


def test_what_is_wrong_is_counted_and_the_first_offender_named():
    positions, triangles = geometry.icosphere(radius=1, divisions=1)
    open_ball = np.delete(triangles, 5, axis=0)
    assert geometry.check_mesh(positions, open_ball).clean, "a hole matters only where closed is asked for"
    report = geometry.check_mesh(positions, open_ball, closed=True)
    count, first = report.findings["hole"]
    assert count == 1 and first.startswith("edge ") and not report.clean and report.remedy
    flipped = triangles.copy()
    flipped[5] = flipped[5, ::-1]
    assert geometry.check_mesh(positions, flipped).findings["flipped_face"][0] >= 1
    assert geometry.check_mesh(positions, flipped, oriented=False).clean
    far = triangles.copy()
    far[2, 1] = 1000
    assert geometry.check_mesh(positions, far).findings["index_out_of_range"][1].startswith("triangle 2 (")
    points, tets = geometry.tet_box(divisions=[1, 1, 1])
    tets[0] = tets[0, [1, 0, 2, 3]]
    assert geometry.check_mesh(points, tets).findings["inverted_tet"][0] == 1


def test_require_valid_raises_the_findings_as_an_input_error():
    positions, triangles = geometry.icosphere(radius=1, divisions=1)
    geometry.require_valid(positions, triangles, "ball.obj", closed=True)
    with pytest.raises(selkie.InputError) as caught:
        geometry.require_valid(positions, triangles[1:], "ball.obj", closed=True)
    assert caught.value.file == "ball.obj" and "1 hole (first: edge " in caught.value.problem
    assert caught.value.remedy == geometry.check_mesh(positions, triangles[1:], closed=True).remedy

"""Loads every PLY and VDB file that make_interop_files wrote and asserts what arrived.

Run by scripts/interop: blender -b --factory-startup -P check_blender.py -- DIR
"""
import pathlib
import sys

import bpy

# name: vertices, faces, edges of the loaded mesh (Blender derives the edges of faces itself)
EXPECTED_MESHES = {
    "cloth": (20, 24, 43),
    "drops": (20, 0, 0),
    "hair": (4, 0, 3),
    "forces": (20, 0, 0),
    "pond": (6, 4, 9),
}


def close(a, b):
    return abs(a - b) < 1e-5  # single precision at coordinates of order one


def bounds(vertices):
    columns = list(zip(*(v.co for v in vertices)))
    return [min(c) for c in columns], [max(c) for c in columns]


def check_mesh(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert bpy.ops.import_mesh.ply(filepath=str(path)) == {"FINISHED"}, path
    mesh = bpy.context.view_layer.objects.active.data
    counts = (len(mesh.vertices), len(mesh.polygons), len(mesh.edges))
    low, high = bounds(mesh.vertices)
    print(f"{path.name}: vertices, faces, edges {counts}, bounds {low} {high}")
    name, frame = path.name.split(".")[0], int(path.name.split(".")[1])
    assert counts == EXPECTED_MESHES[name], (path, counts)
    if name == "cloth":
        expected = (0, 0.1 * frame, 0), (1, 0.1 * frame, 0.75)
        assert all(map(close, low + high, expected[0] + expected[1])), (low, high)
        assert mesh.polygons[0].normal.y > 0.999
    if name == "pond":
        assert all(map(close, low + high, (0, 1, 0, 1, 1.2, 0.5))), (low, high)


def check_volume(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert bpy.ops.object.volume_import(filepath=str(path), files=[{"name": path.name}], directory=str(path.parent)) == {
        "FINISHED"
    }, path
    volume = bpy.context.view_layer.objects.active
    grids = volume.data.grids
    assert grids.load(), grids.error_message
    low = [min(c[axis] for c in volume.bound_box) for axis in range(3)]
    high = [max(c[axis] for c in volume.bound_box) for axis in range(3)]
    names = {grid.name: (grid.data_type, grid.channels) for grid in grids}
    print(f"{path.name}: grids {names}, bounds {low} {high}")
    assert names == {"density": ("FLOAT", 1), "velocity": ("VECTOR_FLOAT", 3)}, names
    # Only the full leaf of 8³ cells of 0.1 m survives; it begins at the volume's corner (1, 2, 3). Blender's
    # box joins the outermost voxels' positions, which are cell centres: half a cell inside on each side.
    assert all(map(close, low + high, (1.05, 2.05, 3.05, 1.75, 2.75, 3.75))), (low, high)


def main():
    folder = pathlib.Path(sys.argv[sys.argv.index("--") + 1])
    meshes, volumes = sorted(folder.glob("*.ply")), sorted(folder.glob("*.vdb"))
    assert len(meshes) == 15 and len(volumes) == 3, (meshes, volumes)
    for path in meshes:
        check_mesh(path)
    for path in volumes:
        check_volume(path)
    print(f"Blender {bpy.app.version_string} read {len(meshes)} PLY and {len(volumes)} VDB files")


try:
    main()
except BaseException as error:  # Blender ends with 0 after a script's exception unless told otherwise
    print("FAILED:", repr(error))
    sys.exit(1)

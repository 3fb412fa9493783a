"""Opens the series and the VTU file that make_interop_files wrote in ParaView and asserts what arrived.

Run by scripts/interop: pvpython check_paraview.py DIR
"""
import pathlib
import sys

from paraview import servermanager, simple

# name: points, cells, point arrays, cell arrays
EXPECTED = {
    "cloth": (20, 24, {"velocity [m/s]": 3, "tension [N]": 1}, {}),
    "drops": (20, 20, {"age [s]": 1}, {}),
    "forces": (20, 20, {"force [N]": 3}, {}),
    "hair": (4, 3, {}, {}),
    "pond": (6, 4, {}, {}),
    "smoke": (21 * 13 * 13, 20 * 12 * 12, {}, {"density [kg/m3]": 1, "velocity [m/s]": 3}),
}


def arrays(data):
    names = [data.GetArrayName(k) for k in range(data.GetNumberOfArrays())]
    return {name: data.GetArray(name).GetNumberOfComponents() for name in names if name != "vtkGhostType"}


def close(a, b):
    return abs(a - b) < 1e-5  # single precision at coordinates of order one


def leaves(block):
    """The data sets of a (nested) multi-block in order."""
    if not hasattr(block, "GetNumberOfBlocks"):
        return [block]
    return [leaf for k in range(block.GetNumberOfBlocks()) for leaf in leaves(block.GetBlock(k))]


def check_frame(reader, frame, time):
    reader.UpdatePipeline(time)
    parts = leaves(servermanager.Fetch(reader))
    assert len(parts) == len(EXPECTED), len(parts)
    for part, (name, (points, cells, point_arrays, cell_arrays)) in zip(parts, sorted(EXPECTED.items())):
        found = (part.GetNumberOfPoints(), part.GetNumberOfCells(), arrays(part.GetPointData()),
                 arrays(part.GetCellData()))
        print(f"t = {time:.6f} {name}: {part.GetClassName()} {found}, bounds {[round(b, 6) for b in part.GetBounds()]}")
        assert found == (points, cells, point_arrays, cell_arrays), (name, found)
        if name == "cloth":
            assert all(map(close, part.GetBounds(), (0, 1, 0.1 * frame, 0.1 * frame, 0, 0.75)))
            assert part.GetPointData().GetArray("velocity [m/s]").GetRange(1) == (2.4000000953674316,) * 2
            assert part.GetPointData().GetArray("tension [N]").GetTuple1(7) == 21
        if name == "smoke":
            assert all(map(close, part.GetBounds(), (1, 3, 2, 3.2, 3, 4.2)))
            density = part.GetCellData().GetArray("density [kg/m3]")
            assert sum(density.GetTuple1(k) for k in range(density.GetNumberOfTuples())) == 512


def main():
    folder = pathlib.Path(sys.argv[1])
    reader = simple.PVDReader(FileName=str(folder / "series.pvd"))
    reader.UpdatePipelineInformation()
    times = list(reader.TimestepValues)
    assert times == [0.0, 1 / 24, 2 / 24], times
    for frame, time in enumerate(times):
        check_frame(reader, frame, time)

    beam = simple.XMLUnstructuredGridReader(FileName=[str(folder / "beam.vtu")])
    beam.UpdatePipeline()
    mesh = servermanager.Fetch(beam)
    print(f"beam: {mesh.GetClassName()}, {mesh.GetNumberOfPoints()} points, {mesh.GetNumberOfCells()} cells, "
          f"{arrays(mesh.GetCellData())}")
    assert (mesh.GetNumberOfPoints(), mesh.GetNumberOfCells()) == (5, 2)
    assert mesh.GetCell(0).GetClassName() == "vtkTetra"
    assert mesh.GetCellData().GetArray("stress [Pa]").GetRange() == (1.5, 2.5)
    print(f"ParaView {simple.GetParaViewVersion()} read {len(times)} time steps of {len(EXPECTED)} parts")


main()

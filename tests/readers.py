#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""readers.py FOLDER: other people's readers read a run's frames, and agree with each other.

h5py reads the VTKHDF arrays, VTK the .vtp files, meshio the XDMF grids one by one; the point
cache is read by hand, as its format is documented. All must hold the same points, triangles,
bodies, contacts and pairs, and as many of the latter as metrics.jsonl says.
"""
import glob
import json
import os
import struct
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import h5py
import meshio
import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy


def frames_of(path):
    """Frames of one HDF5 file as VTKHDF defines them: offsets, then counts."""
    with h5py.File(path, "r") as f:
        v = f["VTKHDF"]
        assert v.attrs["Type"] == b"PolyData" and list(v.attrs["Version"]) == [2, 0]
        steps = v["Steps"]
        for i in range(steps.attrs["NSteps"]):
            part, at = steps["PartOffsets"][i], steps["PointOffsets"][i]
            points = v["Points"][at : at + v["NumberOfPoints"][part]]
            ids = steps["ConnectivityIdOffsets"][i, 3]
            cells = steps["CellOffsets"][i, 3]
            p = v["Polygons"]
            n = p["NumberOfCells"][part]
            assert p["NumberOfConnectivityIds"][part] == 3 * n
            offsets = p["Offsets"][cells + part : cells + part + n + 1]
            assert (offsets == 3 * np.arange(n + 1)).all()
            triangles = p["Connectivity"][ids : ids + 3 * n].reshape(-1, 3)
            at = steps["CellDataOffsets/body"][i]
            body = v["CellData/body"][at : at + n]
            found = {}
            for group, names in (("Contacts", ("Between", "Depth", "Normal", "Position")),
                                 ("Pairs", ("Triangles",))):
                a, b = f[group]["Offsets"][i : i + 2]
                for name in names:
                    found[group + name] = f[group][name][a:b]
            yield int(steps["Values"][i]), points, triangles, body, found


def read_vtp(path):
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput()
    polys = vtk_to_numpy(data.GetPolys().GetConnectivityArray()).reshape(-1, 3)
    fields = {}
    for i in range(data.GetFieldData().GetNumberOfArrays()):
        array = data.GetFieldData().GetArray(i)
        fields[array.GetName()] = vtk_to_numpy(array)
    return (vtk_to_numpy(data.GetPoints().GetData()), polys,
            vtk_to_numpy(data.GetCellData().GetArray("body")), fields)


def read_grids(folder):
    """meshio knows no collections: each grid becomes a file of its own."""
    tree = ElementTree.parse(os.path.join(folder, "results.xdmf"))
    for grid in tree.getroot().find("Domain").find("Grid").findall("Grid"):
        step = int(grid.find("Time").get("Value"))
        grid.remove(grid.find("Time"))
        root = ElementTree.Element("Xdmf", Version="3.0")
        ElementTree.SubElement(root, "Domain").append(grid)
        with tempfile.NamedTemporaryFile(suffix=".xdmf", dir=folder, delete=False) as f:
            f.write(ElementTree.tostring(root))
        try:
            yield step, meshio.read(f.name)
        finally:
            os.unlink(f.name)


def main(folder):
    metrics = {}
    with open(os.path.join(folder, "metrics.jsonl")) as f:
        for line in f:
            row = json.loads(line)
            metrics[row["step"]] = row
    with open(os.path.join(folder, "points.pc2"), "rb") as f:
        magic, version, count, start, rate, samples = struct.unpack("<12siiffi", f.read(32))
        cache = np.frombuffer(f.read(), "<f4").reshape(-1, count, 3)
    assert magic == b"POINTCACHE2\0" and version == 1 and samples == len(cache)
    assert len(meshio.read(os.path.join(folder, "points.obj")).points) == count
    grids = dict(read_grids(folder))
    seen = 0
    for path in sorted(glob.glob(os.path.join(folder, "results-*.h5"))):
        for step, points, triangles, body, found in frames_of(path):
            xyz, polys, bodies, fields = read_vtp(os.path.join(folder, f"frame-{step:06}.vtp"))
            for a, b in ((points, xyz), (triangles, polys), (body, bodies),
                         (points, cache[seen]), (points, grids[step].points),
                         (triangles, grids[step].cells[0].data),
                         (body, grids[step].cell_data["body"][0]),
                         (found["ContactsPosition"], fields["contact_position"]),
                         (found["ContactsNormal"], fields["contact_normal"]),
                         (found["ContactsBetween"], fields["contact_between"]),
                         (found["PairsTriangles"], fields["pairs"])):
                assert a.size == b.size and (a.ravel() == b.ravel()).all(), (step, a, b)
            assert len(found["ContactsDepth"]) == metrics[step]["contacts"]
            assert len(found["PairsTriangles"]) == metrics[step]["pairs"]
            if len(found["ContactsDepth"]):
                assert found["ContactsDepth"].max() == metrics[step]["deepest"]
            assert step == start + seen * rate
            seen += 1
    assert seen == samples == len(grids) and seen > 0
    print(f"{folder}: {seen} frames of {count} points agree in h5py, VTK, meshio and PC2")


for argument in sys.argv[1:]:
    main(argument)

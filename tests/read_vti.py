#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""read_vti.py SHOAL FOLDER: VTK reads what `shoal query --voronoi` wrote, and the diagrams of
two points are what they must be."""
import os
import subprocess
import sys

import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

shoal, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
points = np.array([[0, 0, 0], [4, 1, 2]], float)
names = []
for i, p in enumerate(points):
    names.append(f"{folder}/{i}.obj")
    with open(names[-1], "w") as f:
        f.write(("v %g %g %g\n" % tuple(p)) * 3 + "f 1 2 3\n")
subprocess.run([shoal, "query", "--voronoi", *names, "--grid", "31", "-o", folder], check=True)

reader = vtk.vtkXMLImageDataReader()
reader.SetFileName(f"{folder}/diagram.vti")
reader.Update()
image = reader.GetOutput()
centres = vtk.vtkCellCenters()
centres.SetInputData(image)
centres.Update()
at = vtk_to_numpy(centres.GetOutput().GetPoints().GetData())
data = {n: vtk_to_numpy(image.GetCellData().GetArray(n))
        for n in ("body", "distance", "second_body", "second_distance")}
far = np.linalg.norm(at[:, None, :] - points[None], axis=2)
assert len(at) == image.GetNumberOfCells() > 31 * 31
rows = np.arange(len(at))
apart = np.abs(far[:, 0] - far[:, 1]) > 1e-5
assert (data["body"][apart] == far.argmin(axis=1)[apart]).all()
assert (data["body"] + data["second_body"] == 1).all()
assert np.allclose(data["distance"], far.min(axis=1), rtol=1e-5, atol=1e-5)
assert np.allclose(data["second_distance"], far.max(axis=1), rtol=1e-5, atol=1e-5)
print(f"{folder}: VTK reads {len(at)} cells")

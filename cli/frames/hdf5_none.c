// SPDX-License-Identifier: MIT
// A tool that was built without HDF5.
#include "cli/frames/results.h"

const shl_format shl_format_hdf5 = {.name = "hdf5",
                                    .missing = "this tool was built without HDF5; vtp and pc2 "
                                               "need nothing"};

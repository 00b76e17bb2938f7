// SPDX-License-Identifier: MIT
// results.xdmf: an index of the frames in HDF5 files, for viewers that do not know VTKHDF.
#ifndef SHL_CLI_FRAMES_XDMF_H
#define SHL_CLI_FRAMES_XDMF_H

#include "cli/frames/results.h"

// Writes it for all frames so far, whose files are closed. False: `results->error` tells why.
bool shl_xdmf_write(shl_results *results);

#endif

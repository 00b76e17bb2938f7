// SPDX-License-Identifier: MIT
// How `shoal query` tells distances.
#ifndef SHL_CLI_COMMANDS_QUERY_DISTANCE_H
#define SHL_CLI_COMMANDS_QUERY_DISTANCE_H

#include <shoal/results.h>

// Keeps the nearest row of each body, the first of equals; returns how many. `out` has room for
// one a body.
size_t shl_distance_least(const shoal_nearest *rows, size_t count, shoal_nearest *out);

// A line a row: files, triangles, distance, error, points.
void shl_distance_text(const shoal_nearest *rows, size_t count);

// The rows as the elements of a JSON array, brackets included. None is null.
void shl_distance_json(const shoal_nearest *rows, size_t count);

#endif

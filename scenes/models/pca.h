// SPDX-License-Identifier: MIT
// A moving surface as its mean shape and the few fields that tell most of its motion: principal
// components, by the matrix of products of snapshots, which are far fewer than vertices.
#ifndef SHL_SCENES_MODELS_PCA_H
#define SHL_SCENES_MODELS_PCA_H

#include <shoal/base.h>

// Writes the coordinates [begin, end) of a snapshot, of 3 a vertex.
typedef void shl_snapshot_fn(const void *ctx, uint32_t frame, uint32_t begin, uint32_t end,
                             double *to);

typedef struct shl_snapshots {
    uint32_t frames, numbers; // numbers: 3 a vertex
    shl_snapshot_fn *read;
    const void *ctx;
} shl_snapshots;

typedef struct shl_pca {
    double *mean;  // [numbers]
    float *fields; // [fields][numbers] the largest number of each is positive
    double *q;     // [frames][fields] coordinates of the snapshots, of mean square 1
    double kept;   // share of the variance that the fields tell
} shl_pca;

// Fields in the order of what they tell. Errors: ARGUMENT (the snapshots have fewer degrees of
// freedom than fields are wanted), MEMORY.
SHOAL_CHECK shoal_status shl_pca_create(const shl_snapshots *snapshots, uint32_t fields,
                                        shl_pca *out);
void shl_pca_finish(shl_pca *pca);

#endif

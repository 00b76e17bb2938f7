// SPDX-License-Identifier: MIT
#include "scenes/models/pca.h"

#include "scenes/math/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1536, LANES = 8 }; // numbers that are looked at together

typedef struct work {
    const shl_snapshots *from;
    double *block;   // [frames][BLOCK] what snapshots differ by from their mean
    double *product; // [frames][frames]
    double *values;  // [frames]
    double *vectors; // [frames][frames]
} work;

// Reads some numbers of all snapshots and takes their mean away; what is missing to a whole
// block is 0.
static void read_block(const work *w, uint32_t begin, uint32_t end, double *mean)
{
    const uint32_t frames = w->from->frames;
    memset(w->block, 0, (size_t)frames * BLOCK * sizeof *w->block);
    for (uint32_t f = 0; f < frames; f++)
        w->from->read(w->from->ctx, f, begin, end, w->block + (size_t)f * BLOCK);
    for (uint32_t i = 0; i < end - begin; i++) {
        double sum = 0;
        for (size_t f = 0; f < frames; f++)
            sum += w->block[f * BLOCK + i];
        mean[begin + i] = sum / frames;
        for (size_t f = 0; f < frames; f++)
            w->block[f * BLOCK + i] -= mean[begin + i];
    }
}

static double dot(const double *a, const double *b)
{
    double sums[LANES] = {0}, sum = 0;
    for (int i = 0; i < BLOCK; i += LANES) {
        for (int k = 0; k < LANES; k++)
            sums[k] += a[i + k] * b[i + k];
    }
    for (int k = 0; k < LANES; k++)
        sum += sums[k];
    return sum;
}

static void add_products(const work *w)
{
    const size_t frames = w->from->frames;
    for (size_t i = 0; i < frames; i++) {
        for (size_t k = 0; k <= i; k++) {
            const double sum = dot(w->block + i * BLOCK, w->block + k * BLOCK);
            w->product[i * frames + k] += sum;
            w->product[k * frames + i] = w->product[i * frames + k];
        }
    }
}

// A field is the snapshots' mix that its eigenvector tells.
static void mix(const work *w, uint32_t begin, uint32_t end, uint32_t fields, float *to)
{
    const uint32_t frames = w->from->frames;
    for (uint32_t j = 0; j < fields; j++) {
        const double *share = w->vectors + (size_t)j * frames;
        double row[BLOCK] = {0};
        for (uint32_t f = 0; f < frames; f++) {
            const double *from = w->block + (size_t)f * BLOCK;
            for (int i = 0; i < BLOCK; i++)
                row[i] += share[f] * from[i];
        }
        for (uint32_t i = begin; i < end; i++) {
            const volatile float rounded = (float)(row[i - begin] / sqrt(frames));
            to[(size_t)j * w->from->numbers + i] = rounded;
        }
    }
}

static void fix_signs(const work *w, uint32_t fields, shl_pca *out)
{
    const size_t numbers = w->from->numbers, frames = w->from->frames;
    for (size_t j = 0; j < fields; j++) {
        float *field = out->fields + j * numbers;
        size_t most = 0;
        for (size_t i = 0; i < numbers; i++)
            most = fabsf(field[i]) > fabsf(field[most]) ? i : most;
        const double sign = field[most] < 0 ? -1 : 1;
        for (size_t i = 0; i < numbers; i++)
            field[i] = sign < 0 ? -field[i] : field[i];
        for (size_t f = 0; f < frames; f++)
            out->q[f * fields + j] = sign * w->vectors[j * frames + f] * sqrt((double)frames);
    }
}

static shoal_status analyse(const work *w, uint32_t fields, shl_pca *out)
{
    const uint32_t frames = w->from->frames, numbers = w->from->numbers;
    for (uint32_t at = 0; at < numbers; at += BLOCK) {
        read_block(w, at, at + BLOCK < numbers ? at + BLOCK : numbers, out->mean);
        add_products(w);
    }
    shl_eigen(w->product, frames, w->values, w->vectors);
    if (fields > frames || !(w->values[fields - 1] > 1e-12 * w->values[0]))
        return SHOAL_ERR_ARGUMENT;
    double all = 0;
    for (uint32_t i = 0; i < frames; i++) {
        all += w->values[i];
        out->kept += i < fields ? w->values[i] : 0;
    }
    out->kept /= all;
    for (uint32_t at = 0; at < numbers; at += BLOCK) {
        const uint32_t end = at + BLOCK < numbers ? at + BLOCK : numbers;
        read_block(w, at, end, out->mean);
        mix(w, at, end, fields, out->fields);
    }
    fix_signs(w, fields, out);
    return SHOAL_OK;
}

shoal_status shl_pca_create(const shl_snapshots *from, uint32_t fields, shl_pca *out)
{
    const size_t frames = from->frames, numbers = from->numbers;
    work w = {from, malloc(frames * BLOCK * sizeof *w.block),
              calloc(frames * frames, sizeof *w.product), malloc(frames * sizeof *w.values),
              malloc(frames * frames * sizeof *w.vectors)};
    *out = (shl_pca){.mean = malloc(numbers * sizeof *out->mean),
                     .fields = malloc(fields * numbers * sizeof *out->fields),
                     .q = malloc(frames * fields * sizeof *out->q)};
    const bool room =
        w.block && w.product && w.values && w.vectors && out->mean && out->fields && out->q;
    const shoal_status st = room ? analyse(&w, fields, out) : SHOAL_ERR_MEMORY;
    free(w.block);
    free(w.product);
    free(w.values);
    free(w.vectors);
    if (st != SHOAL_OK)
        shl_pca_finish(out);
    return st;
}

void shl_pca_finish(shl_pca *pca)
{
    free(pca->mean);
    free(pca->fields);
    free(pca->q);
    memset(pca, 0, sizeof *pca);
}

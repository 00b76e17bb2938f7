// SPDX-License-Identifier: MIT
#include "gpu/picture_copy.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGN = 16 };

#define BYTES_MAX ((uint64_t)1 << 40)

void shl_draw_bytes(const shl_gpu_draw *d, uint64_t bytes[SHL_DRAW_COLUMNS])
{
    bytes[0] = 12 * (uint64_t)d->vertex_count;
    bytes[1] = 12 * (uint64_t)d->triangle_count;
    bytes[2] = 12 * (uint64_t)d->vertex_count * d->field_count;
    bytes[3] = sizeof(shl_gpu_instance) * (uint64_t)d->instance_count;
    bytes[4] = 4 * (uint64_t)d->instance_count * d->field_count;
}

static uint64_t rounded(uint64_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static void *put(char **to, const void *from, uint64_t bytes)
{
    void *at = *to;
    if (bytes)
        memcpy(at, from, bytes);
    *to += rounded(bytes);
    return at;
}

shl_gpu_picture *shl_picture_copy(const shl_gpu_picture *p)
{
    uint64_t sum = rounded(sizeof *p) + rounded(p->draw_count * sizeof *p->draws);
    uint64_t bytes[SHL_DRAW_COLUMNS];
    for (uint32_t i = 0; i < p->draw_count; i++) {
        shl_draw_bytes(&p->draws[i], bytes);
        for (int k = 0; k < SHL_DRAW_COLUMNS; k++) {
            if (bytes[k] > BYTES_MAX)
                return NULL;
            sum += rounded(bytes[k]);
        }
        if (sum > BYTES_MAX)
            return NULL;
    }
    char *to = malloc(sum);
    if (!to)
        return NULL;
    shl_gpu_picture *out = put(&to, p, sizeof *p);
    shl_gpu_draw *draws = put(&to, p->draws, p->draw_count * sizeof *p->draws);
    out->draws = draws;
    for (uint32_t i = 0; i < p->draw_count; i++) {
        shl_gpu_draw *d = &draws[i];
        shl_draw_bytes(d, bytes);
        d->xyz = put(&to, d->xyz, bytes[0]);
        d->triangles = put(&to, d->triangles, bytes[1]);
        d->fields = put(&to, d->fields, bytes[2]);
        d->instances = put(&to, d->instances, bytes[3]);
        d->q = put(&to, d->q, bytes[4]);
    }
    return out;
}

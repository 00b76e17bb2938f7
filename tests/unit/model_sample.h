// SPDX-License-Identifier: MIT
// A small model that uses every section, and its file's bytes to spoil.
#ifndef MODEL_SAMPLE_H
#define MODEL_SAMPLE_H

#include "io/model_format.h"
#include "test_io.h"

enum { SAMPLE_VERTICES = 5, SAMPLE_TRIANGLES = 3, SAMPLE_FIELDS = 2, SAMPLE_ROOM = 2048 };

// Views of static arrays. With `wide`, coordinates that are no float32.
static inline shoal_model_file model_sample(bool wide)
{
    static double xyz[3 * SAMPLE_VERTICES];
    static uint32_t triangles[3 * SAMPLE_TRIANGLES] = {0, 1, 2, 1, 2, 3, 4, 0, 4};
    static float fields[3 * SAMPLE_VERTICES * SAMPLE_FIELDS];
    static double frequencies[SAMPLE_FIELDS] = {0, 123.456}, masses[SAMPLE_FIELDS] = {1, 0.1};
    for (int i = 0; i < 3 * SAMPLE_VERTICES; i++)
        xyz[i] = wide ? i / 3.0 : i * 0.25;
    xyz[1] = -0.0;
    for (int i = 0; i < 3 * SAMPLE_VERTICES * SAMPLE_FIELDS; i++)
        fields[i] = (float)(i * 7 % 11) / 3;
    return (shoal_model_file){.name = "plate",
                              .rest = {.xyz = xyz,
                                       .triangles = triangles,
                                       .vertex_count = SAMPLE_VERTICES,
                                       .triangle_count = SAMPLE_TRIANGLES},
                              .fields = fields,
                              .field_count = SAMPLE_FIELDS,
                              .frequencies = frequencies,
                              .masses = masses};
}

// The numbers of two models are the same bits.
static inline bool same_model(const shoal_model_file *a, const shoal_model_file *b)
{
    const size_t scalars = 3 * (size_t)a->rest.vertex_count;
    const size_t each = a->field_count * sizeof(double);
    const bool sizes = strcmp(a->name, b->name) == 0 && a->field_count == b->field_count &&
                       a->rest.vertex_count == b->rest.vertex_count &&
                       a->rest.triangle_count == b->rest.triangle_count &&
                       !a->frequencies == !b->frequencies && !a->masses == !b->masses;
    return sizes && memcmp(a->rest.xyz, b->rest.xyz, scalars * sizeof(double)) == 0 &&
           memcmp(a->rest.triangles, b->rest.triangles, 12 * (size_t)a->rest.triangle_count) ==
               0 &&
           (!a->field_count ||
            memcmp(a->fields, b->fields, scalars * a->field_count * sizeof(float)) == 0) &&
           (!a->frequencies || memcmp(a->frequencies, b->frequencies, each) == 0) &&
           (!a->masses || memcmp(a->masses, b->masses, each) == 0);
}

// Every promise of the header about a model that was read.
static inline bool is_sane_model(const shoal_model_file *m)
{
    bool sane = is_sane(&m->rest) && m->field_count <= SHOAL_FIELDS_MAX &&
                strlen(m->name) <= SHOAL_MODEL_NAME_MAX;
    for (size_t i = 0; sane && i < 3 * (size_t)m->rest.vertex_count * m->field_count; i++)
        sane = m->fields[i] - m->fields[i] == 0;
    for (size_t i = 0; sane && m->frequencies && i < m->field_count; i++)
        sane = m->frequencies[i] >= 0 && m->frequencies[i] - m->frequencies[i] == 0;
    for (size_t i = 0; sane && m->masses && i < m->field_count; i++)
        sane = m->masses[i] > 0 && m->masses[i] - m->masses[i] == 0;
    return sane;
}

static inline bool is_zero_model(const shoal_model_file *m)
{
    return is_zero(&m->rest) && !m->fields && m->field_count == 0 && !m->frequencies &&
           !m->masses && m->version == 0 && m->skipped == 0 && !m->name[0];
}

// A file's bytes. False: it is not there or too long.
static inline bool slurp_bytes(const char *path, char *bytes, size_t room, size_t *size)
{
    FILE *f = fopen(path, "rb");
    *size = f ? fread(bytes, 1, room, f) : 0;
    if (f)
        fclose(f);
    return f && *size < room;
}

#endif

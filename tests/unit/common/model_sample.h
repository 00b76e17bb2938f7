// SPDX-License-Identifier: MIT
// A small model that uses every section, and its file's bytes to spoil.
#ifndef TESTS_UNIT_COMMON_MODEL_SAMPLE_H
#define TESTS_UNIT_COMMON_MODEL_SAMPLE_H

#include "../io/test_io.h"
#include "io/model_format.h"

enum {
    SAMPLE_VERTICES = 5,
    SAMPLE_TRIANGLES = 3,
    SAMPLE_FIELDS = 2,
    SAMPLE_NODES = 2,
    SAMPLE_ROOM = 4096
};

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

// The same with nodes that carry it.
static inline shoal_model_file model_sample_nodes(bool wide)
{
    static double nodes[3 * SAMPLE_NODES] = {0, 0.5, 1 / 3.0, 2, -0.0, 1e-300};
    static double radii[SAMPLE_NODES] = {1, 0.25}, node_masses[SAMPLE_NODES] = {3, 1e-9};
    static uint32_t weight_begin[SAMPLE_VERTICES + 1] = {0, 1, 3, 5, 6, 8};
    static uint32_t weight_control[] = {0, 0, 1, 1, 0, 1, 1, 0};
    static float weight[] = {1, 0.25f, 0.75f, 0.5f, 0.5f, 1, 1, 0};
    shoal_model_file m = model_sample(wide);
    m.control_count = SAMPLE_NODES;
    m.controls = nodes;
    m.weight_begin = weight_begin;
    m.weight_control = weight_control;
    m.weight = weight;
    m.weight_count = sizeof weight / sizeof *weight;
    m.radii = radii;
    m.control_masses = node_masses;
    return m;
}

// Both have the same bytes, or both have none.
static inline bool same_bytes(const void *a, const void *b, size_t bytes)
{
    return a && b ? memcmp(a, b, bytes) == 0 : !a && !b;
}

static inline bool same_points(const shoal_model_file *a, const shoal_model_file *b)
{
    const size_t node = a->control_count * sizeof(double);
    return a->control_count == b->control_count && a->weight_count == b->weight_count &&
           same_bytes(a->controls, b->controls, 3 * node) &&
           same_bytes(a->radii, b->radii, node) &&
           same_bytes(a->control_masses, b->control_masses, node) &&
           same_bytes(a->weight_begin, b->weight_begin,
                      (a->rest.vertex_count + (size_t)1) * sizeof(uint32_t)) &&
           same_bytes(a->weight_control, b->weight_control,
                      a->weight_count * sizeof(uint32_t)) &&
           same_bytes(a->weight, b->weight, a->weight_count * sizeof(float));
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
           (!a->masses || memcmp(a->masses, b->masses, each) == 0) && same_points(a, b);
}

static inline bool is_sane_skinned(const shoal_model_file *m)
{
    if (!m->control_count)
        return !m->controls && !m->weight_begin && !m->weight_control && !m->weight &&
               !m->radii && !m->control_masses && m->weight_count == 0;
    bool sane = m->control_count <= SHOAL_CONTROLS_MAX && m->weight_begin[0] == 0 &&
                m->weight_begin[m->rest.vertex_count] == m->weight_count;
    for (size_t i = 0; sane && i < 3 * (size_t)m->control_count; i++)
        sane = m->controls[i] - m->controls[i] == 0;
    for (size_t i = 0; sane && i < m->control_count; i++)
        sane =
            (!m->radii || m->radii[i] > 0) && (!m->control_masses || m->control_masses[i] > 0);
    for (size_t v = 0; sane && v < m->rest.vertex_count; v++) {
        double sum = 0;
        sane = m->weight_begin[v] <= m->weight_begin[v + 1];
        for (size_t e = m->weight_begin[v]; sane && e < m->weight_begin[v + 1]; e++) {
            sane = m->weight_control[e] < m->control_count && m->weight[e] >= 0;
            sum += (double)m->weight[e];
        }
        sane = sane && sum > 1 - 2e-5 && sum < 1 + 2e-5;
    }
    return sane;
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
    return sane && is_sane_skinned(m);
}

static inline bool is_zero_model(const shoal_model_file *m)
{
    return is_zero(&m->rest) && !m->fields && m->field_count == 0 && !m->frequencies &&
           !m->masses && m->control_count == 0 && is_sane_skinned(m) && m->version == 0 &&
           m->skipped == 0 && !m->name[0];
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

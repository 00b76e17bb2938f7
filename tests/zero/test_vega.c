// SPDX-License-Identifier: MIT
// Modes that finite elements gave, where SHOAL_DATA names a folder that holds them: as a model
// file and back, and reduced bodies against the same bodies as free vertices and the oracle.
// Without them everything skips.
#include "tests/oracle/mesh_oracle.h"
#include "tests/unit/common/model_sample.h"

#include "io/bits.h"

#include <shoal/shoal.h>

#include <math.h>
#include <unistd.h>

enum { BODIES = 5, STATES = 6 };

static shoal_model_file modes;
static double size, middle[3]; // of the body
static double state[12 + SHOAL_FIELDS_MAX][BODIES];

// The mesh, and a matrix of rows = 3 vertices by columns = fields, stored column by column.
static bool load(const char *data)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/modal/vega-A/A.obj", data);
    if (shoal_mesh_read(path, NULL, &modes.rest, NULL) != SHOAL_OK)
        return false;
    snprintf(path, sizeof path, "%s/modal/vega-A/A.URendering.float", data);
    FILE *f = fopen(path, "rb");
    char head[8] = "";
    bool good = f && fread(head, 1, 8, f) == 8;
    const size_t rows = shl_get_u32(head), columns = shl_get_u32(head + 4);
    good = good && rows == 3 * (size_t)modes.rest.vertex_count && columns <= SHOAL_FIELDS_MAX;
    char *bytes = good ? malloc(4 * rows * columns) : NULL;
    modes.fields = good ? malloc(4 * rows * columns) : NULL;
    good = bytes && modes.fields && fread(bytes, 4, rows * columns, f) == rows * columns;
    for (size_t i = 0; good && i < rows * columns; i++)
        modes.fields[i] = shl_get_f32(bytes + 4 * i);
    modes.field_count = (uint32_t)columns;
    free(bytes);
    if (f)
        fclose(f);
    return good;
}

static uint64_t seed;

static double draw(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)seed * 0x1p-63;
}

// A random state of all bodies, close together at `far`; fields bend by about `bend` sizes.
static void make_state(uint64_t number, double far, double bend)
{
    seed = 91 * number + 7;
    for (int b = 0; b < BODIES; b++) {
        double v[4], length = 0; // a quaternion
        for (int i = 0; i < 4; i++) {
            v[i] = draw();
            length += v[i] * v[i];
        }
        for (int i = 0; i < 4; i++)
            v[i] /= sqrt(length);
        const double w = v[0], x = v[1], y = v[2], z = v[3];
        const double turn[9] = {
            1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
            2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
            2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
        for (int e = 0; e < 9; e++)
            state[e][b] = turn[e];
        for (int k = 0; k < 3; k++) // each turns about its middle
            state[9 + k][b] = far + 0.15 * size * draw() -
                              (turn[3 * k] * middle[0] + turn[3 * k + 1] * middle[1] +
                               turn[3 * k + 2] * middle[2]);
        for (uint32_t j = 0; j < modes.field_count; j++) {
            double most = 0;
            for (size_t i = 0; i < 3 * (size_t)modes.rest.vertex_count; i++)
                most = fmax(
                    most,
                    fabs((double)modes.fields[3 * (size_t)j * modes.rest.vertex_count + i]));
            state[12 + j][b] = bend * size / most * draw() / (1 + j);
        }
    }
}

// As shoal/reduced.h has it, one operation after another.
static void evaluate(int b, double *xyz)
{
    const size_t scalars = 3 * (size_t)modes.rest.vertex_count;
    for (size_t v = 0; v < scalars; v += 3) {
        double d[3];
        for (size_t k = 0; k < 3; k++) {
            d[k] = modes.rest.xyz[v + k];
            for (uint32_t j = 0; j < modes.field_count; j++)
                d[k] = d[k] + (double)modes.fields[j * scalars + v + k] * state[12 + j][b];
        }
        for (size_t k = 0; k < 3; k++)
            xyz[v + k] = state[3 * k][b] * d[0] + state[3 * k + 1][b] * d[1] +
                         state[3 * k + 2][b] * d[2] + state[9 + k][b];
    }
}

TEST a_file_keeps_them(void)
{
    char path[] = "/tmp/shoal-vega-XXXXXX";
    const int file = mkstemp(path);
    ASSERT(file >= 0);
    close(file);
    shoal_model_file again;
    ASSERT_EQ(SHOAL_OK, shoal_model_file_write(path, &modes, NULL));
    ASSERT_EQ(SHOAL_OK, shoal_model_file_read(path, NULL, &again, NULL));
    unlink(path);
    ASSERT(same_model(&modes, &again));
    shoal_model_file_finish(&again);
    PASS();
}

typedef struct answer {
    uint64_t hash;
    size_t pairs;
    shoal_pair *list;
} answer;

typedef struct setup {
    bool reduced;
    shoal_bounds bounds;
    shoal_cpu cpu;
    uint32_t threads;
} setup;

static bool ask(setup how, double *const *xyz, answer *out)
{
    shoal_context_def cd = shoal_context_def_default();
    cd.cpu = how.cpu;
    shoal_scene_def sd = shoal_scene_def_default();
    sd.threads = how.threads;
    shoal_context *ctx = NULL;
    shoal_scene *scene = NULL;
    shoal_model *model = NULL;
    shoal_model_def md = shoal_model_def_default();
    shoal_model_file_fill_def(&modes, &md);
    md.bounds = how.bounds;
    shoal_body ids[BODIES];
    bool good = !shoal_context_create(&cd, &ctx) && !shoal_scene_create(ctx, &sd, &scene) &&
                !shoal_model_create(ctx, &md, &model);
    for (int b = 0; b < BODIES && good; b++) {
        const shoal_positions p = shoal_positions_f64(xyz[b], modes.rest.vertex_count);
        good = how.reduced ? !shoal_scene_add_reduced(scene, model, &ids[b])
                           : !shoal_scene_add_free(scene, model, &ids[b]) &&
                                 !shoal_scene_set_positions(scene, ids[b], &p);
    }
    const shoal_reduced_state s = {.bodies = ids,
                                   .count = BODIES,
                                   .stride = BODIES,
                                   .rotation = state[0],
                                   .translation = state[9],
                                   .q = state[12],
                                   .field_count = modes.field_count};
    good = good && (!how.reduced || !shoal_scene_set_reduced(scene, &s)) &&
           !shoal_scene_step(scene, SHOAL_QUERY_PAIRS | SHOAL_QUERY_SELF_ADJACENT);
    if (good) {
        const shoal_pairs pairs = shoal_scene_pairs(scene);
        *out = (answer){shoal_scene_hash(scene), pairs.count,
                        malloc((pairs.count + 1) * sizeof *pairs.rows)};
        good = out->list && shoal_scene_bad_bodies(scene).count == 0;
        if (good && pairs.count)
            memcpy(out->list, pairs.rows, pairs.count * sizeof *pairs.rows);
    }
    shoal_model_destroy(model);
    shoal_scene_destroy(scene);
    shoal_context_destroy(ctx);
    return good;
}

TEST reduced_is_free(void)
{
    double *xyz[BODIES];
    for (int b = 0; b < BODIES; b++)
        ASSERT((xyz[b] = malloc(3 * sizeof(double) * modes.rest.vertex_count)));
    size_t met = 0;
    for (uint64_t n = 0; n < STATES; n++) {
        make_state(n, n % 3 == 2 ? 1e6 : 0, n % 2 ? 0.5 : 0.05);
        oracle_mesh judge[BODIES];
        for (int b = 0; b < BODIES; b++) {
            evaluate(b, xyz[b]);
            judge[b] = (oracle_mesh){xyz[b], modes.rest.vertex_count, modes.rest.triangles,
                                     modes.rest.triangle_count};
        }
        answer want = {0};
        ASSERT(ask((setup){.cpu = SHOAL_CPU_REF, .threads = 1}, xyz, &want));
        oracle_pair *truth = NULL;
        const size_t count = oracle_pairs(judge, BODIES, &truth);
        ASSERT_EQ_FMT(count, want.pairs, "%zu");
        ASSERT_MEM_EQ(truth, want.list, count * sizeof *truth);
        met += count;
        for (int i = 0; i < 8; i++) {
            const setup how = {true, (shoal_bounds)(i / 2),
                               i % 2 ? SHOAL_CPU_REF : SHOAL_CPU_BEST, 1 + i % 3u};
            answer got = {0};
            ASSERT(ask(how, xyz, &got));
            ASSERT_EQ(want.hash, got.hash);
            ASSERT_EQ_FMT(want.pairs, got.pairs, "%zu");
            ASSERT_MEM_EQ(want.list, got.list, want.pairs * sizeof *want.list);
            free(got.list);
        }
        free(truth);
        free(want.list);
    }
    printf("%zu pairs of %u modes\n", met, modes.field_count);
    ASSERT(met > 1000);
    for (int b = 0; b < BODIES; b++)
        free(xyz[b]);
    PASS();
}

TEST no_data(void)
{
    SKIPm("SHOAL_DATA names no folder with modes");
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    const char *data = getenv("SHOAL_DATA");
    GREATEST_MAIN_BEGIN();
    if (data && load(data)) {
        for (size_t i = 0; i < 3 * (size_t)modes.rest.vertex_count; i++)
            middle[i % 3] += modes.rest.xyz[i] / modes.rest.vertex_count;
        for (size_t i = 0; i < 3 * (size_t)modes.rest.vertex_count; i++)
            size = fmax(size, fabs(modes.rest.xyz[i] - middle[i % 3]));
        RUN_TEST(a_file_keeps_them);
        RUN_TEST(reduced_is_free);
    } else {
        RUN_TEST(no_data);
    }
    free(modes.fields);
    shoal_mesh_finish(&modes.rest);
    GREATEST_MAIN_END();
}

// SPDX-License-Identifier: MIT
// Fish on a bridge and a ball at a curtain: their models, the cache that keeps them, and what
// the bodies do.
#include "closed.h"
#include "scenes/math/eigen.h"
#include "scenes/models/pca.h"
#include "scenes/plays/actors.h"
#include "scenes/shapes/bridge.h"
#include "scenes/shapes/fish.h"

#include <shoal/shoal.h>

#include <greatest.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 24 };

// A matrix with known values: a diagonal one, mirrored a few times.
TEST eigenvectors_are_right(void)
{
    double a[N][N] = {{0}}, before[N][N], values[N], vectors[N][N];
    uint64_t seed = 3;
    for (int i = 0; i < N; i++)
        a[i][i] = i < 3 ? 5 : i; // some are the same
    for (int turn = 0; turn < 5; turn++) {
        double v[N], square = 0, next[N][N];
        for (int i = 0; i < N; i++) {
            v[i] = shl_random_signed(&seed);
            square += v[i] * v[i];
        }
        for (int side = 0; side < 2; side++) { // H a, then its transpose
            for (int i = 0; i < N; i++) {
                for (int k = 0; k < N; k++) {
                    double sum = 0;
                    for (int l = 0; l < N; l++)
                        sum += v[l] * a[l][k];
                    next[k][i] = a[i][k] - 2 * v[i] * sum / square;
                }
            }
            memcpy(a, next, sizeof a);
        }
    }
    memcpy(before, a, sizeof a);
    shl_eigen(a[0], N, values, vectors[0]);
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < N; k++) {
            double product = 0, dot = 0;
            for (int l = 0; l < N; l++) {
                product += before[k][l] * vectors[i][l];
                dot += vectors[i][l] * vectors[k][l];
            }
            ASSERT_IN_RANGE(values[i] * vectors[i][k], product, 1e-12);
            ASSERT_IN_RANGE(i == k, dot, 1e-13);
        }
        ASSERT(i == 0 || values[i] <= values[i - 1]);
    }
    ASSERT_IN_RANGE(23.0, values[0], 1e-12);
    ASSERT_IN_RANGE(3.0, values[N - 1], 1e-12);
    PASS();
}

enum { FRAMES = 30, NUMBERS = 3000, RANK = 4 };

// Four patterns over a base, with shares that differ from frame to frame.
static double share_of(uint32_t frame, int pattern)
{
    uint64_t seed = 100 * frame + (uint64_t)pattern;
    return shl_random_signed(&seed) / (1 + pattern);
}

static void read_patterns(const void *ctx, uint32_t frame, uint32_t begin, uint32_t end,
                          double *to)
{
    (void)ctx;
    for (uint32_t i = begin; i < end; i++) {
        to[i - begin] = 0.001 * i;
        for (int p = 0; p < RANK; p++)
            to[i - begin] += share_of(frame, p) * shl_sincos_of((p + 1) * 0.01 * i + p).sin;
    }
}

TEST components_tell_the_snapshots(void)
{
    const shl_snapshots snapshots = {FRAMES, NUMBERS, read_patterns, NULL};
    shl_pca pca;
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_pca_create(&snapshots, RANK + 1, &pca));
    ASSERT_EQ(SHOAL_OK, shl_pca_create(&snapshots, RANK, &pca));
    ASSERT_IN_RANGE(1.0, pca.kept, 1e-12);
    static double want[NUMBERS];
    for (uint32_t f = 0; f < FRAMES; f++) {
        read_patterns(NULL, f, 0, NUMBERS, want);
        for (size_t i = 0; i < NUMBERS; i++) {
            double got = pca.mean[i];
            for (size_t j = 0; j < RANK; j++)
                got += (double)pca.fields[j * NUMBERS + i] * pca.q[f * RANK + j];
            ASSERT_IN_RANGE(want[i], got, 1e-6); // fields are floats
        }
    }
    for (size_t j = 0; j < RANK; j++) {
        double square = 0;
        for (size_t f = 0; f < FRAMES; f++)
            square += pca.q[f * RANK + j] * pca.q[f * RANK + j] / FRAMES;
        ASSERT_IN_RANGE(1.0, square, 1e-9);
    }
    shl_pca_finish(&pca);
    PASS();
}

// Every edge belongs to two triangles that go round it in opposite ways, and they face
// outwards.
static enum greatest_test_res check_closed(const shl_surface *s, double volume)
{
    ASSERT(closed(s->triangles, s->triangle_count, true));
    ASSERT_IN_RANGE(volume, enclosed_volume(s->xyz, s->triangles, s->triangle_count),
                    0.1 * volume);
    PASS();
}

TEST shapes_are_closed(void)
{
    shl_surface s;
    ASSERT_EQ(SHOAL_OK, shl_mesh_fish(&s));
    ASSERT(s.triangle_count > 24500 && s.triangle_count < 25100);
    CHECK_CALL(check_closed(&s, 0.0023));
    shl_surface_finish(&s);
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_mesh_bridge(0, &s));
    ASSERT_EQ(SHOAL_OK, shl_mesh_bridge(40, &s));
    ASSERT(s.triangle_count > 235000 && s.triangle_count < 245000);
    CHECK_CALL(check_closed(&s, 16.8));
    shl_surface_finish(&s);
    PASS();
}

// --- The cache. ---

static char folder[] = "/tmp/shoal-cache-XXXXXX";
static char said[8][1024];
static int said_count;

static void listen(const char *line)
{
    snprintf(said[said_count++ % 8], sizeof said[0], "%s", line);
}

static int made;

static shoal_status make_bridge(uint32_t bays, shoal_model_file *out)
{
    made++;
    return shl_bridge_make(bays, out);
}

static bool same_bytes(const shoal_model_file *a, const shoal_model_file *b)
{
    const size_t scalars = 3 * (size_t)a->rest.vertex_count;
    return a->rest.vertex_count == b->rest.vertex_count && a->field_count == b->field_count &&
           memcmp(a->rest.xyz, b->rest.xyz, scalars * sizeof(double)) == 0 &&
           memcmp(a->fields, b->fields, a->field_count * scalars * sizeof(float)) == 0;
}

TEST models_are_made_once(void)
{
    const shl_recipe recipe = {"bridge-test", make_bridge, 1};
    shoal_model_file first, again;
    char path[256];
    snprintf(path, sizeof path, "%s/shoal/bridge-test.model", folder);
    said_count = made = 0;
    ASSERT_EQ(SHOAL_OK, shl_cached_model(&recipe, listen, &first));
    ASSERT_EQ(1, made);
    ASSERT_STR_EQ("making the model bridge-test, once", said[0]);
    ASSERT_EQ(SHOAL_OK, shl_cached_model(&recipe, listen, &again));
    ASSERT_EQ(1, made);
    ASSERT_EQ(1, said_count);
    ASSERT(same_bytes(&first, &again));
    shoal_model_file_finish(&again);
    // one byte is another one
    FILE *f = fopen(path, "r+b");
    ASSERT(f && fseek(f, 5000, SEEK_SET) == 0);
    const int byte = fgetc(f);
    ASSERT(fseek(f, 5000, SEEK_SET) == 0 && fputc(byte ^ 1, f) != EOF && fclose(f) == 0);
    ASSERT_EQ(SHOAL_OK, shl_cached_model(&recipe, listen, &again));
    ASSERT_EQ(2, made);
    ASSERT(strstr(said[1], "is damaged") && strstr(said[1], "it is made anew"));
    ASSERT(same_bytes(&first, &again));
    shoal_model_file_finish(&again);
    // another model under this name
    strcpy(first.name, "other");
    ASSERT_EQ(SHOAL_OK, shoal_model_file_write(path, &first, NULL));
    ASSERT_EQ(SHOAL_OK, shl_cached_model(&recipe, listen, &again));
    ASSERT_EQ(3, made);
    ASSERT(strstr(said[3], "it holds 'other'; it is made anew"));
    shoal_model_file_finish(&again);
    // no place to keep it
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    ASSERT_EQ(SHOAL_OK, shl_cached_model(&recipe, listen, &again));
    ASSERT(strstr(said[6], "/dev/null/shoal: Not a directory; the model is not kept"));
    shoal_model_file_finish(&again);
    setenv("XDG_CACHE_HOME", folder, 1);
    shoal_model_file_finish(&first);
    PASS();
}

// --- What bodies do. ---

enum { BAYS = 2 }; // of the bridge

typedef struct world {
    shoal_context *ctx;
    shoal_scene *scene;
    shl_actors *actors;
} world;

static bool open_world(bool curtain, uint32_t threads, world *out)
{
    const shoal_context_def context = shoal_context_def_default();
    shoal_scene_def def = shoal_scene_def_default();
    def.threads = threads;
    *out = (world){0};
    const shl_scene_params fish = {.bodies = 24, .bays = BAYS, .seed = 1, .spheres = 6};
    const shl_scene_params ball = {.bodies = 1, .seed = 1, .spheres = 7};
    void *actors = NULL;
    const bool good =
        shoal_context_create(&context, &out->ctx) == SHOAL_OK &&
        shoal_scene_create(out->ctx, &def, &out->scene) == SHOAL_OK &&
        shl_actors_create(curtain ? &shl_play_curtain : &shl_play_fish_bridge,
                          curtain ? &ball : &fish, out->ctx, out->scene, &actors) == SHOAL_OK;
    out->actors = actors;
    return good;
}

static void close_world(world *w)
{
    shl_actors_destroy(w->actors);
    shoal_scene_destroy(w->scene);
    shoal_context_destroy(w->ctx);
}

static bool step_world(world *w, uint32_t step)
{
    return shl_actors_step(w->actors, step) == SHOAL_OK &&
           shoal_scene_step(w->scene, SHOAL_QUERY_SPHERES) == SHOAL_OK;
}

// Fish come down, and stay above the deck; the bridge sways under them.
static uint64_t drop_fish(uint32_t threads, size_t *contacts, double *lowest, uint32_t *over)
{
    world w;
    uint64_t h = open_world(false, threads, &w) ? 1 : 0;
    for (uint32_t step = 1; step <= 200 && h; step++) {
        h = step_world(&w, step) ? h * 31 + shoal_scene_hash(w.scene) : 0;
        const shoal_sphere_contacts found = shoal_scene_sphere_contacts(w.scene);
        for (size_t i = 0; i < found.count; i++)
            *contacts += found.rows[i].body_b == 24;
    }
    *lowest = INFINITY;
    *over = 0;
    for (uint32_t i = 0; i < 24 && h; i++) {
        const double *at = w.actors->dynamics.rigid[i].centre;
        if (fabs(at[0]) > 0.5 * BAYS * shl_bridge_bay)
            continue; // it slid off an end
        ++*over;
        *lowest = fmin(*lowest, at[2]);
    }
    close_world(&w);
    return h;
}

TEST fish_lie_on_the_bridge(void)
{
    size_t contacts[3] = {0};
    double lowest;
    uint32_t over;
    const uint64_t one = drop_fish(1, &contacts[0], &lowest, &over);
    ASSERT(one != 0);
    ASSERT(contacts[0] > 500);
    ASSERT(lowest > shl_bridge_deck - 0.05); // it sags a little where it sways
    ASSERT(over >= 20);
    ASSERT_EQ(one, drop_fish(2, &contacts[1], &lowest, &over));
    ASSERT_EQ(one, drop_fish(3, &contacts[2], &lowest, &over));
    PASS();
}

// A state that is saved goes on as the one that was not.
TEST fish_go_on_where_they_were(void)
{
    world a, b;
    ASSERT(open_world(false, 1, &a) && open_world(false, 1, &b));
    for (uint32_t step = 1; step <= 60; step++)
        ASSERT(step_world(&a, step));
    const size_t size = shl_actors_save(a.actors, NULL);
    void *state = malloc(size);
    ASSERT(state);
    shl_actors_save(a.actors, state);
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_actors_restore(b.actors, 60, state, size - 1));
    ASSERT_EQ(SHOAL_OK, shl_actors_restore(b.actors, 60, state, size));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(b.scene, SHOAL_QUERY_SPHERES));
    for (uint32_t step = 61; step <= 90; step++) {
        ASSERT(step_world(&a, step) && step_world(&b, step));
        ASSERT_EQ(shoal_scene_hash(a.scene), shoal_scene_hash(b.scene));
    }
    free(state);
    close_world(&a);
    close_world(&b);
    PASS();
}

// The ball flies at the curtain, meets it, comes back, and the curtain has moved.
TEST the_ball_comes_back(void)
{
    world w;
    ASSERT(open_world(true, 1, &w));
    const shl_dynamics *d = &w.actors->dynamics;
    size_t contacts = 0;
    double fastest = 0, slowest = 0, least = INFINITY, most = -INFINITY;
    for (uint32_t step = 1; step <= 400; step++) {
        ASSERT(step_world(&w, step));
        contacts += shoal_scene_sphere_contacts(w.scene).count;
        fastest = fmax(fastest, d->rigid[0].velocity[1]);
        slowest = fmin(slowest, d->rigid[0].velocity[1]);
        double p[3];
        shl_dynamics_vertex(d, 1, 60 * 90 + 30, p);
        least = fmin(least, p[1]);
        most = fmax(most, p[1]);
        shl_dynamics_vertex(d, 1, 30, p); // pinned
        ASSERT_IN_RANGE(2.2, p[2], 1e-6);
    }
    ASSERT(contacts > 10);
    ASSERT(fastest > 4 && slowest < -0.1);
    ASSERT(most - least > 0.1);
    close_world(&w);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1) != 0)
        return 1;
    RUN_TEST(eigenvectors_are_right);
    RUN_TEST(components_tell_the_snapshots);
    RUN_TEST(shapes_are_closed);
    RUN_TEST(models_are_made_once);
    RUN_TEST(fish_lie_on_the_bridge);
    RUN_TEST(fish_go_on_where_they_were);
    RUN_TEST(the_ball_comes_back);
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0)
        return 1;
    GREATEST_MAIN_END();
}

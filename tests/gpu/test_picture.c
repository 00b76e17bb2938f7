// SPDX-License-Identifier: MIT
// Pictures show what is there: bodies where they are, bent as they are, and what met in colour.
#include <greatest.h>
#include <math.h>
#include <shoal/picture.h>
#include <shoal/shoal.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 320, HEIGHT = 200, PIXELS = WIDTH * HEIGHT };

static char said[512];

static void listen(void *user, shoal_status status, const char *text)
{
    (void)user, (void)status;
    snprintf(said, sizeof said, "%s", text);
}

typedef struct stage {
    shoal_context *ctx;
    shoal_scene *scene;
} stage;

static bool open_stage(stage *s)
{
    shoal_context_def context = shoal_context_def_default();
    context.log = listen;
    const shoal_scene_def scene = shoal_scene_def_default();
    s->scene = NULL;
    return shoal_context_create(&context, &s->ctx) == SHOAL_OK &&
           shoal_scene_create(s->ctx, &scene, &s->scene) == SHOAL_OK;
}

static void close_stage(stage *s)
{
    shoal_scene_destroy(s->scene);
    shoal_context_destroy(s->ctx);
}

// A tetrahedron with corners at `at` and one unit away along each axis.
static void corners(const double at[3], double xyz[12])
{
    for (int v = 0; v < 4; v++) {
        for (int k = 0; k < 3; k++)
            xyz[3 * v + k] = at[k] + (v == k + 1);
    }
}

static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};

static bool add_free(stage *s, const double xyz[12])
{
    shoal_model_def def = shoal_model_def_default();
    def.triangles = faces;
    def.triangle_count = 4;
    def.rest = shoal_positions_f64(xyz, 4);
    shoal_model *model;
    shoal_body body;
    const shoal_positions p = shoal_positions_f64(xyz, 4);
    const bool good = shoal_model_create(s->ctx, &def, &model) == SHOAL_OK &&
                      shoal_scene_add_free(s->scene, model, &body) == SHOAL_OK &&
                      shoal_scene_set_positions(s->scene, body, &p) == SHOAL_OK;
    shoal_model_destroy(model);
    return good;
}

// The same as a reduced body with one field, which moves the last corner along x.
static bool add_reduced(stage *s, const double xyz[12], double q, const double rotation[9],
                        const double translation[3], int32_t level)
{
    static const float field[12] = {[9] = 1};
    shoal_model_def def = shoal_model_def_default();
    def.triangles = faces;
    def.triangle_count = 4;
    def.rest = shoal_positions_f64(xyz, 4);
    def.reducible = true;
    def.fields = field;
    def.field_count = 1;
    def.sphere_level = level;
    shoal_model *model;
    shoal_body body;
    if (shoal_model_create(s->ctx, &def, &model) != SHOAL_OK)
        return false;
    bool good = shoal_scene_add_reduced(s->scene, model, &body) == SHOAL_OK;
    shoal_model_destroy(model);
    const shoal_reduced_state state = {.bodies = &body,
                                       .count = 1,
                                       .stride = 1,
                                       .rotation = rotation,
                                       .translation = translation,
                                       .q = &q,
                                       .field_count = 1};
    return good && shoal_scene_set_reduced(s->scene, &state) == SHOAL_OK;
}

static shoal_picture_def small(const stage *s)
{
    shoal_picture_def def = shoal_picture_def_default(s->scene);
    def.width = WIDTH;
    def.height = HEIGHT;
    return def;
}

// Whether pictures can be drawn at all here.
static bool has_gl(void)
{
    stage s;
    uint8_t *rgb = malloc(3 * (size_t)PIXELS);
    const double at[3] = {0};
    double xyz[12];
    corners(at, xyz);
    bool good = open_stage(&s) && add_free(&s, xyz) &&
                shoal_scene_step(s.scene, SHOAL_QUERY_PAIRS) == SHOAL_OK;
    const shoal_picture_def def = small(&s);
    good = good && shoal_scene_picture(s.scene, &def, rgb) == SHOAL_OK;
    if (!good)
        printf("no pictures here: %s\n", said);
    close_stage(&s);
    free(rgb);
    return good;
}

static size_t count_differing(const uint8_t *a, const uint8_t *b, int more_than)
{
    size_t n = 0;
    for (size_t i = 0; i < PIXELS; i++) {
        int most = 0;
        for (size_t k = 0; k < 3; k++) {
            const int d = abs(a[3 * i + k] - b[3 * i + k]);
            most = d > most ? d : most;
        }
        n += most > more_than;
    }
    return n;
}

static size_t count_covered(const uint8_t *rgb)
{
    size_t n = 0;
    for (size_t i = 1; i < PIXELS; i++)
        n += memcmp(rgb + 3 * i, rgb, 3) != 0; // the first pixel is background
    return n;
}

static size_t count_like(const uint8_t *rgb, bool orange)
{
    size_t n = 0;
    for (size_t i = 0; i < PIXELS; i++) {
        const uint8_t *p = rgb + 3 * i;
        n += p[0] > 130 && p[2] < p[0] / 2 &&
             (orange ? p[1] > p[0] / 2 && p[1] < p[0] - 25 : p[1] < p[0] / 2);
    }
    return n;
}

static const double still[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, nowhere[3] = {0};

// The camera finds a body wherever it is, and the picture does not depend on the place.
TEST bodies_are_seen_anywhere(void)
{
    static uint8_t rgb[2][3 * PIXELS];
    static const double places[2][3] = {{0, 0, 0}, {1e6, -3e6, 2e6}};
    for (int i = 0; i < 2; i++) {
        stage s;
        double xyz[12];
        corners(places[i], xyz);
        ASSERT(open_stage(&s) && add_free(&s, xyz));
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, SHOAL_QUERY_PAIRS));
        shoal_picture_def def = small(&s);
        for (int k = 0; k < 3; k++) { // float32 boxes are coarse so far out
            def.camera.target[k] = places[i][k] + 0.5;
            def.camera.eye[k] = places[i][k] + (k == 1 ? -3 : 1.5);
        }
        ASSERT_EQ(SHOAL_OK, shoal_scene_picture(s.scene, &def, rgb[i]));
        close_stage(&s);
        const size_t covered = count_covered(rgb[i]);
        ASSERT(covered > PIXELS / 50 && covered < PIXELS / 2);
    }
    ASSERT(count_differing(rgb[0], rgb[1], 12) < PIXELS / 200);
    PASS();
}

TEST the_default_camera_sees_all(void)
{
    static uint8_t rgb[3 * PIXELS];
    stage s;
    double xyz[12];
    ASSERT(open_stage(&s));
    for (int i = 0; i < 2; i++) {
        const double at[3] = {40.0 * i, 7, -2};
        corners(at, xyz);
        ASSERT(add_free(&s, xyz));
    }
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, SHOAL_QUERY_PAIRS));
    const shoal_picture_def def = small(&s);
    ASSERT_EQ(SHOAL_OK, shoal_scene_picture(s.scene, &def, rgb));
    close_stage(&s);
    size_t half[2] = {0};
    for (size_t i = 0; i < PIXELS; i++)
        half[i % WIDTH >= WIDTH / 2] += memcmp(rgb + 3 * i, rgb, 3) != 0;
    ASSERT(half[0] > 10 && half[1] > 10);
    for (size_t x = 0; x < WIDTH; x++) // and nothing is cut off
        ASSERT_MEM_EQ(rgb, rgb + 3 * ((HEIGHT - 1) * (size_t)WIDTH + x), 3);
    PASS();
}

// Bent and turned on the device, as the same corners handed over are.
TEST reduced_bodies_look_like_free_ones(void)
{
    static uint8_t rgb[2][3 * PIXELS];
    static const double turn[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1}, shift[3] = {3, 4, 5};
    const double q = 1.7;
    for (int i = 0; i < 2; i++) {
        stage s;
        double xyz[12], moved[12];
        corners(nowhere, xyz);
        memcpy(moved, xyz, sizeof moved);
        moved[9] += q;
        for (int v = 0; v < 4; v++) {
            const double x = moved[3 * v], y = moved[3 * v + 1];
            moved[3 * v] = shift[0] - y;
            moved[3 * v + 1] = shift[1] + x;
            moved[3 * v + 2] += shift[2];
        }
        ASSERT(open_stage(&s));
        ASSERT(i ? add_reduced(&s, xyz, q, turn, shift, -1) : add_free(&s, moved));
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, SHOAL_QUERY_PAIRS));
        shoal_picture_def def = small(&s);
        const shoal_camera camera = {
            {5, -1, 7}, {3, 5, 5.5}, {0, 0, 1}, 40}; // boxes of the two differ
        def.camera = camera;
        ASSERT_EQ(SHOAL_OK, shoal_scene_picture(s.scene, &def, rgb[i]));
        close_stage(&s);
    }
    ASSERT(count_covered(rgb[0]) > PIXELS / 50);
    ASSERT(count_differing(rgb[0], rgb[1], 12) < PIXELS / 100);
    PASS();
}

TEST what_met_is_red(void)
{
    static uint8_t rgb[3 * PIXELS];
    for (int show = 0; show < 2; show++) {
        for (int apart = 0; apart < 2; apart++) {
            stage s;
            double xyz[12];
            ASSERT(open_stage(&s));
            for (int i = 0; i < 2; i++) {
                const double at[3] = {i * (apart ? 1.5 : 0.2), 0.1 * i, 0.1 * i};
                corners(at, xyz);
                ASSERT(add_free(&s, xyz));
            }
            ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, SHOAL_QUERY_PAIRS));
            ASSERT_EQ(apart == 0, shoal_scene_pairs(s.scene).count > 0);
            shoal_picture_def def = small(&s);
            def.show = show ? SHOAL_SHOW_PAIRS : 0;
            ASSERT_EQ(SHOAL_OK, shoal_scene_picture(s.scene, &def, rgb));
            close_stage(&s);
            ASSERT_EQ(show && !apart, count_like(rgb, false) > PIXELS / 100);
        }
    }
    PASS();
}

TEST touching_spheres_are_orange(void)
{
    static uint8_t rgb[3 * PIXELS];
    for (int show = 0; show < 2; show++) {
        stage s;
        double xyz[12];
        corners(nowhere, xyz);
        ASSERT(open_stage(&s));
        for (int i = 0; i < 2; i++) {
            const double at[3] = {0.9 * i, 0, 0};
            ASSERT(add_reduced(&s, xyz, 0.1 * i, still, at, 2));
        }
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, SHOAL_QUERY_SPHERES));
        ASSERT(shoal_scene_sphere_contacts(s.scene).count > 0);
        shoal_picture_def def = small(&s);
        def.show = show ? SHOAL_SHOW_SPHERES : 0;
        ASSERT_EQ(SHOAL_OK, shoal_scene_picture(s.scene, &def, rgb));
        close_stage(&s);
        ASSERT_EQ(show, count_like(rgb, true) > PIXELS / 200);
    }
    PASS();
}

// Boxes hide what they hold, so they cover more; a floor covers the lower part.
TEST boxes_and_floors_are_drawn(void)
{
    static uint8_t rgb[3][3 * PIXELS];
    stage s;
    double xyz[12];
    corners(nowhere, xyz);
    ASSERT(open_stage(&s) && add_free(&s, xyz) && add_reduced(&s, xyz, 1, still, nowhere, -1));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, SHOAL_QUERY_PAIRS));
    for (int i = 0; i < 3; i++) {
        shoal_picture_def def = small(&s);
        def.show = i == 1 ? SHOAL_SHOW_BOXES : 0;
        def.floor = i == 2 ? -0.5 : NAN;
        def.level = 1;
        ASSERT_EQ(SHOAL_OK, shoal_scene_picture(s.scene, &def, rgb[i]));
    }
    close_stage(&s);
    const size_t bodies = count_covered(rgb[0]), boxes = count_covered(rgb[1]);
    ASSERT(boxes > bodies * 5 / 4);
    const size_t last = 3 * (PIXELS - 1);
    ASSERT_MEM_EQ(rgb[0], rgb[0] + last, 3);
    ASSERT_MEM_EQ(rgb[0], rgb[2], 3); // the top row comes first
    ASSERT(memcmp(rgb[2], rgb[2] + last, 3) != 0);
    PASS();
}

TEST wrong_arguments_are_refused(void)
{
    static uint8_t rgb[3 * PIXELS];
    stage s;
    double xyz[12];
    corners(nowhere, xyz);
    ASSERT(open_stage(&s) && add_free(&s, xyz));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, SHOAL_QUERY_PAIRS));
    const shoal_picture_def good = small(&s);
    shoal_picture_def bad[8];
    for (int i = 0; i < 8; i++)
        bad[i] = good;
    bad[0].size = 0;
    bad[1].width = 0;
    bad[2].height = 20000;
    bad[3].show = 8;
    bad[4].level = NAN;
    bad[5].camera.angle = 0;
    memcpy(bad[6].camera.eye, bad[6].camera.target, sizeof bad[6].camera.eye);
    bad[7].camera.eye[1] = INFINITY;
    memset(rgb, 77, sizeof rgb);
    for (int i = 0; i < 8; i++) {
        said[0] = 0;
        ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_picture(s.scene, &bad[i], rgb));
        ASSERT(strncmp(said, "picture: ", 9) == 0);
    }
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_picture(s.scene, &good, NULL));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_picture(NULL, &good, rgb));
    for (size_t i = 0; i < sizeof rgb; i++)
        ASSERT_EQ(77, rgb[i]);
    close_stage(&s);
    PASS();
}

// Without OpenGL there is a status and a reason, and the pixels are as they were.
TEST no_gl_is_a_status(void)
{
    static uint8_t rgb[3 * PIXELS];
    setenv("SHOAL_GPU", "off", 1);
    stage s;
    double xyz[12];
    corners(nowhere, xyz);
    const bool ready = open_stage(&s) && add_free(&s, xyz) &&
                       shoal_scene_step(s.scene, SHOAL_QUERY_PAIRS) == SHOAL_OK;
    unsetenv("SHOAL_GPU");
    ASSERT(ready);
    memset(rgb, 77, sizeof rgb);
    const shoal_picture_def def = small(&s);
    ASSERT_EQ(SHOAL_ERR_DEVICE, shoal_scene_picture(s.scene, &def, rgb));
    ASSERT_STR_EQ("picture: no OpenGL: SHOAL_GPU=off", said);
    for (size_t i = 0; i < sizeof rgb; i++)
        ASSERT_EQ(77, rgb[i]);
    close_stage(&s);
    PASS();
}

// A scene in which nothing can be seen is a picture, too.
TEST an_empty_scene_is_background(void)
{
    static uint8_t rgb[3 * PIXELS];
    stage s;
    ASSERT(open_stage(&s));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, SHOAL_QUERY_PAIRS));
    const shoal_picture_def def = small(&s);
    ASSERT_EQ(SHOAL_OK, shoal_scene_picture(s.scene, &def, rgb));
    ASSERT_EQ(0u, count_covered(rgb));
    close_stage(&s);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    const bool gl = has_gl();
    RUN_TEST(no_gl_is_a_status);
    RUN_TEST(wrong_arguments_are_refused);
    if (gl) {
        RUN_TEST(bodies_are_seen_anywhere);
        RUN_TEST(the_default_camera_sees_all);
        RUN_TEST(reduced_bodies_look_like_free_ones);
        RUN_TEST(what_met_is_red);
        RUN_TEST(touching_spheres_are_orange);
        RUN_TEST(boxes_and_floors_are_drawn);
        RUN_TEST(an_empty_scene_is_background);
    }
    GREATEST_MAIN_END();
}

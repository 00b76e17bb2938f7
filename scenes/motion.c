// SPDX-License-Identifier: MIT
#include "scenes/motion.h"

#include "scenes/math/turn.h"
#include "scenes/models/modal_plate.h"
#include "scenes/models/model.h"
#include "scenes/shapes/chair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double time_step = 0.05;

// bumpy-2: the distance of the centres is far - speed * step. Both numbers were found by
// bisection for k = 5, seed = 1, so that the first pairs come at step 60 and 3791, of 3500
// to 4000, at step 200.
static const double pair_far = 2.89, pair_speed = 0.01382;

// The crowd: lengths in radii, times in steps.
static const double spacing = 2.6, tangle_spacing = 1.3;
static const double start_speed = 0.015; // towards the centre
static const double pull = 0.0015;       // per step, keeps the crowd together
static const double bounce = 0.2;        // share of the closing speed that comes back
static const double leave_speed = 0.002; // bodies that meet part at least this fast
static const double spin_most = 0.04;    // radians a step

// The pile: layers of plates, each a quarter turn from the one below, so that ridges cross. The
// height of a layer was tuned at 1,000 plates for about 750 pairs a plate.
static const double plate_side = 2.02, layer_height = 0.16;
static const double plate_yaw = 0.05, plate_tilt = 0.02; // at most, radians
// The calm crowd: so close that neighbours touch, going to and fro by this many steps of the
// others.
static const double calm_spacing = 1.9, calm_swing = 0.05, calm_rate = 0.1;

static void place_two(shl_motion *m)
{
    for (uint32_t i = 0; i < m->body_count; i++)
        m->balls[i] = (shl_ball){
            .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .axis = {0, 0, 1}, .phase = 2.0 * i};
}

static void multiply(const double a[9], const double b[9], double out[9])
{
    for (int i = 0; i < 9; i++) {
        const double *row = a + i / 3 * 3, *column = b + i % 3;
        out[i] = row[0] * column[0] + row[1] * column[3] + row[2] * column[6];
    }
}

// The smallest cube of cells with room for all bodies.
static uint32_t lattice_side(uint32_t bodies)
{
    uint32_t side = 1;
    while ((uint64_t)side * side * side < bodies)
        side++;
    return side;
}

static void place_tangle(shl_motion *m)
{
    const uint32_t side = lattice_side(m->body_count);
    for (uint32_t i = 0; i < m->body_count; i++) {
        const uint32_t cell[3] = {i % side, i / side % side, i / side / side};
        shl_ball *b = &m->balls[i];
        for (int axis = 0; axis < 3; axis++) {
            b->centre[axis] = tangle_spacing * (cell[axis] - 0.5 * (side - 1));
            b->rotation[4 * axis] = 1;
        }
    }
}

static void place_crowd(shl_motion *m, uint64_t seed)
{
    const uint32_t side = lattice_side(m->body_count);
    uint64_t state = seed;
    for (uint32_t i = 0; i < m->body_count; i++) {
        shl_ball *b = &m->balls[i];
        const uint32_t cell[3] = {i % side, i / side % side, i / side / side};
        double square = 0;
        for (int axis = 0; axis < 3; axis++) {
            b->centre[axis] = spacing * (cell[axis] - 0.5 * (side - 1));
            square += b->centre[axis] * b->centre[axis];
        }
        for (int axis = 0; axis < 3 && square > 0; axis++)
            b->velocity[axis] = -start_speed * b->centre[axis] / sqrt(square);
        double axis[3];
        shl_random_axis(&state, axis);
        shl_turn(axis, 3.141592653589793 * shl_random_signed(&state), b->rotation);
        shl_random_axis(&state, b->axis);
        b->spin = spin_most * shl_random_signed(&state);
        b->phase = 3.0 * shl_random_signed(&state);
    }
}

static void place_pile(shl_motion *m, uint64_t seed)
{
    const uint32_t side = lattice_side(m->body_count);
    uint64_t state = seed;
    for (uint32_t i = 0; i < m->body_count; i++) {
        shl_ball *b = &m->balls[i];
        const uint32_t layer = i / side / side;
        b->centre[0] = plate_side * (i % side - 0.5 * (side - 1));
        b->centre[1] = plate_side * (i / side % side - 0.5 * (side - 1));
        b->centre[2] = layer_height * layer;
        const shl_sincos lean = shl_sincos_of(3.141592653589793 * shl_random_signed(&state));
        double flat[9], tilted[9];
        shl_turn((const double[3]){0, 0, 1},
                 1.5707963267948966 * (layer & 1) + plate_yaw * shl_random_signed(&state),
                 flat);
        shl_turn((const double[3]){lean.cos, lean.sin, 0},
                 plate_tilt * shl_random_signed(&state), tilted);
        multiply(tilted, flat, b->rotation);
        b->axis[2] = 1;
        b->phase = 3.0 * shl_random_signed(&state);
    }
}

static void calm_down(shl_motion *m)
{
    for (uint32_t i = 0; i < m->body_count; i++) {
        shl_ball *b = &m->balls[i];
        for (int axis = 0; axis < 3; axis++) {
            b->centre[axis] *= calm_spacing / spacing;
            b->velocity[axis] = 0;
        }
    }
}

// A centre-line impulse between equal masses: afterwards the two part.
static void push_apart(shl_ball *a, shl_ball *b)
{
    double n[3], square = 0, closing = 0;
    for (int i = 0; i < 3; i++) {
        n[i] = b->centre[i] - a->centre[i];
        square += n[i] * n[i];
    }
    if (square == 0)
        return;
    for (int i = 0; i < 3; i++) {
        n[i] /= sqrt(square);
        closing -= (b->velocity[i] - a->velocity[i]) * n[i];
    }
    const double back = bounce * closing, parting = back > leave_speed ? back : leave_speed;
    if (-closing >= parting)
        return;
    for (int i = 0; i < 3; i++) {
        const double half = 0.5 * (parting + closing) * n[i];
        a->velocity[i] -= half;
        b->velocity[i] += half;
    }
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Impulses for all bodies that met, in the order of body numbers. The lists are sorted by
// body_a, so each of its runs gives the partners of one body.
static void respond(shl_motion *m)
{
    const shoal_pairs pairs = shoal_scene_pairs(m->scene);
    const shoal_pairs first = shoal_scene_first_pairs(m->scene);
    const shoal_pair *list = first.count ? first.rows : pairs.rows;
    const size_t count = first.count ? first.count : pairs.count;
    for (size_t begin = 0, end; begin < count; begin = end) {
        const uint32_t a = list[begin].body_a;
        uint32_t met = 0;
        for (end = begin; end < count && list[end].body_a == a; end++) {
            const uint32_t b = list[end].body_b;
            if (!m->marked[b]) {
                m->marked[b] = true;
                m->met[met++] = b;
            }
        }
        qsort(m->met, met, sizeof *m->met, by_number);
        for (uint32_t i = 0; i < met; i++) {
            push_apart(&m->balls[a], &m->balls[m->met[i]]);
            m->marked[m->met[i]] = false;
        }
    }
}

static void move_two(shl_motion *m, uint32_t step)
{
    const double half = 0.5 * (pair_far - pair_speed * step);
    m->balls[0].centre[0] = -half;
    m->balls[1].centre[0] = half;
}

static void move_crowd(shl_motion *m, uint32_t step)
{
    if (step > 1)
        respond(m);
    for (uint32_t i = 0; i < m->body_count; i++) {
        shl_ball *b = &m->balls[i];
        double square = 0;
        for (int axis = 0; axis < 3; axis++)
            square += b->centre[axis] * b->centre[axis];
        for (int axis = 0; axis < 3; axis++) {
            if (square > 0.01) // no direction to pull in at the centre itself
                b->velocity[axis] -= pull * b->centre[axis] / sqrt(square);
            b->centre[axis] += b->velocity[axis];
        }
    }
}

static void write_body(shl_motion *m, uint32_t body, uint32_t step, void *xyz)
{
    const shl_ball *b = &m->balls[body];
    shl_frame *frame = &m->frames[body];
    const double time =
        m->id == SHL_SCENE_CALM_27 ? calm_swing * shl_sincos_of(calm_rate * step).sin : step;
    shl_pose pose = {.time = time_step * time + b->phase};
    memcpy(pose.centre, b->centre, sizeof pose.centre);
    double spun[9];
    shl_turn(b->axis, b->spin * time, spun);
    multiply(spun, b->rotation, pose.rotation);
    memcpy(frame->centre, pose.centre, sizeof pose.centre);
    memcpy(frame->rotation, pose.rotation, sizeof pose.rotation);
    if (m->id == SHL_SCENE_TANGLE) {
        shl_tangle_write(&m->tangle, body, b->centre, m->params.precision, xyz);
    } else if (m->id == SHL_SCENE_PLATES) {
        shl_plate_write(&m->plate, &pose, m->params.precision, xyz);
    } else {
        shl_shape_write(&m->shape, &pose, m->params.precision, xyz);
    }
}

// Bodies move, but their centres do not.
static bool stays(shl_scene_id id)
{
    return id == SHL_SCENE_PLATES || id == SHL_SCENE_TANGLE || id == SHL_SCENE_CALM_27;
}

shoal_status shl_motion_show(shl_motion *m, uint32_t step)
{
    const size_t body_bytes = 3 * (size_t)m->vertex_count * m->scalar_bytes;
    for (uint32_t i = 0; i < m->body_count; i++) {
        char *xyz = (char *)m->xyz + i * body_bytes;
        write_body(m, i, step, xyz);
        // a borrowed array is handed over once; shoal reads it in every step
        if (m->handed_over && m->params.hold == SHOAL_BORROW)
            continue;
        shoal_positions p = m->params.precision == SHOAL_F64
                                ? shoal_positions_f64((const double *)xyz, m->vertex_count)
                                : shoal_positions_f32((const float *)xyz, m->vertex_count);
        p.order = m->params.order;
        p.hold = m->params.hold;
        const shoal_status st = shoal_scene_set_positions(m->scene, m->ids[i], &p);
        if (st != SHOAL_OK)
            return st;
    }
    m->handed_over = true;
    return SHOAL_OK;
}

shoal_status shl_motion_step(shl_motion *m, uint32_t step)
{
    if (m->play)
        return m->play->step(m->state, step);
    if (m->beams)
        return shl_beams_step(m->beams, step);
    if (m->actors)
        return shl_actors_step(m->actors, step);
    if (m->id == SHL_SCENE_BUMPY_2)
        move_two(m, step);
    else if (!stays(m->id))
        move_crowd(m, step);
    for (uint32_t i = 0; m->id == SHL_SCENE_TANGLE && i < m->body_count; i++)
        shl_tangle_stir(&m->tangle, i, step);
    return shl_motion_show(m, step);
}

// Squares of a plate of the beams: 72 * 4^k + 36 * 2^k triangles.
static uint32_t beam_along(uint32_t k)
{
    return 6u << k;
}

static uint32_t beam_across(uint32_t k)
{
    return 3u << k;
}

static shoal_status beam_surface(uint32_t k, shl_surface *out)
{
    float *none;
    const shoal_status st = shl_mesh_modal_plate(beam_along(k), beam_across(k), 0, out, &none);
    if (st == SHOAL_OK)
        free(none);
    return st;
}

shoal_status shl_scene_surface(shl_scene_id scene, const shl_scene_params *params,
                               shl_surface *out)
{
    return scene == SHL_SCENE_PLATES   ? shl_mesh_plate(params->k, out)
           : scene == SHL_SCENE_TANGLE ? shl_mesh_patches(params->k, params->seed, out)
           : scene == SHL_SCENE_BEAMS  ? beam_surface(params->k, out)
           : scene == SHL_SCENE_CHAIRS ? shl_mesh_chair(out)
                                       : shl_mesh_icosphere(params->k, out);
}

static shoal_status make_bodies(shl_motion *m, shoal_context *ctx, const shl_surface *rest)
{
    shoal_status st = shl_scene_model(m->id, &m->params, rest, ctx, &m->model);
    if (st != SHOAL_OK)
        return st;
    const uint32_t *order =
        m->params.order == SHOAL_ORDER_TREE ? shoal_model_vertex_order(m->model) : NULL;
    if (m->id == SHL_SCENE_PLATES)
        st = shl_plate_create(rest, order, &m->plate);
    else if (m->id == SHL_SCENE_TANGLE)
        st = shl_tangle_create(rest, order, m->body_count, &m->tangle);
    else
        st = shl_shape_create(rest, order, m->id == SHL_SCENE_ARMS_27, m->params.seed,
                              &m->shape);
    for (uint32_t i = 0; i < m->body_count && st == SHOAL_OK; i++)
        st = shoal_scene_add_free(m->scene, m->model, &m->ids[i]);
    return st;
}

static shoal_status create_reduced(shl_scene_id id, const shl_scene_params *params,
                                   shoal_context *ctx, shoal_scene *scene, shl_motion **out)
{
    shl_motion *m = calloc(1, sizeof *m);
    if (!m)
        return SHOAL_ERR_MEMORY;
    const shl_beams_def def = {.along = beam_along(params->k),
                               .across = beam_across(params->k),
                               .fields = 10,
                               .bodies = params->bodies,
                               .spacing = 0.65,
                               .amplitude = 0.04,
                               .seed = params->seed,
                               .spheres = params->spheres};
    const shl_chairs_def chairs = {.count = params->bodies,
                                   .seed = params->seed,
                                   .sphere_level = (int32_t)params->spheres - 1};
    shoal_status st = shl_scene_surface(id, params, &m->rest);
    if (st == SHOAL_OK)
        st = id == SHL_SCENE_BEAMS ? shl_beams_create(&def, ctx, scene, &m->beams)
                                   : shl_chairs_create(&chairs, ctx, scene, &m->actors);
    if (st != SHOAL_OK) {
        shl_surface_finish(&m->rest);
        free(m);
        return st;
    }
    m->id = id;
    m->body_count = params->bodies;
    *out = m;
    return SHOAL_OK;
}

static shoal_status create_play(const shl_play *play, const shl_scene_params *params,
                                shoal_context *ctx, shoal_scene *scene, shl_motion **out)
{
    shl_motion *m = calloc(1, sizeof *m);
    if (!m)
        return SHOAL_ERR_MEMORY;
    const shoal_status st = play->create(params, ctx, scene, &m->state);
    if (st != SHOAL_OK) {
        free(m);
        return st;
    }
    m->play = play;
    *out = m;
    return SHOAL_OK;
}

shoal_status shl_motion_create(shl_scene_id id, const shl_scene_params *params,
                               shoal_context *ctx, shoal_scene *scene, shl_motion **out)
{
    *out = NULL;
    if (shl_scene_play(id))
        return create_play(shl_scene_play(id), params, ctx, scene, out);
    if (id == SHL_SCENE_BEAMS || id == SHL_SCENE_CHAIRS)
        return create_reduced(id, params, ctx, scene, out);
    shl_surface rest;
    shoal_status st = shl_scene_surface(id, params, &rest);
    if (st != SHOAL_OK)
        return st;
    shl_motion *m = calloc(1, sizeof *m);
    st = m ? SHOAL_OK : SHOAL_ERR_MEMORY;
    if (m) {
        m->rest = rest;
        m->id = id;
        m->params = *params;
        m->scene = scene;
        m->body_count = params->bodies;
        m->vertex_count = rest.vertex_count;
        m->scalar_bytes = params->precision == SHOAL_F64 ? sizeof(double) : sizeof(float);
        m->balls = calloc(m->body_count, sizeof *m->balls);
        m->frames = calloc(m->body_count, sizeof *m->frames);
        m->ids = calloc(m->body_count, sizeof *m->ids);
        m->met = calloc(m->body_count, sizeof *m->met);
        m->marked = calloc(m->body_count, sizeof *m->marked);
        m->xyz = calloc((size_t)m->body_count * rest.vertex_count, 3 * m->scalar_bytes);
        const bool room = m->balls && m->frames && m->ids && m->met && m->marked && m->xyz;
        st = room ? make_bodies(m, ctx, &rest) : SHOAL_ERR_MEMORY;
    } else {
        shl_surface_finish(&rest);
    }
    if (st != SHOAL_OK) {
        shl_motion_destroy(m);
        return st;
    }
    if (id == SHL_SCENE_BUMPY_2)
        place_two(m);
    else if (id == SHL_SCENE_PLATES)
        place_pile(m, params->seed);
    else if (id == SHL_SCENE_TANGLE)
        place_tangle(m);
    else
        place_crowd(m, params->seed);
    if (id == SHL_SCENE_CALM_27)
        calm_down(m);
    *out = m;
    return SHOAL_OK;
}

void shl_motion_destroy(shl_motion *m)
{
    if (!m)
        return;
    if (m->play)
        m->play->destroy(m->state);
    shl_surface_finish(&m->rest);
    shl_beams_destroy(m->beams);
    shl_actors_destroy(m->actors);
    // bodies that borrow the array below must not outlive it
    for (uint32_t i = 0; m->ids && i < m->body_count; i++) {
        if (m->ids[i].index1 && shoal_scene_remove(m->scene, m->ids[i]) != SHOAL_OK)
            continue; // already gone
    }
    shoal_model_destroy(m->model);
    shl_shape_finish(&m->shape);
    shl_plate_finish(&m->plate);
    shl_tangle_finish(&m->tangle);
    free(m->points);
    free(m->shape_fields);
    free(m->balls);
    free(m->frames);
    free(m->ids);
    free(m->met);
    free(m->marked);
    free(m->xyz);
    free(m);
}

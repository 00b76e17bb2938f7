// SPDX-License-Identifier: MIT
// Where free bodies are: positions in all layouts; and who is moved.
#include "play.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void *take(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory)
        abort();
    return memory;
}

uint32_t draw_oddity(draw *d, bool calm)
{
    const uint32_t odd = chance(d, calm ? 24 : 5) ? 1 + below(d, ODD - 1) : 0;
    static const char *const names[ODD] = {"",     "a point",    "large (1e30)",
                                           "vast", "beyond all", "denormal",
                                           "NaN",  "infinite",   "coincident"};
    if (odd)
        count("state", names[odd], 1);
    return odd;
}

void wander(draw *d, actor *a, bool calm)
{
    const double by = calm ? (chance(d, 2) ? 1e-3 : 0.05) : 1;
    for (int k = 0; k < 3; k++)
        a->at[k] = calm ? a->at[k] + by * unit(d) : chance(d, 3) ? below(d, 3) : unit(d);
}

// --- Free bodies. ---

static double scale_of(uint32_t odd, bool floats)
{
    return odd == POINT    ? 0
           : odd == LARGE  ? 1e30
           : odd == VAST   ? (floats ? 1e38 : 1e299)
           : odd == BEYOND ? (floats ? 1e37 : DBL_MAX / 8)
           : odd == TINY   ? (floats ? 1e-41 : 1e-312)
                           : 1;
}

bool is_tame(const actor *a)
{
    bool tame = a->set && !a->bad;
    for (uint32_t i = 0; i < 3 * a->shape->vertex_count && tame; i++)
        tame = fabs(a->xyz[i]) < 10;
    return tame;
}

// As it was, a little farther on.
static void drift(draw *d, const actor *a, double *out)
{
    const double by = chance(d, 2) ? 1e-3 : 0.05, bend = chance(d, 2) ? 0 : 1e-3;
    double shift[3];
    for (int k = 0; k < 3; k++)
        shift[k] = chance(d, 3) ? 0 : by * unit(d);
    for (uint32_t i = 0; i < 3 * a->shape->vertex_count; i++)
        out[i] = a->xyz[i] + shift[i % 3] + bend * unit(d);
}

// Anywhere.
static void jump(draw *d, const stage *s, const actor *a, uint32_t odd, bool floats,
                 double *out)
{
    const shape *of = a->shape;
    const double noise = chance(d, 3) ? 0.1 : 0, scale = scale_of(odd, floats);
    const bool lattice = chance(d, 3), turned = !lattice && chance(d, 2);
    double turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (turned)
        turn_of(d, turn);
    const actor *other = &s->actors[below(d, BODIES)];
    if (odd == COINCIDENT && other->used && other->set && other->shape == of) {
        memcpy(out, other->xyz, 3 * sizeof *out * of->vertex_count);
    } else {
        for (uint32_t i = 0; i < 3 * of->vertex_count; i++) {
            const double *row = turn + 3 * (i % 3), *p = of->rest + i / 3 * (size_t)3;
            const double at = lattice ? rint(a->at[i % 3]) : a->at[i % 3];
            const double x =
                turned ? row[0] * p[0] + row[1] * p[1] + row[2] * p[2] : of->rest[i];
            out[i] = scale * (x + at + noise * unit(d));
        }
    }
}

// Positions in the user's order, as the scalar has them.
static void draw_positions(draw *d, const stage *s, const actor *a, bool calm, bool floats,
                           double *out)
{
    const shape *of = a->shape;
    const uint32_t odd = draw_oddity(d, calm);
    if (calm && is_tame(a) && (!odd || odd == NOT_A_NUMBER || odd == INFINITE))
        drift(d, a, out);
    else
        jump(d, s, a, odd, floats, out);
    const uint32_t at = below(d, 3 * of->vertex_count);
    if (odd == NOT_A_NUMBER || odd == INFINITE)
        out[at] = odd == NOT_A_NUMBER ? NAN : chance(d, 2) ? INFINITY : -INFINITY;
    for (uint32_t i = 0; i < 3 * of->vertex_count && floats; i++) {
        const volatile float narrow = (float)out[i];
        out[i] = (double)narrow;
    }
}

// Any range of vertices, written to arrays that end with its last number.
bool vertices_are_true(const stage *s, draw *d, const actor *a)
{
    const uint32_t all = a->shape->vertex_count, axis = chance(d, 2);
    shoal_vertices v = {.first = below(d, all + 1)};
    v.count = chance(d, 2) ? all - v.first : below(d, all - v.first + 1);
    v.stride = (axis ? 1 : 3) + below(d, 2);
    v.scalar = chance(d, 2) ? SHOAL_F32 : SHOAL_F64;
    v.order = chance(d, 2) ? SHOAL_ORDER_USER : SHOAL_ORDER_TREE;
    const size_t size = v.scalar == SHOAL_F32 ? sizeof(float) : sizeof(double);
    const size_t apart = axis ? v.count * v.stride : 1;
    char *const memory = take((v.count ? (v.count - 1) * v.stride + 2 * apart + 1 : 0) * size);
    char *const axes[3] = {memory, memory + apart * size, memory + 2 * apart * size};
    v.x = axes[0], v.y = axes[1], v.z = axes[2];
    const shoal_status st = TRY(shoal_scene_vertices, s->scene, a->id, &v);
    const bool known = a->kind == FREE || (!a->bad && !a->vague);
    bool good = st == (a->set ? SHOAL_OK : SHOAL_ERR_ARGUMENT);
    for (uint32_t i = 0; i < v.count && good && a->set && known; i++) {
        const size_t u =
            v.order == SHOAL_ORDER_TREE ? a->shape->order[v.first + i] : v.first + i;
        for (size_t k = 0; k < 3; k++) {
            const volatile float narrow = (float)a->xyz[3 * u + k];
            const double want = v.scalar == SHOAL_F32 ? (double)narrow : a->xyz[3 * u + k];
            const double got = v.scalar == SHOAL_F32 ? (double)((float *)axes[k])[i * v.stride]
                                                     : ((double *)axes[k])[i * v.stride];
            good = good && (isnan(want) ? isnan(got) : got == want);
        }
    }
    free(memory);
    return good ||
           fault("shoal_scene_vertices: body %u, %s", a->id.index1 - 1, shoal_status_text(st));
}

bool is_finite(const double *x, size_t n)
{
    bool finite = true;
    for (size_t i = 0; i < n; i++)
        finite = finite && isfinite(x[i]);
    return finite;
}

// The user's array ends with its last scalar.
static void *make_view(draw *d, uint32_t vertices, const shoal_scalar *scalar,
                       shoal_positions *p)
{
    static const size_t strides[] = {3, 3, 1, 5};
    const uint32_t layout = below(d, 4);
    *p = (shoal_positions){.count = vertices, .stride = strides[layout]};
    p->scalar = scalar ? *scalar : chance(d, 2) ? SHOAL_F32 : SHOAL_F64;
    p->order = chance(d, 2) ? SHOAL_ORDER_USER : SHOAL_ORDER_TREE;
    p->hold = chance(d, 2) ? SHOAL_COPY : SHOAL_BORROW;
    const size_t size = p->scalar == SHOAL_F32 ? sizeof(float) : sizeof(double);
    const size_t axis = p->stride == 1 ? vertices : 1;
    char *memory = take(((vertices - (size_t)1) * p->stride + 2 * axis + 1) * size);
    p->x = memory;
    p->y = memory + axis * size;
    p->z = memory + 2 * axis * size;
    static const char *const layouts[] = {"packed", "packed", "per axis", "padded"};
    count("layout", layouts[layout], 1);
    count("layout", p->scalar == SHOAL_F32 ? "float32" : "float64", 1);
    count("layout", p->order == SHOAL_ORDER_USER ? "user order" : "tree order", 1);
    count("layout", p->hold == SHOAL_COPY ? "copied" : "borrowed", 1);
    return memory;
}

static void fill_view(const shoal_positions *p, const uint32_t *order, const double *xyz)
{
    void *const axis[3] = {(void *)p->x, (void *)p->y, (void *)p->z};
    for (uint32_t i = 0; i < p->count; i++) {
        const size_t v = p->order == SHOAL_ORDER_TREE ? order[i] : i;
        for (size_t k = 0; k < 3; k++) {
            if (p->scalar == SHOAL_F32)
                ((float *)axis[k])[i * p->stride] = (float)xyz[3 * v + k];
            else
                ((double *)axis[k])[i * p->stride] = xyz[3 * v + k];
        }
    }
}

// Positions that a body is to be given.
typedef struct given {
    void *memory;
    double xyz[3 * VERTICES];
} given;

static void draw_given(stage *s, draw *d, actor *a, bool calm, given *out,
                       shoal_positions *view)
{
    const shoal_scalar before = a->view.scalar;
    const bool same = calm && a->set && !chance(d, 25);
    wander(d, a, calm);
    out->memory = make_view(d, a->shape->vertex_count, same ? &before : NULL, view);
    draw_positions(d, s, a, calm, view->scalar == SHOAL_F32, out->xyz);
    fill_view(view, a->shape->order, out->xyz);
}

static void take_given(actor *a, given *g, const shoal_positions *view)
{
    const uint32_t vertices = a->shape->vertex_count;
    free(a->memory);
    a->memory = g->memory;
    a->view = *view;
    a->set = true;
    if (view->hold == SHOAL_COPY || a->still)
        actor_lend_nothing(a);
    memcpy(a->xyz, g->xyz, 3 * sizeof *g->xyz * vertices);
    a->bad = !is_finite(g->xyz, 3 * (size_t)vertices);
    say("  body %u: %s, %s order, stride %zu, %s", a->id.index1 - 1,
        view->scalar ? "float64" : "float32", view->order ? "tree" : "user", view->stride,
        view->hold ? "borrowed" : "copied");
}

static bool set_free(stage *s, draw *d, actor *const *named, uint32_t many, bool calm)
{
    static given all[BODIES + 1];
    shoal_positions view[BODIES + 2];
    shoal_body id[BODIES + 2];
    for (uint32_t i = 0; i < many; i++) {
        id[i] = named[i]->id;
        draw_given(s, d, named[i], calm, &all[i], &view[i]);
    }
    const bool alone = many == 1 && chance(d, 2);
    const shoal_status want = alone ? SHOAL_OK : spoil(d, s, &id[many]);
    view[many] = view[0];
    arm(d);
    const shoal_status st = alone ? TRY(shoal_scene_set_positions, s->scene, *id, view)
                                  : TRY(shoal_scene_set_positions_many, s->scene, id, view,
                                        many + (want != SHOAL_OK));
    bool good = true;
    const bool taken = was_taken("shoal_scene_set_positions", st, want, &good);
    for (uint32_t i = 0; i < many; i++) {
        if (taken)
            take_given(named[i], &all[i], &view[i]);
        else
            free(all[i].memory);
    }
    return good;
}

// Writes into what is borrowed, without a call.
bool do_write(play *p, draw *d, stage *s)
{
    (void)p;
    for (uint32_t i = 0; i < BODIES; i++) {
        actor *a = &s->actors[i];
        if (!a->used || !a->memory || chance(d, 4))
            continue;
        const bool calm = !chance(d, s->theme == LISTS ? 40 : 4);
        wander(d, a, calm);
        double xyz[3 * VERTICES];
        draw_positions(d, s, a, calm, a->view.scalar == SHOAL_F32, xyz);
        memcpy(a->xyz, xyz, 3 * sizeof *xyz * a->shape->vertex_count);
        fill_view(&a->view, a->shape->order, xyz);
        a->bad = !is_finite(a->xyz, 3 * (size_t)a->shape->vertex_count);
        count("event", "borrowed positions written", 1);
    }
    return true;
}

// --- All kinds. ---

static bool set_many(stage *s, draw *d, actor *const *named, uint32_t many, bool calm)
{
    const kind k = named[0]->kind;
    return (k == FREE      ? set_free
            : k == REDUCED ? set_reduced
                           : set_skinned)(s, d, named, many, calm);
}

bool set_state(stage *s, draw *d, actor *a, bool calm)
{
    return set_many(s, d, &a, 1, calm);
}

bool do_set(play *p, draw *d, stage *s)
{
    (void)p;
    actor *a = actor_any(s, d);
    return !a || set_state(s, d, a, !chance(d, s->theme == LISTS ? 40 : 3));
}

// All bodies; those of one kind in one call, if it takes them, and one of them twice.
bool do_set_all(play *p, draw *d, stage *s)
{
    (void)p;
    const bool calm = !chance(d, s->theme == LISTS ? 40 : 6);
    bool good = true, done[BODIES] = {false};
    for (uint32_t i = 0; i < BODIES && good; i++) {
        actor *a = &s->actors[i];
        if (!a->used || done[i] || chance(d, 5))
            continue;
        actor *named[BODIES + 1];
        uint32_t many = 0;
        for (uint32_t k = i; k < BODIES; k++) {
            actor *b = &s->actors[k];
            if (!b->used || b->kind != a->kind ||
                (a->kind == REDUCED && b->shape->field_count != a->shape->field_count))
                continue;
            done[k] = true;
            named[many++] = b;
        }
        if (chance(d, 4))
            named[many++] = a;
        good = set_many(s, d, named, many, calm);
    }
    return good;
}

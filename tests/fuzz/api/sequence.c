// SPDX-License-Identifier: MIT
// A sequence: the first record makes the scenes, each of the others is one thing that happens.
#include "play.h"

#include <stdlib.h>
#include <string.h>

typedef enum deed {
    STEP,
    HOST_STEP,
    BOTH,
    DIAGRAM,
    SET,
    SET_ALL,
    WRITE,
    FAT,
    FILTER,
    BOUND,
    ADD,
    REMOVE,
    REPLACE,
    SHAPE,
    DROP_SHAPE,
    SCENE,
    TRACE,
    LOOK,
    WRONG,
    WRONG_SHAPE,
    CONTEXT,
    DEEDS
} deed;

static const struct {
    const char *name;
    uint32_t weight;
} deeds[DEEDS] = {
    [STEP] = {"step", 30},
    [HOST_STEP] = {"host step", 8},
    [BOTH] = {"both scenes", 5},
    [DIAGRAM] = {"diagram", 2},
    [SET] = {"set", 12},
    [SET_ALL] = {"set all", 16},
    [WRITE] = {"write borrowed", 6},
    [FAT] = {"fat box", 5},
    [FILTER] = {"filter", 10},
    [BOUND] = {"bound", 3},
    [ADD] = {"add", 7},
    [REMOVE] = {"remove", 5},
    [REPLACE] = {"replace model", 9},
    [SHAPE] = {"model", 6},
    [DROP_SHAPE] = {"drop model", 4},
    [SCENE] = {"scene", 2},
    [TRACE] = {"trace", 2},
    [LOOK] = {"look", 3},
    [WRONG] = {"wrong call", 7},
    [WRONG_SHAPE] = {"wrong model", 2},
    [CONTEXT] = {"context", 1},
};

static deed draw_deed(draw *d)
{
    uint32_t sum = 0;
    for (int i = 0; i < DEEDS; i++)
        sum += deeds[i].weight;
    uint32_t at = below(d, sum);
    deed which = STEP;
    while (at >= deeds[which].weight)
        at -= deeds[which++].weight;
    return which;
}

static bool perform(play *p, draw *d, deed which)
{
    // the first scene sees most
    const uint32_t at = chance(d, 4);
    stage *s = &p->stages[at];
    say("%s, scene %u", deeds[which].name, at);
    switch (which) {
    case STEP:
        return do_step(p, d, s);
    case HOST_STEP:
        return do_host_step(p, d, s);
    case BOTH:
        return do_both(p, d);
    case DIAGRAM:
        return do_diagram(p, d, s);
    case SET:
        return do_set(p, d, s);
    case SET_ALL:
        return do_set_all(p, d, s);
    case WRITE:
        return do_write(p, d, s);
    case FAT:
        return do_fat(p, d, s);
    case FILTER:
        return do_filter(p, d, s);
    case BOUND:
        return do_bound(p, d, s);
    case ADD:
        return do_add(p, d, s);
    case REMOVE:
        return do_remove(p, d, s);
    case REPLACE:
        return do_replace(p, d, s);
    case SHAPE:
        return do_shape(p, d);
    case DROP_SHAPE:
        return do_drop_shape(p, d);
    case SCENE:
        return do_scene(p, d, at);
    case TRACE:
        return do_trace(p, d, s);
    case LOOK:
        return do_look(p, d, s);
    case WRONG:
        return do_wrong(p, d, s);
    case WRONG_SHAPE:
        return do_wrong_shape(p, d);
    default:
        return do_context(p, d);
    }
}

static draw draw_of(const uint8_t *record)
{
    draw d;
    memcpy(&d.state, record, sizeof d.state);
    return d;
}

static bool begin(play *p, draw *d)
{
    static const uint32_t corner[3] = {0, 0, 0};
    static const float origin[3] = {0, 0, 0};
    p->ctx = context_under_test(below(d, 3));
    p->reference = context_reference();
    shoal_model_def def = shoal_model_def_default();
    def.triangles = corner;
    def.triangle_count = 1;
    def.rest = shoal_positions_f32(origin, 1);
    if (!p->ctx || !p->reference || shoal_model_create(p->reference, &def, &p->filler))
        return fault("no contexts");
    bool good = true;
    for (uint32_t i = 2 + below(d, 3); i > 0 && good; i--)
        good = do_shape(p, d);
    for (uint32_t i = 0; i < STAGES && good; i++)
        good = do_scene(p, d, i);
    return good;
}

// Models may go before the scenes or after them.
static void end(play *p, draw *d)
{
    const bool models_first = chance(d, 2);
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < STAGES && turn == models_first; i++)
            stage_end(&p->stages[i]);
        for (uint32_t i = 0; i < SHAPES && turn != models_first; i++) {
            shape *s = &p->shapes[i];
            if (!s->used || !s->held)
                continue;
            shoal_model_destroy(s->model);
            s->held = false;
            shape_release(s);
        }
    }
    shoal_model_destroy(p->filler);
}

bool play_sequence(const uint8_t *bytes, size_t size)
{
    static play p;
    memset(&p, 0, sizeof p);
    book->fault[0] = '\0';
    if (size < RECORD)
        return true;
    draw d = draw_of(bytes);
    if (!context_under_test(below(&d, 3)) || !context_reference())
        return fault("no contexts");
    d = draw_of(bytes);
    const long before = memory_blocks();
    bool good = begin(&p, &d);
    for (size_t at = RECORD; at + RECORD <= size && good; at += RECORD) {
        d = draw_of(bytes + at);
        const deed which = draw_deed(&d);
        if (verbose)
            fprintf(stderr, "%zu: ", at / RECORD);
        host_settle(&d);
        good = perform(&p, &d, which) && !book->fault[0];
        count("deed", deeds[which].name, 1);
        book->records++;
    }
    end(&p, &d);
    if (good && memory_blocks() != before)
        good = fault("%ld blocks of memory are left", memory_blocks() - before);
    return good;
}

// SPDX-License-Identifier: MIT
// What a motion needs to go on, out of it and back.
#include "scenes/motion.h"
#include "scenes/play.h"

#include <string.h>

typedef struct array {
    void *data;
    size_t bytes;
} array;

enum { ARRAYS_MAX = 4 };

// The arrays that make up the state of a scene of free bodies.
static uint32_t list(const shl_motion *m, array out[ARRAYS_MAX])
{
    uint32_t n = 0;
    out[n++] = (array){m->balls, m->body_count * sizeof *m->balls};
    if (m->id == SHL_SCENE_TANGLE)
        out[n++] = (array){m->tangle.centre, (size_t)m->tangle.bodies * m->tangle.patches * 3 *
                                                 sizeof *m->tangle.centre};
    return n;
}

size_t shl_motion_save(const shl_motion *m, void *to)
{
    if (m->play)
        return m->play->save ? m->play->save(m->state, to) : 0;
    if (m->beams)
        return 0;
    if (m->chairs)
        return shl_chairs_save(m->chairs, to);
    array arrays[ARRAYS_MAX];
    const uint32_t count = list(m, arrays);
    size_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (to)
            memcpy((char *)to + size, arrays[i].data, arrays[i].bytes);
        size += arrays[i].bytes;
    }
    return size;
}

shoal_status shl_motion_restore(shl_motion *m, uint32_t step, const void *state, size_t size)
{
    if (m->play && m->play->restore)
        return m->play->restore(m->state, step, state, size);
    if (m->play)
        return size == 0 ? m->play->step(m->state, step) : SHOAL_ERR_ARGUMENT;
    if (m->chairs)
        return shl_chairs_restore(m->chairs, step, state, size);
    if (size != shl_motion_save(m, NULL))
        return SHOAL_ERR_ARGUMENT;
    if (m->beams)
        return shl_beams_step(m->beams, step);
    array arrays[ARRAYS_MAX];
    const uint32_t count = list(m, arrays);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(arrays[i].data, state, arrays[i].bytes);
        state = (const char *)state + arrays[i].bytes;
    }
    return shl_motion_show(m, step);
}

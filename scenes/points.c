// SPDX-License-Identifier: MIT
// Vertices for pictures: float32, which is all that viewers use.
#include "scenes/motion.h"

#include <stdlib.h>

shoal_status shl_motion_points(shl_motion *m, uint32_t body, float *xyz)
{
    const shl_surface *surface = shl_motion_surface(m, body);
    const size_t count = surface ? 3 * (size_t)surface->vertex_count : 0;
    if (count > m->point_room) {
        double *more = realloc(m->points, count * sizeof *more);
        if (!more)
            return SHOAL_ERR_MEMORY;
        m->points = more;
        m->point_room = count;
    }
    if (count)
        shl_motion_vertices(m, body, m->points);
    for (size_t i = 0; i < count; i++)
        xyz[i] = (float)m->points[i];
    return SHOAL_OK;
}

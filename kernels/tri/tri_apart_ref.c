// SPDX-License-Identifier: MIT
#include "kernels/tri/tri_apart.h"

uint32_t shl_tri_apart_ref(const float a[9], const shl_tri_lanes *b, float limit,
                           uint32_t lanes)
{
    float v[3][SHL_LANES];
    uint32_t apart[SHL_LANES] = {0}, near[SHL_LANES] = {0};
    const float far = (limit + 0x1p-18f) * (limit + 0x1p-18f) * (1 + 0x1p-18f);
    const float close = limit * limit;
    for (int k = 0; k < 3; k++) {
        const float centre = a[k] + a[3 + k] + a[6 + k];
        for (int l = 0; l < SHL_LANES; l++)
            v[k][l] = (b->x[0][k][l] + b->x[1][k][l] + b->x[2][k][l] - centre) * (1.0f / 3);
    }
    for (int turn = 0; turn < SHL_APART_TURNS; turn++) {
        for (int l = 0; l < SHL_LANES; l++) {
            const float vx = v[0][l], vy = v[1][l], vz = v[2][l];
            const float a0 = vx * a[0] + vy * a[1] + vz * a[2];
            const float a1 = vx * a[3] + vy * a[4] + vz * a[5];
            const float a2 = vx * a[6] + vy * a[7] + vz * a[8];
            const float b0 = vx * b->x[0][0][l] + vy * b->x[0][1][l] + vz * b->x[0][2][l];
            const float b1 = vx * b->x[1][0][l] + vy * b->x[1][1][l] + vz * b->x[1][2][l];
            const float b2 = vx * b->x[2][0][l] + vy * b->x[2][1][l] + vz * b->x[2][2][l];
            float most = a0, px = a[0], py = a[1], pz = a[2];
            px = a1 > most ? a[3] : px, py = a1 > most ? a[4] : py, pz = a1 > most ? a[5] : pz;
            most = a1 > most ? a1 : most;
            px = a2 > most ? a[6] : px, py = a2 > most ? a[7] : py, pz = a2 > most ? a[8] : pz;
            most = a2 > most ? a2 : most;
            float least = b0, qx = b->x[0][0][l], qy = b->x[0][1][l], qz = b->x[0][2][l];
            qx = b1 < least ? b->x[1][0][l] : qx;
            qy = b1 < least ? b->x[1][1][l] : qy;
            qz = b1 < least ? b->x[1][2][l] : qz;
            least = b1 < least ? b1 : least;
            qx = b2 < least ? b->x[2][0][l] : qx;
            qy = b2 < least ? b->x[2][1][l] : qy;
            qz = b2 < least ? b->x[2][2][l] : qz;
            least = b2 < least ? b2 : least;
            const float gap = least - most, square = vx * vx + vy * vy + vz * vz;
            apart[l] |= (uint32_t)(gap > 0) & (uint32_t)(gap * gap > far * square) &
                        (uint32_t)(square > 0x1p-40f);
            near[l] |= (uint32_t)(square <= close);
            // the point of the segment from v to the corner that is nearest to 0
            const float dx = (qx - px) - vx, dy = (qy - py) - vy, dz = (qz - pz) - vz;
            const float down = -(vx * dx + vy * dy + vz * dz);
            const float length = dx * dx + dy * dy + dz * dz;
            float t = down / (length > 0x1p-60f ? length : 0x1p-60f);
            t = t > 0 ? t : 0;
            t = t < 1 ? t : 1;
            v[0][l] = vx + t * dx;
            v[1][l] = vy + t * dy;
            v[2][l] = vz + t * dz;
        }
        uint32_t open = 0;
        for (int l = 0; l < SHL_LANES; l++)
            open |= (lanes >> l & 1) & (apart[l] ^ 1) & (near[l] ^ 1);
        if (!open)
            break;
    }
    uint32_t stay = 0;
    for (uint32_t l = 0; l < SHL_LANES; l++)
        stay |= (apart[l] ^ 1) << l;
    return stay & lanes;
}

// SPDX-License-Identifier: MIT
// What the bounds of points are, not only that they hold: each blend against a formula that is
// worked out here another way.
#include "greatest.h"
#include "kernels/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 24 };

static shl_kernels kernels[2];

// One child, a unit cube around the origin, and points that move it without turning: the upper
// face along x of point j is 1 + at[j].
typedef struct stage {
    shl_skinned model;
    shl_skinned_ready ready;
    shl_point_map map[POINTS];
    shl_weight_bounds shares[POINTS];
    float extents[SHL_EXTENTS * SHL_LANES], zone[SHL_ZONE_ROWS * POINTS];
    float scratch[POINTS * SHL_SCRATCH_FLOATS];
    uint32_t bounds_begin[2], bounds_point[POINTS];
} stage;

static void set(stage *s, uint32_t count, const double *at, const double *least,
                const double *most)
{
    memset(s, 0, sizeof *s);
    s->model = (shl_skinned){.point_count = count,
                             .padded = POINTS,
                             .bounds_begin = s->bounds_begin,
                             .bounds_point = s->bounds_point,
                             .weight_bounds = s->shares,
                             .extents = s->extents,
                             .zone = s->zone};
    s->bounds_begin[1] = count;
    s->ready.most = 1e6f;
    s->ready.map = s->map;
    for (int i = 0; i < SHL_EXTENTS; i++) {
        for (int lane = 0; lane < SHL_LANES; lane++)
            s->extents[i * SHL_LANES + lane] =
                (float)(abs(i % 3 - 1) + abs(i / 3 % 3 - 1) + abs(i / 9 - 1));
    }
    for (uint32_t j = 0; j < count; j++) {
        s->bounds_point[j] = j;
        for (int k = 0; k < 3; k++) {
            s->map[j].turn[4 * k] = 1;
            s->map[j].at[k] = (float)at[j];
            s->map[j].lo[k] = -1e6f;
            s->map[j].hi[k] = 1e6f;
            s->map[j].part[k][0] = 1;
            for (int i = 0; i < 3; i++)
                s->map[j].row[k][i] = (uint8_t)shl_extent_row(k, false);
            s->zone[shl_group_at(j, SHL_ZONE_ROWS, 3 + (size_t)k)] = 1;
        }
        for (int lane = 0; lane < SHL_LANES; lane++) {
            s->shares[j].least[lane] = (uint16_t)floor(least[j] * SHL_WEIGHT_ONE);
            s->shares[j].most[lane] = (uint16_t)ceil(most[j] * SHL_WEIGHT_ONE);
        }
    }
}

static double upper(stage *s, const shl_kernels *k, shl_blend blend, shl_region region)
{
    shl_block block;
    s->model.blend = blend;
    s->model.region = region;
    k->skinned_open(&s->model, 0, &s->ready, SHL_LANES, s->scratch, &block);
    return (double)block.hi[0][3];
}

// The largest blend: begin with all least weights, and give what is left to the largest values.
static double greedy(uint32_t count, const double *value, const shl_weight_bounds *shares)
{
    double left = 1, sum = 0;
    bool done[POINTS] = {0};
    for (uint32_t j = 0; j < count; j++) {
        const double least = (double)shares[j].least[0] / SHL_WEIGHT_ONE;
        left -= least;
        sum += least * value[j];
    }
    for (uint32_t round = 0; round < count; round++) {
        uint32_t best = count;
        for (uint32_t j = 0; j < count; j++) {
            if (!done[j] && (best == count || value[j] > value[best]))
                best = j;
        }
        done[best] = true;
        const double room =
            (double)(shares[best].most[0] - shares[best].least[0]) / SHL_WEIGHT_ONE;
        const double take = fmin(room, left);
        left -= take;
        sum += take * value[best];
    }
    return sum;
}

// Equation 11 of Steinemann et al. 2007.
static double corner(uint32_t count, const double *value, const shl_weight_bounds *shares)
{
    uint32_t one = 0, two = count > 1;
    for (uint32_t j = 0; j < count; j++)
        one = value[j] > value[one] ? j : one;
    two = one == 0 ? 1 : 0;
    for (uint32_t j = 0; j < count; j++)
        two = j != one && value[j] > value[two] ? j : two;
    if (count == 1)
        return value[0];
    const double most = (double)shares[one].most[0] / SHL_WEIGHT_ONE;
    double left = 1 - most, sum = most * value[one];
    for (uint32_t j = 0; j < count; j++) {
        const double least = (double)shares[j].least[0] / SHL_WEIGHT_ONE;
        if (j == one || j == two)
            continue;
        left -= least;
        sum += least * value[j];
    }
    return sum + left * value[two];
}

static double unit(uint64_t *r)
{
    *r ^= *r << 13;
    *r ^= *r >> 7;
    *r ^= *r << 17;
    return (double)(*r >> 11) * 0x1p-53;
}

// Random weights of a few vertices: their least and largest values can be met together.
static uint32_t draw(uint64_t *r, double *at, double *least, double *most)
{
    const uint32_t count = 1 + (uint32_t)(unit(r) * (POINTS - 1)),
                   vertices = 1 + (uint32_t)(unit(r) * 5);
    for (uint32_t j = 0; j < count; j++) {
        at[j] = (double)(float)(4 * unit(r) - 2);
        least[j] = 1;
        most[j] = 0;
    }
    for (uint32_t v = 0; v < vertices; v++) {
        double w[POINTS], sum = 0;
        for (uint32_t j = 0; j < count; j++)
            sum += w[j] = unit(r) < 0.4 && j ? 0 : unit(r);
        for (uint32_t j = 0; j < count; j++) {
            least[j] = fmin(least[j], w[j] / sum);
            most[j] = fmax(most[j], w[j] / sum);
        }
    }
    for (uint32_t j = 0; j < count; j++)
        least[j] = fmin(least[j], most[j]);
    return count;
}

TEST blends_are_what_they_say(const shl_kernels *k)
{
    uint64_t r = 77;
    double excess = 0, excess_corner = 0;
    enum { DRAWS = 3000 };
    for (int i = 0; i < DRAWS; i++) {
        double at[POINTS], least[POINTS], most[POINTS], value[POINTS] = {0}, top = -INFINITY;
        const uint32_t count = draw(&r, at, least, most);
        static stage s;
        set(&s, count, at, least, most);
        for (uint32_t j = 0; j < count; j++) {
            value[j] = 1 + at[j];
            if (s.shares[j].most[0])
                top = fmax(top, value[j]);
            else
                value[j] = -INFINITY;
        }
        for (uint32_t j = 0; j < count; j++) // what no vertex sees has no say
            value[j] = value[j] == -INFINITY ? -1e3 : value[j];
        const double exact = greedy(count, value, s.shares),
                     tip = corner(count, value, s.shares);
        for (int region = 0; region < SHL_REGIONS; region++) {
            const shl_region of = (shl_region)region;
            const double dual = upper(&s, k, SHL_BLEND_DUAL, of);
            ASSERT_IN_RANGE(top, upper(&s, k, SHL_BLEND_UNION, of), 1e-5);
            ASSERT_IN_RANGE(exact, upper(&s, k, SHL_BLEND_KNAPSACK, of), 1e-5);
            ASSERT_IN_RANGE(tip, upper(&s, k, SHL_BLEND_CORNER, of), 2e-5);
            ASSERT(dual >= exact - 1e-5);
            excess += dual - exact;
            excess_corner += tip - exact;
        }
    }
    // close to the best, and much closer than eq. 11
    ASSERT(excess < 0.1 * excess_corner);
    PASS();
}

TEST known_answers(const shl_kernels *k)
{
    static stage s;
    for (int blend = SHL_BLEND_CORNER; blend < SHL_BLENDS; blend++) {
        const shl_blend b = (shl_blend)blend;
        // fixed weights: the mean of the two extremes
        set(&s, 2, (double[]){3, -1}, (double[]){0.5, 0.5}, (double[]){0.5, 0.5});
        ASSERT_EQ(2.0, upper(&s, k, b, SHL_REGION_BOXES));
        // one point, and many equal ones: one box
        set(&s, 1, (double[]){3}, (double[]){1}, (double[]){1});
        ASSERT_EQ(4.0, upper(&s, k, b, SHL_REGION_BOXES));
        set(&s, 3, (double[]){3, 3, 3}, (double[]){0, 0, 0}, (double[]){1, 1, 1});
        ASSERT_EQ(4.0, upper(&s, k, b, SHL_REGION_BOXES));
        // weights rounded so far up that no vertex could have them
        set(&s, 3, (double[]){3, 2, 0}, (double[]){0.25, 0.25, 0.25},
            (double[]){0.75, 0.5, 0.5});
        ASSERT(upper(&s, k, b, SHL_REGION_BOXES) >= 1 + 0.5 * 3 + 0.25 * 2);
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    shl_kernels_init(&kernels[0], SHOAL_CPU_REF);
    shl_kernels_init(&kernels[1], SHOAL_CPU_BEST);
    for (int i = 0; i < 2; i++) {
        RUN_TEST1(blends_are_what_they_say, &kernels[i]);
        RUN_TEST1(known_answers, &kernels[i]);
    }
    GREATEST_MAIN_END();
}

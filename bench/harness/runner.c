// SPDX-License-Identifier: MIT
#include "bench/harness/runner.h"

#include "bench/harness/clock.h"

shoal_status bench_runner_open(bench_runner *r, shoal_context *ctx, const shoal_scene_def *def,
                               shl_scene_id id, const shl_scene_params *params)
{
    *r = (bench_runner){0};
    const shoal_status st = shoal_scene_create(ctx, def, &r->scene);
    return st == SHOAL_OK ? shl_motion_create(id, params, ctx, r->scene, &r->motion) : st;
}

void bench_runner_close(bench_runner *r)
{
    shl_motion_destroy(r->motion);
    shoal_scene_destroy(r->scene);
    r->motion = NULL;
    r->scene = NULL;
}

shoal_status bench_runner_step(bench_runner *r, uint32_t step, uint32_t queries)
{
    shoal_status st = shl_motion_step(r->motion, step);
    const double begin = bench_now_s();
    if (st == SHOAL_OK)
        st = shoal_scene_step(r->scene, queries);
    if (st != SHOAL_OK)
        return st;
    r->step_s = bench_now_s() - begin;
    r->pairs += shoal_scene_pairs(r->scene).count;
    r->hash = (r->hash ^ shoal_scene_hash(r->scene)) * 0x9e3779b97f4a7c15u;
    r->hash ^= r->hash >> 29;
    return SHOAL_OK;
}

shoal_status bench_add_borrowed(shoal_scene *scene, shoal_model *model,
                                shoal_positions positions, shoal_body *out)
{
    positions.order = SHOAL_ORDER_TREE;
    positions.hold = SHOAL_BORROW;
    const shoal_status st = shoal_scene_add_free(scene, model, out);
    return st == SHOAL_OK ? shoal_scene_set_positions(scene, *out, &positions) : st;
}

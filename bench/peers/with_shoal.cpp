// SPDX-License-Identifier: MIT
#include "bench/peers/check.h"
#include "bench/peers/peers.h"

namespace
{

class shoal_contender : public contender
{
  public:
    shoal_contender(const film &f, shoal_strategy strategy, shoal_order positions_order,
                    uint32_t threads, uint32_t asked)
        : scene(f), order(positions_order), queries(asked)
    {
        const shoal_context_def context_def = shoal_context_def_default();
        check(shoal_context_create(&context_def, &ctx));
        std::vector<uint32_t> corners;
        for (const narrow_tri &t : f.triangles)
            corners.insert(corners.end(), t.v, t.v + 3);
        shoal_model_def model_def = shoal_model_def_default();
        model_def.triangles = corners.data();
        model_def.triangle_count = (uint32_t)f.triangles.size();
        model_def.rest = shoal_positions_f32(f.rest.data(), f.vertices);
        model_def.self = f.self;
        check(shoal_model_create(ctx, &model_def, &model));
        shoal_scene_def scene_def = shoal_scene_def_default();
        scene_def.strategy = strategy;
        scene_def.threads = threads;
        check(shoal_scene_create(ctx, &scene_def, &bodies));
        if (order == SHOAL_ORDER_TREE)
            sort_positions();
        add_bodies();
    }

    ~shoal_contender() override
    {
        shoal_scene_destroy(bodies);
        shoal_model_destroy(model);
        shoal_context_destroy(ctx);
    }

    void deform(uint32_t step) override
    {
        const float *from =
            order == SHOAL_ORDER_TREE ? &sorted[step * xyz.size()] : scene.at(step, 0);
        deform_floats(from, xyz.size(), xyz.data());
    }

    step_time step() override
    {
        const double begin = now_s();
        check(shoal_scene_step(bodies, queries));
        const double whole = now_s() - begin;
        const shoal_stats s = shoal_scene_stats(bodies);
        return {(shoal_scene_seconds(bodies, SHOAL_PHASE_GATHER) +
                 shoal_scene_seconds(bodies, SHOAL_PHASE_REFIT)) /
                    s.workers,
                whole};
    }

    uint64_t candidates_decided() const override
    {
        return shoal_scene_stats(bodies).candidates;
    }

    void pairs(std::vector<shoal_pair> &out) const override
    {
        for (const shoal_pairs found :
             {shoal_scene_pairs(bodies), shoal_scene_self_pairs(bodies),
              shoal_scene_first_pairs(bodies)})
            out.insert(out.end(), found.rows, found.rows + found.count);
    }

    double distance() const override
    {
        const shoal_nearest_rows nearest = shoal_scene_nearest(bodies);
        return nearest.count ? nearest.rows[0].distance : contender::distance();
    }

  private:
    // What a deformer that knows the tree's order would write.
    void sort_positions()
    {
        const uint32_t *row = shoal_model_vertex_order(model);
        sorted.resize(scene.xyz.size());
        float *to = sorted.data();
        for (uint32_t step = 0; step < scene.steps; step++) {
            for (uint32_t body = 0; body < scene.bodies; body++) {
                const float *from = scene.at(step, body);
                for (uint32_t i = 0; i < scene.vertices; i++) {
                    for (uint32_t axis = 0; axis < 3; axis++)
                        *to++ = from[3 * (size_t)row[i] + axis];
                }
            }
        }
    }

    void add_bodies()
    {
        xyz.resize((size_t)scene.bodies * 3 * scene.vertices);
        for (uint32_t body = 0; body < scene.bodies; body++) {
            const float *own = &xyz[(size_t)body * 3 * scene.vertices];
            shoal_positions p = shoal_positions_f32(own, scene.vertices);
            p.order = order;
            p.hold = SHOAL_BORROW;
            shoal_body id;
            check(shoal_scene_add_free(bodies, model, &id));
            check(shoal_scene_set_positions(bodies, id, &p));
        }
    }

    const film &scene;
    const shoal_order order;
    const uint32_t queries;
    shoal_context *ctx = nullptr;
    shoal_model *model = nullptr;
    shoal_scene *bodies = nullptr;
    std::vector<float> sorted; // as film::xyz, in tree order
    std::vector<float> xyz;    // [bodies][3 * vertices] what shoal reads
};

} // namespace

std::unique_ptr<contender> contend_shoal(const film &scene, shoal_strategy strategy,
                                         shoal_order order, uint32_t threads, uint32_t queries)
{
    return std::make_unique<shoal_contender>(scene, strategy, order, threads, queries);
}

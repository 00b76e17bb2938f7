// SPDX-License-Identifier: MIT
#include "bench/peers/peers.h"
#include "bench/peers/world.h"

namespace
{

class shoal_contender : public contender
{
  public:
    shoal_contender(const film &f, shoal_strategy strategy, shoal_order positions_order,
                    uint32_t threads, uint32_t asked)
        : scene(f), order(positions_order), queries(asked), shoal(def_of(strategy, threads))
    {
        shoal_model_def def = shoal_model_def_default();
        def.rest = shoal_positions_f32(f.rest.data(), f.vertices);
        def.self = f.self;
        shoal.make_model(f.triangles, def);
        if (order == SHOAL_ORDER_TREE)
            sort_positions();
        add_bodies();
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
        check(shoal_scene_step(shoal.scene, queries));
        const double whole = now_s() - begin;
        const shoal_stats s = shoal_scene_stats(shoal.scene);
        return {(shoal_scene_seconds(shoal.scene, SHOAL_PHASE_GATHER) +
                 shoal_scene_seconds(shoal.scene, SHOAL_PHASE_REFIT)) /
                    s.workers,
                whole};
    }

    uint64_t candidates_decided() const override
    {
        return shoal_scene_stats(shoal.scene).candidates;
    }

    void pairs(std::vector<shoal_pair> &out) const override
    {
        for (const shoal_pairs found :
             {shoal_scene_pairs(shoal.scene), shoal_scene_self_pairs(shoal.scene),
              shoal_scene_first_pairs(shoal.scene)})
            out.insert(out.end(), found.rows, found.rows + found.count);
    }

    double distance() const override
    {
        const shoal_nearest_rows nearest = shoal_scene_nearest(shoal.scene);
        return nearest.count ? nearest.rows[0].distance : contender::distance();
    }

  private:
    static shoal_scene_def def_of(shoal_strategy strategy, uint32_t threads)
    {
        shoal_scene_def def = shoal_scene_def_default();
        def.strategy = strategy;
        def.threads = threads;
        return def;
    }

    // What a deformer that knows the tree's order would write.
    void sort_positions()
    {
        const uint32_t *row = shoal_model_vertex_order(shoal.model);
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
            check(shoal_scene_add_free(shoal.scene, shoal.model, &id));
            check(shoal_scene_set_positions(shoal.scene, id, &p));
        }
    }

    const film &scene;
    const shoal_order order;
    const uint32_t queries;
    std::vector<float> sorted; // as film::xyz, in tree order
    std::vector<float> xyz;    // [bodies][3 * vertices] what shoal reads
    world shoal;
};

} // namespace

std::unique_ptr<contender> contend_shoal(const film &scene, shoal_strategy strategy,
                                         shoal_order order, uint32_t threads, uint32_t queries)
{
    return std::make_unique<shoal_contender>(scene, strategy, order, threads, queries);
}

// SPDX-License-Identifier: MIT
#include "bench/peers/check.h"
#include "bench/peers/plates.h"

namespace
{

class shoal_plates : public plates_contender
{
  public:
    explicit shoal_plates(const plates &p) : scene(p), ids(p.bodies)
    {
        const shoal_context_def context_def = shoal_context_def_default();
        check(shoal_context_create(&context_def, &ctx));
        make_model();
    }

    ~shoal_plates() override
    {
        shoal_scene_destroy(bodies);
        shoal_model_destroy(model);
        shoal_context_destroy(ctx);
    }

    void use(uint32_t threads) override
    {
        shoal_scene_destroy(bodies);
        shoal_scene_def def = shoal_scene_def_default();
        def.threads = threads;
        check(shoal_scene_create(ctx, &def, &bodies));
        for (shoal_body &id : ids)
            check(shoal_scene_add_reduced(bodies, model, &id));
    }

    void deform(uint32_t step) override
    {
        now = scene.at(step);
    }

    step_time step() override
    {
        const double begin = now_s();
        const size_t n = scene.bodies;
        shoal_reduced_state state = {};
        state.bodies = ids.data();
        state.count = scene.bodies;
        state.stride = n;
        state.rotation = now;
        state.translation = now + 9 * n;
        state.q = now + 12 * n;
        state.field_count = scene.fields;
        check(shoal_scene_set_reduced(bodies, &state));
        check(shoal_scene_step(bodies, SHOAL_QUERY_PAIRS));
        step_time t = {0, now_s() - begin};
        const shoal_stats s = shoal_scene_stats(bodies);
        t.update_s = shoal_scene_seconds(bodies, SHOAL_PHASE_REFIT) / s.workers;
        t.part_s[PART_NODES] = shoal_scene_seconds(bodies, SHOAL_PHASE_REFIT) / s.workers;
        t.part_s[PART_BROAD] = shoal_scene_seconds(bodies, SHOAL_PHASE_BROAD) / s.workers;
        t.part_s[PART_TRAVERSE] = shoal_scene_seconds(bodies, SHOAL_PHASE_TRAVERSE) / s.workers;
        t.part_s[PART_TRIANGLES] = shoal_scene_seconds(bodies, SHOAL_PHASE_LEAF) / s.workers;
        t.part_s[PART_SORT] = shoal_scene_seconds(bodies, SHOAL_PHASE_SORT) / s.workers;
        return t;
    }

    void pairs(std::vector<shoal_pair> &out) const override
    {
        const shoal_pairs found = shoal_scene_pairs(bodies);
        out.insert(out.end(), found.rows, found.rows + found.count);
    }

  private:
    void make_model()
    {
        std::vector<uint32_t> corners;
        for (const narrow_tri &t : scene.triangles)
            corners.insert(corners.end(), t.v, t.v + 3);
        shoal_model_def def = shoal_model_def_default();
        def.triangles = corners.data();
        def.triangle_count = (uint32_t)scene.triangles.size();
        def.rest = shoal_positions_f64(scene.rest.data(), scene.vertices);
        def.reducible = true;
        def.fields = scene.displacement.data();
        def.field_count = scene.fields;
        check(shoal_model_create(ctx, &def, &model));
    }

    const plates &scene;
    const double *now = nullptr; // the coming step's states
    shoal_context *ctx = nullptr;
    shoal_model *model = nullptr;
    shoal_scene *bodies = nullptr;
    std::vector<shoal_body> ids;
};

} // namespace

std::unique_ptr<plates_contender> contend_shoal_plates(const plates &scene)
{
    return std::make_unique<shoal_plates>(scene);
}

// SPDX-License-Identifier: MIT
#include "bench/peers/plates.h"
#include "bench/peers/world.h"

namespace
{

class shoal_plates : public plates_contender
{
  public:
    explicit shoal_plates(const plates &p) : scene(p), ids(p.bodies)
    {
        shoal_model_def def = shoal_model_def_default();
        def.rest = shoal_positions_f64(p.rest.data(), p.vertices);
        def.reducible = true;
        def.fields = p.displacement.data();
        def.field_count = p.fields;
        shoal.make_model(p.triangles, def);
    }

    void use(uint32_t threads) override
    {
        shoal_scene_def def = shoal_scene_def_default();
        def.threads = threads;
        shoal.open(def);
        for (shoal_body &id : ids)
            check(shoal_scene_add_reduced(shoal.scene, shoal.model, &id));
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
        check(shoal_scene_set_reduced(shoal.scene, &state));
        check(shoal_scene_step(shoal.scene, SHOAL_QUERY_PAIRS));
        step_time t = {0, now_s() - begin};
        const double workers = shoal_scene_stats(shoal.scene).workers;
        const auto seconds = [&](shoal_phase phase) {
            return shoal_scene_seconds(shoal.scene, phase) / workers;
        };
        t.update_s = t.part_s[PART_NODES] = seconds(SHOAL_PHASE_REFIT);
        t.part_s[PART_BROAD] = seconds(SHOAL_PHASE_BROAD);
        t.part_s[PART_TRAVERSE] = seconds(SHOAL_PHASE_TRAVERSE);
        t.part_s[PART_TRIANGLES] = seconds(SHOAL_PHASE_LEAF);
        t.part_s[PART_SORT] = seconds(SHOAL_PHASE_SORT);
        return t;
    }

    void pairs(std::vector<shoal_pair> &out) const override
    {
        const shoal_pairs found = shoal_scene_pairs(shoal.scene);
        out.insert(out.end(), found.rows, found.rows + found.count);
    }

  private:
    const plates &scene;
    const double *now = nullptr; // the coming step's states
    world shoal;
    std::vector<shoal_body> ids;
};

} // namespace

std::unique_ptr<plates_contender> contend_shoal_plates(const plates &scene)
{
    return std::make_unique<shoal_plates>(scene);
}

// SPDX-License-Identifier: MIT
// Embree: one scene of user triangles a body, rtcCollide for each two whose bounds overlap.
#include "bench/peers/embree_collide.h"

#include <tbb/global_control.h>

const std::vector<embree_way> embree_ways = {
    // name, refit, fast, compact, boxes
    {"refit", true, false, false, false},
    {"refit, boxes kept", true, false, false, true},
    {"refit, 4-wide, boxes kept", true, false, true, true},
    {"rebuild fast, boxes kept", false, true, false, true},
    {"rebuild fast, 4-wide, boxes kept", false, true, true, true},
    {"rebuild, boxes kept", false, false, false, true},
};

namespace
{

using namespace embree;

class embree_contender : public contender
{
  public:
    embree_contender(const film &f, const embree_way &way, uint32_t thread_count)
        : scene(f), threads(thread_count),
          limit(tbb::global_control::max_allowed_parallelism, thread_count),
          all(thread_count, f.bodies), found(way.boxes, f.self)
    {
        for (uint32_t i = 0; i < f.bodies; i++) {
            // a tree that is only refitted is built for the first step's shape, its best start
            deform_floats(f.at(0, i), 3 * (size_t)f.vertices,
                          all.bodies[i].shape(f.triangles, f.vertices));
            build(all.device, way, f.triangles.size(), all.bodies[i]);
        }
        for (uint32_t i = 0; i < f.bodies; i++) {
            for (uint32_t j = f.self ? i : i + 1; j < f.bodies; j++)
                couples.push_back(meet(all.bodies, i, j, found.slots));
        }
    }

    void deform(uint32_t step) override
    {
        for (uint32_t i = 0; i < scene.bodies; i++)
            deform_floats(scene.at(step, i), 3 * (size_t)scene.vertices,
                          all.bodies[i].xyz.data());
    }

    step_time step() override
    {
        const double begin = now_s();
        each(threads, all.bodies.size(), [this](size_t i) { all.bodies[i].commit(); });
        const double updated = now_s();
        find_meetings();
        found.collide(threads, met.size(), [this](size_t i) { return met[i]; });
        const double end = now_s();
        all.check();
        return {updated - begin, end - begin};
    }

    void pairs(std::vector<shoal_pair> &out) const override
    {
        found.pairs(out);
    }

  private:
    // Few bodies: every box against every other.
    void find_meetings()
    {
        met.clear();
        bounds_now.clear();
        for (const body<float> &b : all.bodies)
            bounds_now.push_back(b.bounds_now());
        for (collision<float> &c : couples) {
            if (overlap(bounds_now[c.body_a], bounds_now[c.body_b]))
                met.push_back(&c);
        }
    }

    const film &scene;
    const uint32_t threads;
    tbb::global_control limit;
    crowd<float> all;
    harvest<float> found;
    std::vector<collision<float>> couples;
    std::vector<collision<float> *> met;
    std::vector<box> bounds_now; // [bodies]
};

} // namespace

std::unique_ptr<contender> contend_embree(const film &scene, const embree_way &way,
                                          uint32_t threads)
{
    return std::make_unique<embree_contender>(scene, way, threads);
}

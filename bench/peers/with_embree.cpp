// SPDX-License-Identifier: MIT
// Embree: one scene of user triangles a body, rtcCollide for each two whose bounds overlap.
#include "bench/peers/embree_body.h"

#include <stdexcept>
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
          limit(tbb::global_control::max_allowed_parallelism, thread_count), bodies(f.bodies),
          slots(THREADS_MAX)
    {
        const std::string config = "threads=" + std::to_string(threads);
        device = rtcNewDevice(config.c_str());
        if (!device)
            throw std::runtime_error("Embree has no device");
        for (body<float> &b : bodies)
            add(way, b);
        for (uint32_t i = 0; i < f.bodies; i++) {
            for (uint32_t j = f.self ? i : i + 1; j < f.bodies; j++)
                all.push_back(meet(bodies, i, j, slots));
        }
        call = f.self ? (way.boxes ? collect<float, true, true> : collect<float, false, true>)
               : way.boxes ? collect<float, true, false>
                           : collect<float, false, false>;
    }

    ~embree_contender() override
    {
        for (body<float> &b : bodies)
            b.release();
        rtcReleaseDevice(device);
    }

    void deform(uint32_t step) override
    {
        for (uint32_t i = 0; i < scene.bodies; i++)
            deform_floats(scene.at(step, i), 3 * (size_t)scene.vertices, bodies[i].xyz.data());
    }

    step_time step() override
    {
        const double begin = now_s();
        each(threads, bodies.size(), [this](size_t i) { bodies[i].commit(); });
        const double updated = now_s();
        for (uint32_t i = 0; i < threads_seen; i++)
            slots[i].clear();
        find_meetings();
        each(threads, met.size(), [this](size_t i) {
            collision<float> *c = met[i];
            rtcCollide(c->left->scene, c->right->scene, call, c);
        });
        for (uint32_t i = 0; i < threads_seen; i++)
            slots[i].decide();
        const double end = now_s();
        if (rtcGetDeviceError(device) != RTC_ERROR_NONE)
            throw std::runtime_error("Embree failed");
        return {updated - begin, end - begin};
    }

    void pairs(std::vector<shoal_pair> &out) const override
    {
        for (const candidates &c : slots)
            out.insert(out.end(), c.found.begin(), c.found.end());
    }

  private:
    void add(const embree_way &way, body<float> &b)
    {
        b.tri = scene.triangles.data();
        b.xyz.resize(3 * (size_t)scene.vertices + 1);
        // a tree that is only refitted is built for the first step's shape, its best start
        deform_floats(scene.at(0, (uint32_t)(&b - bodies.data())), 3 * (size_t)scene.vertices,
                      b.xyz.data());
        build(device, way, scene.triangles.size(), b);
    }

    // Few bodies: every box against every other.
    void find_meetings()
    {
        met.clear();
        bounds_now.resize(bodies.size());
        for (size_t i = 0; i < bodies.size(); i++)
            bounds_now[i] = bodies[i].bounds_now();
        for (collision<float> &c : all) {
            if (overlap(bounds_now[c.body_a], bounds_now[c.body_b]))
                met.push_back(&c);
        }
    }

    const film &scene;
    const uint32_t threads;
    tbb::global_control limit;
    RTCDevice device = nullptr;
    std::vector<body<float>> bodies;
    std::vector<candidates> slots;
    std::vector<collision<float>> all;
    std::vector<collision<float> *> met;
    std::vector<box> bounds_now; // [bodies]
    RTCCollideFunc call = nullptr;
};

} // namespace

std::unique_ptr<contender> contend_embree(const film &scene, const embree_way &way,
                                          uint32_t threads)
{
    return std::make_unique<embree_contender>(scene, way, threads);
}

// SPDX-License-Identifier: MIT
// Embree doing it the usual way: deform every vertex, refit every tree, collide.
#include "bench/peers/embree_body.h"
#include "bench/peers/plates.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <tbb/global_control.h>

namespace
{

using namespace embree;

void deform_one(const deform_model &m, const double *state, double *xyz)
{
    deform_f64(&m, state, xyz);
}

void deform_one(const deform_model &m, const double *state, float *xyz)
{
    deform_f32(&m, state, xyz);
}

template <class Real> class embree_plates : public plates_contender
{
  public:
    embree_plates(const plates &p, const embree_way &way)
        : scene(p), bodies(p.bodies), spent(p.bodies), slots(THREADS_MAX), boxes(p.bodies),
          order(p.bodies)
    {
        device = rtcNewDevice("threads=2");
        if (!device)
            throw std::runtime_error("Embree has no device");
        make_columns();
        now = scene.at(0);
        for (uint32_t i = 0; i < p.bodies; i++) {
            bodies[i].tri = p.triangles.data();
            bodies[i].xyz.resize(3 * (size_t)p.vertices + 1);
            // refitted ever after, so built for the first step's shape, its best start
            pose(i);
            build(device, way, p.triangles.size(), bodies[i]);
        }
        std::iota(order.begin(), order.end(), 0);
        call = way.boxes ? collect<Real, true, false> : collect<Real, false, false>;
    }

    ~embree_plates() override
    {
        for (body<Real> &b : bodies)
            b.release();
        rtcReleaseDevice(device);
    }

    void use(uint32_t count) override
    {
        threads = count;
        limit = std::make_unique<tbb::global_control>(
            tbb::global_control::max_allowed_parallelism, count);
    }

    void deform(uint32_t step) override
    {
        now = scene.at(step);
    }

    step_time step() override
    {
        const double begin = now_s();
        each(threads, bodies.size(), [this](size_t i) { update((uint32_t)i); });
        const double updated = now_s();
        for (uint32_t i = 0; i < threads_seen; i++)
            slots[i].clear();
        find_meetings();
        const double paired = now_s();
        each(threads, met.size(), [this](size_t i) {
            collision<Real> *c = &met[i];
            rtcCollide(c->left->scene, c->right->scene, call, c);
        });
        for (uint32_t i = 0; i < threads_seen; i++)
            slots[i].decide();
        const double end = now_s();
        if (rtcGetDeviceError(device) != RTC_ERROR_NONE)
            throw std::runtime_error("Embree failed");
        step_time t = {updated - begin, end - begin};
        for (double s : spent)
            t.part_s[PART_VERTICES] += s / threads;
        t.part_s[PART_NODES] = updated - begin - t.part_s[PART_VERTICES];
        t.part_s[PART_BROAD] = paired - updated;
        for (const candidates &c : slots)
            t.part_s[PART_TRIANGLES] += c.spent_s / threads;
        t.part_s[PART_TRAVERSE] = end - paired - t.part_s[PART_TRIANGLES];
        return t;
    }

    void pairs(std::vector<shoal_pair> &out) const override
    {
        for (const candidates &c : slots)
            out.insert(out.end(), c.found.begin(), c.found.end());
    }

  private:
    void make_columns()
    {
        const uint32_t n = scene.vertices,
                       padded = (n + DEFORM_VERTICES - 1) / DEFORM_VERTICES * DEFORM_VERTICES;
        const auto columns = [&](const auto *from, auto &to) {
            const size_t start = to.size();
            to.resize(start + 3 * (size_t)padded);
            for (uint32_t i = 0; i < 3 * n; i++)
                to[start + i % 3 * (size_t)padded + i / 3] = from[i];
        };
        columns(scene.rest.data(), rest);
        rest_f32.assign(rest.begin(), rest.end());
        for (uint32_t j = 0; j < scene.fields; j++)
            columns(&scene.displacement[j * 3 * (size_t)n], fields);
        model = {n, padded, scene.fields, rest.data(), fields.data(), rest_f32.data()};
    }

    void pose(uint32_t i)
    {
        double own[12 + SHOAL_FIELDS_MAX];
        for (uint32_t e = 0; e < 12 + scene.fields; e++)
            own[e] = now[(size_t)e * scene.bodies + i];
        deform_one(model, own, bodies[i].xyz.data());
    }

    // Refitted right after it was deformed, while its vertices are warm.
    void update(uint32_t i)
    {
        const double begin = now_s();
        pose(i);
        spent[i] = now_s() - begin;
        bodies[i].commit();
    }

    // One axis sorted, which yesterday's order makes cheap; then a sweep.
    void find_meetings()
    {
        for (size_t i = 0; i < bodies.size(); i++)
            boxes[i] = bodies[i].bounds_now();
        std::sort(order.begin(), order.end(),
                  [this](uint32_t a, uint32_t b) { return boxes[a].lo[0] < boxes[b].lo[0]; });
        met.clear();
        for (size_t i = 0; i < order.size(); i++) {
            const box &own = boxes[order[i]];
            for (size_t j = i + 1; j < order.size() && boxes[order[j]].lo[0] <= own.hi[0];
                 j++) {
                if (overlap(own, boxes[order[j]]))
                    met.push_back(meet(bodies, std::min(order[i], order[j]),
                                       std::max(order[i], order[j]), slots));
            }
        }
    }

    const plates &scene;
    uint32_t threads = 1;
    std::unique_ptr<tbb::global_control> limit;
    const double *now = nullptr; // the coming step's states
    std::vector<double> rest;
    std::vector<float> rest_f32, fields;
    deform_model model = {};
    RTCDevice device = nullptr;
    std::vector<body<Real>> bodies;
    std::vector<double> spent; // [bodies] deforming
    std::vector<candidates> slots;
    std::vector<collision<Real>> met;
    std::vector<box> boxes;      // [bodies]
    std::vector<uint32_t> order; // [bodies] by their boxes' lower ends along x
    RTCCollideFunc call = nullptr;
};

} // namespace

std::unique_ptr<plates_contender> contend_embree_plates(const plates &scene,
                                                        const embree_way &way, bool f32)
{
    if (f32)
        return std::make_unique<embree_plates<float>>(scene, way);
    return std::make_unique<embree_plates<double>>(scene, way);
}

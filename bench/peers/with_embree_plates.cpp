// SPDX-License-Identifier: MIT
// Embree doing it the usual way: deform every vertex, refit every tree, collide.
#include "bench/peers/embree_collide.h"
#include "bench/peers/plates.h"

#include <algorithm>
#include <numeric>
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

// What every body is deformed by, in padded columns.
class columns
{
  public:
    explicit columns(const plates &p)
    {
        const uint32_t n = p.vertices,
                       padded = (n + DEFORM_VERTICES - 1) / DEFORM_VERTICES * DEFORM_VERTICES;
        const auto add = [&](const auto *from, auto &to) {
            const size_t start = to.size();
            to.resize(start + 3 * (size_t)padded);
            for (uint32_t i = 0; i < 3 * n; i++)
                to[start + i % 3 * (size_t)padded + i / 3] = from[i];
        };
        add(p.rest.data(), rest);
        rest_f32.assign(rest.begin(), rest.end());
        for (uint32_t j = 0; j < p.fields; j++)
            add(&p.displacement[j * 3 * (size_t)n], fields);
        model = {n, padded, p.fields, rest.data(), fields.data(), rest_f32.data()};
    }

    columns(const columns &) = delete;

    deform_model model;

  private:
    std::vector<double> rest;
    std::vector<float> rest_f32, fields;
};

template <class Real> class embree_plates : public plates_contender
{
  public:
    embree_plates(const plates &p, const embree_way &way)
        : scene(p), shape(p), all(2, p.bodies), found(way.boxes, false), spent(p.bodies),
          boxes(p.bodies), order(p.bodies)
    {
        now = scene.at(0);
        for (uint32_t i = 0; i < p.bodies; i++) {
            all.bodies[i].shape(p.triangles, p.vertices);
            // refitted ever after, so built for the first step's shape, its best start
            pose(i);
            build(all.device, way, p.triangles.size(), all.bodies[i]);
        }
        std::iota(order.begin(), order.end(), 0);
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
        each(threads, all.bodies.size(), [this](size_t i) { update((uint32_t)i); });
        const double updated = now_s();
        find_meetings();
        const double paired = now_s();
        found.collide(threads, met.size(), [this](size_t i) { return &met[i]; });
        const double end = now_s();
        all.check();
        step_time t = {updated - begin, end - begin};
        for (double s : spent)
            t.part_s[PART_VERTICES] += s / threads;
        t.part_s[PART_NODES] = updated - begin - t.part_s[PART_VERTICES];
        t.part_s[PART_BROAD] = paired - updated;
        t.part_s[PART_TRIANGLES] = found.spent_s() / threads;
        t.part_s[PART_TRAVERSE] = end - paired - t.part_s[PART_TRIANGLES];
        return t;
    }

    void pairs(std::vector<shoal_pair> &out) const override
    {
        found.pairs(out);
    }

  private:
    void pose(uint32_t i)
    {
        double own[12 + SHOAL_FIELDS_MAX];
        for (uint32_t e = 0; e < 12 + scene.fields; e++)
            own[e] = now[(size_t)e * scene.bodies + i];
        deform_one(shape.model, own, all.bodies[i].xyz.data());
    }

    // Refitted right after it was deformed, while its vertices are warm.
    void update(uint32_t i)
    {
        const double begin = now_s();
        pose(i);
        spent[i] = now_s() - begin;
        all.bodies[i].commit();
    }

    // One axis sorted, which the last step's order makes cheap; then a sweep.
    void find_meetings()
    {
        for (size_t i = 0; i < boxes.size(); i++)
            boxes[i] = all.bodies[i].bounds_now();
        std::sort(order.begin(), order.end(),
                  [this](uint32_t a, uint32_t b) { return boxes[a].lo[0] < boxes[b].lo[0]; });
        met.clear();
        for (size_t i = 0; i < order.size(); i++) {
            const box &own = boxes[order[i]];
            for (size_t j = i + 1; j < order.size() && boxes[order[j]].lo[0] <= own.hi[0];
                 j++) {
                if (overlap(own, boxes[order[j]]))
                    met.push_back(meet(all.bodies, std::min(order[i], order[j]),
                                       std::max(order[i], order[j]), found.slots));
            }
        }
    }

    const plates &scene;
    const columns shape;
    crowd<Real> all;
    harvest<Real> found;
    uint32_t threads = 1;
    std::unique_ptr<tbb::global_control> limit;
    const double *now = nullptr; // the coming step's states
    std::vector<double> spent;   // [bodies] deforming
    std::vector<collision<Real>> met;
    std::vector<box> boxes;      // [bodies]
    std::vector<uint32_t> order; // [bodies] by their boxes' lower ends along x
};

} // namespace

std::unique_ptr<plates_contender> contend_embree_plates(const plates &scene,
                                                        const embree_way &way, bool f32)
{
    if (f32)
        return std::make_unique<embree_plates<float>>(scene, way);
    return std::make_unique<embree_plates<double>>(scene, way);
}

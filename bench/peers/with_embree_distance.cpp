// SPDX-License-Identifier: MIT
// Embree: point queries around the triangles of one body in the tree of the other.
#include "bench/peers/embree_body.h"

#include <cmath>
#include <stdexcept>

namespace
{

using namespace embree;

enum { BATCH = 4 }; // what the distance kernel does at once

float gap_square(const box &a, const box &b)
{
    const four below = a.lo - b.hi, above = b.lo - a.hi, none = {0, 0, 0, 0};
    const four gap = most(most(below, above), none);
    return gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2];
}

class embree_distance : public contender
{
  public:
    embree_distance(const film &f, const embree_way &way) : scene(f), bodies(2)
    {
        device = rtcNewDevice("threads=1");
        if (!device)
            throw std::runtime_error("Embree has no device");
        for (body<float> &b : bodies) {
            b.tri = f.triangles.data();
            b.xyz.resize(3 * (size_t)f.vertices + 1);
            deform_floats(f.rest.data(), f.rest.size(), b.xyz.data());
            build(device, way, f.triangles.size(), b);
        }
    }

    ~embree_distance() override
    {
        for (body<float> &b : bodies)
            b.release();
        rtcReleaseDevice(device);
    }

    void deform(uint32_t step) override
    {
        for (uint32_t i = 0; i < 2; i++)
            deform_floats(scene.at(step, i), 3 * (size_t)scene.vertices, bodies[i].xyz.data());
    }

    step_time step() override
    {
        const double begin = now_s();
        for (const body<float> &b : bodies)
            b.commit();
        const double updated = now_s();
        left = bodies[0].side();
        right = bodies[1].side();
        best = INFINITY;
        pending[0] = nearest; // of the last step; in the first some two triangles
        waiting = 1;
        flush();
        const box around = bodies[1].bounds_now();
        for (uint32_t i = 0; i < scene.triangles.size(); i++)
            ask(i, around);
        const double end = now_s();
        if (rtcGetDeviceError(device) != RTC_ERROR_NONE)
            throw std::runtime_error("Embree failed");
        return {updated - begin, end - begin};
    }

    void pairs(std::vector<shoal_pair> &) const override
    {
    }

    double distance() const override
    {
        return best;
    }

  private:
    void flush()
    {
        double found[BATCH];
        narrow_distances(&left, &right, pending, waiting, found);
        for (uint32_t i = 0; i < waiting; i++) {
            if (found[i] < best) {
                best = found[i];
                nearest = pending[i];
            }
        }
        waiting = 0;
        square = (float)(best * best) * (1 + 0x1p-20f); // boxes farther than that do not matter
    }

    void ask(uint32_t i, const box &around)
    {
        own = box_of(bodies[0].xyz.data(), scene.triangles[i]);
        if (gap_square(own, around) > square)
            return;
        const four middle = 0.5f * (own.lo + own.hi), half = own.hi - middle;
        radius = std::sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]) *
                 (1 + 0x1p-20f);
        triangle = i;
        RTCPointQuery query = {middle[0], middle[1], middle[2], 0, reach()};
        RTCPointQueryContext context;
        rtcInitPointQueryContext(&context);
        rtcPointQuery(bodies[1].scene, &query, &context, visit, this);
        if (waiting)
            flush();
    }

    float reach() const
    {
        return ((float)best + radius) * (1 + 0x1p-20f);
    }

    // Says whether the query got smaller.
    static bool visit(RTCPointQueryFunctionArguments *args)
    {
        embree_distance *me = (embree_distance *)args->userPtr;
        const box other = box_of(me->bodies[1].xyz.data(), me->scene.triangles[args->primID]);
        if (gap_square(me->own, other) > me->square)
            return false;
        me->pending[me->waiting++] = {me->triangle, args->primID};
        if (me->waiting < BATCH)
            return false;
        me->flush();
        args->query->radius = me->reach();
        return true;
    }

    const film &scene;
    RTCDevice device = nullptr;
    std::vector<body<float>> bodies;
    narrow_side left = {}, right = {};
    narrow_pair nearest = {0, 0}, pending[BATCH] = {};
    uint32_t waiting = 0, triangle = 0;
    box own = {};
    double best = INFINITY;
    float square = INFINITY, radius = 0;
};

} // namespace

std::unique_ptr<contender> contend_embree_distance(const film &scene, const embree_way &way)
{
    return std::make_unique<embree_distance>(scene, way);
}

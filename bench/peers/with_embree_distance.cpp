// SPDX-License-Identifier: MIT
// Embree: point queries around the triangles of one body in the tree of the other.
#include "bench/peers/embree_body.h"

#include <cmath>

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

// The nearest triangles of two bodies: what is known so far bounds what is asked for.
class nearest_search
{
  public:
    nearest_search(const body<float> &a, const body<float> &b) : left(a), right(b)
    {
    }

    // Begins with the nearest triangles of the last step; in the first some two.
    double run(uint32_t triangles)
    {
        best = INFINITY;
        pending[0] = nearest;
        waiting = 1;
        flush();
        const box around = right.bounds_now();
        for (uint32_t i = 0; i < triangles; i++)
            ask(i, around);
        return best;
    }

  private:
    void flush()
    {
        double found[BATCH];
        const narrow_side a = left.side(), b = right.side();
        narrow_distances(&a, &b, pending, waiting, found);
        for (uint32_t i = 0; i < waiting; i++) {
            if (found[i] < best) {
                best = found[i];
                nearest = pending[i];
            }
        }
        waiting = 0;
        square = (float)(best * best) * (1 + 0x1p-20f); // boxes farther than that do not matter
    }

    // One triangle of the left body against all of the right one.
    void ask(uint32_t i, const box &around)
    {
        own = box_of(left.xyz.data(), left.tri[i]);
        if (gap_square(own, around) > square)
            return;
        const four middle = 0.5f * (own.lo + own.hi), half = own.hi - middle;
        radius = std::sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]) *
                 (1 + 0x1p-20f);
        triangle = i;
        RTCPointQuery query = {middle[0], middle[1], middle[2], 0, reach()};
        RTCPointQueryContext context;
        rtcInitPointQueryContext(&context);
        rtcPointQuery(right.scene, &query, &context, visit, this);
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
        nearest_search *me = (nearest_search *)args->userPtr;
        const box other = box_of(me->right.xyz.data(), me->right.tri[args->primID]);
        if (gap_square(me->own, other) > me->square)
            return false;
        me->pending[me->waiting++] = {me->triangle, args->primID};
        if (me->waiting < BATCH)
            return false;
        me->flush();
        args->query->radius = me->reach();
        return true;
    }

    const body<float> &left, &right;
    narrow_pair nearest = {0, 0}, pending[BATCH] = {};
    uint32_t waiting = 0, triangle = 0;
    box own = {};
    double best = INFINITY;
    float square = INFINITY, radius = 0;
};

class embree_distance : public contender
{
  public:
    embree_distance(const film &f, const embree_way &way)
        : scene(f), all(1, 2), search(all.bodies[0], all.bodies[1])
    {
        for (body<float> &b : all.bodies) {
            deform_floats(f.rest.data(), f.rest.size(), b.shape(f.triangles, f.vertices));
            build(all.device, way, f.triangles.size(), b);
        }
    }

    void deform(uint32_t step) override
    {
        for (uint32_t i = 0; i < 2; i++)
            deform_floats(scene.at(step, i), 3 * (size_t)scene.vertices,
                          all.bodies[i].xyz.data());
    }

    step_time step() override
    {
        const double begin = now_s();
        for (const body<float> &b : all.bodies)
            b.commit();
        const double updated = now_s();
        apart = search.run((uint32_t)scene.triangles.size());
        const double end = now_s();
        all.check();
        return {updated - begin, end - begin};
    }

    void pairs(std::vector<shoal_pair> &) const override
    {
    }

    double distance() const override
    {
        return apart;
    }

  private:
    const film &scene;
    crowd<float> all;
    nearest_search search;
    double apart = INFINITY;
};

} // namespace

std::unique_ptr<contender> contend_embree_distance(const film &scene, const embree_way &way)
{
    return std::make_unique<embree_distance>(scene, way);
}

// SPDX-License-Identifier: MIT
// A body as Embree sees it, a scene of user triangles over positions of either precision, and
// the callback that collects what rtcCollide finds.
#ifndef PEERS_EMBREE_BODY_H
#define PEERS_EMBREE_BODY_H

#include "bench/peers/candidates.h"
#include "bench/peers/peers.h"

#include <atomic>
#include <cstring>
#include <embree3/rtcore.h>
#include <exception>
#include <tbb/parallel_for.h>

namespace embree
{

typedef float four __attribute__((vector_size(16)));
typedef int four_bits __attribute__((vector_size(16)));
typedef double four_doubles __attribute__((vector_size(32)));

struct box {
    four lo, hi; // the last lane holds whatever follows a vertex
};

template <class V, class Real> V load(const Real *p)
{
    V v;
    memcpy(&v, p, sizeof v);
    return v;
}

template <class V> V least(V a, V b)
{
    return a < b ? a : b;
}

template <class V> V most(V a, V b)
{
    return a > b ? a : b;
}

template <class V, class Real> void extremes(const Real *xyz, const narrow_tri &t, V &lo, V &hi)
{
    const V a = load<V>(xyz + 3 * (size_t)t.v[0]), b = load<V>(xyz + 3 * (size_t)t.v[1]),
            c = load<V>(xyz + 3 * (size_t)t.v[2]);
    lo = least(least(a, b), c);
    hi = most(most(a, b), c);
}

inline box box_of(const float *xyz, const narrow_tri &t)
{
    box out;
    extremes(xyz, t, out.lo, out.hi);
    return out;
}

// Rounded outwards: a box must hold the float64 triangle.
inline box box_of(const double *xyz, const narrow_tri &t)
{
    four_doubles lo, hi;
    extremes(xyz, t, lo, hi);
    const four_doubles up = {0x1p-23, 0x1p-23, 0x1p-23, 0},
                       tiny = {0x1p-120, 0x1p-120, 0x1p-120};
    const four_doubles below = lo - ((lo < 0 ? -lo : lo) * up + tiny),
                       above = hi + ((hi < 0 ? -hi : hi) * up + tiny);
    return {__builtin_convertvector(below, four), __builtin_convertvector(above, four)};
}

inline bool overlap(const box &a, const box &b)
{
    const four_bits apart = (a.lo > b.hi) | (b.lo > a.hi);
    return (apart[0] | apart[1] | apart[2]) == 0;
}

template <class Real> struct body {
    const narrow_tri *tri = nullptr;
    std::vector<Real> xyz;  // [3 * vertices + 1], so that four can be loaded anywhere
    std::vector<box> boxes; // [triangles], or none
    RTCScene scene = nullptr;
    RTCGeometry triangles = nullptr;

    void commit() const
    {
        rtcCommitGeometry(triangles);
        rtcCommitScene(scene);
    }

    narrow_side side() const
    {
        return {xyz.data(), tri, sizeof(Real) == sizeof(double)};
    }

    box bounds_now() const
    {
        RTCBounds b;
        rtcGetSceneBounds(scene, &b);
        return {load<four>(&b.lower_x), load<four>(&b.upper_x)};
    }

    void release()
    {
        rtcReleaseGeometry(triangles);
        rtcReleaseScene(scene);
    }
};

template <class Real, bool keep> void bounds(const RTCBoundsFunctionArguments *args)
{
    body<Real> *b = (body<Real> *)args->geometryUserPtr;
    const box found = box_of(b->xyz.data(), b->tri[args->primID]);
    if (keep)
        b->boxes[args->primID] = found;
    memcpy(&args->bounds_o->lower_x, &found.lo, sizeof found.lo);
    memcpy(&args->bounds_o->upper_x, &found.hi, sizeof found.hi);
}

// Makes the scene of a body whose triangles and positions are there. A tree that is only
// refitted is built for these positions.
template <class Real>
void build(RTCDevice device, const embree_way &way, size_t triangles, body<Real> &b)
{
    b.boxes.resize(way.boxes ? triangles : 0);
    const bool two_level = way.refit || way.fast;
    b.scene = rtcNewScene(device);
    rtcSetSceneBuildQuality(b.scene,
                            two_level ? RTC_BUILD_QUALITY_LOW : RTC_BUILD_QUALITY_MEDIUM);
    rtcSetSceneFlags(b.scene, way.compact ? RTC_SCENE_FLAG_DYNAMIC | RTC_SCENE_FLAG_COMPACT
                                          : RTC_SCENE_FLAG_DYNAMIC);
    b.triangles = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryBuildQuality(b.triangles, way.refit  ? RTC_BUILD_QUALITY_REFIT
                                            : way.fast ? RTC_BUILD_QUALITY_LOW
                                                       : RTC_BUILD_QUALITY_MEDIUM);
    rtcSetGeometryUserPrimitiveCount(b.triangles, (unsigned)triangles);
    rtcSetGeometryUserData(b.triangles, &b);
    rtcSetGeometryBoundsFunction(b.triangles,
                                 way.boxes ? bounds<Real, true> : bounds<Real, false>, nullptr);
    rtcCommitGeometry(b.triangles);
    rtcAttachGeometry(b.scene, b.triangles);
    rtcCommitScene(b.scene);
}

enum { THREADS_MAX = 256 };

// Each thread that ever calls back gets a number of its own.
inline std::atomic<uint32_t> threads_seen;

inline uint32_t thread_slot()
{
    thread_local const uint32_t slot = threads_seen++;
    if (slot >= THREADS_MAX)
        std::terminate();
    return slot;
}

// What a callback needs: two bodies and a place for each thread's candidates.
template <class Real> struct collision : meeting {
    const body<Real> *left, *right;
    candidates *slots; // [THREADS_MAX]
};

template <class Real>
collision<Real> meet(const std::vector<body<Real>> &bodies, uint32_t i, uint32_t j,
                     std::vector<candidates> &slots)
{
    collision<Real> c;
    c.a = bodies[i].side();
    c.b = bodies[j].side();
    c.body_a = i;
    c.body_b = j;
    c.left = &bodies[i];
    c.right = &bodies[j];
    c.slots = slots.data();
    return c;
}

// Embree hands over all pairs of two leaves, both ways round when a scene meets itself.
template <class Real, bool kept, bool self>
void collect(void *user, RTCCollision *hits, unsigned count)
{
    const collision<Real> *c = (const collision<Real> *)user;
    candidates &mine = c->slots[thread_slot()];
    mine.of(c);
    const body<Real> &l = *c->left, &r = *c->right;
    const Real *lx = l.xyz.data(), *rx = r.xyz.data();
    unsigned last = ~0u;
    box own = {};
    for (unsigned i = 0; i < count; i++) {
        const unsigned a = hits[i].primID0, b = hits[i].primID1;
        if (self && a >= b)
            continue;
        if (a != last)
            own = kept ? l.boxes[a] : box_of(lx, l.tri[a]);
        last = a;
        if (overlap(own, kept ? r.boxes[b] : box_of(rx, r.tri[b])) &&
            !(self && share_vertex(l.tri[a], r.tri[b])))
            mine.push(a, b);
    }
}

template <class F> void each(uint32_t threads, size_t count, const F &f)
{
    if (threads == 1 || count == 1) {
        for (size_t i = 0; i < count; i++)
            f(i);
    } else {
        tbb::parallel_for((size_t)0, count, f);
    }
}

} // namespace embree

#endif

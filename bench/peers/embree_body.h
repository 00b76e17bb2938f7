// SPDX-License-Identifier: MIT
// Bodies as Embree sees them: each a scene of user triangles over positions of either
// precision, and all of one device.
#ifndef PEERS_EMBREE_BODY_H
#define PEERS_EMBREE_BODY_H

#include "bench/peers/peers.h"

#include <cstring>
#include <embree3/rtcore.h>
#include <stdexcept>
#include <string>

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

    // Says where its triangles are and makes room for its positions.
    Real *shape(const std::vector<narrow_tri> &rows, uint32_t vertices)
    {
        tri = rows.data();
        xyz.resize(3 * (size_t)vertices + 1);
        return xyz.data();
    }

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

// The bodies of one device.
template <class Real> struct crowd {
    RTCDevice device;
    std::vector<body<Real>> bodies;

    crowd(uint32_t threads, size_t count)
        : device(rtcNewDevice(("threads=" + std::to_string(threads)).c_str())), bodies(count)
    {
        if (!device)
            throw std::runtime_error("Embree has no device");
    }

    crowd(const crowd &) = delete;

    ~crowd()
    {
        for (body<Real> &b : bodies) {
            rtcReleaseGeometry(b.triangles);
            rtcReleaseScene(b.scene);
        }
        rtcReleaseDevice(device);
    }

    // Ends the comparison if a call since the last look failed.
    void check() const
    {
        if (rtcGetDeviceError(device) != RTC_ERROR_NONE)
            throw std::runtime_error("Embree failed");
    }
};

} // namespace embree

#endif

// SPDX-License-Identifier: MIT
// Embree: one scene of user triangles a body, rtcCollide for each two whose bounds overlap.
#include "bench/peers/candidates.h"
#include "bench/peers/peers.h"

#include <atomic>
#include <cstring>
#include <embree3/rtcore.h>
#include <stdexcept>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

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

typedef float four __attribute__((vector_size(16)));
typedef int four_bits __attribute__((vector_size(16)));

struct box {
    four lo, hi; // the last lane holds whatever follows a vertex
};

four load(const float *p)
{
    four v;
    memcpy(&v, p, sizeof v);
    return v;
}

four least(four a, four b)
{
    return a < b ? a : b;
}

four most(four a, four b)
{
    return a > b ? a : b;
}

box box_of(const float *xyz, const narrow_tri &t)
{
    const four a = load(xyz + 3 * (size_t)t.v[0]), b = load(xyz + 3 * (size_t)t.v[1]),
               c = load(xyz + 3 * (size_t)t.v[2]);
    return {least(least(a, b), c), most(most(a, b), c)};
}

bool overlap(const box &a, const box &b)
{
    const four_bits apart = (a.lo > b.hi) | (b.lo > a.hi);
    return (apart[0] | apart[1] | apart[2]) == 0;
}

struct body {
    const narrow_tri *tri = nullptr;
    std::vector<float> xyz; // [3 * vertices + 1], so that four can be loaded anywhere
    std::vector<box> boxes; // [triangles], or none
    RTCScene scene = nullptr;
    RTCGeometry triangles = nullptr;
};

template <bool keep> void bounds(const RTCBoundsFunctionArguments *args)
{
    body *b = (body *)args->geometryUserPtr;
    const box found = box_of(b->xyz.data(), b->tri[args->primID]);
    if (keep)
        b->boxes[args->primID] = found;
    memcpy(&args->bounds_o->lower_x, &found.lo, sizeof found.lo);
    memcpy(&args->bounds_o->upper_x, &found.hi, sizeof found.hi);
}

enum { THREADS_MAX = 256 };

// Each thread that ever calls back gets a number of its own.
std::atomic<uint32_t> threads_seen;

uint32_t thread_slot()
{
    thread_local const uint32_t slot = threads_seen++;
    if (slot >= THREADS_MAX)
        std::terminate();
    return slot;
}

// What a callback needs: two bodies and a place for each thread's candidates.
struct collision : meeting {
    const body *left, *right;
    candidates *slots; // [THREADS_MAX]
};

// Embree hands over all pairs of two leaves, both ways round when a scene meets itself.
template <bool kept, bool self> void collect(void *user, RTCCollision *hits, unsigned count)
{
    const collision *c = (const collision *)user;
    candidates &mine = c->slots[thread_slot()];
    mine.of(c);
    const body &l = *c->left, &r = *c->right;
    const float *lx = l.xyz.data(), *rx = r.xyz.data();
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
        for (body &b : bodies)
            add(way, b);
        for (uint32_t i = 0; i < f.bodies; i++) {
            for (uint32_t j = f.self ? i : i + 1; j < f.bodies; j++)
                all.push_back(meet(i, j));
        }
        call = f.self      ? (way.boxes ? collect<true, true> : collect<false, true>)
               : way.boxes ? collect<true, false>
                           : collect<false, false>;
    }

    ~embree_contender() override
    {
        for (body &b : bodies) {
            rtcReleaseGeometry(b.triangles);
            rtcReleaseScene(b.scene);
        }
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
        each(bodies.size(), [this](size_t i) { commit(bodies[i]); });
        const double updated = now_s();
        for (uint32_t i = 0; i < threads_seen; i++)
            slots[i].clear();
        find_meetings();
        each(met.size(), [this](size_t i) {
            collision *c = met[i];
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
    void add(const embree_way &way, body &b)
    {
        b.tri = scene.triangles.data();
        b.xyz.resize(3 * (size_t)scene.vertices + 1);
        b.boxes.resize(way.boxes ? scene.triangles.size() : 0);
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
        rtcSetGeometryUserPrimitiveCount(b.triangles, (unsigned)scene.triangles.size());
        rtcSetGeometryUserData(b.triangles, &b);
        rtcSetGeometryBoundsFunction(b.triangles, way.boxes ? bounds<true> : bounds<false>,
                                     nullptr);
        // a tree that is only refitted is built for the first step's shape, its best start
        deform_floats(scene.at(0, (uint32_t)(&b - bodies.data())), 3 * (size_t)scene.vertices,
                      b.xyz.data());
        rtcCommitGeometry(b.triangles);
        rtcAttachGeometry(b.scene, b.triangles);
        rtcCommitScene(b.scene);
    }

    collision meet(uint32_t i, uint32_t j)
    {
        const body &l = bodies[i], &r = bodies[j];
        collision c;
        c.a = {l.xyz.data(), l.tri};
        c.b = {r.xyz.data(), r.tri};
        c.body_a = i;
        c.body_b = j;
        c.left = &l;
        c.right = &r;
        c.slots = slots.data();
        return c;
    }

    static void commit(const body &b)
    {
        rtcCommitGeometry(b.triangles);
        rtcCommitScene(b.scene);
    }

    template <class F> void each(size_t count, const F &f)
    {
        if (threads == 1 || count == 1) {
            for (size_t i = 0; i < count; i++)
                f(i);
        } else {
            tbb::parallel_for((size_t)0, count, f);
        }
    }

    // Few bodies: every box against every other.
    void find_meetings()
    {
        met.clear();
        bounds_now.resize(bodies.size());
        for (size_t i = 0; i < bodies.size(); i++) {
            RTCBounds b;
            rtcGetSceneBounds(bodies[i].scene, &b);
            bounds_now[i] = {load(&b.lower_x), load(&b.upper_x)};
        }
        for (collision &c : all) {
            if (overlap(bounds_now[c.body_a], bounds_now[c.body_b]))
                met.push_back(&c);
        }
    }

    const film &scene;
    const uint32_t threads;
    tbb::global_control limit;
    RTCDevice device = nullptr;
    std::vector<body> bodies;
    std::vector<candidates> slots;
    std::vector<collision> all;
    std::vector<collision *> met;
    std::vector<box> bounds_now; // [bodies]
    RTCCollideFunc call = nullptr;
};

} // namespace

std::unique_ptr<contender> contend_embree(const film &scene, const embree_way &way,
                                          uint32_t threads)
{
    return std::make_unique<embree_contender>(scene, way, threads);
}

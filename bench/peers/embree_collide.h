// SPDX-License-Identifier: MIT
// What rtcCollide finds in bodies that meet: a callback that rejects by boxes, a place for the
// candidates of each thread, and the round that fills and decides them.
#ifndef PEERS_EMBREE_COLLIDE_H
#define PEERS_EMBREE_COLLIDE_H

#include "bench/peers/candidates.h"
#include "bench/peers/embree_body.h"

#include <atomic>
#include <exception>
#include <tbb/parallel_for.h>

namespace embree
{

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

// The pairs of a step, wherever its threads found them.
template <class Real> class harvest
{
  public:
    harvest(bool boxes_kept, bool self)
        : call(self ? (boxes_kept ? collect<Real, true, true> : collect<Real, false, true>)
                    : (boxes_kept ? collect<Real, true, false> : collect<Real, false, false>))
    {
    }

    // Finds and decides the candidates of all meetings; meeting(i) points to one of them.
    template <class F> void collide(uint32_t threads, size_t count, const F &meeting)
    {
        for (uint32_t i = 0; i < threads_seen; i++)
            slots[i].clear();
        each(threads, count, [&](size_t i) {
            collision<Real> *c = meeting(i);
            rtcCollide(c->left->scene, c->right->scene, call, c);
        });
        for (uint32_t i = 0; i < threads_seen; i++)
            slots[i].decide();
    }

    void pairs(std::vector<shoal_pair> &out) const
    {
        for (const candidates &c : slots)
            out.insert(out.end(), c.found.begin(), c.found.end());
    }

    // Deciding, by all threads.
    double spent_s() const
    {
        double sum = 0;
        for (const candidates &c : slots)
            sum += c.spent_s;
        return sum;
    }

    std::vector<candidates> slots{THREADS_MAX};

  private:
    RTCCollideFunc call;
};

} // namespace embree

#endif

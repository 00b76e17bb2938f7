// SPDX-License-Identifier: MIT
// The candidates one thread finds, decided in batches as shoal decides its own.
#ifndef PEERS_CANDIDATES_H
#define PEERS_CANDIDATES_H

#include "bench/peers/peers.h"

// Two bodies, or one twice.
struct meeting {
    narrow_side a, b;
    uint32_t body_a, body_b;
};

class alignas(64) candidates
{
  public:
    // A thread may change from one meeting to another and back.
    void of(const meeting *m)
    {
        if (m == now)
            return;
        decide();
        now = m;
    }

    void push(uint32_t a, uint32_t b)
    {
        batch[count++] = {a, b};
        if (count == sizeof batch / sizeof *batch)
            decide();
    }

    // Moves what intersects to `found`.
    void decide()
    {
        if (count == 0)
            return;
        const double begin = now_s();
        const uint32_t kept = narrow_keep(&now->a, &now->b, batch, count);
        for (uint32_t i = 0; i < kept; i++)
            found.push_back({now->body_a, batch[i].a, now->body_b, batch[i].b});
        count = 0;
        spent_s += now_s() - begin;
    }

    // Forgets everything; memory is kept for the next step.
    void clear()
    {
        count = 0;
        now = nullptr;
        spent_s = 0;
        found.clear();
    }

    std::vector<shoal_pair> found;
    double spent_s = 0; // deciding

  private:
    const meeting *now = nullptr;
    uint32_t count = 0;
    narrow_pair batch[256];
};

inline bool share_vertex(const narrow_tri &s, const narrow_tri &t)
{
    bool any = false;
    for (uint32_t v : s.v)
        any |= (v == t.v[0]) | (v == t.v[1]) | (v == t.v[2]);
    return any;
}

#endif

// SPDX-License-Identifier: MIT
// Many folded plates that bend in their modes: the states of all steps, worked out before
// anything is timed, and who takes part.
#ifndef PEERS_PLATES_H
#define PEERS_PLATES_H

#include "bench/peers/deform.h"
#include "bench/peers/peers.h"

struct plates {
    std::string name;
    uint32_t bodies = 0, vertices = 0, steps = 0, fields = 0; // vertices of one body
    std::vector<narrow_tri> triangles;
    std::vector<double> rest;        // [3 * vertices] in the user's order
    std::vector<float> displacement; // [fields][3 * vertices]
    std::vector<double> state;       // [steps][12 + fields][bodies] rotation, translation, q

    size_t state_size() const
    {
        return (size_t)(12 + fields) * bodies;
    }

    const double *at(uint32_t step) const
    {
        return &state[step * state_size()];
    }
};

// 1,000 plates of 17,856 triangles and 10 fields in a lattice: so far apart that one in ten
// touches another, or a pile with about 750 pairs a plate.
plates plates_sparse(uint32_t steps);
plates plates_dense(uint32_t steps);

// The first bodies of a scene, to try things on.
plates fewer(const plates &scene, uint32_t bodies);

// Takes part with any number of threads, so that trees of 18 million triangles are built once.
class plates_contender : public contender
{
  public:
    virtual void use(uint32_t threads) = 0;
};

// shoal, plates as reduced bodies by its public functions. Handing over the states is part of
// the step.
std::unique_ptr<plates_contender> contend_shoal_plates(const plates &scene);

// Embree, the usual way: in each step all vertices are deformed, all trees refitted. Positions
// are float64, which shoal's answer is exact for; with `f32` they are rounded on the way, which
// costs less and finds a few other pairs.
std::unique_ptr<plates_contender> contend_embree_plates(const plates &scene,
                                                        const embree_way &way, bool f32);

#endif

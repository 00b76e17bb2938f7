// SPDX-License-Identifier: MIT
// The peers' common ground: the positions of a scene at all steps, and what a contender does.
#ifndef PEERS_PEERS_H
#define PEERS_PEERS_H

#include "bench/peers/narrow.h"

#include <memory>
#include <shoal/shoal.h>
#include <string>
#include <vector>

// All steps of a scene, worked out before anything is timed. Bodies have the same triangles.
struct film {
    std::string name;
    uint32_t bodies = 0, vertices = 0, steps = 0; // vertices of one body
    std::vector<narrow_tri> triangles;
    std::vector<float> rest; // [3 * vertices] the shape trees may be built for
    std::vector<float> xyz;  // [steps][bodies][3 * vertices] in the user's vertex order
    bool self = false;       // the question: pairs of one body that share no vertex

    const float *at(uint32_t step, uint32_t body) const
    {
        return &xyz[((size_t)step * bodies + body) * 3 * vertices];
    }
};

// `stride` keeps every stride-th of the scene's steps.
film film_bumpy_2(uint32_t k, uint32_t stride);
film film_crossing(); // bumpy_2 whose surfaces cross plainly instead of nearly coinciding
film film_bumpy_27(uint32_t stride);
film film_cloth();

// Where the time of a step went.
enum part { PART_VERTICES, PART_NODES, PART_BROAD, PART_TRAVERSE, PART_TRIANGLES, PART_SORT };
constexpr uint32_t PARTS = 6;

// What a step took. For those who do both at once, query is what is left of the whole.
struct step_time {
    double update_s, whole_s;
    double part_s[PARTS] = {}; // of all threads, by their number; only of plates
};

class contender
{
  public:
    virtual ~contender() = default;

    // Writes the positions of a step where the contender reads them. Not timed; always on the
    // same core, so that every contender finds them equally warm.
    virtual void deform(uint32_t step) = 0;

    // Updates and finds all pairs, and says how long that took.
    virtual step_time step() = 0;

    // How many pairs of triangles the last step decided; 0: not known.
    virtual uint64_t candidates_decided() const
    {
        return 0;
    }

    // Adds the last step's pairs, in any order; body_a < body_b or triangle_a < triangle_b.
    // Those who only say whether there is one add any pair, or none.
    virtual void pairs(std::vector<shoal_pair> &out) const = 0;

    // How far apart the first two bodies were in the last step; NaN: not asked.
    virtual double distance() const;
};

// Writes `count` floats as a simulator would: plain stores, which memcpy need not use.
void deform_floats(const float *from, size_t count, float *to);

double now_s();

// Puts the calling thread back on all CPUs the process started with.
void free_affinity();

// shoal, by its public functions. Positions are borrowed, packed xyz.
std::unique_ptr<contender> contend_shoal(const film &scene, shoal_strategy strategy,
                                         shoal_order order, uint32_t threads, uint32_t queries);

// Ways to use Embree; which is best differs between scenes.
struct embree_way {
    const char *name;
    bool refit;   // keep the tree and refit it; otherwise build it anew
    bool fast;    // when built anew: by Morton code rather than surface area
    bool compact; // 4-wide nodes instead of 8
    bool boxes;   // keep the triangles' boxes to reject candidates by
};
extern const std::vector<embree_way> embree_ways;

std::unique_ptr<contender> contend_embree(const film &scene, const embree_way &way,
                                          uint32_t threads);

std::unique_ptr<contender> contend_fcl(const film &scene);

// How far apart two bodies are. Embree's tree is refitted, and asked for what is near each
// triangle of the other body that may matter; the search begins with the nearest triangles of
// the last step. FCL's trees of rectangles with a radius are built anew: those that it refits
// give wrong distances.
std::unique_ptr<contender> contend_embree_distance(const film &scene, const embree_way &way);
std::unique_ptr<contender> contend_fcl_distance(const film &scene);

// Is there a pair at all? Boxes by CGAL, without a tree, until the first intersection.
std::unique_ptr<contender> contend_cgal_first(const film &scene);

// All pairs of a step by CGAL's boxes and exact predicates.
size_t cgal_count(const film &scene, uint32_t step);

#endif

// SPDX-License-Identifier: MIT
// CGAL: boxes without a tree, and exact predicates. The judge of pair counts, and the quickest
// peer where only a yes or no is asked.
#include "bench/peers/candidates.h"
#include "bench/peers/peers.h"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Intersections_3/Triangle_3_Triangle_3.h>
#include <CGAL/box_intersection_d.h>
#include <algorithm>

namespace
{

typedef CGAL::Exact_predicates_inexact_constructions_kernel kernel;
// CGAL numbers boxes by their handles and takes boxes of one number for the same one: each body
// needs its own rows to point to.
typedef CGAL::Box_intersection_d::Box_with_handle_d<float, 3, const narrow_tri *> tri_box;
typedef std::vector<narrow_tri> rows;

kernel::Point_3 point(const float *p)
{
    return kernel::Point_3(p[0], p[1], p[2]);
}

kernel::Triangle_3 triangle(const float *xyz, const narrow_tri &t)
{
    return kernel::Triangle_3(point(xyz + 3 * (size_t)t.v[0]), point(xyz + 3 * (size_t)t.v[1]),
                              point(xyz + 3 * (size_t)t.v[2]));
}

struct region {
    float lo[3], hi[3];
};

region box_of(const float *xyz, const narrow_tri &t)
{
    const float *a = xyz + 3 * (size_t)t.v[0], *b = xyz + 3 * (size_t)t.v[1],
                *c = xyz + 3 * (size_t)t.v[2];
    region r;
    for (int i = 0; i < 3; i++) {
        r.lo[i] = std::min(a[i], std::min(b[i], c[i]));
        r.hi[i] = std::max(a[i], std::max(b[i], c[i]));
    }
    return r;
}

region box_of_all(const float *xyz, uint32_t vertices)
{
    // four vertices at a time: twelve lanes that keep their axis
    float lo[12], hi[12];
    for (int i = 0; i < 12; i++)
        lo[i] = hi[i] = xyz[i % 3];
    uint32_t v = 0;
    for (; v + 4 <= vertices; v += 4) {
        for (int i = 0; i < 12; i++) {
            const float x = xyz[3 * (size_t)v + i];
            lo[i] = x < lo[i] ? x : lo[i];
            hi[i] = x > hi[i] ? x : hi[i];
        }
    }
    region r;
    for (int axis = 0; axis < 3; axis++) {
        r.lo[axis] = std::min({lo[axis], lo[axis + 3], lo[axis + 6], lo[axis + 9]});
        r.hi[axis] = std::max({hi[axis], hi[axis + 3], hi[axis + 6], hi[axis + 9]});
        for (uint32_t w = v; w < vertices; w++) {
            r.lo[axis] = std::min(r.lo[axis], xyz[3 * (size_t)w + axis]);
            r.hi[axis] = std::max(r.hi[axis], xyz[3 * (size_t)w + axis]);
        }
    }
    return r;
}

bool overlap(const region &a, const region &b)
{
    return (a.lo[0] <= b.hi[0]) & (b.lo[0] <= a.hi[0]) & (a.lo[1] <= b.hi[1]) &
           (b.lo[1] <= a.hi[1]) & (a.lo[2] <= b.hi[2]) & (b.lo[2] <= a.hi[2]);
}

// Boxes of the triangles that reach into a region.
void take(const rows &tri, const float *xyz, const region &where, std::vector<tri_box> &out)
{
    out.clear();
    for (const narrow_tri &t : tri) {
        region r = box_of(xyz, t);
        if (overlap(r, where))
            out.emplace_back(r.lo, r.hi, &t);
    }
}

region common(const region &a, const region &b)
{
    region r;
    for (int i = 0; i < 3; i++) {
        r.lo[i] = std::max(a.lo[i], b.lo[i]);
        r.hi[i] = std::min(a.hi[i], b.hi[i]);
    }
    return r;
}

class cgal_contender : public contender
{
  public:
    explicit cgal_contender(const film &f)
        : scene(f), tri_b(f.triangles), xyz((size_t)f.bodies * 3 * f.vertices)
    {
    }

    void deform(uint32_t step) override
    {
        deform_floats(scene.at(step, 0), xyz.size(), xyz.data());
    }

    step_time step() override
    {
        const double begin = now_s();
        const float *a = xyz.data(), *b = a + 3 * (size_t)scene.vertices;
        const region ra = box_of_all(a, scene.vertices), rb = box_of_all(b, scene.vertices);
        hit = false;
        if (overlap(ra, rb)) {
            const region both = common(ra, rb);
            take(scene.triangles, a, both, boxes_a);
            take(tri_b, b, both, boxes_b);
        } else {
            boxes_a.clear();
            boxes_b.clear();
        }
        const double updated = now_s();
        if (!boxes_a.empty() && !boxes_b.empty())
            search(a, b);
        return {updated - begin, now_s() - begin};
    }

    void pairs(std::vector<shoal_pair> &out) const override
    {
        if (hit)
            out.push_back(witness);
    }

  private:
    // The only way out of CGAL's search is an exception; one a step costs a few microseconds.
    void search(const float *a, const float *b)
    {
        struct enough {
        };
        try {
            CGAL::box_intersection_d(
                boxes_a.begin(), boxes_a.end(), boxes_b.begin(), boxes_b.end(),
                [&](const tri_box &p, const tri_box &q) {
                    if (!CGAL::do_intersect(triangle(a, *p.handle()), triangle(b, *q.handle())))
                        return;
                    hit = true;
                    witness = {0, p.handle()->number, 1, q.handle()->number};
                    throw enough();
                });
        } catch (const enough &) {
        }
    }

    const film &scene;
    const rows tri_b;
    std::vector<float> xyz; // [2][3 * vertices]
    std::vector<tri_box> boxes_a, boxes_b;
    bool hit = false;
    shoal_pair witness = {};
};

} // namespace

std::unique_ptr<contender> contend_cgal_first(const film &scene)
{
    return std::make_unique<cgal_contender>(scene);
}

size_t cgal_count(const film &scene, uint32_t step)
{
    size_t count = 0;
    const rows tri_b = scene.triangles;
    std::vector<tri_box> boxes_a, boxes_b;
    for (uint32_t i = 0; i < scene.bodies; i++) {
        const float *a = scene.at(step, i);
        const region ra = box_of_all(a, scene.vertices);
        for (uint32_t j = scene.self ? i : i + 1; j < scene.bodies; j++) {
            const float *b = scene.at(step, j);
            const region both = common(ra, box_of_all(b, scene.vertices));
            take(scene.triangles, a, both, boxes_a);
            take(tri_b, b, both, boxes_b);
            const auto found = [&](const tri_box &p, const tri_box &q) {
                const narrow_tri &s = *p.handle(), &t = *q.handle();
                if (!scene.self || (s.number < t.number && !share_vertex(s, t)))
                    count += CGAL::do_intersect(triangle(a, s), triangle(b, t));
            };
            if (!boxes_a.empty() && !boxes_b.empty())
                CGAL::box_intersection_d(boxes_a.begin(), boxes_a.end(), boxes_b.begin(),
                                         boxes_b.end(), found);
        }
    }
    return count;
}

// SPDX-License-Identifier: MIT
// FCL: an AABB tree a body, refitted bottom up, and its nodes walked two at a time.
#include "bench/peers/candidates.h"
#include "bench/peers/peers.h"

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/math/bv/AABB.h>
#include <fcl/math/bv/utility.h>
#include <stdexcept>

namespace
{

// float as the positions are: half the memory of FCL's usual double, and as exact for boxes.
typedef fcl::AABB<float> box;
typedef fcl::BVHModel<box> tree;
typedef fcl::Vector3<float> point;

static_assert(sizeof(point) == 3 * sizeof(float), "positions are packed xyz");

// The candidates of two trees, or of one with itself.
class walker
{
  public:
    walker(const film &f, candidates &to) : scene(f), found(to)
    {
    }

    void visit(const tree &a, const tree &b)
    {
        left = &a.getBV(0);
        right = &b.getBV(0);
        if (scene.self)
            walk_self(*left);
        else if (left->bv.overlap(right->bv))
            walk(*left, *right);
    }

  private:
    // FCL's own order: the larger node is opened first.
    void walk(const fcl::BVNode<box> &a, const fcl::BVNode<box> &b)
    {
        if (a.isLeaf() && b.isLeaf()) {
            leaf((uint32_t)a.primitiveId(), (uint32_t)b.primitiveId());
            return;
        }
        if (b.isLeaf() || (!a.isLeaf() && a.bv.size() > b.bv.size())) {
            for (int child : {a.leftChild(), a.rightChild()}) {
                if (left[child].bv.overlap(b.bv))
                    walk(left[child], b);
            }
        } else {
            for (int child : {b.leftChild(), b.rightChild()}) {
                if (a.bv.overlap(right[child].bv))
                    walk(a, right[child]);
            }
        }
    }

    void walk_self(const fcl::BVNode<box> &a)
    {
        if (a.isLeaf())
            return;
        const fcl::BVNode<box> &l = left[a.leftChild()], &r = left[a.rightChild()];
        walk_self(l);
        walk_self(r);
        if (l.bv.overlap(r.bv))
            walk(l, r);
    }

    void leaf(uint32_t a, uint32_t b)
    {
        if (!scene.self)
            found.push(a, b);
        else if (!share_vertex(scene.triangles[a], scene.triangles[b]))
            found.push(a < b ? a : b, a < b ? b : a);
    }

    const film &scene;
    candidates &found;
    const fcl::BVNode<box> *left = nullptr, *right = nullptr;
};

class fcl_contender : public contender
{
  public:
    explicit fcl_contender(const film &f) : scene(f), bodies(f.bodies), xyz(f.bodies)
    {
        std::vector<fcl::Triangle> corners;
        for (const narrow_tri &t : f.triangles)
            corners.emplace_back(t.v[0], t.v[1], t.v[2]);
        for (uint32_t i = 0; i < f.bodies; i++) {
            xyz[i].resize(f.vertices);
            deform_floats(f.at(0, i), 3 * (size_t)f.vertices, xyz[i][0].data());
            tree &t = bodies[i];
            t.beginModel((int)corners.size(), (int)f.vertices);
            t.addSubModel(xyz[i], corners);
            if (t.endModel() != fcl::BVH_OK)
                throw std::runtime_error("FCL built no tree");
        }
    }

    void deform(uint32_t step) override
    {
        for (uint32_t i = 0; i < scene.bodies; i++)
            deform_floats(scene.at(step, i), 3 * (size_t)scene.vertices, xyz[i][0].data());
    }

    step_time step() override
    {
        const double begin = now_s();
        for (uint32_t i = 0; i < scene.bodies; i++) {
            bodies[i].beginReplaceModel();
            bodies[i].replaceSubModel(xyz[i]);
            if (bodies[i].endReplaceModel(true, true) != fcl::BVH_OK)
                throw std::runtime_error("FCL refitted no tree");
        }
        const double updated = now_s();
        found.clear();
        for (uint32_t i = 0; i < scene.bodies; i++) {
            if (scene.self)
                visit(i, i);
            for (uint32_t j = i + 1; j < scene.bodies && !scene.self; j++)
                visit(i, j);
        }
        return {updated - begin, now_s() - begin};
    }

    void pairs(std::vector<shoal_pair> &out) const override
    {
        out.insert(out.end(), found.found.begin(), found.found.end());
    }

  private:
    void visit(uint32_t i, uint32_t j)
    {
        const tree &a = bodies[i], &b = bodies[j];
        const narrow_tri *tri = scene.triangles.data();
        const meeting m = {
            {a.vertices[0].data(), tri, 0}, {b.vertices[0].data(), tri, 0}, i, j};
        found.of(&m);
        walker(scene, found).visit(a, b);
        found.decide();
        found.of(nullptr);
    }

    const film &scene;
    std::vector<tree> bodies;
    std::vector<std::vector<point>> xyz; // [bodies][vertices] what FCL copies positions from
    candidates found;
};

} // namespace

std::unique_ptr<contender> contend_fcl(const film &scene)
{
    return std::make_unique<fcl_contender>(scene);
}

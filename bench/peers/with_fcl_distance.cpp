// SPDX-License-Identifier: MIT
// FCL: trees of rectangles with a radius, built anew in each step, and its own distance query.
#include "bench/peers/peers.h"

#include <cmath>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/math/bv/RSS.h>
#include <fcl/narrowphase/distance.h>
#include <stdexcept>

namespace
{

typedef fcl::BVHModel<fcl::RSSd> tree;

class fcl_distance : public contender
{
  public:
    explicit fcl_distance(const film &f) : scene(f), bodies(2), xyz(2)
    {
        for (const narrow_tri &t : f.triangles)
            corners.emplace_back(t.v[0], t.v[1], t.v[2]);
        for (std::vector<fcl::Vector3d> &points : xyz)
            points.resize(f.vertices);
    }

    void deform(uint32_t step) override
    {
        for (uint32_t i = 0; i < 2; i++) {
            const float *from = scene.at(step, i);
            for (uint32_t v = 0; v < scene.vertices; v++, from += 3)
                xyz[i][v] = {from[0], from[1], from[2]};
        }
    }

    step_time step() override
    {
        const double begin = now_s();
        for (uint32_t i = 0; i < 2; i++) {
            bodies[i] = std::make_unique<tree>();
            bodies[i]->beginModel((int)corners.size(), (int)scene.vertices);
            bodies[i]->addSubModel(xyz[i], corners);
            if (bodies[i]->endModel() != fcl::BVH_OK)
                throw std::runtime_error("FCL built no tree");
        }
        const double updated = now_s();
        fcl::DistanceRequestd request;
        fcl::DistanceResultd result;
        const fcl::Transform3d still = fcl::Transform3d::Identity();
        apart = fcl::distance(bodies[0].get(), still, bodies[1].get(), still, request, result);
        return {updated - begin, now_s() - begin};
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
    std::vector<fcl::Triangle> corners;
    std::vector<std::unique_ptr<tree>> bodies;
    std::vector<std::vector<fcl::Vector3d>> xyz;
    double apart = NAN;
};

} // namespace

std::unique_ptr<contender> contend_fcl_distance(const film &scene)
{
    return std::make_unique<fcl_distance>(scene);
}

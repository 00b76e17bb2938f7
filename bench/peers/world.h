// SPDX-License-Identifier: MIT
// A context and a scene of shoal, and triangles as each side of a comparison has them.
#ifndef PEERS_WORLD_H
#define PEERS_WORLD_H

#include "bench/peers/check.h"
#include "bench/peers/narrow.h"

#include <shoal/shoal.h>
#include <vector>

class world
{
  public:
    explicit world(const shoal_scene_def &def = shoal_scene_def_default())
    {
        const shoal_context_def own = shoal_context_def_default();
        check(shoal_context_create(&own, &ctx));
        open(def);
    }

    world(const world &) = delete;

    ~world()
    {
        shoal_scene_destroy(scene);
        shoal_model_destroy(model);
        shoal_context_destroy(ctx);
    }

    // A new scene in place of the last one.
    void open(const shoal_scene_def &def)
    {
        shoal_scene_destroy(scene);
        scene = nullptr;
        check(shoal_scene_create(ctx, &def, &scene));
    }

    // The model of all bodies; `def` says everything but the triangles.
    void make_model(const std::vector<narrow_tri> &rows, shoal_model_def def)
    {
        std::vector<uint32_t> corners;
        for (const narrow_tri &t : rows)
            corners.insert(corners.end(), t.v, t.v + 3);
        def.triangles = corners.data();
        def.triangle_count = (uint32_t)rows.size();
        check(shoal_model_create(ctx, &def, &model));
    }

    shoal_context *ctx = nullptr;
    shoal_model *model = nullptr;
    shoal_scene *scene = nullptr;
};

inline std::vector<narrow_tri> rows_of(const uint32_t *corners, uint32_t count)
{
    std::vector<narrow_tri> out;
    for (uint32_t i = 0; i < count; i++, corners += 3)
        out.push_back({{corners[0], corners[1], corners[2]}, i});
    return out;
}

#endif

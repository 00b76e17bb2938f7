// SPDX-License-Identifier: MIT
// What is pinned. Values are in values.inc.
#include "golden.h"

#include <shoal/study.h>

#define OVERLAP                                                                                \
    (SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST | SHOAL_QUERY_SELF | SHOAL_QUERY_SELF_ADJACENT)
#define DISTANCES                                                                              \
    (SHOAL_QUERY_NEAREST | SHOAL_QUERY_WITHIN | SHOAL_QUERY_NEAREST_TRIANGLES |                \
     SHOAL_QUERY_NEAREST_SELF)

static uint64_t list_used(const shoal_stats *s)
{
    return s->list_reused;
}

static uint64_t fat_used(const shoal_stats *s)
{
    return s->fat_used;
}

static uint64_t grid_used(const shoal_stats *s)
{
    return s->grid_cells;
}

static uint64_t evaluated(const shoal_stats *s)
{
    return s->evaluated_vertices;
}

static uint64_t rebuilt(const shoal_stats *s)
{
    return s->rebuilds;
}

#define FREE(n)                                                                                \
    {                                                                                          \
        .name = "free " n, .world = n, .queries = OVERLAP, .free = true                        \
    }
#define OVERLAPS(n)                                                                            \
    {                                                                                          \
        .name = "overlap " n, .world = n, .queries = OVERLAP, .use = evaluated                 \
    }
#define DISTANT(n)                                                                             \
    {                                                                                          \
        .name = "distance " n, .world = n, .queries = DISTANCES, .within = 0.25                \
    }
#define ENGINE(n, q, e)                                                                        \
    {                                                                                          \
        .name = "distance " n, .world = "skinned_mixed", .queries = q, .engine = e,            \
        .within = 0.25, .use = (e) == SHOAL_DISTANCE_GRID ? grid_used : NULL                   \
    }
#define ENGINES(n, q)                                                                          \
    ENGINE(n " trees", q, SHOAL_DISTANCE_TREES), ENGINE(n " grid", q, SHOAL_DISTANCE_GRID),    \
        ENGINE(n " plain", q, SHOAL_DISTANCE_PLAIN)

const golden_row golden_rows[] = {
    FREE("spheres"),
    FREE("arms"),
    FREE("soups"),
    FREE("slivers"),
    FREE("lattice"),
    FREE("coplanar"),
    FREE("denormal_f32"),
    FREE("denormal_f64"),
    FREE("between_floats"),
    FREE("huge_f32"),
    FREE("huge_f64"),
    FREE("single"),
    FREE("identical"),
    FREE("one_vertex"),
    FREE("sizes"),
    FREE("isolated"),
    FREE("many"),
    FREE("far_away"),
    FREE("skinned_mixed"),
    OVERLAPS("reduced_mixed"),
    OVERLAPS("reduced_far"),
    OVERLAPS("reduced_swollen"),
    OVERLAPS("reduced_huge"),
    OVERLAPS("reduced_lattice"),
    OVERLAPS("skinned_mixed"),
    OVERLAPS("skinned_far"),
    OVERLAPS("skinned_wild"),
    OVERLAPS("skinned_huge"),
    OVERLAPS("skinned_lattice"),

    {.name = "query pairs", .world = "skinned_mixed", .queries = SHOAL_QUERY_PAIRS},
    {.name = "query first", .world = "skinned_mixed", .queries = SHOAL_QUERY_FIRST},
    {.name = "query self", .world = "arms", .queries = SHOAL_QUERY_SELF},
    {.name = "query self adjacent", .world = "arms", .queries = SHOAL_QUERY_SELF_ADJACENT},
    {.name = "query self reduced", .world = "reduced_lattice", .queries = SHOAL_QUERY_SELF},
    {.name = "query self skinned", .world = "skinned_lattice", .queries = SHOAL_QUERY_SELF},

    {.name = "reduced spheres",
     .world = "reduced_mixed",
     .queries = OVERLAP,
     .bounds = SHOAL_BOUNDS_SPHERES,
     .use = evaluated},
    {.name = "reduced boxes",
     .world = "reduced_mixed",
     .queries = OVERLAP,
     .bounds = SHOAL_BOUNDS_BOXES,
     .use = evaluated},
    {.name = "reduced affine",
     .world = "reduced_mixed",
     .queries = OVERLAP,
     .bounds = SHOAL_BOUNDS_AFFINE,
     .use = evaluated},
    {.name = "skinned union boxes",
     .world = "skinned_wild",
     .queries = OVERLAP,
     .blend = SHOAL_BLEND_UNION,
     .region = SHOAL_INFLUENCE_BOXES,
     .use = evaluated},
    {.name = "skinned corner clipped",
     .world = "skinned_wild",
     .queries = OVERLAP,
     .blend = SHOAL_BLEND_CORNER,
     .region = SHOAL_INFLUENCE_CLIPPED,
     .use = evaluated},
    {.name = "skinned knapsack directions",
     .world = "skinned_wild",
     .queries = OVERLAP,
     .blend = SHOAL_BLEND_KNAPSACK,
     .region = SHOAL_INFLUENCE_DIRECTIONS,
     .use = evaluated},
    {.name = "skinned dual boxes",
     .world = "skinned_wild",
     .queries = OVERLAP,
     .blend = SHOAL_BLEND_DUAL,
     .region = SHOAL_INFLUENCE_BOXES,
     .use = evaluated},

    {.name = "contact spheres coarse",
     .world = "reduced_mixed",
     .queries = SHOAL_QUERY_SPHERES,
     .spheres = 3},
    {.name = "contact spheres fine",
     .world = "reduced_mixed",
     .queries = SHOAL_QUERY_SPHERES | OVERLAP,
     .spheres = 9},
    {.name = "contact spheres far",
     .world = "reduced_far",
     .queries = SHOAL_QUERY_SPHERES,
     .spheres = 6},
    {.name = "contact spheres and skinned",
     .world = "skinned_mixed",
     .queries = SHOAL_QUERY_SPHERES | OVERLAP,
     .spheres = 6},

    DISTANT("spheres"),
    DISTANT("slivers"),
    DISTANT("lattice"),
    DISTANT("far_away"),
    DISTANT("reduced_mixed"),
    DISTANT("reduced_huge"),
    DISTANT("skinned_far"),
    DISTANT("skinned_wild"),
    ENGINES("nearest", SHOAL_QUERY_NEAREST),
    ENGINES("within", SHOAL_QUERY_WITHIN),
    ENGINES("nearest triangles", SHOAL_QUERY_NEAREST_TRIANGLES),
    ENGINES("all", DISTANCES | OVERLAP),
    {.name = "distance nearest self",
     .world = "skinned_mixed",
     .queries = SHOAL_QUERY_NEAREST_SELF},
    {.name = "distance auto",
     .world = "spheres",
     .queries = DISTANCES,
     .within = 0.25,
     .engine = SHOAL_DISTANCE_AUTO},
    {.name = "distance grid coarse",
     .world = "spheres",
     .queries = DISTANCES,
     .within = 0.25,
     .engine = SHOAL_DISTANCE_GRID,
     .resolution = 40,
     .use = grid_used},

    {.name = "list spheres",
     .world = "spheres",
     .queries = OVERLAP,
     .list_margin = 2,
     .use = list_used},
    {.name = "list arms",
     .world = "arms",
     .queries = SHOAL_QUERY_PAIRS,
     .list_margin = 30,
     .use = list_used},
    {.name = "list skinned",
     .world = "skinned_lattice",
     .queries = OVERLAP,
     .list_margin = 50,
     .use = list_used},

    {.name = "replaced free", .world = "spheres", .queries = OVERLAP, .replaced = true},
    {.name = "replaced kinds",
     .world = "skinned_mixed",
     .queries = OVERLAP | DISTANCES,
     .within = 0.25,
     .replaced = true},
    {.name = "replaced list",
     .world = "spheres",
     .queries = OVERLAP,
     .list_margin = 2,
     .replaced = true,
     .use = list_used},
    {.name = "leaving kinds",
     .world = "skinned_mixed",
     .queries = OVERLAP | DISTANCES,
     .within = 0.25,
     .leaving = true},
    {.name = "broken",
     .world = "spheres",
     .queries = OVERLAP | DISTANCES,
     .within = 0.25,
     .broken = true},

    {.name = "fat boxes many",
     .world = "many",
     .queries = OVERLAP,
     .fat = true,
     .use = fat_used},
    {.name = "fat boxes kinds",
     .world = "skinned_lattice",
     .queries = OVERLAP,
     .fat = true,
     .use = fat_used},
    {.name = "fat boxes incremental",
     .world = "many",
     .queries = OVERLAP,
     .fat = true,
     .broad = SHOAL_BROAD_INCREMENTAL,
     .use = fat_used},
    {.name = "broad brute", .world = "many", .queries = OVERLAP, .broad = SHOAL_BROAD_BRUTE},
    {.name = "broad sweep", .world = "many", .queries = OVERLAP, .broad = SHOAL_BROAD_SWEEP},
    {.name = "broad tree", .world = "many", .queries = OVERLAP, .broad = SHOAL_BROAD_TREE},

    {.name = "coherence lazy",
     .world = "reduced_mixed",
     .queries = OVERLAP,
     .coherence = SHOAL_COHERENCE_LAZY},
    {.name = "coherence eager",
     .world = "reduced_mixed",
     .queries = OVERLAP,
     .coherence = SHOAL_COHERENCE_EAGER},
    {.name = "coherence swollen",
     .world = "reduced_swollen",
     .queries = OVERLAP,
     .coherence = SHOAL_COHERENCE_LAZY},

    {.name = "scene beams coherence lazy",
     .scene = "beams",
     .settings = "k=2 bodies=27",
     .queries = OVERLAP,
     .coherence = SHOAL_COHERENCE_LAZY},
    {.name = "scene beams coherence eager",
     .scene = "beams",
     .settings = "k=2 bodies=27",
     .queries = OVERLAP,
     .coherence = SHOAL_COHERENCE_EAGER},

    {.name = "rebuilt arms",
     .world = "arms",
     .queries = OVERLAP | DISTANCES,
     .within = 0.25,
     .strategy1 = 1 + SHOAL_STRATEGY_AUTO,
     .rebuild_ratio = 0.5,
     .use = rebuilt},
    {.name = "strategy hybrid",
     .world = "skinned_mixed",
     .queries = OVERLAP,
     .strategy1 = 1 + SHOAL_STRATEGY_HYBRID},
    {.name = "strategy bottom up",
     .world = "skinned_mixed",
     .queries = OVERLAP,
     .strategy1 = 1 + SHOAL_STRATEGY_BOTTOM_UP},
    {.name = "strategy top down",
     .world = "skinned_mixed",
     .queries = OVERLAP,
     .strategy1 = 1 + SHOAL_STRATEGY_TOP_DOWN},
    {.name = "strategy optimal",
     .world = "skinned_mixed",
     .queries = OVERLAP,
     .strategy1 = 1 + SHOAL_STRATEGY_OPTIMAL},

    // the nearest bodies pin places where nothing meets yet
    {.name = "scene bumpy-2",
     .scene = "bumpy-2",
     .settings = "k=4",
     .steps = 80,
     .queries = SHOAL_QUERY_NEAREST},
    {.name = "scene bumpy-27",
     .scene = "bumpy-27",
     .settings = "k=3",
     .queries = OVERLAP | SHOAL_QUERY_NEAREST},
    {.name = "scene arms-27",
     .scene = "arms-27",
     .settings = "k=3",
     .queries = OVERLAP | SHOAL_QUERY_NEAREST},
    {.name = "scene plates",
     .scene = "plates",
     .settings = "k=3 bodies=20",
     .queries = OVERLAP | SHOAL_QUERY_NEAREST},
    {.name = "scene tangle",
     .scene = "tangle",
     .settings = "k=3",
     .queries = OVERLAP | SHOAL_QUERY_NEAREST},
    {.name = "scene beams",
     .scene = "beams",
     .settings = "k=2 bodies=27",
     .queries = OVERLAP | SHOAL_QUERY_NEAREST},
    {.name = "scene beams spheres",
     .scene = "beams",
     .settings = "k=2 bodies=27 spheres=6",
     .queries = SHOAL_QUERY_SPHERES},
    {.name = "scene calm-27",
     .scene = "calm-27",
     .settings = "k=3",
     .queries = OVERLAP | SHOAL_QUERY_NEAREST},
    {.name = "scene calm-27 list",
     .scene = "calm-27",
     .settings = "k=3",
     .list_margin = 0.02,
     .queries = OVERLAP,
     .use = list_used},
    {.name = "scene chairs",
     .scene = "chairs",
     .settings = "count=8 spheres=6",
     .queries = SHOAL_QUERY_NEAREST,
     .steps = 160},
    {.name = "scene letters-bowl", .scene = "letters-bowl", .steps = 50},
    {.name = "scene letters-ramp", .scene = "letters-ramp", .settings = "bodies=20"},
    {.name = "scene skirt", .scene = "skirt"},
    {.name = "scene breaking", .scene = "breaking", .settings = "bodies=4", .steps = 60},
    {.name = "scene fish-bridge",
     .scene = "fish-bridge",
     .settings = "count=40 bays=2 spheres=5",
     .queries = SHOAL_QUERY_NEAREST},
    {.name = "scene curtain", .scene = "curtain", .steps = 195, .queries = SHOAL_QUERY_NEAREST},
    {.name = "scene ring",
     .scene = "ring",
     .settings = "vertices=600 controls=40",
     .steps = 70,
     .queries = SHOAL_QUERY_NEAREST},
    {.name = "scene fish-24",
     .scene = "fish-24",
     .settings = "vertices=1000 controls=40",
     .queries = OVERLAP | SHOAL_QUERY_NEAREST},
    {.name = "scene brain",
     .scene = "brain",
     .settings = "vertices=3000 controls=60",
     .queries = SHOAL_QUERY_NEAREST},
};

const size_t golden_row_count = sizeof golden_rows / sizeof *golden_rows;

// SPDX-License-Identifier: MIT
// A scene's tables. Jobs in runtime/steps read and write them; runtime/api fills them.
#ifndef SHL_RUNTIME_SCENE_SCENE_H
#define SHL_RUNTIME_SCENE_SCENE_H

#include "runtime/broad/broad.h"
#include "runtime/context.h"
#include "runtime/jobs/graph.h"
#include "runtime/jobs/pace.h"
#include "runtime/queries/distance/bounds/voronoi.h"

// Where the positions a step reads come from.
typedef enum shl_source {
    SHL_SOURCE_NONE = 0, // never set
    SHL_SOURCE_OWN,      // the body's own copy, in tree order
    SHL_SOURCE_IN_PLACE, // the user's array, packed and in tree order
    SHL_SOURCE_GATHER,   // the user's array, brought to tree order in each step
} shl_source;

// A tree that a body has for itself, since its model's no longer fits.
typedef struct shl_own_tree {
    shl_tree tree;
    uint32_t *from_model; // [vertex_count] the model's row of a row
} shl_own_tree;

enum {
    SHL_FRONT_NODES = 73,  // inner nodes of a body that are kept: three levels of eight
    SHL_FRONT_EPOCHS = 16, // a box is used for so many changes of q at most
};

// A node kept from step to step: boxes of its children for a past q, neither turned nor moved.
typedef struct shl_front_node {
    shl_block boxes;
    uint32_t epoch; // of that q; 0: none
    float limit;    // they are of use while q is not farther away
    _Atomic bool wanted;
} shl_front_node;
// What steps know of the nodes of a sheet (runtime/kinds/free/self_cull.c). Rows as the model's
// nodes.
typedef struct shl_sheet_state {
    shl_gradients *gradients; // of leaves and of nodes of leaves; NULL: the model has no sheet
    _Atomic uint64_t *proof;  // 2 * epoch, and 1 if it meets neither itself nor its near nodes
    _Atomic uint32_t fresh;   // leaves whose gradients are of this epoch
    shl_array memory;
} shl_sheet_state;

// The update front of a body of kind points (runtime/kinds/skinned/front.c). Blocks stand in
// the order of the model's.
typedef struct shl_corner {
    uint32_t count;         // nodes that are refreshed before the search
    shl_block *blocks;      // [count] boxes of their children
    uint32_t *nodes;        // [count] parents first
    uint32_t *place;        // [block_count] 1 + place in the two above; 0: none
    _Atomic uint8_t *asked; // [block_count] opened since the state changed
    shl_array memory;
} shl_corner;

// A freely deforming body. Boxes live in blocks, one a node: blocks[n] holds n's children.
typedef struct shl_free_body {
    const void *xyz;          // [3 * vertex_count] tree order, what kernels read
    const shl_tree *tree;     // the model's or own_tree's
    shl_own_tree *own_tree;   // NULL: none
    shl_block *blocks;        // [node_count]
    _Atomic uint32_t *stamps; // [node_count] epoch in which the block was made
    shl_sheet_state sheet;
    uint32_t epoch; // counts changes of position
    shoal_scalar scalar;
    shl_box box;     // world, valid when joined
    bool touched;    // blocks and stamps were written once
    bool joined;     // takes part in this step's queries
    bool bad;        // NaN or infinite positions
    bool fresh;      // boxes must be made anew in this step
    bool changed;    // positions were set since the last step
    bool behind;     // boxes are older than the positions: a list made them unnecessary
    bool has_loose;  // the user gave a loose box
    bool loose_told; // and knows that the body left it
    shl_box loose;
    shl_source source;
    shl_array eager;    // shl_eager, parts first, then what lies above them
    uint32_t eager_top; // first entry above the parts
    uint32_t eager_count;
    shl_array heat;          // uint8_t [node_count] how often the search opens a node, of 255
    _Atomic uint8_t *opened; // [node_count] opened in this step; NULL unless someone asks
    shl_array opened_memory;
    uint32_t age;         // steps made with this tree
    uint32_t opened_last; // inner nodes that the search opened when somebody looked last
    uint32_t unplanned;   // changes of heat since the cut was planned
    double sample;        // cost of the tree when it was built, by sample
    double quality;       // relative to it; 0: not known
    double lost_ns;       // by the search, because the tree is worse than when it was built
    uint64_t build_ns;    // what building a tree takes
    uint32_t rebuilds;
    shoal_positions user; // as given, for GATHER
    shl_array own;        // copied or gathered positions
    // A reduced body has no blocks and stamps; `own` holds rotation, translation and q.
    const shl_reduced *reduced; // the model's; NULL for a body of another kind
    // Nor has one of kind points; `own` holds the maps of its points.
    const shl_points *points;     // the model's; NULL for a body of another kind
    shl_array ready;              // shl_reduced_ready, or shl_points_ready and what it names
    bool wide;                    // beyond float32: `box` is the box of every node
    shl_corner corner;            // of a body of points
    shl_array front;              // shl_front_node [front_count]; empty without coherence
    shl_array past;               // double [SHL_FRONT_EPOCHS][field_count] q of the last epochs
    uint32_t front_count;         //
    uint32_t front_epoch;         // of the present q; 0: none yet
    float away[SHL_FRONT_EPOCHS]; // how far q is from that of an epoch, by epoch % EPOCHS
    uint32_t number;              // its row
    shl_array reference;          // positions when the list was made; empty without a skin
    shoal_model *model;           // NULL: the slot is free
    uint32_t generation;          // of its id
    uint32_t made; // of its model in this place; what steps keep is of no use to another
} shl_free_body;

// Whether nodes and vertices are made when touched, from the model's data, and kept by workers.
static inline bool shl_is_lazy(const shl_free_body *body)
{
    return body->reduced || body->points;
}

// Vertices of a body to bring to tree order: a row of the gather job.
typedef struct shl_vertex_part {
    uint32_t body;
    uint32_t begin, end;
} shl_vertex_part;

// A node whose block is made before the search, children first. Lanes in `merged` take their
// box from the child's own block, the others from vertices.
typedef struct shl_eager {
    uint32_t node;
    uint32_t merged;
} shl_eager;

// A subtree to refresh: a row of the refit job. It gives the box of its root, by the root's
// block if entries are listed, else straight from the vertices.
typedef struct shl_tree_part {
    uint32_t body;
    uint32_t root;
    uint32_t begin, end; // entries in the body's eager list
    bool scan;           // some leaf was opened, so NaN must be looked for apart
} shl_tree_part;

// Where the parts and the rest of a body's eager list end.
typedef struct shl_eager_counts {
    uint32_t top, all;
} shl_eager_counts;

// A body to learn from: a row of the learn job. What it finds is told to the body after the
// step.
typedef struct shl_lesson {
    uint32_t body;
    bool look; // at the tree's quality, too
    bool done, replanned;
    shl_eager_counts eager; // if replanned
    uint32_t opened, changes;
    double quality; // 0: not known
} shl_lesson;

// A tree to be built for a body: a row of the rebuild job. It takes effect after the step.
typedef struct shl_rebuild {
    uint32_t body;
    shoal_status status;
    shl_own_tree *made; // NULL: not made
    shl_block *blocks;
    _Atomic uint32_t *stamps;
    shl_array own; // positions in the new order
    double sample;
    uint64_t ns;
} shl_rebuild;

// A node that the cut of a part is about, parents first.
typedef struct shl_cut_row {
    uint32_t node;
    uint32_t child; // row of the first child that has one
    uint8_t listed; // lanes of children that have rows
    uint8_t merged; // lanes that take their box from the child's block
    bool eager;     // made before the search
    float lazy;     // expected cost of its block and all below if made when touched
    float made;     // if made ahead, each child's box by the cheaper way
} shl_cut_row;

// Two bodies whose boxes overlap, or one body with itself.
typedef struct shl_body_pair {
    uint32_t a, b;
    _Atomic uint32_t hit;  // first contact: set by whoever finds it
    uint32_t hit_a, hit_b; // its witness, the user's triangle numbers
} shl_body_pair;

// Where a walk starts.
typedef struct shl_seed {
    shl_node_pair nodes;
    uint32_t pair; // row in body_pairs
} shl_seed;

enum { SHL_PAIRS = 0, SHL_SELF = 1, SHL_KINDS = 2 }; // between bodies, within a body
enum { SHL_NEAR = SHL_KINDS, SHL_PAGE_KINDS };       // what pages carry besides results

// Found pairs on their way to the results. Workers take pages from the scene as they need them,
// so who finds how much may change from step to step without anyone allocating.
enum { SHL_PAGE_ROWS = 255 };
typedef struct shl_page {
    struct shl_page *next;  // where the same worker went on
    struct shl_page *extra; // the worker's next extra page
    shoal_pair rows[SHL_PAGE_ROWS];
} shl_page;

// What one chunk of seeds found: rows in a chain of pages.
typedef struct shl_found {
    shl_page *page[SHL_PAGE_KINDS];
    uint32_t begin[SHL_PAGE_KINDS]; // first row in that page
    size_t count[SHL_PAGE_KINDS];
    size_t offset[SHL_PAGE_KINDS]; // in the results, after the scan
} shl_found;

typedef struct shl_counters {
    uint64_t reduced_nodes; // inner nodes of reduced bodies that a walk opened
    uint64_t node_pairs, opened_nodes, evaluated_vertices, candidates, exact_tests, leaf_ns;
    uint64_t distances;
} shl_counters;

// Contact spheres of one body, as far as somebody needed them.
typedef struct shl_spheres {
    uint32_t body1;   // 1 + its number; 0: nobody's
    shl_array boxes;  // shl_block [proxy_nodes] boxes of a node's children
    shl_array places; // double [proxy_nodes][4][SHL_LANES] of nodes on the lowest level
    shl_array made;   // uint8_t [proxy_nodes] which of them there are
} shl_spheres;

// One thread's own memory for its walks, on cache lines of its own.
typedef struct shl_walker {
    _Alignas(128) shl_node_pair *stack; // [SHL_STACK_ROWS]
    shl_tri_pair *candidates;           // [SHL_CANDIDATE_ROWS]
    shl_page *page[SHL_PAGE_KINDS];     // being filled
    uint32_t page_rows[SHL_PAGE_KINDS];
    shl_page *extra; // allocated in this step because the scene had no page left
    shl_array cut;   // shl_cut_row, scratch
    struct shl_reduced_cache *reduced; // NULL until there is a reduced body, or one of points
    shl_array face_room;               // float, scratch of kernels that open nodes of points
    struct shl_leaf_cache *leaves;     // NULL until there is a free body
    shl_spheres spheres[2];            // of two bodies
    shl_array gaps;                    // float [bodies] scratch
    shl_array near;                    // shl_block, boxes around a body, scratch
    shl_array brick, least;            // shl_brick_scratch; float [longest list]
    shl_array contacts;                // shoal_contact; what the first look at a pair found
    size_t contact_rows;               // of them
    shl_counters count;
} shl_walker;

// Where the contacts of a pair are kept until it is known where they belong.
typedef struct shl_kept {
    size_t first;     // row in a worker's contacts
    uint32_t worker1; // 1 + its number; 0: nowhere, they have to be found again
} shl_kept;

enum {
    SHL_DESCEND_MAX = SHL_BLOCK_PAIRS_MAX + SHL_LANES, // pairs one step down can make
    // A pair is replaced by pairs one level deeper, so a stack holds at most that many a level.
    SHL_STACK_ROWS = (2 * SHL_LEVELS_MAX + 2) * SHL_DESCEND_MAX,
    SHL_CANDIDATE_BATCH = 1024, // triangle pairs tested together
    SHL_CANDIDATE_ROWS = SHL_CANDIDATE_BATCH + SHL_DESCEND_MAX,
};

// Rows of one body_a in a result list; sorted apart from the others.
typedef struct shl_group {
    uint32_t kind;
    size_t begin, end;
} shl_group;

// Two triangles of the list, by rows, or of a body whose vertices are evaluated when touched by
// eight times their leaf's node and their lane in it. Pages carry it as a shoal_pair.
typedef struct shl_near {
    uint32_t pair; // row in body_pairs
    uint32_t a;    // triangle of its first body
    float slack;   // they cannot touch before their bodies moved by this together
    uint32_t b;
} shl_near;
_Static_assert(sizeof(shl_near) == sizeof(shoal_pair), "one is copied into the other");

// Which triangles are near each other, and for how long that stays true.
typedef struct shl_skin {
    float grow;          // boxes of one side, while a list is made; 0: no skin
    bool active;         // and no body and no query of this step forbids a list
    bool valid;          // the last step left a list that fits its bodies and queries
    bool usable;         // so this step may use it, if nothing moved too far
    bool reused;         // it does
    bool listing;        // it makes a new one
    uint32_t queries;    // that the list is for
    uint32_t body_pairs; // in body_pairs, without self pairs
    uint32_t part_count; // rows of parts and moved
    shl_array parts;     // shl_vertex_part, of all bodies that have positions
    shl_array moved;     // double, how far a part has moved since the list
    uint32_t motion_rows, mark_rows; // of this step
    uint32_t refit_rows, root_rows;  // none if the list is used
    uint32_t chunk_count;            // of the walk that makes a list
    shl_array chunks;                // shl_found
    uint32_t near_count;             //
    shl_array near;                  // shl_near
    float moved_most;                // by two bodies together, since the list was made
} shl_skin;

#define SHL_NONE UINT32_MAX

enum {
    SHL_DISTANCE_QUERIES = SHOAL_QUERY_NEAREST | SHOAL_QUERY_WITHIN |
                           SHOAL_QUERY_NEAREST_TRIANGLES | SHOAL_QUERY_NEAREST_SELF
};

// A triangle of a body: its leaf, its row in the tree, the user's number.
typedef struct shl_spot {
    uint32_t node, row, id;
} shl_spot;

// Two bodies, a < b, and their nearest triangles as far as they are known.
typedef struct shl_near_pair {
    double distance;
    uint32_t a, b;
    uint32_t made_a, made_b; // of the bodies of a witness; 0: there is none
    shl_spot at_a, at_b;
} shl_near_pair;

// The nearest triangle to a triangle; SHL_NONE: no body.
typedef struct shl_near_tri {
    double distance;
    uint32_t body;
    shl_spot at;
} shl_near_tri;

// Which rows of triangles a body has.
typedef struct shl_near_layout {
    uint32_t number, made, first, count;
} shl_near_layout;

// Searches for what is nearest, and what they found. Bodies here are those that take part, by
// their place in a list. Pairs and triangles of one step bound the search of the next.
typedef struct shl_distance {
    uint32_t body_count;
    shl_array bodies;       // uint32_t [body_count] numbers, ascending
    shl_array blocks;       // shl_block, their boxes, eight each
    double slack;           // most that any computed distance is below the truth
    shl_array bound;        // _Atomic uint64_t by number: a double that bounds the distance
    uint32_t witness_count; //
    shl_array witness;      // shl_near_pair by number, of the last step that asked
    uint32_t bound_rows, pair_count, point_rows, node_rows, recall_rows; // of jobs
    bool recalled;          // the job "distance_recall" has done that part of "distance_tris"
    shl_array pairs;        // shl_near_pair by (a, b)
    shl_array winner;       // uint32_t by number: row in pairs
    shl_array within_pairs; // uint32_t [within_count] rows in pairs
    shl_array tri_begin;    // uint32_t [body_count + 1] first triangle of a body
    shl_array node_begin;   // uint32_t [body_count + 1] first node of a body
    shl_array place;        // uint32_t by number: place in the list
    uint32_t layout_count;
    shl_array layout;  // shl_near_layout of bodies when `best` was made
    shl_array moved;   // shl_near_tri, for `best` to move to when bodies come and go
    shl_array best[2]; // shl_near_tri by triangle, tree order: of other bodies, of its own
    bool known[2];     // the last step that asked left them whole
    shl_array nearest, within, tris[2]; // shoal_nearest
    size_t nearest_count, within_count, tri_count[2];
} shl_distance;

// Who may answer queries of distances.
enum { SHL_WITH_TREES = 0, SHL_WITH_GRID, SHL_WITH_GPU, SHL_CONTENDERS };

// Bounds of distances by a grid (runtime/voronoi/). Triangles and nodes are numbered as in
// shl_distance.
typedef struct shl_grid {
    bool used;           // in this step
    bool on_gpu;         // by the GPU, which has been given the job under `ticket`
    _Atomic bool failed; // no bounds in this step
    uint32_t with;       // contender of this step
    uint64_t ticket;
    double origin[3], cell; // where it begins; the side of a cell
    uint32_t cells[3];
    uint64_t cell_count;
    float band, eps;            // cells
    uint32_t coarser;           // how often an overflow has doubled the cell
    bool told_coarse, told_gpu; // once is enough
    uint32_t near_rows, tri_rows, chunk_rows, brick_rows, body_rows; // of jobs
    shl_array wanted;     // uint8_t by node: a leaf that has something near
    shl_array tris;       // shl_cell_tri by triangle
    shl_array errors;     // double by chunk of nodes: worst error of a distance in cells
    shl_array upper;      // float by triangle, cells
    shl_array lower;      // float by triangle: square of a lower bound, world units
    shl_array node_lower; // float by node: the least of its triangles
    shl_voronoi voronoi;
    uint64_t gpu_jobs; // of this step
    shl_gpu_span span; // of its job
    // the measurement behind SHOAL_DISTANCE_AUTO
    uint32_t queries, generation, bodies; // what costs were measured for
    uint32_t age, retry_at, retry_gap;
    bool gpu_asked;              // whether there is one is known
    double cost[SHL_CONTENDERS]; // seconds; 0: not measured
} shl_grid;

// Which job sums the hashes of a list's rows.
typedef enum shl_sum_group {
    SHL_SUM_PAIRS,
    SHL_SUM_CONTACTS,
    SHL_SUM_NEAREST,
    SHL_SUM_GROUPS,
    SHL_SUM_AT_END = SHL_SUM_GROUPS, // none: a short list, summed with the chain
} shl_sum_group;

typedef struct shl_sums {
    uint32_t rows;   // of the job
    shl_array chunk; // uint64_t [rows] sums over 4096 result rows each
} shl_sums;

struct shoal_scene {
    shoal_context *ctx;
    shoal_allocator allocator; // of all its tables: the context's, in whole pages for the guard
    shoal_scene_def def;
    uint32_t workers_count;
    shl_walker *workers;

    uint32_t body_count;    // slots, some of them free
    uint32_t first_free;    // no free slot lies below it
    uint32_t generation;    // of the youngest body or model
    shl_array bodies;       // shl_free_body
    bool planned;           // the parts below fit the bodies
    const shl_costs *costs; // [2] by shoal_scalar; for strategies that weigh them
    float reload_ns;        // fetching a block for the search that was made before it
    uint32_t lesson_count, rebuild_count;
    shl_array lessons;  // shl_lesson
    shl_array rebuilds; // shl_rebuild

    bool untouched;                     // some body is new
    uint32_t touch_count;               // rows of the list, 0 when all bodies are touched
    shl_array touch;                    // shl_body_part: a part and how many there are
    uint32_t gather_count, refit_count; // rows of the two lists
    shl_array gather;                   // shl_vertex_part
    shl_array refit;                    // shl_tree_part
    shl_array refit_begin;              // [body_count + 1] first refit row of a body
    shl_array refit_finite;             // [refit_count] bytes: no NaN or infinity seen

    bool stepping; // on threads of the host: begun, not ended
    double step_start_s;
    uint64_t step_allocations; // the context's when the step began
    uint32_t queries;          // of this step
    uint32_t body_pair_count;
    shl_array body_pairs; // shl_body_pair, by (a, b); self pairs are among them
    shl_broad broad;      // boxes in, pairs out
    uint32_t front_rows;  // bodies, with coherence
    uint32_t corner_rows; // parts of bodies of points, if there are any
    uint32_t merge_rows;  // bodies, the same
    uint32_t box_rows;    // bodies whose boxes go in; 0 if no query needs pairs
    _Atomic uint32_t loose_used, loose_left; // bodies, in this step
    uint32_t seed_count;
    uint32_t seed_bundle; // seeds walked in one go
    uint32_t bundle_count;
    shl_array seeds, seeds_next; // shl_seed
    uint32_t found_count;
    shl_array found; // shl_found, one a chunk of seeds
    shl_array pages; // shl_page *[page_count], ready to be taken
    uint32_t page_count;
    _Atomic uint32_t pages_taken;
    shl_skin skin;
    uint32_t group_count;
    shl_array groups;             // shl_group
    shl_array result[SHL_KINDS];  // shoal_pair
    shl_array scratch[SHL_KINDS]; // shoal_pair, for sorting
    size_t result_count[SHL_KINDS];
    shl_array hits; // shoal_pair
    size_t hit_count;
    uint32_t contact_rows;   // body pairs to look at for contacts of spheres
    shl_array contact_pairs; // uint32_t [contact_rows] rows in body_pairs
    shl_array contact_begin; // size_t [contact_rows + 1] a pair's first contact, before: count
    shl_array contact_kept;  // shl_kept [contact_rows]
    shl_array contacts;      // shoal_contact
    size_t contact_count;
    shl_distance distance;
    shl_grid grid;
    shl_array bad; // uint32_t
    size_t bad_count;
    shl_sums sums[SHL_SUM_GROUPS];
    uint64_t hash;
    shl_graph graph;
    shl_pace pace;
    bool refusal_told; // that fewer threads than asked for could be started
    uint8_t *job_time; // [graph.job_count] which time of the statistics a job is part of
    shl_binder binder;
    shoal_stats stats;
};

static inline shl_free_body *shl_bodies(const shoal_scene *scene)
{
    return scene->bodies.data;
}

#endif

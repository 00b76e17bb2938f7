// SPDX-License-Identifier: MIT
// The surface-area builder (MacDonald & Booth 1990), for one pose or summed over many.
//
// Here boxes meet boxes, not rays: a box of size e meets a node about as often as the node's
// half area plus e times its edges says. e is of the order of the node itself, since nodes meet
// nodes of their own level. The work below a node grows less than its leaves do, because most
// of what reaches it does not reach all of them: leaves^(3/4) fits deforming surfaces well.
#include "layouts/radix.h"
#include "runtime/trees/binary.h"
#include "runtime/trees/linear.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    SMALL = 2 * SHL_LANES,              // up to here every place to split is tried
    GROUPS_MAX = SHL_LANES * SHL_LANES, // above, only those between so many groups
    PIECE = GROUPS_MAX,                 // triangles; smaller pieces leave gaps between them
    EDGE = SHL_LINEAR_GROUPS / 8, // no smaller pieces are split off for the sake of fields
    FRAMES_MAX = 3, // poses along whose axes splits are tried; areas are summed over all poses
};

static const float own_size = 0.75f;     // e by the square root of the parent's area
static const float unpacked_by = 1.125f; // what a split into uneven subtrees must gain
static const float too_short = 0.3f;     // axes that are not worth a try, by the longest

typedef struct bounds {
    float lo[4], hi[4]; // of x, y, z and nothing, relative to the whole
} bounds;

// Summed over poses: half the surface, and the size along each axis.
typedef struct extent {
    float area, size[3];
} extent;

typedef struct surface {
    shl_build *build;
    uint32_t count, poses;
    uint32_t lists; // three for each frame
    uint32_t
        *sorted[3 * FRAMES_MAX]; // [count] triangles by centre along x, y, z; nodes are ranges
    uint32_t *scratch;           // [count]
    bounds *box;                 // [poses][count]
    uint8_t *is_left;            // [count] by triangle: which side of the current split
    shl_array nodes;             // shl_binary_node
    uint32_t node_count;
    bool gaps;         // many small pieces: splits between them matter more than full subtrees
    shl_linear linear; // if there are fields
    char *memory;      // holds all columns
    size_t bytes;
} surface;

static inline bounds nothing(void)
{
    return (bounds){{INFINITY, INFINITY, INFINITY, 0}, {-INFINITY, -INFINITY, -INFINITY, 0}};
}

static inline void grow(bounds *b, const bounds *by)
{
    for (int k = 0; k < 3; k++) {
        b->lo[k] = b->lo[k] < by->lo[k] ? b->lo[k] : by->lo[k];
        b->hi[k] = b->hi[k] > by->hi[k] ? b->hi[k] : by->hi[k];
    }
}

static inline void add_extent(extent *e, const bounds *b)
{
    const float x = b->hi[0] - b->lo[0], y = b->hi[1] - b->lo[1], z = b->hi[2] - b->lo[2];
    e->area += x * y + y * z + z * x;
    e->size[0] += x;
    e->size[1] += y;
    e->size[2] += z;
}

// --- Where to split. ---

// A node being split. Along each axis its triangles in [from, until) form groups of `step`; a
// place to split is before each group but the first.
typedef struct task {
    uint32_t begin, count;
    uint32_t from, until; // counted from begin
    uint32_t step, groups;
    float other_size; // of the boxes that come
    // both sides of each place: what they measure, and what a visit to them costs
    extent left[GROUPS_MAX], right[GROUPS_MAX];
    float left_work[GROUPS_MAX], right_work[GROUPS_MAX];
} task;

typedef struct split {
    float cost;
    uint32_t uneven; // how far from the middle
    uint32_t along;  // which list
    uint32_t at;     // triangles on the left
    extent left, right;
} split;

static void sweep(const surface *s, task *t, uint32_t along)
{
    const uint32_t *list = s->sorted[along] + t->begin;
    const uint32_t splits = t->groups - 1;
    memset(t->left, 0, splits * sizeof *t->left);
    memset(t->right, 0, splits * sizeof *t->right);
    for (uint32_t pose = 0; pose < s->poses; pose++) {
        const bounds *box = s->box + (size_t)pose * s->count;
        bounds group[GROUPS_MAX], before = nothing(), after = nothing();
        for (uint32_t i = 0; i < t->from; i++)
            grow(&before, &box[list[i]]);
        for (uint32_t i = t->until; i < t->count; i++)
            grow(&after, &box[list[i]]);
        for (uint32_t g = 0, i = t->from; g < t->groups; g++) {
            const uint32_t end = i + t->step < t->until ? i + t->step : t->until;
            bounds all = box[list[i++]];
            while (i < end)
                grow(&all, &box[list[i++]]);
            group[g] = all;
        }
        bounds all = group[splits];
        grow(&all, &after);
        for (uint32_t p = splits; p-- > 0; grow(&all, &group[p]))
            add_extent(&t->right[p], &all);
        all = group[0];
        grow(&all, &before);
        for (uint32_t p = 0; p < splits; grow(&all, &group[++p]))
            add_extent(&t->left[p], &all);
    }
}

static inline float work(uint32_t leaves)
{
    const float n = (float)leaves; // roots and products are the same on every machine
    return sqrtf(n * sqrtf(n));
}

// `unit` is a power of 2: places at its multiples leave full subtrees. No side may have more
// than `room` leaves.
static void set_work(task *t, uint32_t unit, uint64_t capacity)
{
    for (uint32_t p = 0; p + 1 < t->groups; p++) {
        const uint32_t at = t->from + (p + 1) * t->step;
        const uint32_t left = shl_leaves_of(at), right = shl_leaves_of(t->count - at);
        const float packed = at & (unit - 1) ? unpacked_by : 1;
        const bool fits = left <= capacity && right <= capacity;
        t->left_work[p] = fits ? packed * work(left) : INFINITY;
        t->right_work[p] = fits ? packed * work(right) : INFINITY;
    }
}

static inline float visits(const task *t, const extent *e)
{
    return e->area + t->other_size * (e->size[0] + e->size[1] + e->size[2]);
}

// Ties go to the first axis and to the more even split.
static void choose(const task *t, uint32_t along, split *best)
{
    for (uint32_t p = 0; p + 1 < t->groups; p++) {
        const float cost = visits(t, &t->left[p]) * t->left_work[p] +
                           visits(t, &t->right[p]) * t->right_work[p];
        if (!(cost <= best->cost)) // also what does not fit, be it 0 times infinity
            continue;
        const uint32_t at = t->from + (p + 1) * t->step, rest = t->count - at;
        const uint32_t uneven = at > rest ? at - rest : rest - at;
        if (cost < best->cost || uneven < best->uneven)
            *best = (split){cost, uneven, along, at, t->left[p], t->right[p]};
    }
}

static void set_groups(task *t, uint32_t from, uint32_t until, uint32_t step)
{
    t->from = from;
    t->until = until;
    t->step = step;
    t->groups = (until - from) / step + ((until - from) % step != 0);
}

// Around a split: finer groups of both groups beside it.
static void zoom(task *t, uint32_t at)
{
    const uint32_t left = t->count - at, span = left < t->step ? left : t->step;
    set_groups(t, at - t->step, at + span, (2 * t->step - 1) / GROUPS_MAX + 1);
}

static split best_split(const surface *s, const shl_binary_node *node, uint32_t level)
{
    task t;
    t.begin = node->begin;
    t.count = node->end - node->begin;
    uint32_t unit = SHL_LANES;
    while ((uint64_t)unit * SHL_LANES < t.count)
        unit *= SHL_LANES;
    set_groups(&t, 0, t.count,
               t.count <= SMALL   ? 1
               : unit > SHL_LANES ? unit / SHL_LANES
                                  : SHL_LANES);
    // narrow nodes are full whatever they hold, wide ones only if their subtrees are
    unit = s->build->arity == SHL_LANES && !s->gaps && t.step > 1 ? unit : 1;
    const uint64_t capacity = 1ull << (SHL_LEVELS_MAX - 1 - level);
    set_work(&t, unit, capacity);
    t.other_size = own_size * sqrtf(node->area);
    const float longest = fmaxf(node->size[0], fmaxf(node->size[1], node->size[2]));
    split best = {.cost = FLT_MAX, .uneven = UINT32_MAX};
    for (uint32_t along = 0; along < s->lists; along++) {
        if (node->size[along % 3] < too_short * longest)
            continue;
        sweep(s, &t, along);
        choose(&t, along, &best);
    }
    // where packing does not matter, the best place may lie within a group
    while (t.step > 1 && (s->gaps || best.at & (unit - 1))) {
        zoom(&t, best.at);
        set_work(&t, unit, capacity);
        sweep(s, &t, best.along);
        choose(&t, best.along, &best);
    }
    return best;
}

// The first splits of a model with fields are where these become most nearly linear.
static bool linear_split(surface *s, const shl_binary_node *node, uint32_t level, split *out)
{
    const uint32_t count = node->end - node->begin;
    if (!s->linear.sums || level >= SHL_LINEAR_LEVELS || count < SHL_LINEAR_LEAST)
        return false;
    split best = {.cost = FLT_MAX};
    for (uint32_t along = 0; along < s->lists; along++) {
        float rest[SHL_LINEAR_GROUPS - 1];
        shl_linear_rest(&s->linear, s->sorted[along] + node->begin, count, rest);
        for (uint32_t p = EDGE - 1; p < SHL_LINEAR_GROUPS - EDGE; p++) {
            if (rest[p] < best.cost)
                best =
                    (split){.cost = rest[p], .along = along, .at = shl_linear_split(count, p)};
        }
    }
    if (best.at == 0) // no rest is a number
        return false;
    task t;
    t.begin = node->begin;
    t.count = count;
    set_groups(&t, 0, count, best.at);
    sweep(s, &t, best.along);
    best.left = t.left[0];
    best.right = t.right[0];
    *out = best;
    return true;
}

// --- The binary tree. ---

// Splits all lists the same way, each keeping its own order. What has become leaves is not
// looked at again.
static void apply(surface *s, const shl_binary_node *node, const split *by)
{
    const uint32_t *along = s->sorted[by->along] + node->begin;
    const uint32_t count = node->end - node->begin;
    if (by->at <= SHL_LANES || count - by->at <= SHL_LANES)
        memcpy(s->build->order + node->begin, along, count * sizeof *along);
    if (by->at <= SHL_LANES && count - by->at <= SHL_LANES)
        return;
    for (uint32_t i = 0; i < count; i++)
        s->is_left[along[i]] = i < by->at;
    for (uint32_t k = 0; k < s->lists; k++) {
        if (k == by->along)
            continue;
        uint32_t *list = s->sorted[k];
        uint32_t kept = node->begin, right_count = 0;
        for (uint32_t i = node->begin; i < node->end; i++) {
            const uint32_t t = list[i], left = s->is_left[t];
            list[kept] = t; // not yet read beyond i, where it is overwritten if t goes right
            s->scratch[right_count] = t;
            kept += left;
            right_count += !left;
        }
        memcpy(list + kept, s->scratch, right_count * sizeof *list);
    }
}

static shl_binary_node make_node(const surface *s, uint32_t begin, uint32_t end,
                                 const extent *e)
{
    const float part = 1 / (float)s->poses, area = part * e->area;
    const float edges = part * (e->size[0] + e->size[1] + e->size[2]);
    return (shl_binary_node){
        begin, end, 0, area, area + sqrtf(area) * edges, {e->size[0], e->size[1], e->size[2]}};
}

// Depth first, so that the lists of small nodes stay in the cache.
static shoal_status split_all(surface *s)
{
    struct {
        uint32_t node, level;
    } stack[SHL_LEVELS_MAX + 2] = {{0, 0}};
    uint32_t depth = 1;
    while (depth) {
        const uint32_t at = stack[--depth].node, level = stack[depth].level;
        const size_t size = sizeof(shl_binary_node), n = s->node_count;
        const shoal_status st =
            shl_array_reserve(&s->nodes, (n + 2) * size, n * size, s->build->allocator);
        if (st != SHOAL_OK)
            return st;
        shl_binary_node *nodes = s->nodes.data, *p = &nodes[at];
        if (p->end - p->begin <= SHL_LANES)
            continue;
        split by;
        if (!linear_split(s, p, level, &by))
            by = best_split(s, p, level);
        apply(s, p, &by);
        p->left = s->node_count;
        nodes[n] = make_node(s, p->begin, p->begin + by.at, &by.left);
        nodes[n + 1] = make_node(s, p->begin + by.at, p->end, &by.right);
        s->node_count += 2;
        stack[depth].node = p->left + 1;
        stack[depth++].level = level + 1;
        stack[depth].node = p->left;
        stack[depth++].level = level + 1;
    }
    return SHOAL_OK;
}

// --- Boxes and lists. ---

// A pose's boxes, moved and scaled into [0, 1]: areas then neither overflow nor vanish. Returns
// half of what is 1 then; halves, since the difference of two finite doubles may not be finite.
static double measure(const surface *s, const double *xyz, bounds *out)
{
    const uint32_t *corner = s->build->in->triangles;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * (size_t)s->count; i++) {
        for (int k = 0; k < 3; k++) {
            const double x = 0.5 * xyz[3 * (size_t)corner[i] + k];
            lo[k] = x < lo[k] ? x : lo[k];
            hi[k] = x > hi[k] ? x : hi[k];
        }
    }
    double size = 1e-300; // smaller ones have no inverse
    for (int k = 0; k < 3; k++)
        size = hi[k] - lo[k] > size ? hi[k] - lo[k] : size;
    const double scale = 1 / size;
    for (uint32_t i = 0; i < s->count; i++) {
        const double *p[3];
        for (int c = 0; c < 3; c++)
            p[c] = xyz + 3 * (size_t)corner[3 * (size_t)i + c];
        for (int k = 0; k < 3; k++) {
            const double x = p[0][k], y = p[1][k], z = p[2][k];
            const double low = x < y ? x : y, high = x > y ? x : y;
            out[i].lo[k] = (float)((0.5 * (low < z ? low : z) - lo[k]) * scale);
            out[i].hi[k] = (float)((0.5 * (high > z ? high : z) - lo[k]) * scale);
        }
    }
    return size;
}

// All poses by one measure, so that where a body is larger it counts more. Returns the sum of
// their whole boxes.
static extent measure_all(const surface *s, double *size)
{
    const shl_build_input *in = s->build->in;
    extent whole = {0};
    double largest = 0;
    for (uint32_t pose = 0; pose < s->poses; pose++) {
        const double *xyz =
            in->pose_count ? in->poses + 3 * (size_t)in->vertex_count * pose : in->xyz;
        size[pose] = measure(s, xyz, s->box + (size_t)pose * s->count);
        largest = size[pose] > largest ? size[pose] : largest;
    }
    for (uint32_t pose = 0; pose < s->poses; pose++) {
        bounds *box = s->box + (size_t)pose * s->count, all = nothing();
        const float scale = (float)(size[pose] / largest);
        for (uint32_t i = 0; i < s->count; i++) {
            for (int k = 0; scale != 1 && k < 3; k++) {
                box[i].lo[k] *= scale;
                box[i].hi[k] *= scale;
            }
            grow(&all, &box[i]);
        }
        add_extent(&whole, &all);
    }
    return whole;
}

// By centre in one of the poses, to 24 bits, then by number.
static void sort_list(surface *s, uint32_t along, uint64_t *keys)
{
    const uint32_t frames = s->lists / 3;
    const uint32_t pose = frames > 1 ? along / 3 * (s->poses - 1) / (frames - 1) : 0;
    const bounds *box = s->box + (size_t)pose * s->count;
    for (uint32_t i = 0; i < s->count; i++) {
        const float sum = box[i].lo[along % 3] + box[i].hi[along % 3];
        keys[i] = (uint64_t)((float)(1 << 23) * sum) << 32 | i;
    }
    shl_radix_sort(keys, keys + s->count, s->count, 32);
    for (uint32_t i = 0; i < s->count; i++)
        s->sorted[along][i] = (uint32_t)keys[i];
}

static shoal_status start(surface *s)
{
    const shoal_allocator *allocator = s->build->allocator;
    const size_t n = s->count, list = (n * sizeof(uint32_t) + 63) / 64 * 64;
    const size_t boxes = n * s->poses * sizeof(bounds);
    const size_t sizes = s->poses * sizeof(double);
    s->bytes = boxes + sizes + (s->lists + 1) * list + n;
    s->memory = shl_alloc(allocator, s->bytes);
    uint64_t *keys = shl_alloc(allocator, 2 * n * sizeof *keys);
    shoal_status st = s->memory && keys ? SHOAL_OK : SHOAL_ERR_MEMORY;
    if (st == SHOAL_OK)
        st = shl_array_reserve(&s->nodes, (n / 4 + 2) * sizeof(shl_binary_node), 0, allocator);
    if (st == SHOAL_OK) {
        s->box = (bounds *)s->memory;
        char *at = s->memory + boxes + sizes;
        for (uint32_t i = 0; i < s->lists; i++, at += list)
            s->sorted[i] = (uint32_t *)at;
        s->scratch = (uint32_t *)at;
        s->is_left = (uint8_t *)(at + list);
        const extent whole = measure_all(s, (double *)(s->memory + boxes));
        for (uint32_t i = 0; i < s->lists; i++)
            sort_list(s, i, keys);
        ((shl_binary_node *)s->nodes.data)[0] = make_node(s, 0, s->count, &whole);
        s->node_count = 1;
    }
    shl_free(allocator, keys, 2 * n * sizeof *keys);
    return st;
}

static inline uint32_t root_of(uint32_t *to, uint32_t v)
{
    while (to[v] != v) {
        to[v] = to[to[v]]; // shorter next time
        v = to[v];
    }
    return v;
}

// Are there many pieces that share no vertex? Counts them by joining vertices.
static shoal_status find_gaps(surface *s)
{
    const uint32_t *corner = s->build->in->triangles;
    const size_t bytes = s->build->in->vertex_count * sizeof(uint32_t);
    uint32_t *to = shl_alloc(s->build->allocator, bytes), pieces = 0;
    if (!to)
        return SHOAL_ERR_MEMORY;
    memset(to, 0xff, bytes);
    for (size_t i = 0; i < 3 * (size_t)s->count; i++) {
        pieces += to[corner[i]] != corner[i];
        to[corner[i]] = corner[i];
    }
    for (size_t i = 0; i < 3 * (size_t)s->count; i += 3) {
        const uint32_t root = root_of(to, corner[i]);
        for (int k = 1; k < 3; k++) {
            const uint32_t other = root_of(to, corner[i + (size_t)k]);
            pieces -= other != root;
            to[other] = root;
        }
    }
    s->gaps = s->count < (uint64_t)PIECE * pieces;
    shl_free(s->build->allocator, to, bytes);
    return SHOAL_OK;
}

shoal_status shl_build_surface_area(shl_build *b)
{
    surface s = {.build = b,
                 .count = b->in->triangle_count,
                 .poses = b->in->pose_count ? b->in->pose_count : 1};
    s.lists = 3 * (s.poses < FRAMES_MAX ? s.poses : FRAMES_MAX);
    shoal_status st = start(&s);
    if (st == SHOAL_OK)
        st = find_gaps(&s);
    if (st == SHOAL_OK && b->in->field_count && !b->in->pose_count)
        st = shl_linear_begin(&s.linear, b->in, b->allocator);
    if (st == SHOAL_OK)
        st = split_all(&s);
    if (st == SHOAL_OK)
        st = shl_collapse(b, s.nodes.data, s.node_count);
    shl_linear_end(&s.linear, b->allocator);
    shl_free(b->allocator, s.memory, s.bytes);
    shl_array_finish(&s.nodes, b->allocator);
    return st;
}

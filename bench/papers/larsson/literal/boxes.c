// SPDX-License-Identifier: MIT
// Trees of axis-aligned boxes in the world: Larsson & Akenine-Moller's three ways to update
// them, and the search through two of them.
#include "bench/papers/larsson/literal/literal.h"

static void from_vertices(const literal_world *w, uint32_t body, uint32_t node,
                          literal_box *out)
{
    const literal_node *n = &w->tree->nodes[node];
    const float *xyz = w->xyz + 3 * (size_t)body * w->tree->vertex_count;
    const uint32_t *list = w->tree->vertices + n->first_vertex;
    const float *p = xyz + 3 * (size_t)list[0];
    float x0 = p[0], y0 = p[1], z0 = p[2], x1 = x0, y1 = y0, z1 = z0;
    for (uint32_t i = 1; i < n->vertex_count; i++) {
        p = xyz + 3 * (size_t)list[i];
        x0 = p[0] < x0 ? p[0] : x0;
        y0 = p[1] < y0 ? p[1] : y0;
        z0 = p[2] < z0 ? p[2] : z0;
        x1 = p[0] > x1 ? p[0] : x1;
        y1 = p[1] > y1 ? p[1] : y1;
        z1 = p[2] > z1 ? p[2] : z1;
    }
    *out = (literal_box){{x0, y0, z0}, {x1, y1, z1}, w->step};
}

static void from_children(const literal_world *w, literal_box *boxes, uint32_t node)
{
    const literal_node *n = &w->tree->nodes[node];
    literal_box box = boxes[n->first_child];
    for (uint32_t i = 1; i < n->child_count; i++) {
        const literal_box *c = &boxes[n->first_child + i];
        for (int k = 0; k < 3; k++) {
            box.lo[k] = c->lo[k] < box.lo[k] ? c->lo[k] : box.lo[k];
            box.hi[k] = c->hi[k] > box.hi[k] ? c->hi[k] : box.hi[k];
        }
    }
    boxes[node] = box;
}

// Level order: backwards, children come before their parent.
void literal_update_boxes(literal_world *w, uint32_t body)
{
    const literal_tree *t = w->tree;
    literal_box *boxes = w->boxes + (size_t)body * t->node_count;
    const bool all = w->method == LITERAL_BOTTOM_UP;
    const uint32_t end = all ? t->node_count : w->method == LITERAL_HYBRID ? t->cut : 1;
    for (uint32_t node = end; node-- > 0;) {
        const literal_node *n = &t->nodes[node];
        if (n->child_count && n->first_child < end)
            from_children(w, boxes, node);
        else
            from_vertices(w, body, node, &boxes[node]);
    }
    w->roots[body] = boxes[0];
}

static const literal_box *touch(const literal_world *w, uint32_t body, uint32_t node)
{
    literal_box *box = &w->boxes[(size_t)body * w->tree->node_count + node];
    if (box->step != w->step)
        from_vertices(w, body, node, box);
    return box;
}

static bool overlap(const literal_box *a, const literal_box *b)
{
    return a->lo[0] <= b->hi[0] && b->lo[0] <= a->hi[0] && a->lo[1] <= b->hi[1] &&
           b->lo[1] <= a->hi[1] && a->lo[2] <= b->hi[2] && b->lo[2] <= a->hi[2];
}

static float half_area(const literal_box *box)
{
    const float x = box->hi[0] - box->lo[0], y = box->hi[1] - box->lo[1];
    const float z = box->hi[2] - box->lo[2];
    return x * y + y * z + z * x;
}

// Into the larger node; of equal ones into that nearer to its root.
static bool into_a(const literal_node *a, const literal_node *b, float area_a, float area_b)
{
    if (!a->child_count || !b->child_count)
        return a->child_count > 0;
    return area_a > area_b || (area_a == area_b && a->level <= b->level);
}

void literal_search_boxes(literal_world *w, const uint32_t body[2])
{
    const literal_node *nodes = w->tree->nodes;
    w->stack_count = 0;
    literal_push(w, 0, 0);
    while (w->stack_count && !w->failed) {
        const literal_node_pair p = w->stack[--w->stack_count];
        const literal_node *a = &nodes[p.a], *b = &nodes[p.b];
        if (!a->child_count && !b->child_count) {
            if (literal_candidate(w, body, a->triangle, b->triangle))
                return;
            continue;
        }
        const literal_box *box_a = touch(w, body[0], p.a), *box_b = touch(w, body[1], p.b);
        if (into_a(a, b, half_area(box_a), half_area(box_b))) {
            for (uint32_t i = 0; i < a->child_count; i++) {
                w->box_tests++;
                if (overlap(touch(w, body[0], a->first_child + i), box_b))
                    literal_push(w, a->first_child + i, p.b);
            }
        } else {
            for (uint32_t i = 0; i < b->child_count; i++) {
                w->box_tests++;
                if (overlap(box_a, touch(w, body[1], b->first_child + i)))
                    literal_push(w, p.a, b->first_child + i);
            }
        }
    }
    literal_decide(w, body);
}

// SPDX-License-Identifier: MIT
// Van den Bergen 1997: boxes in the body's own frame, all of them refitted after a deformation,
// and tested as oriented boxes by the six face normals ("SAT lite"). The nine axes across edges
// are left out: the test may say yes too often, never no too often.
#include "bench/papers/larsson/literal/literal.h"

#include <float.h>
#include <math.h>

static void from_triangle(literal_obb *out, const float *p, const float *q, const float *r)
{
    for (int k = 0; k < 3; k++) {
        float lo = p[k] < q[k] ? p[k] : q[k], hi = p[k] > q[k] ? p[k] : q[k];
        lo = r[k] < lo ? r[k] : lo;
        hi = r[k] > hi ? r[k] : hi;
        out->centre[k] = 0.5f * (lo + hi);
        out->extent[k] = 0.5f * (hi - lo);
    }
}

static void from_children(literal_obb *out, const literal_obb *child, uint32_t count)
{
    for (int k = 0; k < 3; k++) {
        float lo = child->centre[k] - child->extent[k],
              hi = child->centre[k] + child->extent[k];
        for (uint32_t i = 1; i < count; i++) {
            const float l = child[i].centre[k] - child[i].extent[k];
            const float h = child[i].centre[k] + child[i].extent[k];
            lo = l < lo ? l : lo;
            hi = h > hi ? h : hi;
        }
        out->centre[k] = 0.5f * (lo + hi);
        out->extent[k] = 0.5f * (hi - lo);
    }
}

// How far rounding may have moved a side of a box inwards, and what follows from it: three
// roundings a level, ten in a test, each of a number not larger than this sum of lengths.
static float slack_of(const literal_world *w, double lengths)
{
    return (float)((4 * w->tree->depth + 16) * FLT_EPSILON * lengths);
}

static double reach(const literal_obb *box)
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += fabs((double)box->centre[k]) + (double)box->extent[k];
    return sum;
}

static double length_of(const double v[3])
{
    return fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
}

// The world's box around the root, for finding bodies that are near each other.
static void put_root(literal_world *w, uint32_t body, const literal_obb *root)
{
    const shl_frame *f = &w->frames[body];
    const float slack = slack_of(w, reach(root) + length_of(f->centre));
    for (int k = 0; k < 3; k++) {
        double centre = f->centre[k], extent = (double)slack;
        for (int j = 0; j < 3; j++) {
            centre += f->rotation[3 * k + j] * (double)root->centre[j];
            extent += fabs(f->rotation[3 * k + j]) * (double)root->extent[j];
        }
        w->roots[body].lo[k] = (float)(centre - extent);
        w->roots[body].hi[k] = (float)(centre + extent);
    }
}

void literal_update_obbs(literal_world *w, uint32_t body)
{
    const literal_tree *t = w->tree;
    literal_obb *boxes = w->obbs + (size_t)body * t->node_count;
    const float *own = w->own + 3 * (size_t)body * t->vertex_count;
    for (uint32_t node = t->node_count; node-- > 0;) {
        const literal_node *n = &t->nodes[node];
        const uint32_t *v = t->triangles[n->triangle].v;
        if (n->child_count)
            from_children(&boxes[node], &boxes[n->first_child], n->child_count);
        else
            from_triangle(&boxes[node], own + 3 * (size_t)v[0], own + 3 * (size_t)v[1],
                          own + 3 * (size_t)v[2]);
    }
    put_root(w, body, &boxes[0]);
}

// From one body's frame to another's: x -> turn * x + shift.
typedef struct passage {
    float turn[3][3], size[3][3], shift[3]; // size: absolute values of turn
} passage;

static passage passage_from(const shl_frame *from, const shl_frame *to)
{
    passage p;
    for (int i = 0; i < 3; i++) {
        double shift = 0;
        for (int k = 0; k < 3; k++)
            shift += to->rotation[3 * k + i] * (from->centre[k] - to->centre[k]);
        p.shift[i] = (float)shift;
        for (int j = 0; j < 3; j++) {
            double turn = 0;
            for (int k = 0; k < 3; k++)
                turn += to->rotation[3 * k + i] * from->rotation[3 * k + j];
            p.turn[i][j] = (float)turn;
            p.size[i][j] = fabsf(p.turn[i][j]);
        }
    }
    return p;
}

// Two bodies in the same step.
typedef struct meeting {
    passage b_to_a, a_to_b;
    float slack;
} meeting;

static bool apart(const literal_obb *a, const literal_obb *b, const passage *b_to_a,
                  float slack)
{
    for (int i = 0; i < 3; i++) {
        const float *t = b_to_a->turn[i], *s = b_to_a->size[i];
        const float gap = t[0] * b->centre[0] + t[1] * b->centre[1] + t[2] * b->centre[2] +
                          b_to_a->shift[i] - a->centre[i];
        const float sum = a->extent[i] + s[0] * b->extent[0] + s[1] * b->extent[1] +
                          s[2] * b->extent[2] + slack;
        if (fabsf(gap) > sum)
            return true;
    }
    return false;
}

static bool overlap(const literal_obb *a, const literal_obb *b, const meeting *m)
{
    return !apart(a, b, &m->b_to_a, m->slack) && !apart(b, a, &m->a_to_b, m->slack);
}

static float size_of(const literal_obb *box)
{
    const float *e = box->extent;
    return e[0] * e[1] + e[1] * e[2] + e[2] * e[0];
}

void literal_search_obbs(literal_world *w, const uint32_t body[2])
{
    const literal_node *nodes = w->tree->nodes;
    const literal_obb *boxes_a = w->obbs + (size_t)body[0] * w->tree->node_count;
    const literal_obb *boxes_b = w->obbs + (size_t)body[1] * w->tree->node_count;
    const shl_frame *frame_a = &w->frames[body[0]], *frame_b = &w->frames[body[1]];
    meeting m = {passage_from(frame_b, frame_a), passage_from(frame_a, frame_b), 0};
    m.slack = slack_of(w, reach(boxes_a) + reach(boxes_b) + length_of(frame_a->centre) +
                              length_of(frame_b->centre));
    w->stack_count = 0;
    if (overlap(boxes_a, boxes_b, &m))
        literal_push(w, 0, 0);
    while (w->stack_count && !w->failed) {
        const literal_node_pair p = w->stack[--w->stack_count];
        const literal_node *a = &nodes[p.a], *b = &nodes[p.b];
        if (!a->child_count && !b->child_count) {
            if (literal_candidate(w, body, a->triangle, b->triangle))
                return;
            continue;
        }
        const float more = size_of(&boxes_a[p.a]) - size_of(&boxes_b[p.b]);
        const bool into_a =
            !b->child_count ||
            (a->child_count && (more > 0 || (more == 0 && a->level <= b->level)));
        const literal_node *parent = into_a ? a : b;
        for (uint32_t i = 0; i < parent->child_count; i++) {
            const uint32_t child = parent->first_child + i;
            const literal_node_pair next =
                into_a ? (literal_node_pair){child, p.b} : (literal_node_pair){p.a, child};
            w->box_tests++;
            if (overlap(&boxes_a[next.a], &boxes_b[next.b], &m))
                literal_push(w, next.a, next.b);
        }
    }
    literal_decide(w, body);
}

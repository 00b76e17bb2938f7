// SPDX-License-Identifier: MIT
// Which memory belongs to which table. A new array of the scene or of a body has its line here,
// or the guard does not see it.
#include "runtime/scene/tables.h"

#include <stddef.h>
#include <unistd.h>

static uint32_t number(uint64_t table)
{
    return (uint32_t)__builtin_ctzll(table);
}

const char *const shl_table_names[64] = {
    "plan",     "sources",  "positions", "blocks",    "boxes", "body_pairs",
    "seeds",    "found",    "results",   "groups",    "hash",  "broad",
    "trees",    "lessons",  "rebuilt",   "reference", "moved", "near",
    "contacts", "distance", "nearest",   "grid",
};

// Arrays of the scene.
static const struct {
    uint64_t table;
    size_t offset;
} arrays[] = {
    {PLAN, offsetof(shoal_scene, touch)},
    {PLAN, offsetof(shoal_scene, gather)},
    {PLAN, offsetof(shoal_scene, refit)},
    {PLAN, offsetof(shoal_scene, refit_begin)},
    {BLOCKS, offsetof(shoal_scene, refit_finite)},
    {BODY_PAIRS, offsetof(shoal_scene, body_pairs)},
    {SEEDS, offsetof(shoal_scene, seeds)},
    {SEEDS, offsetof(shoal_scene, seeds_next)},
    {FOUND, offsetof(shoal_scene, found)},
    {FOUND, offsetof(shoal_scene, pages)},
    {RESULTS, offsetof(shoal_scene, result[0])},
    {RESULTS, offsetof(shoal_scene, result[1])},
    {RESULTS, offsetof(shoal_scene, scratch[0])},
    {RESULTS, offsetof(shoal_scene, scratch[1])},
    {RESULTS, offsetof(shoal_scene, sums[SHL_SUM_PAIRS].chunk)},
    {CONTACTS, offsetof(shoal_scene, sums[SHL_SUM_CONTACTS].chunk)},
    {NEAREST, offsetof(shoal_scene, sums[SHL_SUM_NEAREST].chunk)},
    {GROUPS, offsetof(shoal_scene, groups)},
    {CONTACTS, offsetof(shoal_scene, contact_pairs)},
    {CONTACTS, offsetof(shoal_scene, contact_begin)},
    {CONTACTS, offsetof(shoal_scene, contact_kept)},
    {CONTACTS, offsetof(shoal_scene, contacts)},
    {DISTANCE, offsetof(shoal_scene, distance.bodies)},
    {DISTANCE, offsetof(shoal_scene, distance.blocks)},
    {DISTANCE, offsetof(shoal_scene, distance.bound)},
    {DISTANCE, offsetof(shoal_scene, distance.witness)},
    {DISTANCE, offsetof(shoal_scene, distance.pairs)},
    {DISTANCE, offsetof(shoal_scene, distance.winner)},
    {DISTANCE, offsetof(shoal_scene, distance.within_pairs)},
    {DISTANCE, offsetof(shoal_scene, distance.tri_begin)},
    {DISTANCE, offsetof(shoal_scene, distance.node_begin)},
    {DISTANCE, offsetof(shoal_scene, distance.layout)},
    {DISTANCE, offsetof(shoal_scene, distance.moved)},
    {DISTANCE, offsetof(shoal_scene, distance.best[0])},
    {DISTANCE, offsetof(shoal_scene, distance.best[1])},
    {DISTANCE, offsetof(shoal_scene, distance.place)},
    {NEAREST, offsetof(shoal_scene, distance.nearest)},
    {NEAREST, offsetof(shoal_scene, distance.within)},
    {NEAREST, offsetof(shoal_scene, distance.tris[0])},
    {NEAREST, offsetof(shoal_scene, distance.tris[1])},
    {GRID, offsetof(shoal_scene, grid.wanted)},
    {GRID, offsetof(shoal_scene, grid.tris)},
    {GRID, offsetof(shoal_scene, grid.errors)},
    {GRID, offsetof(shoal_scene, grid.upper)},
    {GRID, offsetof(shoal_scene, grid.lower)},
    {GRID, offsetof(shoal_scene, grid.node_lower)},
    {GRID, offsetof(shoal_scene, grid.voronoi.owners)},
    {GRID, offsetof(shoal_scene, grid.voronoi.begin)},
    {GRID, offsetof(shoal_scene, grid.voronoi.active)},
    {GRID, offsetof(shoal_scene, grid.voronoi.list)},
    {GRID, offsetof(shoal_scene, grid.voronoi.least)},
    {PLAN, offsetof(shoal_scene, skin.parts)},
    {MOVED, offsetof(shoal_scene, skin.moved)},
    {FOUND, offsetof(shoal_scene, skin.chunks)},
    {NEAR, offsetof(shoal_scene, skin.near)},
    {HASH, offsetof(shoal_scene, hits)},
    {HASH, offsetof(shoal_scene, bad)},
    {LESSONS, offsetof(shoal_scene, lessons)},
    {REBUILT, offsetof(shoal_scene, rebuilds)},
};

static void add(shl_extents *out, uint64_t table, shl_extent_kind kind, const void *data,
                size_t bytes)
{
    shl_extents_add(out, (shl_extent){(void *)data, bytes, number(table), kind});
}

// A user's array is closed only if it is packed and begins on a page: anything else may share
// its pages with what the user's other threads are just using.
static void add_user(shl_extents *out, uint64_t table, const shoal_positions *p)
{
    const size_t size = p->scalar == SHOAL_F32 ? sizeof(float) : sizeof(double);
    const bool packed = p->stride == 3 && (const char *)p->y == (const char *)p->x + size &&
                        (const char *)p->z == (const char *)p->x + 2 * size;
    if (packed && (uintptr_t)p->x % (uintptr_t)sysconf(_SC_PAGESIZE) == 0)
        add(out, table, SHL_EXTENT_FOREIGN, p->x, 3 * (size_t)p->count * size);
}

static void add_tree(shl_extents *out, const shl_own_tree *own)
{
    shl_column list[SHL_TREE_COLUMNS];
    shl_tree tree = own->tree;
    shl_tree_columns(&tree, list);
    for (int i = 0; i < SHL_TREE_COLUMNS; i++)
        add(out, TREES, SHL_EXTENT_OWN, *list[i].data, list[i].bytes);
    add(out, TREES, SHL_EXTENT_OWN, own->from_model,
        own->tree.vertex_count * sizeof *own->from_model);
    add(out, TREES, SHL_EXTENT_OWN, own, sizeof *own);
}

static void add_body(shl_extents *out, const shl_free_body *b)
{
    if (!b->model)
        return;
    add(out, BLOCKS, SHL_EXTENT_OWN, b->ready.data, b->ready.capacity);
    add(out, BLOCKS, SHL_EXTENT_OWN, b->front.data, b->front.capacity);
    add(out, BLOCKS, SHL_EXTENT_OWN, b->past.data, b->past.capacity);
    add(out, BLOCKS, SHL_EXTENT_OWN, b->corner.memory.data, b->corner.memory.capacity);
    const size_t nodes = b->tree->node_count;
    add(out, BLOCKS, SHL_EXTENT_OWN, b->blocks, nodes * sizeof *b->blocks);
    add(out, BLOCKS, SHL_EXTENT_OWN, (const void *)b->stamps, nodes * sizeof *b->stamps);
    add(out, BLOCKS, SHL_EXTENT_OWN, b->sheet.memory.data, b->sheet.memory.capacity);
    add(out, BLOCKS, SHL_EXTENT_OWN, b->opened_memory.data, b->opened_memory.capacity);
    add(out, LESSONS, SHL_EXTENT_OWN, b->heat.data, b->heat.capacity);
    if (b->own_tree)
        add_tree(out, b->own_tree);
    add(out, PLAN, SHL_EXTENT_OWN, b->eager.data, b->eager.capacity);
    add(out, POSITIONS, SHL_EXTENT_OWN, b->own.data, b->own.capacity);
    add(out, REFERENCE, SHL_EXTENT_OWN, b->reference.data, b->reference.capacity);
    if (b->source == SHL_SOURCE_IN_PLACE)
        add_user(out, POSITIONS, &b->user);
    if (b->source == SHL_SOURCE_GATHER)
        add_user(out, SOURCES, &b->user);
}

// The pages a scene has ready, and those its workers took beyond them in this step.
static void add_pages(shl_extents *out, const shoal_scene *s)
{
    for (uint32_t i = 0; i < s->page_count; i++)
        add(out, FOUND, SHL_EXTENT_OWN, ((shl_page *const *)s->pages.data)[i],
            sizeof(shl_page));
    for (uint32_t i = 0; i < s->workers_count; i++) {
        for (const shl_page *page = s->workers[i].extra; page; page = page->extra)
            add(out, FOUND, SHL_EXTENT_OWN, page, sizeof *page);
    }
}

static void add_grid(shl_extents *out, const shl_voronoi *v)
{
    for (uint32_t i = 0; i < v->chunk_room; i++)
        add(out, GRID, SHL_EXTENT_OWN, v->found[i].data, v->found[i].capacity);
    add(out, GRID, SHL_EXTENT_OWN, v->found, v->chunk_room * sizeof *v->found);
    add(out, GRID, SHL_EXTENT_OWN, v->written, v->chunk_room * sizeof *v->written);
}

void shl_list_tables(void *ctx, shl_extents *out)
{
    shoal_scene *s = ctx;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        const shl_array *array = (const shl_array *)((const char *)s + arrays[i].offset);
        add(out, arrays[i].table, SHL_EXTENT_OWN, array->data, array->capacity);
    }
    shl_array *broad[SHL_BROAD_ARRAYS];
    for (uint32_t i = 0; i < shl_broad_arrays(&s->broad, broad); i++)
        add(out, BROAD, SHL_EXTENT_OWN, broad[i]->data, broad[i]->capacity);
    // rows of bodies hold their boxes, but also what every job must know of a body
    add(out, BOXES, SHL_EXTENT_OPEN, s->bodies.data, s->bodies.capacity);
    for (uint32_t i = 0; i < s->body_count; i++)
        add_body(out, &shl_bodies(s)[i]);
    add_pages(out, s);
    add_grid(out, &s->grid.voronoi);
}

// --- Whole pages. ---

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t whole(size_t size)
{
    const size_t page = page_bytes();
    return (size + page - 1) / page * page;
}

static void *page_alloc(void *user, size_t size, size_t align)
{
    const shoal_allocator *from = user;
    const size_t page = page_bytes();
    if (size > SIZE_MAX - page)
        return NULL;
    return from->alloc(from->user, whole(size), align > page ? align : page);
}

static void page_release(void *user, void *memory, size_t size)
{
    const shoal_allocator *from = user;
    *(volatile char *)memory = 0; // giving memory back is a write, whatever the allocator does
    from->release(from->user, memory, whole(size));
}

shoal_allocator shl_allocator_pages(const shoal_allocator *from)
{
    return (shoal_allocator){page_alloc, page_release, (void *)from};
}

// SPDX-License-Identifier: MIT
// Binding the threads of a scene, or noting where somebody else has bound them.
#include "runtime/place/place.h"

#include <hwloc.h>

enum { NOWHERE = -1 };

// OpenMP keeps its threads, so one that sits right needs no system call: 2 * CPU + whole core.
static _Thread_local int bound_to = NOWHERE;

static int binding_of(const shl_seat *seat)
{
    return 2 * seat->at.cpu + seat->whole_core;
}

static hwloc_obj_t core_of(const shl_place *place, int cpu)
{
    const hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(place->topology, (unsigned)cpu);
    const hwloc_obj_t core =
        pu ? hwloc_get_ancestor_obj_by_type(place->topology, HWLOC_OBJ_CORE, pu) : NULL;
    return core ? core : pu;
}

shoal_status shl_binder_init(shl_binder *b, const shl_place *place, shoal_bind bind,
                             uint32_t workers, const shoal_allocator *allocator)
{
    *b = (shl_binder){.place = place, .workers = workers};
    b->seats = shl_alloc(allocator, workers * sizeof *b->seats);
    b->state = shl_zalloc(allocator, workers * sizeof *b->state);
    b->own = shl_zalloc(allocator, workers * sizeof *b->own);
    if (!b->seats || !b->state || !b->own)
        return SHOAL_ERR_MEMORY;
    for (uint32_t i = 0; i < workers; i++)
        b->seats[i] = (shl_seat){shl_unbound, false};
    if (!place->topology)
        return SHOAL_OK;
    b->looks = place->user_binds;
    b->binds =
        !b->looks &&
        (bind == SHOAL_BIND_CORES ||
         (bind == SHOAL_BIND_AUTO && shl_place_auto(place->topology, place->allowed, workers)));
    if (b->binds)
        b->binds = shl_place_seats(place->topology, place->allowed, workers, b->seats);
    if (!b->binds && !b->looks)
        return SHOAL_OK;
    b->host = hwloc_bitmap_alloc();
    bool all = b->host != NULL;
    for (uint32_t i = 0; i < workers; i++) {
        b->own[i] = hwloc_bitmap_alloc();
        all = all && b->own[i];
    }
    return all ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

void shl_binder_finish(shl_binder *b, const shoal_allocator *allocator)
{
    hwloc_bitmap_free(b->host);
    for (uint32_t i = 0; b->own && i < b->workers; i++)
        hwloc_bitmap_free(b->own[i]);
    shl_free(allocator, b->seats, b->workers * sizeof *b->seats);
    shl_free(allocator, b->state, b->workers * sizeof *b->state);
    shl_free(allocator, b->own, b->workers * sizeof *b->own);
    *b = (shl_binder){0};
}

// A set within one core is a seat; a wider one is none.
static void look(shl_binder *b, uint32_t worker)
{
    const shl_place *place = b->place;
    hwloc_bitmap_t set = b->own[worker];
    shl_seat *seat = &b->seats[worker];
    *seat = (shl_seat){shl_unbound, false};
    b->state[worker] = SHL_SEAT_FREE;
    if (hwloc_get_cpubind(place->topology, set, HWLOC_CPUBIND_THREAD) != 0)
        return;
    const int cpu = hwloc_bitmap_first(set);
    const hwloc_obj_t core = cpu >= 0 ? core_of(place, cpu) : NULL;
    if (!core || !hwloc_bitmap_isincluded(set, core->cpuset))
        return;
    seat->at = (shoal_binding){cpu, (int32_t)core->logical_index, -1};
    seat->whole_core = hwloc_bitmap_weight(set) > 1;
    seat->at.numa = hwloc_bitmap_first(core->nodeset);
    b->state[worker] = SHL_SEAT_TAKEN;
}

static void bind_thread(shl_binder *b, uint32_t worker)
{
    const shl_place *place = b->place;
    const shl_seat *seat = &b->seats[worker];
    hwloc_bitmap_t set = b->own[worker];
    const hwloc_obj_t core = core_of(place, seat->at.cpu);
    hwloc_bitmap_only(set, (unsigned)seat->at.cpu);
    if (seat->whole_core && core)
        hwloc_bitmap_and(set, core->cpuset, place->allowed);
    const bool done = hwloc_set_cpubind(place->topology, set,
                                        HWLOC_CPUBIND_THREAD | HWLOC_CPUBIND_STRICT) == 0;
    b->state[worker] = done ? SHL_SEAT_TAKEN : SHL_SEAT_REFUSED;
}

void shl_binder_enter(void *ctx, uint32_t worker)
{
    shl_binder *b = ctx;
    if (b->looks && !b->told)
        look(b, worker);
    if (!b->binds || b->state[worker] == SHL_SEAT_REFUSED)
        return;
    if (worker == 0) {
        if (hwloc_get_cpubind(b->place->topology, b->host, HWLOC_CPUBIND_THREAD) == 0)
            bind_thread(b, 0);
        else // what cannot be given back is not taken
            b->state[0] = SHL_SEAT_REFUSED;
        return;
    }
    const int wanted = binding_of(&b->seats[worker]);
    if (bound_to == wanted) {
        b->state[worker] = SHL_SEAT_TAKEN;
        return;
    }
    bind_thread(b, worker);
    bound_to = b->state[worker] == SHL_SEAT_TAKEN ? wanted : NOWHERE;
}

void shl_binder_leave(void *ctx, uint32_t worker)
{
    shl_binder *b = ctx;
    if (worker == 0 && b->binds && b->state[0] == SHL_SEAT_TAKEN)
        (void)hwloc_set_cpubind(b->place->topology, b->host, HWLOC_CPUBIND_THREAD);
}

bool shl_binder_crowded(const shl_binder *b, uint32_t *a, uint32_t *other)
{
    if (b->workers > b->place->allowed_cores)
        return false; // some must share
    for (*other = 1; *other < b->workers; ++*other) {
        for (*a = 0; *a < *other; ++*a) {
            const int32_t core = b->seats[*a].at.core;
            if (core >= 0 && core == b->seats[*other].at.core)
                return true;
        }
    }
    return false;
}

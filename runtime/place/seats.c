// SPDX-License-Identifier: MIT
// Who sits where: pure functions over a topology.
#include "runtime/place/place.h"

#include <hwloc.h>

// Where cores stand in the topology; on machines that tell of none each CPU is one.
static int core_depth(hwloc_topology_t t)
{
    const int depth = hwloc_get_type_depth(t, HWLOC_OBJ_CORE);
    return depth >= 0 ? depth : hwloc_get_type_depth(t, HWLOC_OBJ_PU);
}

// CPUs in both sets, the nth of which is *nth on return.
static uint32_t common(hwloc_const_bitmap_t a, hwloc_const_bitmap_t b, uint32_t nth, int *cpu)
{
    uint32_t count = 0;
    int i;
    *cpu = -1;
    hwloc_bitmap_foreach_begin(i, a)
    {
        if (hwloc_bitmap_isset(b, (unsigned)i) && count++ == nth)
            *cpu = i;
    }
    hwloc_bitmap_foreach_end();
    return count;
}

static uint32_t core_cpus(hwloc_topology_t t, hwloc_const_bitmap_t allowed, unsigned index)
{
    int unused;
    return common(hwloc_get_obj_by_depth(t, core_depth(t), index)->cpuset, allowed, 0, &unused);
}

static shoal_binding seat_at(hwloc_topology_t t, unsigned index, int cpu)
{
    shoal_binding at = {cpu, (int32_t)index, -1};
    hwloc_obj_t node = NULL;
    while ((node = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_NUMANODE, node))) {
        if (hwloc_bitmap_isset(node->cpuset, (unsigned)cpu))
            at.numa = (int32_t)node->os_index;
    }
    return at;
}

// How many workers core `index` gets. In each round every core with a CPU to spare gets one; a
// last round with too few workers is spread evenly over those cores.
static uint32_t core_workers(hwloc_topology_t t, hwloc_const_bitmap_t allowed, uint32_t workers,
                             unsigned index)
{
    const unsigned cores = hwloc_get_nbobjs_by_depth(t, core_depth(t));
    const uint32_t mine = core_cpus(t, allowed, index);
    uint32_t count = 0;
    for (uint32_t round = 0; workers; round++) {
        uint32_t takers = 0, before = 0;
        for (unsigned i = 0; i < cores; i++) {
            const bool takes = core_cpus(t, allowed, i) > round;
            takers += takes;
            before += takes && i < index;
        }
        if (takers == 0)
            break;
        if (mine > round) {
            // the nth of `takers` gets one if a multiple of takers/workers falls on it
            const uint64_t n = before, w = workers < takers ? workers : takers;
            count +=
                (uint32_t)(((n + 1) * w + takers - 1) / takers - (n * w + takers - 1) / takers);
        }
        workers -= workers < takers ? workers : takers;
    }
    return count;
}

bool shl_place_seats(hwloc_topology_t t, hwloc_const_bitmap_t allowed, uint32_t workers,
                     shl_seat *seats)
{
    for (uint32_t i = 0; i < workers; i++)
        seats[i] = (shl_seat){shl_unbound, false};
    const int cpus = hwloc_bitmap_weight(allowed);
    if (cpus < 0 || workers > (uint32_t)cpus)
        return false;
    const unsigned cores = hwloc_get_nbobjs_by_depth(t, core_depth(t));
    uint32_t seated = 0;
    for (unsigned c = 0; c < cores && seated < workers; c++) {
        const hwloc_obj_t object = hwloc_get_obj_by_depth(t, core_depth(t), c);
        const uint32_t count = core_workers(t, allowed, workers, c);
        for (uint32_t i = 0; i < count && seated < workers; i++) {
            int cpu;
            (void)common(object->cpuset, allowed, i, &cpu);
            seats[seated++] = (shl_seat){seat_at(t, c, cpu), count == 1};
        }
    }
    return seated == workers;
}

// Objects of a type that hold an allowed CPU.
static uint32_t reached(hwloc_topology_t t, hwloc_const_bitmap_t allowed, hwloc_obj_type_t type)
{
    uint32_t count = 0;
    hwloc_obj_t o = NULL;
    while ((o = hwloc_get_next_obj_by_type(t, type, o)))
        count += hwloc_bitmap_intersects(o->cpuset, allowed) != 0;
    return count;
}

uint32_t shl_place_cores(hwloc_topology_t t, hwloc_const_bitmap_t allowed)
{
    return reached(t, allowed, hwloc_get_depth_type(t, core_depth(t)));
}

bool shl_place_auto(hwloc_topology_t t, hwloc_const_bitmap_t allowed, uint32_t workers)
{
    const uint32_t cores = shl_place_cores(t, allowed);
    const int cpus = hwloc_bitmap_weight(allowed);
    if (workers < 2 || (workers != cores && workers != (uint32_t)cpus))
        return false;
    return reached(t, allowed, HWLOC_OBJ_NUMANODE) > 1 ||
           reached(t, allowed, HWLOC_OBJ_PACKAGE) > 1;
}

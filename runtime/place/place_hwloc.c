// SPDX-License-Identifier: MIT
#include "runtime/place/place.h"

#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t count_of(hwloc_topology_t t, hwloc_obj_type_t type)
{
    const int n = hwloc_get_nbobjs_by_type(t, type);
    return n > 0 ? (uint32_t)n : 0;
}

// The process's CPUs; all of the machine's if the system does not tell.
static hwloc_bitmap_t allowed_cpus(hwloc_topology_t t)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (!set)
        return NULL;
    const hwloc_const_bitmap_t all = hwloc_topology_get_allowed_cpuset(t);
    if (hwloc_get_cpubind(t, set, HWLOC_CPUBIND_PROCESS) == 0)
        hwloc_bitmap_and(set, set, all);
    if (hwloc_bitmap_iszero(set))
        hwloc_bitmap_copy(set, all);
    return set;
}

// Says the user how OpenMP's threads are bound, also that they are not?
static bool user_binds(void)
{
    static const char *const names[] = {"OMP_PLACES", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY",
                                        "KMP_AFFINITY"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = secure_getenv(names[i]);
        if (text && *text)
            return true;
    }
    return false;
}

static void read_machine(shl_place *place)
{
    const hwloc_topology_t t = place->topology;
    shoal_machine *m = &place->machine;
    m->packages = count_of(t, HWLOC_OBJ_PACKAGE);
    m->numa_nodes = count_of(t, HWLOC_OBJ_NUMANODE);
    m->cores = count_of(t, HWLOC_OBJ_CORE);
    m->cpus = count_of(t, HWLOC_OBJ_PU);
    const int allowed = hwloc_bitmap_weight(place->allowed);
    m->allowed_cpus = allowed > 0 ? (uint32_t)allowed : m->cpus;
    place->allowed_cores = shl_place_cores(t, place->allowed);
    const hwloc_obj_t package = hwloc_get_obj_by_type(t, HWLOC_OBJ_PACKAGE, 0);
    const char *name = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    snprintf(m->cpu, sizeof m->cpu, "%s", name ? name : "");
    const hwloc_obj_type_t caches[3] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE,
                                        HWLOC_OBJ_L3CACHE};
    for (int i = 0; i < 3; i++) {
        const hwloc_obj_t cache = hwloc_get_obj_by_type(t, caches[i], 0);
        m->cache_bytes[i] = cache ? cache->attr->cache.size : 0;
    }
}

void shl_place_init(shl_place *place)
{
    memset(place, 0, sizeof *place);
    place->machine.allowed_cpus = 1;
    place->user_binds = user_binds();
    if (hwloc_topology_init(&place->topology) != 0) {
        place->topology = NULL;
        return;
    }
    place->allowed =
        hwloc_topology_load(place->topology) == 0 ? allowed_cpus(place->topology) : NULL;
    if (place->allowed)
        read_machine(place);
    else
        shl_place_finish(place);
}

void shl_place_correct(shl_place *place, uint32_t cpus)
{
    if (!place->user_binds || !place->topology || cpus <= place->machine.allowed_cpus)
        return;
    // which CPUs they are is lost; the machine's is the best guess
    hwloc_bitmap_copy(place->allowed, hwloc_topology_get_allowed_cpuset(place->topology));
    const uint32_t cores = shl_place_cores(place->topology, place->allowed);
    place->machine.allowed_cpus = cpus;
    place->allowed_cores = cores < cpus ? cores : cpus;
}

void shl_place_finish(shl_place *place)
{
    hwloc_bitmap_free(place->allowed);
    if (place->topology)
        hwloc_topology_destroy(place->topology);
    place->allowed = NULL;
    place->topology = NULL;
}

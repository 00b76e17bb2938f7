// SPDX-License-Identifier: MIT
#include "runtime/place/place.h"

#include <hwloc.h>
#include <stdio.h>
#include <string.h>

static uint32_t count_of(hwloc_topology_t t, hwloc_obj_type_t type)
{
    const int n = hwloc_get_nbobjs_by_type(t, type);
    return n > 0 ? (uint32_t)n : 0;
}

static uint32_t allowed_cpus(hwloc_topology_t t)
{
    uint32_t count = 0;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (set && hwloc_get_cpubind(t, set, HWLOC_CPUBIND_PROCESS) == 0) {
        hwloc_bitmap_and(set, set, hwloc_topology_get_allowed_cpuset(t));
        const int n = hwloc_bitmap_weight(set);
        count = n > 0 ? (uint32_t)n : 0;
    }
    hwloc_bitmap_free(set);
    return count;
}

void shl_place_init(shl_place *place)
{
    memset(place, 0, sizeof *place);
    shoal_machine *m = &place->machine;
    m->allowed_cpus = 1;
    hwloc_topology_t t;
    if (hwloc_topology_init(&t) != 0)
        return;
    if (hwloc_topology_load(t) == 0) {
        m->packages = count_of(t, HWLOC_OBJ_PACKAGE);
        m->numa_nodes = count_of(t, HWLOC_OBJ_NUMANODE);
        m->cores = count_of(t, HWLOC_OBJ_CORE);
        m->cpus = count_of(t, HWLOC_OBJ_PU);
        const uint32_t allowed = allowed_cpus(t);
        m->allowed_cpus = allowed ? allowed : m->cpus;
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
    hwloc_topology_destroy(t);
}

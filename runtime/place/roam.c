// SPDX-License-Identifier: MIT
#include "runtime/place/place.h"

#include <hwloc.h>

void shl_place_roam(const shl_place *place)
{
    if (place->topology)
        hwloc_set_cpubind(place->topology, place->allowed, HWLOC_CPUBIND_THREAD);
}

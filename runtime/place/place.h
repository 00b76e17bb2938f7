// SPDX-License-Identifier: MIT
// What the machine is and which of its CPUs this process may use.
#ifndef SHL_RUNTIME_PLACE_PLACE_H
#define SHL_RUNTIME_PLACE_PLACE_H

#include <shoal/context.h>

typedef struct shl_place {
    shoal_machine machine;
} shl_place;

// Reads the topology. Must run before the first OpenMP call: later, binding may have narrowed
// the set to one core. Never fails; what is unknown stays 0 or empty.
void shl_place_init(shl_place *place);

#endif

// SPDX-License-Identifier: MIT
// What the machine is, which of its CPUs this process may use, and where workers sit on it.
#ifndef SHL_RUNTIME_PLACE_PLACE_H
#define SHL_RUNTIME_PLACE_PLACE_H

#include "layouts/memory.h"

#include <shoal/scene.h>

struct hwloc_topology;
struct hwloc_bitmap_s;

typedef struct shl_place {
    shoal_machine machine;
    struct hwloc_topology *topology; // NULL: unknown
    struct hwloc_bitmap_s *allowed;  // CPUs of the process
    uint32_t allowed_cores;          // cores with such a CPU
    bool user_binds;                 // the environment tells OpenMP how to bind
} shl_place;

// Reads the topology. Must run before the first OpenMP call: later, binding may have narrowed
// the set to one core. Never fails; what is unknown stays 0 or empty.
void shl_place_init(shl_place *place);
void shl_place_finish(shl_place *place);

// If the environment tells OpenMP to bind, some implementations bind the first thread before
// main(), so what was read is one core. `cpus` is what OpenMP itself remembers.
void shl_place_correct(shl_place *place, uint32_t cpus);

// Lets the calling thread run on every CPU of the process. A thread made under OMP_PROC_BIND
// inherits one core, where it would wait for a worker.
void shl_place_roam(const shl_place *place);

// Where a worker sits: OS numbers of a CPU and a memory node, hwloc's number of a core.
typedef struct shl_seat {
    shoal_binding at;
    bool whole_core; // any CPU of the core; else that one
} shl_seat;

static const shoal_binding shl_unbound = {-1, -1, -1};

// Seats for `workers` workers on the allowed CPUs: a core each while there are cores, and those
// spread evenly over the machine, so that all its memory is used. Neighbours in number are
// neighbours on the machine. A pure function of its arguments. False, and all unbound, if there
// are more workers than CPUs.
bool shl_place_seats(struct hwloc_topology *topology, const struct hwloc_bitmap_s *allowed,
                     uint32_t workers, shl_seat *seats);

// Cores with an allowed CPU; on machines that tell of no cores, those CPUs.
uint32_t shl_place_cores(struct hwloc_topology *topology, const struct hwloc_bitmap_s *allowed);

// Whether SHOAL_BIND_AUTO binds; the reasons are at its declaration.
bool shl_place_auto(struct hwloc_topology *topology, const struct hwloc_bitmap_s *allowed,
                    uint32_t workers);

// What became of a seat.
enum { SHL_SEAT_FREE = 0, SHL_SEAT_TAKEN, SHL_SEAT_REFUSED };

// A scene's workers and their seats.
typedef struct shl_binder {
    const shl_place *place;
    uint32_t workers;
    bool binds;                  // threads are bound by us
    bool looks;                  // they are bound by others: only note where
    bool told;                   // warnings are out
    shl_seat *seats;             // [workers]
    uint8_t *state;              // [workers] SHL_SEAT_...
    struct hwloc_bitmap_s *host; // the calling thread's CPUs, to be given back
    struct hwloc_bitmap_s **own; // [workers] scratch
} shl_binder;

// `allocator` as for finish. Errors: MEMORY.
SHOAL_CHECK shoal_status shl_binder_init(shl_binder *binder, const shl_place *place,
                                         shoal_bind bind, uint32_t workers,
                                         const shoal_allocator *allocator);
void shl_binder_finish(shl_binder *binder, const shoal_allocator *allocator);

// On each worker's thread, before its first and after its last job; `ctx` is the binder. The
// first worker is the caller, whose own binding is restored when it leaves.
void shl_binder_enter(void *ctx, uint32_t worker);
void shl_binder_leave(void *ctx, uint32_t worker);

// Two workers on one core while another core has none: their numbers. False: there are none.
bool shl_binder_crowded(const shl_binder *binder, uint32_t *a, uint32_t *b);

#endif

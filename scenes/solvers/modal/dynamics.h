// SPDX-License-Identifier: MIT
// Flexible bodies that fall, bounce, slide and come to rest on a floor and on each other. A
// body is a rigid frame with inertia, or a fixed one, and a few oscillators, its modes.
// Contacts are springs and dampers in parallel (Kelvin and Voigt) that push and never pull,
// with friction.
//
// A step takes every force as constant. Gravity and oscillators are then solved exactly;
// contact forces are those at the end of the step, found by passes over all contacts in one
// fixed order, so stiff ones need no short step, and the outcome is the same bits whoever found
// the contacts.
#ifndef SHL_SCENES_SOLVERS_MODAL_DYNAMICS_H
#define SHL_SCENES_SOLVERS_MODAL_DYNAMICS_H

#include "scenes/solvers/modal/flex.h"
#include "scenes/solvers/modal/oscillator.h"

#include <shoal/results.h>

// A spring, a damper and what resists sliding.
typedef struct shl_contact_law {
    double stiffness; // newtons a metre
    double damping;   // newtons a metre a second
    double friction;  // of the normal force
} shl_contact_law;

typedef struct shl_dynamics_def {
    double step;                 // seconds
    double gravity;              // metres a second squared, downwards along z
    double damping_ratio;        // of all modes
    double strain_limit;         // what all modes together may stretch an edge; see limit.h
    uint32_t passes;             // over the contacts of a step
    double level;                // height of the floor; -INFINITY: there is none
    shl_contact_law body, floor; // floor: also against bodies that are fixed
} shl_dynamics_def;

shl_dynamics_def shl_dynamics_default(void);

// The motion of one body. Velocities are those at the end of the last step.
typedef struct shl_rigid {
    double centre[3], velocity[3];
    double turn[4]; // unit quaternion: world = turn own
    double spin[3]; // radians a second, in the world
} shl_rigid;

struct shl_modal_contact;
struct shl_limit;

// Bodies of one kind, which stand in a row.
typedef struct shl_crowd {
    const shl_flex *flex;
    uint32_t count;
    shl_oscillator oscillators[SHL_FLEX_MODES_MAX]; // made by shl_dynamics_create_crowds
} shl_crowd;

typedef struct shl_dynamics {
    shl_dynamics_def def;
    shl_crowd *crowds; // [crowd_count]
    uint32_t crowd_count;
    uint32_t *kind;   // [count] the crowd of a body
    uint32_t count;   // of all bodies
    uint32_t numbers; // a body has in the arrays below: the most modes of any
    shl_rigid *rigid; // [count]
    double *q, *rate; // [count][numbers] coordinates of the modes, and their rates
    double *target;   // [count][numbers] where modes rest; yours to set
    // within a step
    double *rotation;        // [count][9]
    double *inverse_inertia; // [count][9] in the world
    double *rate_before;     // [count][numbers]
    uint8_t *touched;        // [count] has a contact
    struct shl_modal_contact *contacts;
    size_t contact_count, contact_capacity;
    struct shl_limit *limits;
    size_t limit_count, limit_capacity;
} shl_dynamics;

// `flex` must outlive it. All bodies lie at the origin, at rest. Errors: ARGUMENT (a mode whose
// half period is shorter than a step), MEMORY.
SHOAL_CHECK shoal_status shl_dynamics_create(const shl_dynamics_def *def, const shl_flex *flex,
                                             uint32_t count, shl_dynamics *out);

// The same for several kinds of bodies, whose rows follow each other. A crowd may be empty, its
// flex is NULL then.
SHOAL_CHECK shoal_status shl_dynamics_create_crowds(const shl_dynamics_def *def,
                                                    const shl_crowd *crowds, uint32_t count,
                                                    shl_dynamics *out);
void shl_dynamics_finish(shl_dynamics *d);

static inline const shl_crowd *shl_crowd_of(const shl_dynamics *d, uint32_t body)
{
    return &d->crowds[d->kind[body]];
}

static inline const shl_flex *shl_flex_of(const shl_dynamics *d, uint32_t body)
{
    return shl_crowd_of(d, body)->flex;
}

// Moves on by one step. Contacts are between the bodies where they are now; body numbers are
// rows. A fixed body with modes is met by its triangles; one without may be where you put it,
// with velocity and spin of your own. Errors: MEMORY.
SHOAL_CHECK shoal_status shl_dynamics_step(shl_dynamics *d,
                                           const shoal_sphere_contact *contacts,
                                           size_t contact_count);

// What it carries from step to step: writes that many bytes to `to` unless it is NULL, and
// returns how many. Restoring takes them into dynamics of the same bodies.  Errors: ARGUMENT
// (another length).
size_t shl_dynamics_save(const shl_dynamics *d, void *to);
SHOAL_CHECK shoal_status shl_dynamics_restore(shl_dynamics *d, const void *from, size_t size);

// How the bodies are doing. Energies in joule; heights are those over the floor.
typedef struct shl_dynamics_report {
    double kinetic;     // of frames and modes
    double potential;   // in gravity
    double elastic;     // in the modes; what contacts store is not counted
    double mean_speed;  // over bodies that can fall, of the root mean square over their mass
    double floor_depth; // of the lowest vertex below the floor; 0: none is
} shl_dynamics_report;

shl_dynamics_report shl_dynamics_measure(const shl_dynamics *d);

// A vertex in the world.
void shl_dynamics_vertex(const shl_dynamics *d, uint32_t body, uint32_t vertex, double out[3]);

#endif

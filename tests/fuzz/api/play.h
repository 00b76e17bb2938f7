// SPDX-License-Identifier: MIT
// Random sequences of public calls. A play is what the caller of the library would know: the
// models, the scenes, the bodies and where each vertex is, by the formulas of the headers.
// A record of eight bytes is one call, or one step with all that belongs to it, so that a
// sequence stays meaningful when records are left out of it.
#ifndef TESTS_FUZZ_API_PLAY_H
#define TESTS_FUZZ_API_PLAY_H

#include <shoal/shoal.h>
#include <shoal/study.h>

#include <stdio.h>

enum {
    RECORD = 8,
    BODIES = 8,
    SHAPES = 8,
    STAGES = 2,
    TRIANGLES = 60,
    VERTICES = 3 * TRIANGLES,
    FIELDS = 11,
    NODES = 7,
    WEIGHTS = 4, // of a vertex, at most
    STALE_IDS = 8,
};

// --- Numbers. ---

typedef struct draw {
    uint64_t state;
} draw;

uint32_t below(draw *d, uint32_t n);
double unit(draw *d); // in [-1, 1)
static inline bool chance(draw *d, uint32_t one_in)
{
    return below(d, one_in) == 0;
}
void turn_of(draw *d, double out[9]); // a rotation

// --- What happened. ---

// Counts by group and name; they outlive the process that made them.
enum { TALLIES = 400, TALLY_TEXT = 40 };
typedef struct tally {
    char group[16], name[TALLY_TEXT];
    uint64_t count;
} tally;
typedef struct record_book {
    uint64_t seed, sequences, records; // the seed at work
    char fault[400];                   // of the sequence at work; "": none
    uint32_t tally_count;
    tally tallies[TALLIES];
} record_book;
extern record_book *book;
extern bool verbose;

void count(const char *group, const char *name, uint64_t by);
// Notes the first fault of a sequence. Returns false.
bool fault(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

// --- Calls. ---

// Between the two the allocator may fail, if arm() was called, and log lines are watched.
void watch_begin(void);
shoal_status watch_end(const char *call, shoal_status status);
#define TRY(f, ...) (watch_begin(), watch_end(#f, f(__VA_ARGS__)))
#define USE(f) (count("call", #f, 1), f)

// The caller's own settings of floating point, which calls must neither use nor change: how it
// rounds, whether it flushes denormals, what it traps. Watched calls are made with them.
void host_settle(draw *d);
void host_enter(void), host_leave(void);

void arm(draw *d);         // the coming call may find no memory; now and then
void memory_limit(void);   // for calls that are not watched: as arm() said
void memory_restore(void); // no failures any more
bool memory_failed(void);  // one was made since the last watch_begin() or memory_limit()
long memory_blocks(void);  // held of the context under test

// Whether a call that is right went well. False: it found no memory, or *good is false, and the
// fault is noted.
bool went_well(const char *call, shoal_status status, bool *good);

// --- Models. ---

typedef enum kind { FREE, REDUCED, POINTS } kind;
extern const char *const kind_names[3];

// What a model was made from. In use while the caller holds it or a body has it.
typedef struct shape {
    bool used, held;
    uint32_t bodies;
    uint32_t triangle_count, vertex_count, field_count, node_count;
    uint32_t tri[3 * TRIANGLES];
    double rest[3 * VERTICES];
    bool reducible, carried;
    int32_t sphere_level;
    float fields[FIELDS * 3 * VERTICES];
    double nodes[3 * NODES];
    uint32_t weight_begin[VERTICES + 1], weight_control[WEIGHTS * VERTICES];
    float weight[WEIGHTS * VERTICES];
    uint32_t order[VERTICES];
    shoal_model *model; // of the context under test
    shoal_model *plain; // of the reference's, made when a fresh scene needs it
} shape;

// --- Bodies. ---

typedef struct actor {
    bool used, set; // set: it has a state
    kind kind;
    shoal_body id;
    shape *shape;
    double at[3];             // about where it is
    double xyz[3 * VERTICES]; // as the headers say
    bool bad, vague; // bad: it takes no part; vague: whether it does is for the library to say
    double state[12 * NODES + FIELDS]; // reduced: R, t, q; skinned: 12 numbers a node
    bool affine;                       // skinned: A and t, not J and u
    shoal_positions view;              // free: as it was set
    void *memory;                      // what is borrowed; else NULL
    uint32_t group, mask;
    bool still;
    uint16_t apart; // bits of the bodies of its excluded pairs
    uint64_t user_data;
} actor;

// What a scene is mostly used for: some of what steps remember needs the same kind of step
// several times.
typedef enum theme { ANYTHING, LISTS, DISTANCES, SPHERES, THEMES } theme;

typedef struct stage {
    shoal_scene *scene;
    theme theme;
    uint32_t queries; // most of the time, with lists
    shoal_scene_def def;
    uint32_t threads;
    bool trace;
    uint64_t began_ns;    // the last step
    actor actors[BODIES]; // by number
    shoal_body stale[STALE_IDS];
    uint32_t stale_count;
} stage;

typedef struct play {
    shoal_context *ctx, *reference;
    shape shapes[SHAPES];
    stage stages[STAGES];
    shoal_model *filler; // of the reference's: keeps numbers that nobody has
} play;

// The contexts that all sequences share; NULL without memory.
shoal_context *context_under_test(uint32_t cpu);
shoal_context *context_reference(void);
void contexts_drop(void);

// Draws any def that is right.
shoal_scene_def draw_scene_def(draw *d);

// --- What a record does. Each returns false if something was wrong. ---

bool do_shape(play *p, draw *d), do_drop_shape(play *p, draw *d);
bool do_scene(play *p, draw *d, uint32_t at), do_add(play *p, draw *d, stage *s);
bool do_remove(play *p, draw *d, stage *s), do_replace(play *p, draw *d, stage *s);
bool do_set(play *p, draw *d, stage *s), do_write(play *p, draw *d, stage *s);
bool do_set_all(play *p, draw *d, stage *s), do_fat(play *p, draw *d, stage *s);
bool do_step(play *p, draw *d, stage *s), do_host_step(play *p, draw *d, stage *s);
bool do_both(play *p, draw *d), do_trace(play *p, draw *d, stage *s);
bool do_look(play *p, draw *d, stage *s), do_context(play *p, draw *d);
bool do_wrong(play *p, draw *d, stage *s), do_wrong_shape(play *p, draw *d);
bool do_diagram(play *p, draw *d, stage *s);
bool do_filter(play *p, draw *d, stage *s), do_bound(play *p, draw *d, stage *s);

// --- Between the files. ---

bool shape_make(play *p, draw *d, shape *s);
shoal_model *shape_plain(play *p, shape *s); // NULL: it could not be made
void shape_release(shape *s);                // if nobody uses it any more
shape *shape_held(play *p, draw *d);         // any that the caller holds, or NULL
bool shape_suits(const shape *s, kind k);
actor *actor_any(stage *s, draw *d); // or NULL
void actor_drop(stage *s, actor *a); // its body is gone
void stage_end(stage *s);
// Calm: near the last state. Of a body named twice the last state holds; those that are reduced
// have as many fields as the first.
bool set_state(stage *s, draw *d, actor *a, bool calm);
bool set_reduced(stage *s, draw *d, actor *const *named, uint32_t many, bool calm);
bool set_skinned(stage *s, draw *d, actor *const *named, uint32_t many, bool calm);
// One more body that makes the whole call wrong; the status that is due, or SHOAL_OK: none.
shoal_status spoil(draw *d, const stage *s, shoal_body *id);
// Whether a call did what it should; *good is false if not.
bool was_taken(const char *call, shoal_status got, shoal_status want, bool *good);
bool is_tame(const actor *a); // has been set, and is about where it should be
void wander(draw *d, actor *a, bool calm);
bool vertices_are_true(const stage *s, draw *d, const actor *a);
// What a state may be beside ordinary, 0.
enum { POINT = 1, LARGE, VAST, BEYOND, TINY, NOT_A_NUMBER, INFINITE, COINCIDENT, ODD };
uint32_t draw_oddity(draw *d, bool calm);
void *take(size_t bytes); // memory, or the end
bool is_finite(const double *x, size_t n);
shoal_skinned_def skinned_def_of(const shape *s);

bool actors_meet(const actor *a, const actor *b);
void actor_lend_nothing(actor *a);

// Evaluates the state of a body that is not free; sets bad and vague.
void actor_evaluate(actor *a);
bool takes_part(const actor *a, const shoal_scene *scene);

// Compares the results of a step with brute force, and with a scene made anew.
bool results_are_true(play *p, draw *d, const stage *s, uint32_t queries);
bool distances_are_true(const stage *s, uint32_t queries, const shoal_scene *scene);
bool contacts_are_true(const stage *s, const shoal_scene *scene, const shoal_pair *pairs,
                       size_t pair_count);
bool fresh_scene_agrees(play *p, draw *d, const stage *s, uint32_t queries,
                        const shoal_scene *scene);
bool results_are_empty(const shoal_scene *scene);

// All that a scene shows of its last step.
typedef struct views {
    shoal_pairs pairs, self, first;
    shoal_sphere_contacts contacts;
    shoal_nearest_rows nearest, within, triangles, triangles_self;
    shoal_body_numbers bad;
    uint64_t hash;
} views;
views views_of(const shoal_scene *scene);

// Whether two triangles share a point; whether two of one mesh do beyond what they share, as
// oracle_tri_tri_adjacent() says.
bool triangles_meet(const double a[9], const double b[9]);
bool neighbours_meet(const double a[9], const double b[9], int shared, const int in_a[3],
                     const int in_b[3]);
// Corners of a triangle, x y z each.
void corners_of(const actor *a, uint32_t triangle, double out[9]);

// One sequence. False if something was wrong: the reason is in book->fault.
bool play_sequence(const uint8_t *bytes, size_t size);

#endif

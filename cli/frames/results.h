// SPDX-License-Identifier: MIT
// What a run leaves for viewers: some of its steps as frames, in one or more formats. A thread
// of its own writes them while the next steps are computed.
#ifndef SHL_CLI_FRAMES_RESULTS_H
#define SHL_CLI_FRAMES_RESULTS_H

#include "cli/args.h"
#include "cli/run/folder.h"
#include "cli/run/stream.h"
#include "scenes/scene.h"

#include <jansson.h>
#include <pthread.h>
#include <shoal/results.h>

extern const shl_option shl_results_options[];

// Triangles of all bodies together. Held by the results; frames refer to it.
typedef struct shl_topology {
    uint32_t point_count, triangle_count;
    uint32_t *triangles; // [triangle_count][3]
    uint32_t *body;      // [triangle_count]
    uint32_t *vertices;  // [body_count] of each body
    uint32_t body_count;
    uint64_t hash; // of all of it; 0: there is none yet
} shl_topology;

// Rows of points are held in multiples of so many, which fill whole pages.
enum { SHL_PAGE = 4096, SHL_SKINNED_ROWS = 1024 };

// One step.
typedef struct shl_frame_data {
    uint32_t step;
    const shl_topology *topology;
    const shl_motion *motion; // whose shot it is
    shl_shot shot;            // filled by the run
    // [point_count][3] worked out by the thread; fills whole pages, with zeros behind the
    // points
    float *xyz;
    shoal_sphere_contact *contacts; // [contact_count]
    size_t contact_count, contact_capacity;
    shoal_pair *pairs; // [pair_count] between bodies
    size_t pair_count, pair_capacity;
} shl_frame_data;

typedef struct shl_results shl_results;

// Why a format could not go on: a file and an errno, or a text.
typedef struct shl_results_error {
    char path[PATH_MAX];
    int code;       // errno; 0: see text. EILSEQ: an output is not what it was
    char text[160]; // follows the path
} shl_results_error;

// A format. Calls come one at a time; false: `results->error` tells why.
typedef struct shl_format {
    const char *name;
    // What the program lacks to write it; NULL: nothing.
    const char *missing;
    // Begins anew, or where `outputs` say; NULL: anew. The state is results->state[i].
    bool (*begin)(shl_results *results, void **state, const json_t *outputs);
    bool (*frame)(shl_results *results, void *state, const shl_frame_data *frame);
    // Brings all to the disk and notes how far it is. `step` is that of the checkpoint.
    bool (*mark)(shl_results *results, void *state, uint32_t step, json_t *outputs);
    // Nothing comes any more. Also after failures.
    bool (*end)(shl_results *results, void *state, bool good);
} shl_format;

extern const shl_format shl_format_hdf5, shl_format_vtp, shl_format_pc2, shl_format_ply;

enum { SHL_FORMATS = 4, SHL_QUEUE = 32 };
extern const shl_format *const shl_formats[SHL_FORMATS];

struct shl_results {
    uint32_t every;           // 0: none
    uint32_t segment;         // steps of an HDF5 file
    uint32_t steps;           // of the run
    uint32_t last;            // step of the last frame
    bool wanted[SHL_FORMATS]; //
    const shl_folder *folder;
    void *state[SHL_FORMATS];
    shl_topology topology;
    float *xyz;              // of the frame that is being written; room for all points
    size_t xyz_capacity;     // rows
    shl_results_error error; // the first one
    bool begun, failed;
    // frames between the run and the thread
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    shl_frame_data queue[SHL_QUEUE];
    uint32_t put, taken; // frames so far; taken counts those that are written
    bool quit, drop;     // frames that wait are written first, or not at all
};

// Reads --every, --format and --segment. Returns an exit code; not OK: it said why.
int shl_results_read(const shl_args *args, shl_results *out);

// What of it decides the outputs, for the hash of the input.
json_t *shl_results_json(const shl_results *results);

// Begins, anew or after `done` steps from a checkpoint's `outputs`. Returns an exit code;
// INPUT: an output is not what it was, and nothing was changed.
int shl_results_begin(shl_results *results, const shl_folder *folder, uint32_t steps,
                      uint32_t done, const json_t *outputs);

// Hands the step over if it is one of every so many. Returns an exit code.
int shl_results_step(shl_results *results, uint32_t step, shl_motion *motion,
                     const shoal_scene *scene);

// Waits until all is written and on the disk, and notes where that ends.
int shl_results_mark(shl_results *results, uint32_t step, json_t *outputs);

// Ends. `good`: the run did, and what viewers need besides the frames is written, too.
// Results that did not begin are fine. Needed before the motion is destroyed.
int shl_results_end(shl_results *results, bool good);

// For formats: what to say of an output's errno, where EILSEQ means that it is another one.
#define SHL_NOT_REMEMBERED(code)                                                               \
    ((code) == EILSEQ ? "it is not what the checkpoint remembers" : NULL)

// For formats: notes a failure; returns false.
bool shl_results_fail(shl_results *results, const char *path, int code, const char *text);

// Marks of streams in a checkpoint.
bool shl_mark_put(json_t *outputs, const char *name, shl_stream_mark mark);
bool shl_mark_get(const json_t *outputs, const char *name, shl_stream_mark *out);

#endif

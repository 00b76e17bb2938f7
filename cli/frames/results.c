// SPDX-License-Identifier: MIT
#include "cli/frames/results.h"

#include "cli/run/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NICE = 5, QUEUE_BYTES = 1 << 26 };

const shl_option shl_results_options[] = {
    {"every", 0, "N", "write every N-th step as a frame for viewers", false},
    {"format", 0, "hdf5,vtp,pc2,ply", "how; default hdf5, or vtp where the tool has no HDF5",
     false},
    {"segment", 0, "N", "steps in an HDF5 file, a multiple of --every; default 100 frames",
     false},
    {0},
};

const shl_format *const shl_formats[SHL_FORMATS] = {&shl_format_hdf5, &shl_format_vtp,
                                                    &shl_format_pc2, &shl_format_ply};

bool shl_results_fail(shl_results *r, const char *path, int code, const char *text)
{
    if (r->failed)
        return false;
    r->failed = true;
    r->error.code = code;
    snprintf(r->error.path, sizeof r->error.path, "%s", path);
    snprintf(r->error.text, sizeof r->error.text, "%s", text ? text : strerror(code));
    return false;
}

static int say_error(const shl_results *r)
{
    shl_say("shoal run: %s: %s", r->error.path, r->error.text);
    return r->error.code == ENOMEM ? SHL_EXIT_MEMORY : SHL_EXIT_IO;
}

static bool read_formats(const shl_args *args, shl_results *out)
{
    const char *text = shl_args_get(args, "format");
    if (!text) {
        out->wanted[shl_format_hdf5.missing ? 1 : 0] = true;
        return true;
    }
    while (true) {
        const size_t length = strcspn(text, ",");
        int which = -1;
        for (int i = 0; i < SHL_FORMATS; i++) {
            if (strlen(shl_formats[i]->name) == length &&
                memcmp(shl_formats[i]->name, text, length) == 0)
                which = i;
        }
        if (which < 0) {
            shl_usage_error(args->command,
                            "--format '%s' is not a list of hdf5, vtp, pc2 and ply",
                            shl_args_get(args, "format"));
            return false;
        }
        if (shl_formats[which]->missing) {
            shl_usage_error(args->command, "--format %s: %s", shl_formats[which]->name,
                            shl_formats[which]->missing);
            return false;
        }
        out->wanted[which] = true;
        if (!text[length])
            return true;
        text += length + 1;
    }
}

int shl_results_read(const shl_args *args, shl_results *out)
{
    *out = (shl_results){0};
    if (!shl_args_number(args, "every", 1, 1000000000, &out->every))
        return SHL_EXIT_USAGE;
    if (!out->every && (shl_args_has(args, "format") || shl_args_has(args, "segment")))
        return shl_usage_error(args->command, "--format and --segment need --every");
    if (!out->every)
        return SHL_EXIT_OK;
    out->segment = out->every > 10000000 ? out->every : 100 * out->every;
    if (!read_formats(args, out) ||
        !shl_args_number(args, "segment", 1, 1000000000, &out->segment))
        return SHL_EXIT_USAGE;
    if (out->segment % out->every != 0)
        return shl_usage_error(args->command, "--segment %u is no multiple of --every %u",
                               out->segment, out->every);
    return SHL_EXIT_OK;
}

json_t *shl_results_json(const shl_results *r)
{
    json_t *list = json_array();
    for (int i = 0; i < SHL_FORMATS; i++) {
        if (r->wanted[i])
            json_array_append_new(list, json_string(shl_formats[i]->name));
    }
    return json_pack("{s:I, s:I, s:o}", "every", (json_int_t)r->every, "segment",
                     (json_int_t)r->segment, "formats", list);
}

static void develop(shl_results *r, shl_frame_data *frame)
{
    const size_t points = frame->topology->point_count;
    frame->xyz = r->xyz;
    shl_motion_develop(frame->motion, &frame->shot, points, r->xyz);
    memset(r->xyz + 3 * points, 0, 3 * (r->xyz_capacity - points) * sizeof *r->xyz);
}

// The thread: takes frames one by one.
static void *write_frames(void *user)
{
    shl_results *r = user;
    // what computes goes first; in Linux this is of the thread alone
    if (nice(NICE) == -1)
        errno = 0;
    pthread_mutex_lock(&r->lock);
    while (true) {
        while (r->taken == r->put && !r->quit)
            pthread_cond_wait(&r->changed, &r->lock);
        if (r->taken == r->put)
            break;
        shl_frame_data *frame = &r->queue[r->taken % SHL_QUEUE];
        bool good = !r->failed && !r->drop;
        pthread_mutex_unlock(&r->lock);
        if (good)
            develop(r, frame);
        for (int i = 0; i < SHL_FORMATS && good; i++)
            good = !r->wanted[i] || shl_formats[i]->frame(r, r->state[i], frame);
        pthread_mutex_lock(&r->lock);
        r->taken++;
        pthread_cond_broadcast(&r->changed);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

// Waits until at most `left` frames wait. False: a format has failed.
static bool wait_for(shl_results *r, uint32_t left)
{
    pthread_mutex_lock(&r->lock);
    while (r->put - r->taken > left)
        pthread_cond_wait(&r->changed, &r->lock);
    const bool good = !r->failed;
    pthread_mutex_unlock(&r->lock);
    return good;
}

int shl_results_begin(shl_results *r, const shl_folder *folder, uint32_t steps, uint32_t done,
                      const json_t *outputs)
{
    r->folder = folder;
    r->steps = steps;
    if (!r->every)
        return SHL_EXIT_OK;
    r->last = done / r->every * r->every;
    for (int i = 0; i < SHL_FORMATS; i++) {
        if (!r->wanted[i] || shl_formats[i]->begin(r, &r->state[i], outputs))
            continue;
        const int code = say_error(r);
        return r->error.code == EILSEQ || r->error.code == ENOENT ? SHL_EXIT_INPUT : code;
    }
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    r->begun = true;
    if (pthread_create(&r->thread, NULL, write_frames, r) != 0) {
        shl_say("shoal run: there is no thread left for writing");
        return SHL_EXIT_MEMORY;
    }
    r->has_thread = true;
    return SHL_EXIT_OK;
}

static bool reserve(void **array, size_t *capacity, size_t count, size_t each)
{
    if (count <= *capacity)
        return true;
    void *more = realloc(*array, count * each);
    if (more) {
        *array = more;
        *capacity = count;
    }
    return more != NULL;
}

static bool reserve_skinned(shl_results *r, size_t points)
{
    const size_t rows = (points / SHL_SKINNED_ROWS + 1) * SHL_SKINNED_ROWS;
    if (rows <= r->xyz_capacity)
        return true;
    free(r->xyz);
    r->xyz = aligned_alloc(SHL_PAGE, 3 * rows * sizeof *r->xyz);
    r->xyz_capacity = r->xyz ? rows : 0;
    return r->xyz != NULL;
}

// A hash of all bodies' triangles. Bodies that share a mesh mostly follow each other.
static uint64_t topology_hash(const shl_motion *motion)
{
    const uint32_t bodies = shl_motion_body_count(motion);
    const shl_surface *before = NULL;
    uint64_t hash = bodies, one = 0;
    for (uint32_t i = 0; i < bodies; i++) {
        const shl_surface *s = shl_motion_surface(motion, i);
        if (s && s != before)
            one = XXH3_64bits_withSeed(s->triangles,
                                       3 * (size_t)s->triangle_count * sizeof *s->triangles,
                                       s->vertex_count);
        before = s;
        hash = (hash ^ (s ? one : 0)) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 31;
    }
    return hash | 1;
}

static bool make_topology(shl_results *r, const shl_motion *motion, uint64_t hash)
{
    shl_topology *t = &r->topology;
    const uint32_t bodies = shl_motion_body_count(motion);
    const uint64_t triangles = shl_motion_triangle_count(motion);
    if (triangles > UINT32_MAX / 3)
        return shl_results_fail(r, r->folder->path, EFBIG, NULL);
    uint32_t *corners = realloc(t->triangles, (3 * triangles + 1) * sizeof *corners);
    t->triangles = corners ? corners : t->triangles;
    uint32_t *body = realloc(t->body, (triangles + 1) * sizeof *body);
    t->body = body ? body : t->body;
    uint32_t *vertices = realloc(t->vertices, (bodies + (size_t)1) * sizeof *vertices);
    t->vertices = vertices ? vertices : t->vertices;
    if (!corners || !body || !vertices)
        return shl_results_fail(r, r->folder->path, ENOMEM, NULL);
    t->point_count = t->triangle_count = 0;
    t->body_count = bodies;
    t->hash = hash;
    for (uint32_t i = 0; i < bodies; i++) {
        const shl_surface *s = shl_motion_surface(motion, i);
        t->vertices[i] = s ? s->vertex_count : 0;
        for (size_t k = 0; s && k < s->triangle_count; k++) {
            for (size_t c = 0; c < 3; c++)
                corners[3 * (size_t)t->triangle_count + c] =
                    t->point_count + s->triangles[3 * k + c];
            body[t->triangle_count++] = i;
        }
        t->point_count += t->vertices[i];
    }
    return reserve_skinned(r, t->point_count) ||
           shl_results_fail(r, r->folder->path, ENOMEM, NULL);
}

static bool fill_frame(shl_results *r, shl_frame_data *f, uint32_t step, shl_motion *motion,
                       const shoal_scene *scene)
{
    const shoal_pairs pairs = shoal_scene_pairs(scene);
    const shoal_sphere_contacts contacts = shoal_scene_sphere_contacts(scene);
    const shl_topology *t = &r->topology;
    if (!reserve((void **)&f->contacts, &f->contact_capacity, contacts.count,
                 sizeof *f->contacts) ||
        !reserve((void **)&f->pairs, &f->pair_capacity, pairs.count, sizeof *f->pairs))
        return shl_results_fail(r, r->folder->path, ENOMEM, NULL);
    f->step = step;
    f->topology = t;
    f->contact_count = contacts.count;
    f->pair_count = pairs.count;
    if (f->contact_count)
        memcpy(f->contacts, contacts.rows, f->contact_count * sizeof *f->contacts);
    if (f->pair_count)
        memcpy(f->pairs, pairs.rows, f->pair_count * sizeof *f->pairs);
    f->motion = motion;
    if (shl_motion_shoot(motion, &f->shot) != SHOAL_OK)
        return shl_results_fail(r, r->folder->path, ENOMEM, NULL);
    return true;
}

// How many frames may wait: enough for a disk that halts now and then, at least two, and no
// more than memory is worth.
static uint32_t depth(const shl_results *r, const shoal_scene *scene)
{
    const shoal_pairs pairs = shoal_scene_pairs(scene);
    const shoal_sphere_contacts contacts = shoal_scene_sphere_contacts(scene);
    const size_t bytes = r->queue[0].shot.capacity + pairs.count * sizeof *pairs.rows +
                         contacts.count * sizeof *contacts.rows;
    const size_t frames = QUEUE_BYTES / (bytes + 1);
    return frames < 2 ? 2 : frames < SHL_QUEUE ? (uint32_t)frames : SHL_QUEUE;
}

int shl_results_step(shl_results *r, uint32_t step, shl_motion *motion,
                     const shoal_scene *scene)
{
    if (!r->every || step % r->every != 0)
        return SHL_EXIT_OK;
    const uint64_t hash = topology_hash(motion);
    const bool same = hash == r->topology.hash;
    // the thread reads the triangles of earlier frames
    if (!wait_for(r, same ? depth(r, scene) - 1 : 0) ||
        (!same && !make_topology(r, motion, hash)) ||
        !fill_frame(r, &r->queue[r->put % SHL_QUEUE], step, motion, scene))
        return say_error(r);
    r->last = step;
    pthread_mutex_lock(&r->lock);
    r->put++;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    return SHL_EXIT_OK;
}

int shl_results_mark(shl_results *r, uint32_t step, json_t *outputs)
{
    if (!r->every)
        return SHL_EXIT_OK;
    bool good = wait_for(r, 0);
    for (int i = 0; i < SHL_FORMATS && good; i++)
        good = !r->wanted[i] || shl_formats[i]->mark(r, r->state[i], step, outputs);
    return good ? SHL_EXIT_OK : say_error(r);
}

int shl_results_end(shl_results *r, bool good)
{
    if (r->has_thread) {
        pthread_mutex_lock(&r->lock);
        r->quit = true;
        r->drop = !good; // a run that failed goes on from before them
        pthread_cond_broadcast(&r->changed);
        pthread_mutex_unlock(&r->lock);
        pthread_join(r->thread, NULL);
    }
    const bool failed_before = r->failed && !good; // it was said then
    for (int i = 0; i < SHL_FORMATS; i++) {
        if (r->state[i])
            shl_formats[i]->end(r, r->state[i], good && !r->failed);
        r->state[i] = NULL;
    }
    for (int i = 0; i < SHL_QUEUE; i++) {
        free(r->queue[i].shot.bytes);
        free(r->queue[i].contacts);
        free(r->queue[i].pairs);
    }
    if (r->begun) {
        pthread_mutex_destroy(&r->lock);
        pthread_cond_destroy(&r->changed);
    }
    free(r->xyz);
    free(r->topology.triangles);
    free(r->topology.body);
    free(r->topology.vertices);
    const int code = r->failed && !failed_before ? say_error(r) : SHL_EXIT_OK;
    shl_results clean = {.every = r->every, .segment = r->segment};
    memcpy(clean.wanted, r->wanted, sizeof clean.wanted);
    *r = clean; // what was asked for is still known
    return code;
}

bool shl_mark_put(json_t *outputs, const char *name, shl_stream_mark mark)
{
    return json_object_set_new(outputs, name,
                               json_pack("{s:I, s:o}", "bytes", (json_int_t)mark.size, "xxh3",
                                         shl_json_hash(mark.sum))) == 0;
}

bool shl_mark_get(const json_t *outputs, const char *name, shl_stream_mark *out)
{
    const json_t *row = json_object_get(outputs, name);
    const json_int_t size = json_integer_value(json_object_get(row, "bytes"));
    const char *sum = json_string_value(json_object_get(row, "xxh3"));
    if (size < 0 || !sum || strlen(sum) != 16 || strspn(sum, "0123456789abcdef") != 16)
        return false;
    *out = (shl_stream_mark){(uint64_t)size, strtoull(sum, NULL, 16)};
    return true;
}

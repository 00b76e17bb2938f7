// SPDX-License-Identifier: MIT
// shoal query: where mesh and model files intersect each other, or themselves, and how far
// apart they are.
#include "cli/commands/commands.h"
#include "cli/commands/file_info.h"
#include "cli/commands/placing.h"
#include "cli/commands/query_distance.h"
#include "cli/commands/query_voronoi.h"
#include "cli/run/engine.h"
#include "io/plain.h"

#include <inttypes.h>
#include <shoal/reduced.h>
#include <shoal/skinned.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const shl_option options[] = {
    {"pairs", 0, NULL, "all triangle pairs between files; default for two or more", false},
    {"first", 0, NULL, "for each two files, whether they meet, and one pair", false},
    {"self", 0, NULL, "pairs within each file that share no vertex; default for one", false},
    {"self-adjacent", 0, NULL, "also pairs that share vertices and meet beyond them", false},
    {"spheres", 0, "LEVEL",
     "contact spheres of model files, 0 to 12, with each other and with meshes", false},
    {"distance", 0, NULL, "for each file, the nearest other one and where", false},
    {"within", 0, "D", "with --distance: all two files not farther apart; inf: all", false},
    {"self-distance", 0, NULL, "for each file, the nearest two triangles that share no vertex",
     false},
    {"voronoi", 0, NULL, "write which files are nearest where: diagram.vti and pictures",
     false},
    {"list", 0, NULL, "print the pairs too; with --self-distance all triangles", false},
    {"builder", 0, "area|centre|mean|connectivity", "how trees are made; default area", false},
    {"arity", 0, "2|4|8", "most children of a tree's node; default 8", false},
    {0},
};
static const shl_option *const option_lists[] = {
    options, shl_voronoi_options, shl_placing_options, shl_engine_options, shl_json_options,
    NULL};

typedef struct query_kind {
    const char *name;
    uint32_t query;
    bool between;     // needs two files
    const char *what; // that were counted
} query_kind;

static const query_kind query_kinds[] = {
    {"pairs", SHOAL_QUERY_PAIRS, true, "intersecting triangle pairs between the files"},
    {"first", SHOAL_QUERY_FIRST, true, "pairs of files that intersect"},
    {"self", SHOAL_QUERY_SELF, false, "intersecting triangle pairs within a file"},
    {"self-adjacent", SHOAL_QUERY_SELF_ADJACENT, false,
     "intersecting triangle pairs within a file, neighbours included"},
    {"spheres", SHOAL_QUERY_SPHERES, true, "contacts of spheres between the files"},
    {"distance", SHOAL_QUERY_NEAREST, true, "files and the nearest other ones"},
    {"self-distance", SHOAL_QUERY_NEAREST_SELF, false, "nearest triangles within a file"},
    // positions are all that a diagram needs, and every step has them
    {"voronoi", SHOAL_QUERY_FIRST, false, "cells"},
};

// In the order of shoal_builder. Files have no poses to build for.
static const char *const builders[] = {"area", "centre", "mean", "connectivity", NULL};
static const char *const arities[] = {"2", "4", "8", NULL};

typedef struct file_size {
    uint32_t vertices, triangles, fields, spheres;
} file_size;

typedef struct query {
    const shl_args *args;
    const query_kind *kind;
    shl_engine engine;
    file_size *files;    // [args->word_count]
    shl_placing *places; // [args->word_count]
    uint32_t level;      // of contact spheres
    int builder, arity;  // numbers of the words above
    const shoal_pair *list;
    size_t count;              // of the list or of the rows
    const shoal_nearest *rows; // distances; NULL: none were asked for
    shoal_nearest *least;      // [args->word_count] if only some of them are told
    shoal_stats stats;
} query;

static const query_kind *choose_kind(const shl_args *args)
{
    const query_kind *chosen = NULL;
    for (size_t i = 0; i < sizeof query_kinds / sizeof *query_kinds; i++) {
        if (!shl_args_has(args, query_kinds[i].name))
            continue;
        if (chosen) {
            shl_usage_error(args->command, "--%s and --%s exclude each other", chosen->name,
                            query_kinds[i].name);
            return NULL;
        }
        chosen = &query_kinds[i];
    }
    if (args->word_count == 0) {
        shl_usage_error(args->command, "which FILE?");
        return NULL;
    }
    if (chosen && chosen->between && args->word_count < 2) {
        shl_usage_error(args->command, "--%s needs two files or more, there is only '%s'",
                        chosen->name, args->words[0]);
        return NULL;
    }
    if (shl_args_has(args, "within") && (!chosen || strcmp(chosen->name, "distance") != 0)) {
        shl_usage_error(args->command, "--within needs --distance");
        return NULL;
    }
    if ((shl_args_has(args, "output") || shl_args_has(args, "slices")) &&
        !shl_args_has(args, "voronoi")) {
        shl_usage_error(args->command, "--output and --slices need --voronoi");
        return NULL;
    }
    return chosen ? chosen : &query_kinds[args->word_count > 1 ? 0 : 2];
}

// A skinned body, moved as a whole.
static shoal_status add_skinned(const shl_engine *e, const shl_placing *place,
                                shoal_model *model)
{
    const size_t controls = shoal_model_control_count(model);
    double *u = malloc(3 * controls * sizeof *u);
    for (size_t i = 0; u && i < 3 * controls; i++)
        u[i] = place->move[i / controls];
    shoal_body body;
    shoal_status st = u ? shoal_scene_add_skinned(e->scene, model, &body) : SHOAL_ERR_MEMORY;
    const shoal_skinned_state state = {
        .bodies = &body, .count = 1, .row_count = controls, .stride = controls, .u = u};
    if (st == SHOAL_OK)
        st = shoal_scene_set_skinned(e->scene, &state);
    free(u);
    return st;
}

// Meshes are free bodies, which need no tables for bending; what is moved or bent is reduced.
static shoal_status add_body(query *q, size_t file, const shoal_model_def *def,
                             shoal_model *model)
{
    const shl_engine *e = &q->engine;
    const shl_placing *place = &q->places[file];
    shoal_body body;
    shoal_status st;
    if (def->skinned)
        return add_skinned(e, place, model);
    if (!def->reducible) {
        st = shoal_scene_add_free(e->scene, model, &body);
        return st == SHOAL_OK ? shoal_scene_set_positions(e->scene, body, &def->rest) : st;
    }
    st = shoal_scene_add_reduced(e->scene, model, &body);
    const shoal_reduced_state state = {.bodies = &body,
                                       .count = 1,
                                       .stride = 1,
                                       .translation = place->move,
                                       .q = place->q,
                                       .field_count = def->field_count};
    return st == SHOAL_OK ? shoal_scene_set_reduced(e->scene, &state) : st;
}

static shoal_status add_file(query *q, size_t i, const shoal_model_file *file)
{
    shoal_model_def def = shoal_model_def_default();
    shoal_model_file_fill_def(file, &def);
    def.builder = (shoal_builder)q->builder;
    def.arity = 2u << q->arity;
    shoal_skinned_def skinned = shoal_skinned_def_default();
    const bool fields = file->field_count || q->kind->query == SHOAL_QUERY_SPHERES;
    if (!fields && shoal_model_file_fill_skinned(file, &skinned))
        def.skinned = &skinned;
    def.reducible = !def.skinned && (file->version || q->places[i].moved);
    if (file->version && q->kind->query == SHOAL_QUERY_SPHERES)
        def.sphere_level = (int32_t)q->level;
    shoal_model *model;
    shoal_status st = shoal_model_create(q->engine.ctx, &def, &model);
    if (st != SHOAL_OK)
        return st;
    q->files[i] = (file_size){file->rest.vertex_count, file->rest.triangle_count,
                              file->field_count, shoal_model_get_info(model).sphere_count};
    st = add_body(q, i, &def, model);
    shoal_model_destroy(model);
    return st;
}

static int read_file(query *q, size_t i)
{
    const char *path = q->args->words[i];
    const shl_placing *place = &q->places[i];
    shoal_model_file file;
    int code = shl_file_read(path, &file);
    if (code != SHL_EXIT_OK)
        return code;
    if (place->q_text && place->q_count != file.field_count) {
        code = shl_usage_error(q->args->command, "--q '%s': %s has %u field%s", place->q_text,
                               path, file.field_count, file.field_count == 1 ? "" : "s");
    } else {
        const shoal_status added = add_file(q, i, &file);
        if (added != SHOAL_OK)
            code = shl_engine_failed(&q->engine, added);
    }
    shoal_model_file_finish(&file);
    return code;
}

static int read_files(query *q)
{
    uint64_t spheres = 0;
    for (size_t i = 0; i < q->args->word_count; i++) {
        const int code = read_file(q, i);
        if (code != SHL_EXIT_OK)
            return code;
        spheres += q->files[i].spheres;
    }
    if (q->kind->query == SHOAL_QUERY_SPHERES && spheres == 0)
        return shl_usage_error(q->args->command, "--spheres needs a model file");
    return SHL_EXIT_OK;
}

static bool wants_contacts(const query *q)
{
    return q->kind->query == SHOAL_QUERY_SPHERES;
}

static double deepest(const query *q)
{
    double depth = 0;
    const shoal_sphere_contacts contacts = shoal_scene_sphere_contacts(q->engine.scene);
    for (size_t i = 0; i < contacts.count; i++)
        depth = contacts.rows[i].depth > depth ? contacts.rows[i].depth : depth;
    return depth;
}

// One row of the list, with `between` its numbers.
static void print_row(const query *q, size_t i, const char *between)
{
    if (!wants_contacts(q)) {
        const shoal_pair *p = &q->list[i];
        printf("%u%s%u%s%u%s%u", p->body_a, between, p->body_b, between, p->triangle_a, between,
               p->triangle_b);
        return;
    }
    const shoal_sphere_contact *c = &shoal_scene_sphere_contacts(q->engine.scene).rows[i];
    printf("%u%s%u%s%u%s%u%s%.17g", c->body_a, between, c->body_b, between, c->sphere_a,
           between, c->element_b, between, c->depth);
    for (int k = 0; k < 6; k++)
        printf("%s%.17g", between, k < 3 ? c->normal[k] : c->position[k - 3]);
}

static void print_files(const query *q, const char *mark)
{
    for (size_t i = 0; i < q->args->word_count; i++) {
        const file_size *f = &q->files[i];
        char more[64] = "";
        if (f->fields)
            snprintf(more, sizeof more, ", fields %u", f->fields);
        const size_t used = strlen(more);
        if (f->spheres)
            snprintf(more + used, sizeof more - used, ", spheres %u", f->spheres);
        shl_line(stdout, "%sfile %-4zu %s, vertices %u, triangles %u%s", mark, i,
                 q->args->words[i], f->vertices, f->triangles, more);
    }
}

static void print_text(const query *q)
{
    // with --list only the pairs are plain lines, so that other programs can read them
    const bool list = shl_args_has(q->args, "list");
    const char *mark = list ? "# " : "";
    print_files(q, mark);
    printf("%s%-9s %zu %s\n", mark, wants_contacts(q) ? "contacts" : "pairs", q->count,
           q->kind->what);
    if (wants_contacts(q))
        printf("%sdeepest   %g\n", mark, deepest(q));
    printf("%shash      %016" PRIx64 "\n", mark, shoal_scene_hash(q->engine.scene));
    printf("%stime      %.3f ms with %u %s\n", mark, 1e3 * q->stats.wall_s, q->stats.workers,
           q->stats.workers == 1 ? "thread" : "threads");
    if (q->rows) {
        shl_distance_text(q->rows, q->count);
        return;
    }
    if (list)
        printf("# file_a file_b %s, counted from 0\n",
               wants_contacts(q) ? "sphere_a element_b depth normal position"
                                 : "triangle_a triangle_b");
    for (size_t i = 0; list && i < q->count; i++) {
        print_row(q, i, " ");
        putchar('\n');
    }
}

static json_t *files_json(const query *q)
{
    json_t *files = json_array();
    for (size_t i = 0; i < q->args->word_count; i++) {
        const file_size *f = &q->files[i];
        json_t *file = json_pack(
            "{s:o, s:I, s:I, s:I, s:I}", "file", shl_json_new_text(q->args->words[i]),
            "vertices", (json_int_t)f->vertices, "triangles", (json_int_t)f->triangles,
            "fields", (json_int_t)f->fields, "spheres", (json_int_t)f->spheres);
        if (json_array_append_new(files, file) != 0) {
            json_decref(files);
            return NULL;
        }
    }
    return files;
}

static json_t *head_json(const query *q)
{
    json_t *bad = json_array();
    const shoal_body_numbers bad_bodies = shoal_scene_bad_bodies(q->engine.scene);
    for (size_t i = 0; i < bad_bodies.count; i++)
        json_array_append_new(bad, json_integer(bad_bodies.rows[i]));
    const shl_engine *e = &q->engine;
    json_t *head = json_pack(
        "{s:I, s:o, s:s, s:o, s:o, s:I, s:s, s:s, s:s, s:s, s:i, s:s, s:f, s:I, s:s}",
        wants_contacts(q) ? "contacts" : "pairs", (json_int_t)q->count, "hash",
        shl_json_hash(shoal_scene_hash(q->engine.scene)), "query", q->kind->name, "files",
        files_json(q), "bad_bodies", bad, "threads", (json_int_t)q->stats.threads, "executor",
        shl_executor_name(e->def.executor), "strategy", shl_strategy_name(e->def.strategy),
        "broad", shl_broad_name(e->def.broad), "builder", builders[q->builder], "arity",
        2 << q->arity, "cpu", shl_cpu_name(e->ctx), "step_s", q->stats.wall_s, "gpu_jobs",
        (json_int_t)q->stats.gpu_jobs, "version", shoal_version());
    if (head && wants_contacts(q) &&
        (json_object_set_new(head, "level", json_integer(q->level)) != 0 ||
         json_object_set_new(head, "deepest", json_real(deepest(q))) != 0)) {
        json_decref(head);
        return NULL;
    }
    return head;
}

// The list is written straight to stdout: as JSON values it would need many times its memory.
static int print_json(const query *q)
{
    json_t *head = head_json(q);
    if (!head || !(q->rows || shl_args_has(q->args, "list")))
        return shl_json_print(head);
    char *text = json_dumps(head, JSON_INDENT(2));
    json_decref(head);
    if (!text)
        return shl_json_print(NULL);
    // without the closing brace and the line break before it
    printf("%.*s,\n  \"%s\": ", (int)(strlen(text) - 2), text,
           q->rows                               ? "distances"
           : q->kind->query == SHOAL_QUERY_FIRST ? "hits"
                                                 : "list");
    free(text);
    if (q->rows) {
        shl_distance_json(q->rows, q->count);
        printf("\n}\n");
        return SHL_EXIT_OK;
    }
    printf("[");
    for (size_t i = 0; i < q->count; i++) {
        printf("%s\n    [", i ? "," : "");
        print_row(q, i, ", ");
        putchar(']');
    }
    printf("%s]\n}\n", q->count ? "\n  " : "");
    return SHL_EXIT_OK;
}

static void choose_pairs(query *q, shoal_pairs pairs)
{
    q->list = pairs.rows;
    q->count = pairs.count;
}

static void choose_distances(query *q, shoal_nearest_rows distances)
{
    q->rows = distances.rows;
    q->count = distances.count;
}

static void choose_rows(query *q)
{
    const shoal_scene *scene = q->engine.scene;
    const bool within = shl_args_has(q->args, "within"), all = shl_args_has(q->args, "list");
    switch (q->kind->query) {
    case SHOAL_QUERY_PAIRS:
        choose_pairs(q, shoal_scene_pairs(scene));
        break;
    case SHOAL_QUERY_FIRST:
        choose_pairs(q, shoal_scene_first_pairs(scene));
        break;
    case SHOAL_QUERY_SPHERES:
        q->count = shoal_scene_sphere_contacts(scene).count;
        break;
    case SHOAL_QUERY_NEAREST:
        choose_distances(q, within ? shoal_scene_within(scene) : shoal_scene_nearest(scene));
        break;
    case SHOAL_QUERY_NEAREST_SELF:
        choose_distances(q, shoal_scene_nearest_self(scene));
        if (!all) {
            q->count = shl_distance_least(q->rows, q->count, q->least);
            q->rows = q->least;
        }
        break;
    default:
        choose_pairs(q, shoal_scene_self_pairs(scene));
        break;
    }
    if (!q->rows && q->kind->query >= SHOAL_QUERY_NEAREST)
        q->rows = q->least; // no row, but still distances
}

// The answer is right for the other files, but who asked should not take it for whole.
static int name_bad_files(const query *q)
{
    const shoal_body_numbers bad = shoal_scene_bad_bodies(q->engine.scene);
    for (size_t i = 0; i < bad.count; i++) {
        const uint32_t file = bad.rows[i];
        shl_say("shoal query: file %u, %s: --q or --move makes it infinite; it meets nothing",
                file, q->args->words[file]);
    }
    return bad.count ? SHL_EXIT_INPUT : SHL_EXIT_OK;
}

static int search(query *q)
{
    int code = read_files(q);
    if (code != SHL_EXIT_OK)
        return code;
    const bool within = shl_args_has(q->args, "within");
    const shoal_status st =
        shoal_scene_step(q->engine.scene, within ? SHOAL_QUERY_WITHIN : q->kind->query);
    if (st != SHOAL_OK)
        return shl_engine_failed(&q->engine, st);
    q->stats = shoal_scene_stats(q->engine.scene);
    choose_rows(q);
    if (shl_args_has(q->args, "voronoi")) {
        if (shoal_scene_bad_bodies(q->engine.scene).count < q->args->word_count)
            code = shl_voronoi_write(q->args, &q->engine);
    } else if (shl_args_has(q->args, "json"))
        code = print_json(q);
    else
        print_text(q);
    return code == SHL_EXIT_OK ? name_bad_files(q) : code;
}

static int start_search(query *q)
{
    const shl_args *args = q->args;
    if (!shl_args_choice(args, "builder", builders, &q->builder) ||
        !shl_args_choice(args, "arity", arities, &q->arity) ||
        !shl_args_number(args, "spheres", 0, SHOAL_SPHERE_LEVEL_MAX, &q->level) ||
        !shl_placing_read(args, q->places))
        return SHL_EXIT_USAGE;
    const int code = shl_engine_start(args, &q->engine);
    const int out = code == SHL_EXIT_OK ? search(q) : code;
    shl_engine_finish(&q->engine);
    return out;
}

static int run_query(const shl_args *args)
{
    query q = {.args = args, .kind = choose_kind(args), .arity = 2};
    if (!q.kind)
        return SHL_EXIT_USAGE;
    q.files = calloc(args->word_count, sizeof *q.files);
    q.places = calloc(args->word_count, sizeof *q.places);
    q.least = calloc(args->word_count, sizeof *q.least);
    int code = SHL_EXIT_MEMORY;
    if (q.files && q.places && q.least)
        code = start_search(&q);
    else
        shl_say("shoal: out of memory");
    free(q.files);
    free(q.places);
    free(q.least);
    return code;
}

const shl_command shl_cmd_query = {
    .name = "query",
    .summary = "Find where mesh and model files intersect each other or themselves, or how far "
               "they are apart",
    .usage = "query FILE... [options]",
    .notes = "FILE is OBJ, PLY, STL, OFF or a model file (see shoal model). Files and\n"
             "triangles are counted from 0: --q 1=0.2,0 bends the second file.\n"
             "The answer is exact for the numbers in the files; touching counts.\n",
    .options = option_lists,
    .run = run_query,
};

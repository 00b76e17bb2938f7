// SPDX-License-Identifier: MIT
// shoal query: where mesh files intersect each other, or themselves, and how far apart they
// are.
#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/query_distance.h"

#include <inttypes.h>
#include <shoal/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const shl_option options[] = {
    {"pairs", 0, NULL, "all triangle pairs between files; default for two or more", false},
    {"first", 0, NULL, "for each two files, whether they meet, and one pair", false},
    {"self", 0, NULL, "pairs within each file that share no vertex; default for one", false},
    {"self-adjacent", 0, NULL, "also pairs that share vertices and meet beyond them", false},
    {"distance", 0, NULL, "for each file, the nearest other one and where", false},
    {"within", 0, "D", "with --distance: all two files not farther apart; inf: all", false},
    {"self-distance", 0, NULL, "for each file, the nearest two triangles that share no vertex",
     false},
    {"list", 0, NULL, "print the pairs too; with --self-distance all triangles", false},
    {"builder", 0, "area|centre|mean|connectivity", "how trees are made; default area", false},
    {"arity", 0, "2|4|8", "most children of a tree's node; default 8", false},
    {0},
};
static const shl_option *const option_lists[] = {options, shl_engine_options, shl_json_options,
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
    {"distance", SHOAL_QUERY_NEAREST, true, "files and the nearest other ones"},
    {"self-distance", SHOAL_QUERY_NEAREST_SELF, false, "nearest triangles within a file"},
};

// In the order of shoal_builder. Files have no poses to build for.
static const char *const builders[] = {"area", "centre", "mean", "connectivity", NULL};
static const char *const arities[] = {"2", "4", "8", NULL};

typedef struct file_size {
    uint32_t vertices, triangles;
} file_size;

typedef struct query {
    const shl_args *args;
    const query_kind *kind;
    shl_engine engine;
    file_size *files;   // [args->word_count]
    int builder, arity; // numbers of the words above
    const shoal_pair *list;
    size_t count;              // of the list or of the rows
    const shoal_nearest *rows; // distances; NULL: none were asked for
    shoal_nearest *least;      // [args->word_count] if only some of them are told
    shoal_results found;
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
    return chosen ? chosen : &query_kinds[args->word_count > 1 ? 0 : 2];
}

static shoal_status add_mesh(query *q, const shoal_mesh *mesh)
{
    const shl_engine *e = &q->engine;
    shoal_model_def def = shoal_model_def_default();
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    def.rest = shoal_positions_f64(mesh->xyz, mesh->vertex_count);
    def.builder = (shoal_builder)q->builder;
    def.arity = 2u << q->arity;
    shoal_model *model;
    shoal_body body;
    shoal_status st = shoal_model_create(e->ctx, &def, &model);
    if (st == SHOAL_OK)
        st = shoal_scene_add_free(e->scene, model, &body);
    if (st == SHOAL_OK)
        st = shoal_scene_set_positions(e->scene, body, &def.rest);
    shoal_model_destroy(model);
    return st;
}

static int read_files(query *q)
{
    for (size_t i = 0; i < q->args->word_count; i++) {
        shoal_mesh mesh;
        shoal_io_error error;
        shoal_status st = shoal_mesh_read(q->args->words[i], NULL, &mesh, &error);
        if (st != SHOAL_OK) {
            shl_say("%s", error.text);
            return st == SHOAL_ERR_MEMORY ? SHL_EXIT_MEMORY : SHL_EXIT_INPUT;
        }
        q->files[i] = (file_size){mesh.vertex_count, mesh.triangle_count};
        st = add_mesh(q, &mesh);
        shoal_mesh_finish(&mesh);
        if (st != SHOAL_OK)
            return shl_engine_failed(&q->engine, st);
    }
    return SHL_EXIT_OK;
}

static void print_text(const query *q)
{
    // with --list only the pairs are plain lines, so that other programs can read them
    const bool list = shl_args_has(q->args, "list");
    const char *mark = list ? "# " : "";
    for (size_t i = 0; i < q->args->word_count; i++)
        printf("%sfile %-4zu %s, vertices %u, triangles %u\n", mark, i, q->args->words[i],
               q->files[i].vertices, q->files[i].triangles);
    printf("%spairs     %zu %s\n", mark, q->count, q->kind->what);
    printf("%shash      %016" PRIx64 "\n", mark, q->found.hash);
    printf("%stime      %.3f ms with %u %s\n", mark, 1e3 * q->stats.wall_s, q->stats.workers,
           q->stats.workers == 1 ? "thread" : "threads");
    if (q->rows) {
        shl_distance_text(q->rows, q->count);
        return;
    }
    if (list)
        printf("# file_a file_b triangle_a triangle_b, counted from 0\n");
    for (size_t i = 0; list && i < q->count; i++)
        printf("%u %u %u %u\n", q->list[i].body_a, q->list[i].body_b, q->list[i].triangle_a,
               q->list[i].triangle_b);
}

static json_t *head_json(const query *q)
{
    json_t *files = json_array();
    for (size_t i = 0; i < q->args->word_count; i++) {
        json_t *file = json_pack("{s:o, s:I, s:I}", "file", shl_json_text(q->args->words[i]),
                                 "vertices", (json_int_t)q->files[i].vertices, "triangles",
                                 (json_int_t)q->files[i].triangles);
        if (json_array_append_new(files, file) != 0) {
            json_decref(files);
            return NULL;
        }
    }
    const shl_engine *e = &q->engine;
    return json_pack(
        "{s:I, s:o, s:s, s:o, s:I, s:s, s:s, s:s, s:s, s:i, s:s, s:f, s:s}", "pairs",
        (json_int_t)q->count, "hash", shl_json_hash(q->found.hash), "query", q->kind->name,
        "files", files, "threads", (json_int_t)q->stats.workers, "executor",
        shl_executor_name(e->def.executor), "strategy", shl_strategy_name(e->def.strategy),
        "broad", shl_broad_name(e->def.broad), "builder", builders[q->builder], "arity",
        2 << q->arity, "cpu", shl_cpu_name(e->ctx), "step_s", q->stats.wall_s, "version",
        shoal_version());
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
    for (size_t i = 0; i < q->count; i++)
        printf("%s\n    [%u, %u, %u, %u]", i ? "," : "", q->list[i].body_a, q->list[i].body_b,
               q->list[i].triangle_a, q->list[i].triangle_b);
    printf("%s]\n}\n", q->count ? "\n  " : "");
    return SHL_EXIT_OK;
}

// What was found of the query's kind.
static void choose_rows(query *q)
{
    const shoal_results *found = &q->found;
    if (q->kind->query == SHOAL_QUERY_PAIRS) {
        q->list = found->pairs;
        q->count = found->pair_count;
    } else if (q->kind->query == SHOAL_QUERY_FIRST) {
        q->list = found->hits;
        q->count = found->hit_count;
    } else if (q->kind->query == SHOAL_QUERY_NEAREST) {
        const bool within = shl_args_has(q->args, "within");
        q->rows = within ? found->within : found->nearest;
        q->count = within ? found->within_count : found->nearest_count;
    } else if (q->kind->query == SHOAL_QUERY_NEAREST_SELF) {
        const bool all = shl_args_has(q->args, "list");
        q->rows = all ? found->nearest_self : q->least;
        q->count =
            all ? found->nearest_self_count
                : shl_distance_least(found->nearest_self, found->nearest_self_count, q->least);
    } else {
        q->list = found->self_pairs;
        q->count = found->self_pair_count;
    }
    if (!q->rows && q->kind->query >= SHOAL_QUERY_NEAREST)
        q->rows = q->least; // no row, but still distances
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
    q->found = shoal_scene_results(q->engine.scene);
    q->stats = shoal_scene_stats(q->engine.scene);
    choose_rows(q);
    if (shl_args_has(q->args, "json"))
        return print_json(q);
    print_text(q);
    return SHL_EXIT_OK;
}

static int run_query(const shl_args *args)
{
    query q = {.args = args, .kind = choose_kind(args), .arity = 2};
    if (!q.kind || !shl_args_choice(args, "builder", builders, &q.builder) ||
        !shl_args_choice(args, "arity", arities, &q.arity))
        return SHL_EXIT_USAGE;
    int code = shl_engine_start(args, &q.engine);
    if (code == SHL_EXIT_OK) {
        q.files = calloc(args->word_count, sizeof *q.files);
        q.least = calloc(args->word_count, sizeof *q.least);
        code = q.files && q.least ? search(&q) : shl_engine_failed(&q.engine, SHOAL_ERR_MEMORY);
    }
    free(q.files);
    free(q.least);
    shl_engine_finish(&q.engine);
    return code;
}

const shl_command shl_cmd_query = {
    .name = "query",
    .summary =
        "Find where mesh files intersect each other or themselves, or how far they are apart",
    .usage = "query FILE... [options]",
    .notes = "FILE is OBJ, PLY, STL or OFF. Files and triangles are counted from 0.\n"
             "The answer is exact for the numbers in the files; touching counts.\n",
    .options = option_lists,
    .run = run_query,
};

// SPDX-License-Identifier: MIT
#include "cli/commands/layouts.h"

#include "layouts/models/list.h"
#include "runtime/kinds/kind.h"
#include "runtime/queries/query.h"

#include <stdio.h>

// --- Bodies. ---

static void print_bodies(void)
{
    const shl_table_def *def = &shl_bodies_def;
    size_t bytes = 0;
    for (uint32_t i = 0; i < def->column_count; i++)
        bytes += def->columns[i].bytes;
    printf("## Bodies of a scene: `shl_bodies`\n\n"
           "One row per body of any kind, %zu bytes; column `x` of body `b` is `x[b]` "
           "(`runtime/scene/bodies.h`).\n\n"
           "| column | type | bytes per row | a row is |\n|---|---|---|---|\n",
           bytes);
    for (uint32_t i = 0; i < def->column_count; i++) {
        const shl_table_column *c = &def->columns[i];
        printf("| `%s` | `%s` | %zu | %s |\n", c->name, c->type, c->bytes, c->about);
    }
}

// --- Modules. ---

static void print_arrays(const shl_array_list *list, const char *const *tables)
{
    if (!list->count)
        return;
    printf("\n| array | type | bytes per row | table | a row is |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < list->count; i++) {
        const shl_array_def *d = &list->defs[i];
        printf("| `%s", d->name);
        if (d->count > 1)
            printf("[%u]", d->count);
        printf("` | `%s` | %zu | %s | %s |\n", d->type, d->bytes, tables[d->table], d->about);
    }
}

static void print_kinds(void)
{
    for (uint32_t i = 0; i < shl_kind_count; i++) {
        const shl_kind *k = shl_kinds[i];
        printf("\n## Kind `%s`\n\nOne `%s` per body, %zu bytes (`runtime/kinds/%s/`).\n",
               k->name, k->row_type, k->row_bytes, k->name);
        print_arrays(&k->arrays, k->tables);
    }
}

static void print_queries(void)
{
    for (uint32_t i = 0; i < shl_query_count; i++) {
        const shl_query *q = shl_queries[i];
        printf("\n## Query `%s`\n\nIn `runtime/queries/%s/`.\n", q->name, q->name);
        print_arrays(&q->arrays, q->tables);
    }
}

// --- Trees and models. ---

static void print_struct(const shl_model_struct *of)
{
    shl_column columns[SHL_MODEL_COLUMNS_MAX];
    const uint32_t count = of->columns(columns);
    printf("\n## %s: `%s`\n\nOne per model (`%s`).\n\n"
           "| column | type | bytes per row | rows | a row is |\n|---|---|---|---|---|\n",
           of->about, of->name, of->header);
    for (uint32_t i = 0; i < count; i++) {
        const shl_column *c = &columns[i];
        printf("| `%s` | `%s` | %zu | `%s` | %s |\n", c->name, c->type, c->row_bytes, c->rows,
               c->about);
    }
}

static void print_models(void)
{
    for (int i = 0; i < SHL_MODEL_STRUCTS; i++)
        print_struct(&shl_model_structs[i]);
}

void shl_layouts_print(void)
{
    print_bodies();
    print_kinds();
    print_queries();
    print_models();
}

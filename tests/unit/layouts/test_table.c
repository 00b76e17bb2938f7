// SPDX-License-Identifier: MIT
// Tables by columns, and rows of a kind: what grows keeps its rows, new ones are zero, and a
// failed allocation changes nothing.
#include "greatest.h"
#include "layouts/table.h"
#include "runtime/kinds/rows.h"

#include <stdlib.h>
#include <string.h>

static bool refuse;
static long held;

static void *take(void *user, size_t size, size_t align)
{
    (void)user;
    held += !refuse;
    return refuse ? NULL : aligned_alloc(align, (size + align - 1) / align * align);
}

static void give(void *user, void *memory, size_t size)
{
    (void)user, (void)size;
    held--;
    free(memory);
}

static const shoal_allocator memory = {take, give, NULL};

typedef struct people {
    shl_table table;
    uint8_t *age;
    double *place;
    uint16_t *name;
} people;

static const shl_table_column columns[] = {SHL_COLUMN(people, age, uint8_t, ""),
                                           SHL_COLUMN(people, place, double, ""),
                                           SHL_COLUMN(people, name, uint16_t, "")};
static const shl_table_def def = {columns, 3};

// Whether counts, columns and memory fit together.
static bool is_valid(const shl_table *t)
{
    const char *at = t->memory;
    bool good = t->count <= t->capacity && (t->memory != NULL) == (t->capacity > 0);
    for (uint32_t i = 0; i < def.column_count && good; i++) {
        const size_t bytes = t->capacity * columns[i].bytes;
        good = *(void *const *)((const char *)t + columns[i].offset) == at;
        at += t->memory ? (bytes + SHL_ALIGN - 1) / SHL_ALIGN * SHL_ALIGN : 0;
    }
    return good && (size_t)(at - (const char *)t->memory) == t->bytes;
}

TEST columns_grow_together(void)
{
    people p = {.age = NULL};
    ASSERT(is_valid(&p.table));
    for (uint32_t i = 0; i < 1000; i++) {
        ASSERT_EQ(SHOAL_OK, shl_table_reserve(&p.table, &def, i + 1, &memory));
        ASSERT(p.age[i] == 0 && p.place[i] == 0 && p.name[i] == 0);
        p.table.count = i + 1;
        p.age[i] = (uint8_t)i;
        p.place[i] = i / 2.0;
        p.name[i] = (uint16_t)(7 * i);
        ASSERT(is_valid(&p.table));
    }
    for (uint32_t i = 0; i < 1000; i++)
        ASSERT(p.age[i] == (uint8_t)i && p.place[i] == i / 2.0 &&
               p.name[i] == (uint16_t)(7 * i));
    refuse = true;
    const people before = p;
    ASSERT_EQ(SHOAL_ERR_MEMORY, shl_table_reserve(&p.table, &def, 100000, &memory));
    ASSERT_MEM_EQ(&before, &p, sizeof p);
    refuse = false;
    p.age++; // a column elsewhere
    ASSERT_FALSE(is_valid(&p.table));
    shl_table_finish(&p.table, &def, &memory);
    ASSERT(is_valid(&p.table) && !p.place);
    ASSERT_EQ(0, held);
    PASS();
}

typedef struct row {
    const void *model;
    uint32_t number;
} row;

TEST free_rows_are_found_again(void)
{
    shl_kind_rows r = {.row_bytes = sizeof(row)};
    uint32_t at;
    for (uint32_t i = 0; i < 10; i++) {
        ASSERT_EQ(SHOAL_OK, shl_kind_rows_find(&r, &memory, &at));
        ASSERT_EQ(i, at);
        ASSERT_EQ(SHOAL_OK, shl_kind_rows_find(&r, &memory, &at)); // nobody has taken it
        ASSERT_EQ(i, at);
        row *taken = (row *)r.data.data + at;
        ASSERT(!taken->model && taken->number == 0);
        *taken = (row){&r, i};
    }
    static const uint32_t gone[] = {7, 2, 5};
    for (int i = 0; i < 3; i++) {
        ((row *)r.data.data)[gone[i]].model = NULL;
        shl_kind_rows_release(&r, gone[i]);
    }
    static const uint32_t lowest[] = {2, 5, 7, 10};
    for (int i = 0; i < 4; i++) {
        ASSERT_EQ(SHOAL_OK, shl_kind_rows_find(&r, &memory, &at));
        ASSERT_EQ(lowest[i], at);
        ((row *)r.data.data)[at].model = &r;
    }
    ASSERT_EQ(9u, ((const row *)r.data.data)[9].number);
    shl_array_finish(&r.data, &memory);
    ASSERT_EQ(0, held);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(columns_grow_together);
    RUN_TEST(free_rows_are_found_again);
    GREATEST_MAIN_END();
}

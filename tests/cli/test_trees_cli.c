// SPDX-License-Identifier: MIT
// Trees on the command line: any builder and arity gives the same answer.
#include "tool.h"

static const char *const builders[] = {"area", "centre", "mean", "connectivity", "poses"};

TEST any_tree_runs(void)
{
    char expected[32] = "";
    for (int b = 0; b < 5; b++) {
        for (int arity = 2; arity <= 8; arity *= 2) {
            char line[256];
            snprintf(line, sizeof line,
                     "run arms-27 -s k=2 -q --steps 30 --json -s builder=%s -s arity=%d",
                     builders[b], arity);
            json_t *j = shoal_json(line);
            ASSERTm(line, j);
            const json_t *p = json_object_get(j, "parameters");
            ASSERT_STR_EQm(line, builders[b], text_of(p, "builder"));
            ASSERT_EQm(line, arity, json_integer_value(json_object_get(p, "arity")));
            ASSERTm(line, json_integer_value(json_object_get(j, "pairs_total")) > 0);
            if (!*expected)
                snprintf(expected, sizeof expected, "%s", text_of(j, "hash"));
            ASSERT_STR_EQm(line, expected, text_of(j, "hash"));
            json_decref(j);
        }
    }
    PASS();
}

TEST any_tree_is_queried(void)
{
    FILE *f = fopen("two.obj", "wb"); // two triangles through each other, many times
    ASSERT(f);
    for (int i = 0; i < 40; i++)
        fprintf(f, "v %d 0 0\nv %d 1 0\nv %d 0 1\nv %d 0 0\nf -4 -3 -2\nf -4 -1 -2\n", i, i,
                i + 2, i + 3);
    ASSERT_EQ(0, fclose(f));
    char expected[32] = "";
    for (int b = 0; b < 4; b++) {
        for (int arity = 2; arity <= 8; arity *= 2) {
            char line[256];
            snprintf(line, sizeof line, "query two.obj --json --builder %s --arity=%d",
                     builders[b], arity);
            json_t *j = shoal_json(line);
            ASSERTm(line, j);
            ASSERT_STR_EQm(line, builders[b], text_of(j, "builder"));
            ASSERT_EQm(line, arity, json_integer_value(json_object_get(j, "arity")));
            ASSERTm(line, json_integer_value(json_object_get(j, "pairs")) > 0);
            if (!*expected)
                snprintf(expected, sizeof expected, "%s", text_of(j, "hash"));
            ASSERT_STR_EQm(line, expected, text_of(j, "hash"));
            json_decref(j);
        }
    }
    PASS();
}

TEST other_trees_are_refused(void)
{
    static const char *const lines[] = {
        "run bumpy-27 -s builder=best",  "run bumpy-27 -s builder=",
        "run bumpy-27 -s arity=3",       "run bumpy-27 -s arity=16",
        "run bumpy-27 -s arity=0",       "query two.obj --arity 3",
        "query two.obj --arity 16",      "query two.obj --arity=",
        "query two.obj --builder poses", "query two.obj --builder x",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        ASSERT_EQm(lines[i], 64, shoal(lines[i]));
        const char *end = strchr(last.err, '\n');
        ASSERTm(lines[i], end && end[1] == '\0' && strstr(last.err, "is "));
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!tool_open())
        return 1;
    RUN_TEST(any_tree_runs);
    RUN_TEST(any_tree_is_queried);
    RUN_TEST(other_trees_are_refused);
    if (!tool_close())
        return 1;
    GREATEST_MAIN_END();
}

// SPDX-License-Identifier: MIT
// Damage: each allocation failing, files cut at every length, bytes changed at random. What
// comes back is a sane mesh or a report, and nothing leaks.
#include "test_io.h"

#include <stdio.h>

typedef struct sample {
    const char *name;
    char bytes[4096];
    size_t size;
} sample;

enum { SAMPLES = 9 };
static sample samples[SAMPLES];

static void add(int i, const char *name, const void *bytes, size_t size)
{
    samples[i].name = name;
    memcpy(samples[i].bytes, bytes, size);
    samples[i].size = size;
}

static void add_text(int i, const char *name, const char *text)
{
    add(i, name, text, strlen(text));
}

#define PLY_HEAD(format)                                                                       \
    "ply\nformat " format " 1.0\ncomment c\nelement vertex 4\nproperty float x\n"              \
    "property double y\nproperty short z\nelement face 2\n"                                    \
    "property list uchar int vertex_indices\nproperty list uchar uchar c\nend_header\n"

// Rows of the header above: two triangles, the second as part of nothing larger.
static size_t put_ply(char *out, const char *head, bool big)
{
    static const unsigned char face[] = {3, 0, 1, 2, 1, 9};
    size_t used = strlen(head);
    memcpy(out, head, used);
    memset(out + used, 0, 4 * 14);
    for (int v = 0; v < 4; v++)
        out[used + 14 * (size_t)v + (big ? 0 : 3)] = (char)(v ? 0x3f + v : 0);
    used += 4 * 14;
    for (int f = 0; f < 2; f++) {
        out[used++] = 3;
        for (int c = 0; c < 3; c++) {
            memset(out + used, 0, 4);
            out[used + (big ? 3 : 0)] = (char)(face[1 + c] + f);
            used += 4;
        }
        out[used++] = 1;
        out[used++] = 9;
    }
    return used;
}

static void make_samples(void)
{
    static char text[4096];
    int used = snprintf(text, sizeof text, "# c\n");
    for (int v = 0; v < 80; v++) // more than the arrays start with
        used +=
            snprintf(text + used, sizeof text - (size_t)used, "v %d.5 1e-%d -3\n", v, v % 9);
    for (int f = 0; f < 70; f++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         f % 2 ? "f %d/1 2//3 -1 \\\n 4\n" : "f %d 2 3\n", f + 1);
    add_text(0, "a.obj", text);
    add_text(1, "a.off",
             "COFF # c\n4 3 0\n0 0 0 255\n1 0 0 255\n1 1 0.25 255\n0 1e3 -7.5 255\n"
             "3 0 1 2\n4 0 1 2 3 9 9\n3 1 2 3\n");
    add_text(2, "a.ply",
             PLY_HEAD("ascii") "0 0 0\n1 0 0\n1.5 1e2 0\n0 1 -3\n3 0 1 2 1 9\n4 0 1 2 3 0\n");
    add_text(3, "s.ply",
             "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
             "property float z\nelement tristrips 1\nproperty list int int vertex_indices\n"
             "end_header\n0 0 0\n1 0 0\n1 1 0\n6 0 1 2 0 -1 1\n");
    samples[4].name = "l.ply";
    samples[4].size = put_ply(samples[4].bytes, PLY_HEAD("binary_little_endian"), false);
    samples[5].name = "b.ply";
    samples[5].size = put_ply(samples[5].bytes, PLY_HEAD("binary_big_endian"), true);
    used = snprintf(text, sizeof text, "solid s\n");
    for (int f = 0; f < 20; f++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "facet normal 0 0 1\nouter loop\nvertex %d 0 0\nvertex 1 %d 0\n"
                         "vertex 0 1 0\nendloop\nendfacet\n",
                         f, f);
    snprintf(text + used, sizeof text - (size_t)used, "endsolid s\n");
    add_text(6, "a.stl", text);
    char *stl = samples[7].bytes;
    const uint32_t count = 70;
    memcpy(stl + 80, &count, 4);
    for (uint32_t i = 0; i < 9 * count; i++) {
        float value = (float)(i * 7 % 211);
        memcpy(stl + 84 + 50 * (i / 9) + 12 + 4 * (i % 9), &value, 4);
    }
    samples[7].name = "b.stl";
    samples[7].size = 84 + 50 * count;
    add(8, "solid.stl", stl, 84 + 50);
    memcpy(samples[8].bytes, "solid", 5);
    memcpy(samples[8].bytes + 80, "\1\0\0", 4);
}

// One parse: sane or reported, never in between, and all memory back.
static bool holds(const char *name, const char *bytes, size_t size, unsigned fail_at,
                  shoal_status *status)
{
    counter live = {.fail_at = fail_at};
    shoal_allocator allocator = counter_allocator(&live);
    parsed p = parse_limited(name, bytes, size, &allocator, SHL_IO_ROW_LIMIT);
    *status = p.status;
    bool good = p.status == SHOAL_OK ? is_sane(&p.mesh) && !p.error.text[0]
                                     : is_zero(&p.mesh) && is_one_line(&p.error);
    shoal_mesh_finish(&p.mesh);
    good = good && live.live_blocks == 0 && live.live_bytes == 0 && !live.broken_promise;
    if (!good)
        printf("%s: %zu bytes, allocation %u: %s\n", name, size, fail_at, p.error.text);
    return good;
}

TEST samples_are_valid(void)
{
    for (int i = 0; i < SAMPLES; i++) {
        shoal_status status;
        ASSERT(holds(samples[i].name, samples[i].bytes, samples[i].size, 0, &status));
        ASSERT_EQ_FMT(SHOAL_OK, status, "%d");
    }
    PASS();
}

TEST every_allocation_fails(void)
{
    for (int i = 0; i < SAMPLES; i++) {
        shoal_status status = SHOAL_ERR_MEMORY;
        unsigned nth = 0;
        while (status == SHOAL_ERR_MEMORY) {
            nth++;
            ASSERT(holds(samples[i].name, samples[i].bytes, samples[i].size, nth, &status));
        }
        ASSERT_EQ_FMT(SHOAL_OK, status, "%d"); // the first that is never reached
        ASSERT(nth > 2);
    }
    PASS();
}

// The same through a file, whose bytes are allocated too.
TEST every_allocation_fails_with_file(void)
{
    char path[] = "/tmp/shoal-io-XXXXXX.obj";
    int file = mkstemps(path, 4);
    ASSERT(file >= 0);
    FILE *stream = fdopen(file, "w");
    fwrite(samples[0].bytes, 1, samples[0].size, stream);
    fclose(stream);
    shoal_status status = SHOAL_ERR_MEMORY;
    for (unsigned nth = 1; status == SHOAL_ERR_MEMORY; nth++) {
        counter live = {.fail_at = nth};
        shoal_allocator allocator = counter_allocator(&live);
        shoal_mesh mesh;
        shoal_io_error error;
        status = shoal_mesh_read(path, &allocator, &mesh, &error);
        ASSERT(status == SHOAL_OK || (is_zero(&mesh) && is_one_line(&error)));
        shoal_mesh_finish(&mesh);
        ASSERT_EQ(0u, live.live_blocks);
        ASSERT_FALSE(live.broken_promise);
    }
    remove(path);
    ASSERT_EQ(SHOAL_OK, status);
    PASS();
}

// Only a text may still be whole when its end is missing: OBJ at any line, others by a break.
TEST cut_at_every_length(void)
{
    for (int i = 0; i < SAMPLES; i++) {
        for (size_t size = 0; size < samples[i].size; size++) {
            shoal_status status;
            ASSERT(holds(samples[i].name, samples[i].bytes, size, 0, &status));
            bool binary = samples[i].name[0] == 'l' || samples[i].name[0] == 'b' ||
                          strcmp(samples[i].name, "solid.stl") == 0;
            if (binary)
                ASSERT_EQ_FMT(SHOAL_ERR_FORMAT, status, "%d");
        }
    }
    PASS();
}

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % below);
}

static size_t mutate(char *bytes, size_t size)
{
    static const char *const words[] = {"-1", "99999999999", "nan", "1e999",
                                        "0",  "\n",          "#",   "\\\n"};
    for (uint32_t n = 1 + draw(4); n > 0; n--) {
        uint32_t at = draw((uint32_t)size), kind = draw(6);
        if (kind == 0)
            bytes[at] ^= (char)(1 << draw(8));
        else if (kind == 1)
            bytes[at] = (char)draw(256);
        else if (kind == 2)
            bytes[at] = (char)('0' + draw(10));
        else if (kind == 3) {
            uint32_t from = draw((uint32_t)size), far = from > at ? from : at;
            memmove(bytes + at, bytes + from, draw((uint32_t)size - far));
        } else if (kind == 4 && size > 8)
            size -= draw(4);
        else {
            const char *word = words[draw(8)];
            if (at + strlen(word) < size)
                memcpy(bytes + at, word, strlen(word));
        }
    }
    return size;
}

TEST random_damage(void)
{
    static char bytes[4096];
    unsigned good = 0, bad = 0;
    for (int i = 0; i < SAMPLES; i++) {
        state = (uint64_t)i + 1;
        for (int n = 0; n < 20000; n++) {
            memcpy(bytes, samples[i].bytes, samples[i].size);
            size_t size = mutate(bytes, samples[i].size);
            shoal_status status;
            ASSERT(holds(samples[i].name, bytes, size, 0, &status));
            good += status == SHOAL_OK;
            bad += status != SHOAL_OK;
        }
    }
    ASSERT(good > 10000 && bad > 10000); // the damage must be neither harmless nor total
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    make_samples();
    RUN_TEST(samples_are_valid);
    RUN_TEST(every_allocation_fails);
    RUN_TEST(every_allocation_fails_with_file);
    RUN_TEST(cut_at_every_length);
    RUN_TEST(random_damage);
    GREATEST_MAIN_END();
}

// SPDX-License-Identifier: MIT
// Model files with nodes and weights: written and read back, and every way in which they can be
// wrong behind right checksums.
#include "model_sample.h"

#include "greatest.h"
#include "io/bits.h"
#include "io_folder.h"

enum { SECTIONS = 14, PNTS = 7, NODE, WBEG, WNOD, WGHT, RADI, NMAS };

static char sample[SAMPLE_ROOM], spoilt[SAMPLE_ROOM];
static size_t sample_size;

static size_t row_of(int section)
{
    return 24 + 24 * (size_t)section;
}

static size_t place_of(int section)
{
    size_t at = row_of(SECTIONS) + 8;
    for (int i = 0; i < section; i++)
        at += (size_t)(shl_get_bits(sample + row_of(i) + 8, 8) + 7) / 8 * 8;
    return at;
}

static void mend(char *bytes)
{
    for (int i = 0; i < SECTIONS; i++) {
        const size_t padded = (size_t)(shl_get_bits(sample + row_of(i) + 8, 8) + 7) / 8 * 8;
        shl_set_bits(bytes + row_of(i) + 16, XXH3_64bits(bytes + place_of(i), padded), 8);
    }
    const size_t table = row_of(SECTIONS);
    shl_set_bits(bytes + table, XXH3_64bits(bytes, table), 8);
}

TEST comes_back(bool wide)
{
    const shoal_model_file m = model_sample_nodes(wide);
    shoal_model_file again;
    shoal_io_error error;
    const char *path = in_folder("nodes.model");
    ASSERT_EQ(SHOAL_OK, shoal_model_file_write(path, &m, &error));
    ASSERT_EQ(SHOAL_OK, shoal_model_file_read(path, NULL, &again, &error));
    ASSERT(same_model(&m, &again) && is_sane_model(&again));
    shoal_skinned_def def = shoal_skinned_def_default();
    ASSERT(shoal_model_file_fill_skinned(&again, &def));
    ASSERT_EQ_FMT(2u, def.control_count, "%u");
    ASSERT_EQ(8u, def.weight_count);
    ASSERT_EQ((const void *)again.weight, (const void *)def.weight);
    shoal_model_file_finish(&again);
    ASSERT(!shoal_model_file_fill_skinned(&again, &def));
    ASSERT(slurp_bytes(path, sample, sizeof sample, &sample_size));
    remove(path);
    PASS();
}

// One change with right checksums, and its exact report.
static enum greatest_test_res spoil(size_t at, uint64_t bits, size_t size, shoal_status status,
                                    size_t place, const char *report)
{
    char line[256];
    snprintf(line, sizeof line, "a.model: byte %zu: %s", place, report);
    memcpy(spoilt, sample, sample_size);
    shl_set_bits(spoilt + at, bits, size);
    mend(spoilt);
    counter live = {0};
    const shoal_allocator allocator = counter_allocator(&live);
    const shl_source source = {spoilt, sample_size, "a.model", SHL_IO_ROW_LIMIT};
    shoal_model_file m;
    shoal_io_error error;
    ASSERT_EQ_FMT(status, shl_model_parse(&source, &allocator, &m, &error), "%d");
    ASSERT_STR_EQ(line, error.text);
    ASSERT(is_zero_model(&m) && live.live_blocks == 0 && !live.broken_promise);
    PASS();
}

#define SPOIL(at, bits, size, place, report)                                                   \
    CHECK_CALL(spoil(at, bits, size, SHOAL_ERR_FORMAT, place, report))

TEST wrong_contents(void)
{
    const uint64_t nan64 = UINT64_C(0x7ff8000000000000);
    const size_t pnts = place_of(PNTS), node = place_of(NODE), wbeg = place_of(WBEG),
                 wnod = place_of(WNOD), wght = place_of(WGHT), radi = place_of(RADI),
                 nmas = place_of(NMAS);
    SPOIL(pnts, 0, 4, pnts, "no control points, or a number of a later version");
    SPOIL(pnts + 4, 1, 4, pnts, "no control points, or a number of a later version");
    SPOIL(pnts, 3, 4, node, "section NODE has 48 bytes, it needs 72");
    SPOIL(pnts + 8, 9, 8, wnod, "section WNOD has 32 bytes, it needs 36");
    CHECK_CALL(spoil(pnts, 2000000, 4, SHOAL_ERR_LIMIT, pnts,
                     "2000000 control points and 8 weights, at most 1048576 and 4294967295"));
    CHECK_CALL(spoil(
        pnts + 8, UINT64_C(1) << 60, 8, SHOAL_ERR_LIMIT, pnts,
        "2 control points and 1152921504606846976 weights, at most 1048576 and 4294967295"));
    SPOIL(node + 32, nan64, 8, node + 32, "control point 1 is not finite");
    SPOIL(wbeg, 1, 4, wbeg, "weights of vertex 0 begin at 1 of 8");
    SPOIL(wbeg + 8, 0, 4, wbeg + 8, "weights of vertex 2 begin at 0 of 8");
    SPOIL(wbeg + 12, 9, 4, wbeg + 12, "weights of vertex 3 begin at 9 of 8");
    SPOIL(wbeg + 20, 7, 4, wbeg + 20, "8 weights, 7 are used");
    SPOIL(wbeg + 4, 0, 4, wbeg, "vertex 0 has no control point");
    SPOIL(wnod + 8, 2, 4, wnod + 8, "vertex 1 names control point 2, the model has 2");
    SPOIL(wght + 4, 0xbf800000, 4, wght + 4, "a weight of vertex 1 is -1");
    SPOIL(wght + 4, 0x7fc00000, 4, wght + 4, "a weight of vertex 1 is nan");
    SPOIL(wght, 0x3f000000, 4, wbeg, "the weights of vertex 0 sum to 0.5");
    SPOIL(radi + 8, 0, 8, radi + 8, "the radius of control point 1 is 0");
    SPOIL(nmas, nan64, 8, nmas, "the mass of control point 0 is nan");
    SPOIL(row_of(PNTS), shl_get_u32("XXXX"), 4, row_of(PNTS),
          "section XXXX is needed and not known to this version of shoal");
    SPOIL(row_of(WGHT), shl_get_u32("NAME"), 4, row_of(WGHT), "a second section NAME");
    PASS();
}

// Sections of nodes without the one that counts them are no model.
TEST lone_sections(void)
{
    shl_set_bits(sample + row_of(PNTS) + 4, 0, 4); // not needed
    const size_t node = place_of(NODE);
    const enum greatest_test_res res =
        spoil(row_of(PNTS), shl_get_u32("XXXX"), 4, SHOAL_ERR_FORMAT, node,
              "section NODE without a section PNTS");
    shl_set_bits(sample + row_of(PNTS) + 4, SHL_MODEL_NEEDED, 4);
    CHECK_CALL(res);
    PASS();
}

TEST every_byte_counts(void)
{
    for (size_t i = 0; i < sample_size; i++) {
        memcpy(spoilt, sample, sample_size);
        spoilt[i] ^= 4;
        const shoal_allocator allocator = shl_io_allocator(NULL);
        const shl_source source = {spoilt, sample_size, "a.model", SHL_IO_ROW_LIMIT};
        shoal_model_file m;
        shoal_io_error error;
        ASSERT_EQ(SHOAL_ERR_FORMAT, shl_model_parse(&source, &allocator, &m, &error));
        ASSERT(is_zero_model(&m) && is_one_line(&error));
    }
    PASS();
}

// What could not be read back is not written.
TEST wrong_to_write(void)
{
    const char *path = in_folder("bad.model");
    shoal_io_error error;
    shoal_model_file m = model_sample_nodes(false);
    float weight[8] = {1, 0.25f, 0.75f, 0.5f, 0.6f, 1, 1, 0};
    m.weight = weight;
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_model_file_write(path, &m, &error));
    ASSERT(strstr(error.text, "the weights of vertex 2 sum to 1.1"));
    m = model_sample_nodes(false);
    m.weight_control = NULL;
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_model_file_write(path, &m, &error));
    ASSERT(strstr(error.text, "2 control points, but an array is NULL"));
    m = model_sample_nodes(false);
    m.control_count = SHOAL_CONTROLS_MAX + 1;
    ASSERT_EQ(SHOAL_ERR_LIMIT, shoal_model_file_write(path, &m, &error));
    shoal_model_file none;
    ASSERT_EQ(SHOAL_ERR_FILE, shoal_model_file_read(path, NULL, &none, NULL));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!folder_open())
        return 1;
    RUN_TEST1(comes_back, true);
    RUN_TEST1(comes_back, false);
    RUN_TEST(wrong_contents);
    RUN_TEST(lone_sections);
    RUN_TEST(every_byte_counts);
    RUN_TEST(wrong_to_write);
    remove(folder);
    GREATEST_MAIN_END();
}

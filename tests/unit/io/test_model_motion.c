// SPDX-License-Identifier: MIT
// Model files with a recorded motion: whole, cut, damaged, and wrong behind right checksums.
#include "model_sample.h"

#include "io/bits.h"

#include <math.h>
#include <unistd.h>

enum { FRAMES = 3, LAST_ROW = 24 + 24 * 7 }; // the section stands last, after seven others

static char sample[SAMPLE_ROOM], spoilt[SAMPLE_ROOM];
static size_t sample_size;
static double motion[FRAMES * SAMPLE_FIELDS] = {0, -0.0, 1e-300, -1.5, 1 / 3.0, 1e300};

static shoal_model_file with_motion(bool wide)
{
    shoal_model_file m = model_sample(wide);
    m.motion = motion;
    m.frame_count = FRAMES;
    return m;
}

static shoal_status write_and_read(const shoal_model_file *model, shoal_model_file *out,
                                   shoal_io_error *error)
{
    char path[] = "/tmp/shoal-motion-XXXXXX";
    const int file = mkstemp(path);
    if (file < 0)
        abort();
    close(file);
    *out = (shoal_model_file){0};
    shoal_status st = shoal_model_file_write(path, model, error);
    if (st == SHOAL_OK)
        st = shoal_model_file_read(path, NULL, out, error);
    if (st == SHOAL_OK && !slurp_bytes(path, sample, sizeof sample, &sample_size))
        abort();
    unlink(path);
    return st;
}

TEST a_motion_comes_back(void)
{
    for (int wide = 0; wide < 2; wide++) {
        shoal_model_file model = with_motion(wide), again;
        shoal_io_error error;
        ASSERT_EQ(SHOAL_OK, write_and_read(&model, &again, &error));
        ASSERT(same_model(&model, &again));
        ASSERT_EQ_FMT((uint32_t)FRAMES, again.frame_count, "%u");
        ASSERT_MEM_EQ(motion, again.motion, sizeof motion);
        shoal_model_file_finish(&again);
        ASSERT(is_zero_model(&again) && !again.motion && again.frame_count == 0);
    }
    shoal_model_file none = model_sample(false), again;
    ASSERT_EQ(SHOAL_OK, write_and_read(&none, &again, NULL));
    ASSERT(!again.motion && again.frame_count == 0);
    shoal_model_file_finish(&again);
    PASS();
}

TEST what_is_no_motion_is_not_written(void)
{
    shoal_io_error error;
    shoal_model_file model = with_motion(false), again;
    model.motion = NULL;
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, write_and_read(&model, &again, &error));
    ASSERT(strstr(error.text, "3 frames of a motion, but no array"));
    model = with_motion(false);
    model.field_count = 0;
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, write_and_read(&model, &again, &error));
    ASSERT(strstr(error.text, "3 frames of a motion, but no fields"));
    double odd[FRAMES * SAMPLE_FIELDS] = {0, 0, 0, NAN, 0, 0};
    model = with_motion(false);
    model.motion = odd;
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, write_and_read(&model, &again, &error));
    ASSERT(strstr(error.text, "frame 1 of the motion is not finite"));
    PASS();
}

// All memory comes back, and what is not whole is not there at all.
static shoal_status parse(const char *bytes, size_t size, unsigned fail_at,
                          shoal_io_error *error, bool *clean)
{
    counter live = {.fail_at = fail_at};
    const shoal_allocator allocator = counter_allocator(&live);
    const shl_source source = {bytes, size, "a.model", SHL_IO_ROW_LIMIT};
    shoal_model_file m;
    const shoal_status st = shl_model_parse(&source, &allocator, &m, error);
    *clean = st == SHOAL_OK ? is_sane_model(&m) && m.frame_count <= FRAMES
                            : is_zero_model(&m) && !m.motion && m.frame_count == 0;
    shoal_model_file_finish(&m);
    *clean = *clean && live.live_blocks == 0 && !live.broken_promise;
    return st;
}

static void make_sample(void)
{
    shoal_model_file model = with_motion(false), again;
    if (write_and_read(&model, &again, NULL) != SHOAL_OK)
        abort();
    shoal_model_file_finish(&again);
}

TEST damage_is_seen(void)
{
    make_sample();
    shoal_io_error error;
    bool clean;
    for (size_t size = 0; size < sample_size; size++) {
        ASSERT_EQ(SHOAL_ERR_FORMAT, parse(sample, size, 0, &error, &clean));
        ASSERT(clean);
    }
    memcpy(spoilt, sample, sample_size);
    for (size_t bit = 0; bit < 8 * sample_size; bit++) {
        spoilt[bit / 8] ^= (char)(1 << bit % 8);
        ASSERT_EQ(SHOAL_ERR_FORMAT, parse(spoilt, sample_size, 0, &error, &clean));
        ASSERT(clean);
        spoilt[bit / 8] ^= (char)(1 << bit % 8);
    }
    unsigned nth = 1;
    while (parse(sample, sample_size, nth, &error, &clean) == SHOAL_ERR_MEMORY) {
        ASSERT(clean);
        nth++;
    }
    ASSERT(clean);
    ASSERT_EQ_FMT(7u, nth, "%u"); // one more than a model without a motion
    PASS();
}

// The checksums of the last section and of the table, right again.
static void mend(size_t size)
{
    const size_t bytes = (size_t)shl_get_bits(spoilt + LAST_ROW + 8, 8),
                 padded = (bytes + 7) / 8 * 8;
    shl_set_bits(spoilt + 16, size, 8);
    shl_set_bits(spoilt + LAST_ROW + 16, XXH3_64bits(spoilt + size - padded, padded), 8);
    shl_set_bits(spoilt + LAST_ROW + 24, XXH3_64bits(spoilt, LAST_ROW + 24), 8);
}

TEST wrong_motions_are_told(void)
{
    make_sample();
    shoal_io_error error;
    bool clean;
    ASSERT_EQ(0, memcmp(sample + LAST_ROW, "MOVE", 4));
    memcpy(spoilt, sample, sample_size);
    mend(sample_size);
    ASSERT_MEM_EQ(sample, spoilt, sample_size);
    // a number that is none, in the last frame
    shl_set_bits(spoilt + sample_size - 8, UINT64_C(0x7ff0000000000000), 8);
    mend(sample_size);
    ASSERT_EQ(SHOAL_ERR_FORMAT, parse(spoilt, sample_size, 0, &error, &clean));
    ASSERT(clean);
    ASSERT(strstr(error.text, "frame 2 of the motion is not finite"));
    // half a frame less
    memcpy(spoilt, sample, sample_size);
    shl_set_bits(spoilt + LAST_ROW + 8, 8 * (FRAMES * SAMPLE_FIELDS - 1), 8);
    mend(sample_size - 8);
    ASSERT_EQ(SHOAL_ERR_FORMAT, parse(spoilt, sample_size - 8, 0, &error, &clean));
    ASSERT(clean);
    ASSERT(strstr(error.text, "section MOVE has 40 bytes, a frame has 16"));
    // no frame at all
    memcpy(spoilt, sample, sample_size);
    shl_set_bits(spoilt + LAST_ROW + 8, 0, 8);
    mend(sample_size - 8 * FRAMES * SAMPLE_FIELDS);
    ASSERT_EQ(SHOAL_ERR_FORMAT,
              parse(spoilt, sample_size - 8 * FRAMES * SAMPLE_FIELDS, 0, &error, &clean));
    ASSERT(clean);
    ASSERT(strstr(error.text, "section MOVE has 0 bytes"));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(a_motion_comes_back);
    RUN_TEST(what_is_no_motion_is_not_written);
    RUN_TEST(damage_is_seen);
    RUN_TEST(wrong_motions_are_told);
    GREATEST_MAIN_END();
}

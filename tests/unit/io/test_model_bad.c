// SPDX-License-Identifier: MIT
// Model files that are damaged: cut at every length, changed in every bit, and with contents
// that break the format although all checksums are right.
#include "model_sample.h"

#include "io/bits.h"

#include <math.h>
#include <unistd.h>

static char sample[SAMPLE_ROOM], spoilt[2 * SAMPLE_ROOM];
static size_t sample_size;

static void make_sample(void)
{
    char path[] = "/tmp/shoal-model-XXXXXX";
    const int file = mkstemp(path);
    const shoal_model_file model = model_sample(false);
    if (file < 0 || shoal_model_file_write(path, &model, NULL) ||
        !slurp_bytes(path, sample, sizeof sample, &sample_size))
        abort();
    close(file);
    unlink(path);
}

// All checksums right again, whatever the table says the sections are.
static void mend(char *bytes, size_t size)
{
    shl_set_bits(bytes + 16, size, 8);
    const uint64_t count = shl_get_u32(bytes + 12);
    if (count > SHL_MODEL_SECTIONS_MAX || 32 + 24 * count > size)
        return;
    char *row = bytes + 24, *at = row + 24 * count + 8;
    for (uint64_t i = 0; i < count; i++, row += 24) {
        const uint64_t wanted = shl_get_bits(row + 8, 8), left = (uint64_t)(bytes + size - at);
        const uint64_t padded = (wanted + 7) / 8 * 8;
        if (wanted > left || padded > left)
            break;
        shl_set_bits(row + 16, XXH3_64bits(at, (size_t)padded), 8);
        at += padded;
    }
    shl_set_bits(bytes + 24 + 24 * count, XXH3_64bits(bytes, 24 + 24 * (size_t)count), 8);
}

typedef struct outcome {
    shoal_status status;
    shoal_io_error error;
    uint32_t skipped;
    size_t most_bytes;
    bool good; // sane or reported, never in between, and all memory back
} outcome;

// The input ends where its allocation ends, so that a sanitizer sees any byte read beyond.
static outcome parse(const char *bytes, size_t size, unsigned fail_at)
{
    counter live = {.fail_at = fail_at};
    const shoal_allocator allocator = counter_allocator(&live);
    void *copy = malloc(size ? size : 1);
    memcpy(copy, bytes, size);
    const shl_source source = {copy, size, "a.model", SHL_IO_ROW_LIMIT};
    shoal_model_file m;
    outcome o;
    o.status = shl_model_parse(&source, &allocator, &m, &o.error);
    free(copy);
    o.skipped = m.skipped;
    o.good = o.status == SHOAL_OK ? is_sane_model(&m) && !o.error.text[0]
                                  : is_zero_model(&m) && is_one_line(&o.error);
    shoal_model_file_finish(&m);
    o.good = o.good && live.live_blocks == 0 && live.live_bytes == 0 && !live.broken_promise;
    o.most_bytes = live.most_bytes;
    return o;
}

TEST sample_is_whole(void)
{
    const outcome o = parse(sample, sample_size, 0);
    ASSERT_STR_EQ("", o.error.text);
    ASSERT_EQ(SHOAL_OK, o.status);
    ASSERT(o.good);
    // float32 becomes float64, everything else keeps its size
    ASSERT(o.most_bytes < 2 * sample_size);
    memcpy(spoilt, sample, sample_size);
    mend(spoilt, sample_size);
    ASSERT_MEM_EQ(sample, spoilt, sample_size); // what mend() makes is what the writer makes
    PASS();
}

TEST cut_at_every_length(void)
{
    for (size_t size = 0; size < sample_size; size++) {
        const outcome o = parse(sample, size, 0);
        ASSERT(o.good);
        ASSERT_EQ_FMT(SHOAL_ERR_FORMAT, o.status, "%d");
        char line[128] = "a.model: the file is empty";
        if (size >= SHL_MODEL_HEAD)
            snprintf(line, sizeof line,
                     "a.model: byte 16: the file has %zu bytes, it should have %zu", size,
                     sample_size);
        else if (size >= 8)
            snprintf(line, sizeof line, "a.model: byte %zu: the file ends within its head",
                     size);
        else if (size)
            snprintf(line, sizeof line,
                     "a.model: byte 0: this is no model file, its first "
                     "bytes are others");
        ASSERT_STR_EQ(line, o.error.text);
        ASSERT_EQ(0u, o.most_bytes);
    }
    memcpy(spoilt, sample, sample_size);
    ASSERT_EQ(SHOAL_ERR_FORMAT, parse(spoilt, sample_size + 8, 0).status); // or longer
    PASS();
}

TEST every_bit_changed(void)
{
    memcpy(spoilt, sample, sample_size);
    for (size_t bit = 0; bit < 8 * sample_size; bit++) {
        spoilt[bit / 8] ^= (char)(1 << bit % 8);
        const outcome o = parse(spoilt, sample_size, 0);
        spoilt[bit / 8] ^= (char)(1 << bit % 8);
        ASSERT(o.good);
        ASSERT_EQ_FMT(SHOAL_ERR_FORMAT, o.status, "%d");
        ASSERT(strstr(o.error.text, "a.model: byte "));
        ASSERT_EQ(0u, o.most_bytes); // nothing is believed before it is checked
    }
    PASS();
}

TEST every_allocation_fails(void)
{
    unsigned nth = 0;
    outcome o = {.status = SHOAL_ERR_MEMORY};
    while (o.status == SHOAL_ERR_MEMORY) {
        o = parse(sample, sample_size, ++nth);
        ASSERT(o.good);
    }
    ASSERT_EQ_FMT(SHOAL_OK, o.status, "%d");
    ASSERT_EQ_FMT(6u, nth, "%u"); // triangles, rest, fields, frequencies, masses
    PASS();
}

// Where the sections of the sample begin; rows of its table have the same order.
enum { SIZE, NAME, TRIS, REST, FLDS, FREQ, MASS, SECTIONS };

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

// One change with right checksums, and its exact report.
static enum greatest_test_res spoil(size_t at, uint64_t bits, size_t size, shoal_status status,
                                    const char *report)
{
    char line[256];
    snprintf(line, sizeof line, "a.model: byte %s", report);
    memcpy(spoilt, sample, sample_size);
    shl_set_bits(spoilt + at, bits, size);
    mend(spoilt, sample_size);
    const outcome o = parse(spoilt, sample_size, 0);
    ASSERT_STR_EQ(line, o.error.text);
    ASSERT_EQ_FMT(status, o.status, "%d");
    ASSERT(o.good);
    PASS();
}

#define SPOIL(at, bits, size, report)                                                          \
    CHECK_CALL(spoil(at, bits, size, SHOAL_ERR_FORMAT, report))

TEST wrong_contents(void)
{
    const uint32_t nan32 = 0x7fc00000;
    const uint64_t nan64 = UINT64_C(0x7ff8000000000000), minus64 = UINT64_C(0xbff0000000000000);
    SPOIL(0, 'P', 1, "0: this is no model file, its first bytes are others");
    SPOIL(8, 2, 4, "8: version 2 of the format, only 1 can be read");
    SPOIL(12, 65, 4, "12: 65 sections, there can be 64");
    SPOIL(12, 64, 4, "480: the file ends within its table");
    SPOIL(place_of(SIZE) + 4, 0, 4, "204: the model has no triangles");
    SPOIL(place_of(SIZE) + 4, 2, 4, "224: section TRIS has 36 bytes, it needs 24");
    SPOIL(place_of(SIZE), 6, 4, "264: section REST has 60 bytes, it needs 72");
    SPOIL(place_of(SIZE) + 12, 1, 4, "264: section REST has 60 bytes, it needs 120");
    SPOIL(place_of(SIZE) + 12, 2, 4, "212: number 2 names no scalar");
    SPOIL(place_of(SIZE) + 8, 3, 4, "328: section FLDS has 120 bytes, it needs 180");
    SPOIL(place_of(SIZE) + 8, 0, 4, "328: section FLDS has 120 bytes, it needs 0");
    CHECK_CALL(spoil(place_of(SIZE) + 8, 65, 4, SHOAL_ERR_LIMIT, "208: 65 fields, at most 64"));
    CHECK_CALL(spoil(place_of(SIZE), UINT32_MAX, 4, SHOAL_ERR_LIMIT,
                     "200: more than 2147483648 vertices or triangles"));
    SPOIL(place_of(NAME) + 1, '\n', 1, "217: the name holds a control character");
    SPOIL(place_of(TRIS) + 8, 5, 4, "232: triangle 0 names vertex 5, the model has 5");
    SPOIL(place_of(REST) + 16, nan32, 4, "280: vertex 1 is not finite");
    SPOIL(place_of(FLDS) + 60, nan32, 4, "388: field 1 is not finite at vertex 0");
    SPOIL(place_of(FREQ) + 8, nan64, 8, "456: the frequency of field 1 is nan");
    SPOIL(place_of(FREQ), minus64, 8, "448: the frequency of field 0 is -1");
    SPOIL(place_of(MASS), 0, 8, "464: the mass of field 0 is 0");
    PASS();
}

static uint32_t word(const char *tag)
{
    return shl_get_u32(tag);
}

TEST wrong_tables(void)
{
    SPOIL(
        row_of(SIZE) + 8, UINT64_MAX, 8,
        "32: section SIZE has 18446744073709551615 bytes and zeros up to a multiple of 8, the "
        "file has 280");
    SPOIL(row_of(MASS) + 8, 17, 8,
          "176: section MASS has 17 bytes and zeros up to a multiple of 8, the file has 16");
    SPOIL(row_of(MASS) + 8, 8, 8, "472: 8 bytes too many");
    // the zeros behind the last section are missing
    memcpy(spoilt, sample, sample_size);
    shl_set_bits(spoilt + row_of(MASS) + 8, 15, 8);
    mend(spoilt, sample_size - 1);
    ASSERT_STR_EQ(
        "a.model: byte 176: section MASS has 15 bytes and zeros up to a multiple of 8, "
        "the file has 15",
        parse(spoilt, sample_size - 1, 0).error.text);
    SPOIL(row_of(SIZE), word("CAGE"), 4,
          "24: section CAGE is needed and not known to this version of shoal");
    SPOIL(row_of(FREQ), word("MASS"), 4, "168: a second section MASS");
    SPOIL(row_of(FLDS), word("\n\xff  "), 4,
          "120: section ???? is needed and not known to this version of shoal");
    PASS();
}

// What a later version adds is skipped if it says that it can be.
TEST unknown_sections(void)
{
    static const struct {
        int section;
        const char *error; // NULL: the rest is enough
    } rows[] = {{SIZE, "a.model: byte 480: there is no section SIZE"},
                {NAME, NULL},
                {TRIS, "a.model: byte 480: there is no section TRIS"},
                {REST, "a.model: byte 480: there is no section REST"},
                {FLDS, "a.model: byte 480: there is no section FLDS"},
                {FREQ, NULL},
                {MASS, NULL}};
    for (int i = 0; i < SECTIONS; i++) {
        memcpy(spoilt, sample, sample_size);
        memcpy(spoilt + row_of(rows[i].section), "XTRA\0\0\0", 8);
        mend(spoilt, sample_size);
        const outcome o = parse(spoilt, sample_size, 0);
        ASSERT(o.good);
        ASSERT_STR_EQ(rows[i].error ? rows[i].error : "", o.error.text);
        if (!rows[i].error)
            ASSERT_EQ_FMT(1u, o.skipped, "%u");
        spoilt[place_of(rows[i].section)] ^= 1; // skipped is not unchecked
        ASSERT(strstr(parse(spoilt, sample_size, 0).error.text, "section XTRA is damaged"));
    }
    PASS();
}

// Any bytes behind right checksums: a sane model or one line, and never more memory than the
// file's size explains.
TEST random_damage(void)
{
    uint64_t state = 1;
    unsigned good = 0, bad = 0;
    for (int n = 0; n < 100000; n++) {
        memcpy(spoilt, sample, sample_size);
        size_t size = sample_size;
        for (int k = 0; k < 1 + n % 3; k++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const uint32_t draw = (uint32_t)(state >> 33);
            // most changes where counts and sizes are, some anywhere; large and small ones
            const size_t at = 8 + draw / 16 % (draw % 2 ? 216 : (uint32_t)sample_size - 8);
            if (draw % 16 == 15)
                size -= 1 + draw / 16 % 8;
            else if (draw % 4 == 1)
                spoilt[at] = (char)(draw >> 20);
            else
                spoilt[at] ^= (char)(1 << draw / 4 % 8);
        }
        if (n % 8)
            mend(spoilt, size);
        const outcome o = parse(spoilt, size, 0);
        ASSERTm(o.error.text, o.good);
        ASSERT(o.most_bytes <= 2 * size);
        good += o.status == SHOAL_OK;
        bad += o.status != SHOAL_OK;
    }
    ASSERT(good > 10000 && bad > 10000); // the damage must be neither harmless nor total
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    make_sample();
    RUN_TEST(sample_is_whole);
    RUN_TEST(cut_at_every_length);
    RUN_TEST(every_bit_changed);
    RUN_TEST(every_allocation_fails);
    RUN_TEST(wrong_contents);
    RUN_TEST(wrong_tables);
    RUN_TEST(unknown_sections);
    RUN_TEST(random_damage);
    GREATEST_MAIN_END();
}

// SPDX-License-Identifier: MIT
#include "io/number.h"

#include "greatest.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 1;

static uint64_t draw(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t mixed = state ^ state >> 31;
    return mixed * UINT64_C(0x9e3779b97f4a7c15) >> 16;
}

// The C library, in the C locale of this test, is the oracle.
static bool agrees(const char *text)
{
    double got = NAN, want = strtod(text, NULL);
    size_t length = strlen(text);
    const char *after = shl_number_double(text, text + length, &got);
    if (after == text + length && memcmp(&got, &want, sizeof got) == 0)
        return true;
    printf("%s: got %a, want %a\n", text, got, want);
    return false;
}

TEST hard_cases(void)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "+1",
        "1.",
        ".5",
        "-.5e-3",
        "00012.500",
        "0.1",
        "1e23",
        "8.5e22",
        "9007199254740992",
        "9007199254740993",
        "9007199254740995",
        "9007199254740993.0000000",
        "9007199254740993.00000000000000000000000000001",
        "18446744073709551615",
        "9999999999999999999",
        "1e22",
        "1e27",
        "1e28",
        "123456789012345678e27",
        "1e-27",
        "9007199254740993e-27",
        "1e-28",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e999",
        "-1e999",
        "1e-999",
        "0e999999999999999999999",
        "1e99999999999999999999999",
        "1e-99999999999999999999999",
        "0.000000000000000000000000000000000000000000001e45",
        "3.4028234663852886e+38",
        "179769313486231580793728971405303415079934132710037826936173",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ASSERT(agrees(texts[i]));
    PASS();
}

// 2^-1074 / 2 has 751 digits: one more digit, or one more far behind, decides.
TEST long_numbers(void)
{
    static char text[4000];
    int length = snprintf(text, sizeof text, "%.1100f", 0x1p-1073);
    ASSERT(agrees(text));
    length = snprintf(text, sizeof text, "1%0*d", 1500, 0);
    snprintf(text + length, sizeof text - (size_t)length, "e-1500");
    ASSERT(agrees(text));
    length = snprintf(text, sizeof text, "9007199254740993.%0*d", 1000, 0);
    ASSERT(agrees(text)); // a tie, to even
    snprintf(text + length, sizeof text - (size_t)length, "1");
    ASSERT(agrees(text)); // above the tie by its 1017th digit
    length = snprintf(text, sizeof text, "0.%0*d", 2000, 0);
    snprintf(text + length, sizeof text - (size_t)length, "9007199254740993e2020");
    ASSERT(agrees(text));
    PASS();
}

TEST random_decimals(void)
{
    for (int i = 0; i < 400000; i++) {
        char text[80];
        int digits = 1 + (int)(draw() % 22), point = (int)(draw() % 24), used = 0;
        if (draw() % 2)
            text[used++] = '-';
        for (int k = 0; k < digits; k++) {
            if (k == point)
                text[used++] = '.';
            text[used++] = (char)('0' + draw() % 10);
        }
        int range = draw() % 4 ? 35 : 330;
        if (draw() % 3)
            used +=
                snprintf(text + used, 16, "e%d", (int)(draw() % (2 * (unsigned)range)) - range);
        text[used] = 0;
        ASSERT(agrees(text));
    }
    PASS();
}

// Written by %.17g, and the midpoints of neighbours, where rounding is hardest.
TEST random_doubles(void)
{
    for (int i = 0; i < 400000; i++) {
        double value = ldexp((double)(draw() >> 1 | 1), (int)(draw() % 120) - 110);
        char text[400];
        snprintf(text, sizeof text, "%.*g", 15 + i % 3, value);
        ASSERT(agrees(text));
    }
    for (int i = 0; i < 100000; i++) {
        uint64_t whole = (UINT64_C(1) << 53 | draw() >> 1) << 1 | 1;
        char text[64];
        snprintf(text, sizeof text, "%" PRIu64 "%s", whole, i % 2 ? "" : ".00");
        ASSERT(agrees(text));
    }
    PASS();
}

// Where a number stops, and what is none.
TEST extent(void)
{
    static const struct {
        const char *text;
        int length; // -1: none
    } rows[] = {{"1.5abc", 3},   {"1e", 1},   {"1e+", 1}, {"1.2.3", 3}, {"0x10", 1},
                {"1,5", 1},      {"", -1},    {"-", -1},  {".", -1},    {"e5", -1},
                {"abc", -1},     {"--1", -1}, {"nan", 3}, {"-INF", 4},  {"Inf1", 3},
                {"infinity", 8}, {"in", -1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value;
        const char *text = rows[i].text;
        const char *after = shl_number_double(text, text + strlen(text), &value);
        ASSERT_EQ_FMT(rows[i].length, after ? (int)(after - text) : -1, "%d");
    }
    // Never beyond `end`, whatever stands there.
    double value = 0;
    const char *digits = "123456";
    ASSERT_EQ(digits + 3, shl_number_double(digits, digits + 3, &value));
    ASSERT_EQ(123.0, value);
    PASS();
}

TEST integers(void)
{
    static const struct {
        const char *text;
        int length;
        int64_t value;
    } rows[] = {{"0", 1, 0},
                {"-17/3", 3, -17},
                {"+5", 2, 5},
                {"12.5", 2, 12},
                {"99999999999999999999999999", 26, SHL_NUMBER_HUGE},
                {"-99999999999999999999999999", 27, -SHL_NUMBER_HUGE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t value = -1;
        const char *text = rows[i].text;
        const char *after = shl_number_integer(text, text + strlen(text), &value);
        ASSERT(after);
        ASSERT_EQ_FMT(rows[i].length, (int)(after - text), "%d");
        ASSERT_EQ(rows[i].value, value);
    }
    int64_t value;
    const char *sign = "-";
    ASSERT_EQ(NULL, shl_number_integer(sign, sign + 1, &value));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(hard_cases);
    RUN_TEST(long_numbers);
    RUN_TEST(random_decimals);
    RUN_TEST(random_doubles);
    RUN_TEST(extent);
    RUN_TEST(integers);
    GREATEST_MAIN_END();
}

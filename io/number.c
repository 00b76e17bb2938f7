// SPDX-License-Identifier: MIT
#include "io/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

__extension__ typedef unsigned __int128 wide;

// Powers that a 64-bit integer holds exactly.
enum { FIVE_MAX = 27 };
static const uint64_t five[] = {UINT64_C(1),
                                UINT64_C(5),
                                UINT64_C(25),
                                UINT64_C(125),
                                UINT64_C(625),
                                UINT64_C(3125),
                                UINT64_C(15625),
                                UINT64_C(78125),
                                UINT64_C(390625),
                                UINT64_C(1953125),
                                UINT64_C(9765625),
                                UINT64_C(48828125),
                                UINT64_C(244140625),
                                UINT64_C(1220703125),
                                UINT64_C(6103515625),
                                UINT64_C(30517578125),
                                UINT64_C(152587890625),
                                UINT64_C(762939453125),
                                UINT64_C(3814697265625),
                                UINT64_C(19073486328125),
                                UINT64_C(95367431640625),
                                UINT64_C(476837158203125),
                                UINT64_C(2384185791015625),
                                UINT64_C(11920928955078125),
                                UINT64_C(59604644775390625),
                                UINT64_C(298023223876953125),
                                UINT64_C(1490116119384765625),
                                UINT64_C(7450580596923828125)};
_Static_assert(sizeof five / sizeof *five == FIVE_MAX + 1, "five[] and FIVE_MAX disagree");

// Powers that a double holds exactly.
enum { TEN_MAX = 22 };
static const double ten[TEN_MAX + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                        1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                        1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// digits * 10^exponent.
typedef struct decimal {
    uint64_t digits;
    int64_t exponent;
    bool cut; // a nonzero digit did not fit
} decimal;

static unsigned digit_of(char c)
{
    return (unsigned)(unsigned char)c - '0';
}

// NULL when there is no digit.
static const char *scan_mantissa(const char *at, const char *end, decimal *d)
{
    bool any = false, point = false;
    for (; at < end; at++) {
        if (*at == '.' && !point) {
            point = true;
            continue;
        }
        unsigned digit = digit_of(*at);
        if (digit > 9)
            break;
        any = true;
        if (d->digits < UINT64_C(1000000000000000000)) {
            d->digits = d->digits * 10 + digit;
            d->exponent -= point;
        } else {
            d->cut |= digit != 0;
            d->exponent += !point;
        }
    }
    return any ? at : NULL;
}

// An 'e' without digits does not belong to the number.
static const char *scan_exponent(const char *at, const char *end, int64_t *out)
{
    *out = 0;
    if (at == end || (*at != 'e' && *at != 'E'))
        return at;
    const char *after = shl_number_integer(at + 1, end, out);
    return after ? after : at;
}

// value * 2^exponent, to nearest, ties to even; `more`: the true value lies a little above.
static double nearest(wide value, bool more, int exponent)
{
    uint64_t upper = (uint64_t)(value >> 64);
    int bits = upper ? 128 - __builtin_clzll(upper) : 64 - __builtin_clzll((uint64_t)value);
    int drop = bits - 53;
    if (drop <= 0)
        return ldexp((double)(uint64_t)value, exponent);
    uint64_t kept = (uint64_t)(value >> drop);
    wide rest = value - ((wide)kept << drop), half = (wide)1 << (drop - 1);
    if (rest > half || (rest == half && (more || kept % 2 == 1)))
        kept++;
    return ldexp((double)kept, exponent + drop);
}

// digits * 10^exponent for |exponent| <= FIVE_MAX, digits > 0: exact integers, rounded once.
static double scale(uint64_t digits, int exponent)
{
    if (exponent >= 0)
        return nearest((wide)digits * five[exponent], false, exponent);
    // The quotient keeps at least 64 bits because the dividend has 128.
    int shift = __builtin_clzll(digits);
    wide dividend = (wide)(digits << shift) << 64;
    wide quotient = dividend / five[-exponent];
    bool more = quotient * five[-exponent] != dividend;
    return nearest(quotient, more, exponent - shift - 64);
}

// Any length: no double needs more than 767 digits and the knowledge that more follow. Without
// a decimal point in the text, strtod does not depend on the locale.
static double slow(const char *at, const char *end, int64_t exponent)
{
    enum { KEEP = 800 };
    char text[KEEP + 32];
    int count = 0;
    bool point = false, more = false;
    for (; at < end && (*at == '.' || digit_of(*at) <= 9); at++) {
        if (*at == '.') {
            point = true;
        } else if (count == KEEP) {
            more |= *at != '0';
            exponent += !point;
        } else {
            if (count > 0 || *at != '0')
                text[count++] = *at;
            exponent -= point;
        }
    }
    if (more) {
        text[count++] = '1';
        exponent--;
    }
    // Beyond these every double is infinite or zero.
    exponent = exponent > 9999 ? 9999 : exponent < -9999 ? -9999 : exponent;
    snprintf(text + count, sizeof text - (size_t)count, "e%d", (int)exponent);
    return strtod(text, NULL);
}

static const char *scan_word(const char *at, const char *end, double *out)
{
    static const struct {
        const char *word;
        int length;
        double value;
    } words[] = {{"infinity", 8, INFINITY}, {"inf", 3, INFINITY}, {"nan", 3, NAN}};
    for (int i = 0; i < 3; i++) {
        if (end - at >= words[i].length &&
            strncasecmp(at, words[i].word, (size_t)words[i].length) == 0) {
            *out = words[i].value;
            return at + words[i].length;
        }
    }
    return NULL;
}

static const char *scan_magnitude(const char *at, const char *end, double *out)
{
    decimal d = {0};
    const char *after = scan_mantissa(at, end, &d);
    if (!after)
        return scan_word(at, end, out);
    int64_t exponent;
    after = scan_exponent(after, end, &exponent);
    int64_t total = d.exponent + exponent;
    if (d.digits == 0)
        *out = 0;
    else if (d.cut || total < -FIVE_MAX || total > FIVE_MAX)
        *out = slow(at, after, exponent);
    else if (d.digits > UINT64_C(1) << 53 || total < -TEN_MAX || total > TEN_MAX)
        *out = scale(d.digits, (int)total);
    else if (total < 0) // both operands are exact, so one division rounds once
        *out = (double)d.digits / ten[-total];
    else
        *out = (double)d.digits * ten[total];
    return after;
}

const char *shl_number_double(const char *at, const char *end, double *out)
{
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    const char *after = scan_magnitude(at, end, out);
    if (after && negative)
        *out = -*out;
    return after;
}

const char *shl_number_integer(const char *at, const char *end, int64_t *out)
{
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end || digit_of(*at) > 9)
        return NULL;
    int64_t value = 0;
    for (; at < end && digit_of(*at) <= 9; at++) {
        value = value * 10 + (int64_t)digit_of(*at);
        if (value > SHL_NUMBER_HUGE)
            value = SHL_NUMBER_HUGE;
    }
    *out = negative ? -value : value;
    return at;
}

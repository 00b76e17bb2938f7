// SPDX-License-Identifier: MIT
// Structs that programs pass to or receive from a library of another version.
//
// Later versions add fields at the end only, and no struct ends in padding, so that structs of
// all versions agree in the bytes that they have in common.
#ifndef SHL_LAYOUTS_VERSIONED_H
#define SHL_LAYOUTS_VERSIONED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SHL_DEF_BYTES_MAX = 4096 }; // of any version to come; more is no size

#define SHL_END_OF(type, field) (offsetof(type, field) + sizeof((type *)NULL)->field)
#define SHL_ASSERT_LAST(type, field)                                                           \
    _Static_assert(SHL_END_OF(type, field) == sizeof(type), #type " ends in padding")

/// Write a struct of `known` bytes into one of `size`: zeros in fields that only that has.
static inline void shl_versioned_write(void *out, size_t size, const void *from, size_t known)
{
    const size_t both = size < known ? size : known;
    if (both)
        memcpy(out, from, both);
    if (size > both)
        memset((char *)out + both, 0, size - both);
}

/// The same for the default of a def, which begins with its size.
static inline void shl_def_write(void *out, size_t size, const void *from, size_t known)
{
    const uint32_t bytes = (uint32_t)size;
    shl_versioned_write(out, size, from, known);
    if (size >= sizeof bytes)
        memcpy(out, &bytes, sizeof bytes);
}

/// Read a def into one of `known` bytes, which holds the defaults. The first version had
/// `least` bytes. Returns `start`, or what else is wrong, or NULL.
static inline const char *shl_def_read(void *out, size_t known, size_t least, const void *def,
                                       const char *start)
{
    uint32_t size = 0;
    if (def)
        memcpy(&size, def, sizeof size);
    if (size < least || size > SHL_DEF_BYTES_MAX)
        return start;
    for (size_t i = known; i < size; i++) {
        if (((const char *)def)[i])
            return "a field is set that this version of the library does not have";
    }
    memcpy(out, def, size < known ? size : known);
    return NULL;
}

#endif

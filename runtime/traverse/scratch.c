// SPDX-License-Identifier: MIT
#include "runtime/traverse/scratch.h"

#include "runtime/traverse/eval_cache.h"
#include "runtime/traverse/leaf_cache.h"
#include "runtime/traverse/open.h"

#include <string.h>

shl_scratch *shl_scratch_create(uint32_t workers, const shoal_allocator *allocator)
{
    shl_scratch *s = shl_zalloc(allocator, workers * sizeof *s);
    for (uint32_t i = 0; s && i < workers; i++)
        s[i].worker = i;
    return s;
}

void shl_scratch_destroy(shl_scratch *s, uint32_t workers, const shoal_allocator *allocator)
{
    for (uint32_t i = 0; s && i < workers; i++) {
        shl_free(allocator, s[i].eval, sizeof *s[i].eval);
        shl_free(allocator, s[i].leaves, sizeof *s[i].leaves);
        shl_free(allocator, s[i].stack, SHL_STACK_ROWS * sizeof *s[i].stack);
        shl_array_finish(&s[i].kernel_buffer, allocator);
    }
    shl_free(allocator, s, workers * sizeof *s);
}

shoal_status shl_scratch_reserve(shl_scratch *s, uint32_t workers, bool evaluated,
                                 size_t kernel_buffer, const shoal_allocator *allocator)
{
    for (uint32_t i = 0; i < workers; i++) {
        if (!s[i].leaves)
            s[i].leaves = shl_zalloc(allocator, sizeof *s[i].leaves);
        if (!s[i].stack)
            s[i].stack = shl_alloc(allocator, SHL_STACK_ROWS * sizeof *s[i].stack);
        if (!s[i].leaves || !s[i].stack)
            return SHOAL_ERR_MEMORY;
        if (evaluated && !s[i].eval) {
            s[i].eval = shl_zalloc(allocator, sizeof *s[i].eval);
            if (!s[i].eval)
                return SHOAL_ERR_MEMORY;
            shl_eval_begin(s[i].eval);
        }
        const shoal_status st =
            shl_array_reserve(&s[i].kernel_buffer, kernel_buffer, 0, allocator);
        if (st != SHOAL_OK)
            return st;
    }
    return SHOAL_OK;
}

void shl_scratch_clear(shl_scratch *s, uint32_t workers)
{
    for (uint32_t i = 0; i < workers; i++) {
        if (s[i].eval)
            shl_eval_clear(s[i].eval);
        if (s[i].leaves)
            shl_leaf_cache_clear(s[i].leaves);
    }
}

void shl_scratch_begin(shl_scratch *s, uint32_t workers)
{
    for (uint32_t i = 0; i < workers; i++)
        memset(&s[i].count, 0, sizeof s[i].count);
    shl_scratch_clear(s, workers);
}

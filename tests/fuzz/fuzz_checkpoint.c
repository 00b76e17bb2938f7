// SPDX-License-Identifier: MIT
// Any bytes as a checkpoint: one that is whole, or one line of report. Checksums are set right
// first, since no search would find them; the first byte says whether.
#include "cli/run/checkpoint.h"

#include "io/bits.h"

#include <stdlib.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const size_t state_most = 1 << 16;

static void mend(char *bytes, size_t size)
{
    memcpy(bytes, SHL_CHECKPOINT_MAGIC, 8);
    shl_set_bits(bytes + 8, SHL_CHECKPOINT_VERSION, 4);
    shl_set_bits(bytes + 16, size, 8);
    const size_t count = shl_get_u32(bytes + 12) % 5;
    const size_t table = SHL_CHECKPOINT_HEAD + SHL_CHECKPOINT_ROW * count;
    shl_set_bits(bytes + 12, count, 4);
    if (table + 8 > size)
        return;
    char *at = bytes + table + 8;
    for (size_t i = 0; i < count; i++) {
        char *row = bytes + SHL_CHECKPOINT_HEAD + SHL_CHECKPOINT_ROW * i;
        const uint64_t left = (uint64_t)(bytes + size - at), wanted = shl_get_bits(row + 8, 8);
        const uint64_t padded = (wanted + 7) / 8 * 8;
        if (wanted > left || padded > left)
            break;
        shl_set_bits(row + 24, XXH3_64bits(at, (size_t)padded), 8);
        at += padded;
    }
    shl_set_bits(bytes + table, XXH3_64bits(bytes, table), 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 1)
        return 0;
    char *copy = malloc(size - 1 ? size - 1 : 1);
    if (!copy)
        return 0;
    memcpy(copy, bytes + 1, size - 1);
    if (bytes[0] % 4 && size - 1 >= SHL_CHECKPOINT_HEAD)
        mend(copy, size - 1);
    shl_checkpoint c;
    shl_checkpoint_error error;
    const bool good = shl_checkpoint_parse(copy, size - 1, state_most, &c, &error);
    if (good ? !json_is_object(c.head) || !c.state || c.state_size > state_most
             : c.head || c.state || !error.text[0] || strchr(error.text, '\n'))
        abort();
    shl_checkpoint_finish(&c);
    free(copy);
    return 0;
}

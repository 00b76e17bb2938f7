// SPDX-License-Identifier: MIT
// Any bytes as a model file: a sane model or one line of report. Checksums are set right first,
// since no search would find them; the first byte says whether.
#include "model_sample.h"

#include "io/bits.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void mend(char *bytes, size_t size)
{
    memcpy(bytes, SHL_MODEL_MAGIC, 8);
    shl_set_bits(bytes + 8, SHL_MODEL_VERSION, 4);
    shl_set_bits(bytes + 16, size, 8);
    const size_t count = shl_get_u32(bytes + 12) % 18, table = 24 + 24 * count;
    shl_set_bits(bytes + 12, count, 4);
    if (table + 8 > size)
        return;
    char *at = bytes + table + 8;
    for (size_t i = 0; i < count; i++) {
        char *row = bytes + 24 + 24 * i;
        const uint64_t left = (uint64_t)(bytes + size - at), wanted = shl_get_bits(row + 8, 8);
        if (wanted > left || shl_model_padded(wanted) > left)
            break;
        shl_set_bits(row + 16, XXH3_64bits(at, (size_t)shl_model_padded(wanted)), 8);
        at += shl_model_padded(wanted);
    }
    shl_set_bits(bytes + table, XXH3_64bits(bytes, table), 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 1)
        return 0;
    char *copy = malloc(size - 1 ? size - 1 : 1);
    memcpy(copy, bytes + 1, size - 1);
    if (bytes[0] % 4 && size - 1 >= 24)
        mend(copy, size - 1);
    const shl_source source = {copy, size - 1, "a.model", SHL_IO_ROW_LIMIT};
    counter live = {0};
    const shoal_allocator allocator = counter_allocator(&live);
    shoal_model_file model;
    shoal_io_error error;
    const shoal_status status = shl_model_parse(&source, &allocator, &model, &error);
    if (status == SHOAL_OK ? !is_sane_model(&model)
                           : !is_zero_model(&model) || !is_one_line(&error))
        abort();
    shoal_model_file_finish(&model);
    if (live.live_blocks || live.broken_promise || live.most_bytes > 2 * size)
        abort();
    free(copy);
    return 0;
}

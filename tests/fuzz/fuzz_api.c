// SPDX-License-Identifier: MIT
// Any bytes as a sequence of public calls, for a search that makes up its own.
#include "tests/fuzz/api/play.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (!play_sequence(bytes, size)) {
        fprintf(stderr, "%s\n", book->fault);
        abort();
    }
    return 0;
}

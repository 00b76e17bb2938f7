// SPDX-License-Identifier: MIT
// What a stranger may leave in a folder: its constructor runs as soon as it is loaded.
#include <stdio.h>

__attribute__((constructor)) static void run(void)
{
    fputs("hostile: loaded\n", stderr);
}

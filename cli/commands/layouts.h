// SPDX-License-Identifier: MIT
// shoal info --layouts: the columns of the library's tables as Markdown, from the lists that
// the library itself allocates and guards them by.
#ifndef SHL_CLI_COMMANDS_LAYOUTS_H
#define SHL_CLI_COMMANDS_LAYOUTS_H

// Prints to standard output; needs no scene.
void shl_layouts_print(void);

#endif

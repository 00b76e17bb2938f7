// SPDX-License-Identifier: MIT
// Models that take long to make are made once and kept in the user's cache folder:
// $XDG_CACHE_HOME/shoal, or $HOME/.cache/shoal. Without either they are made each time.
#ifndef SHL_SCENES_MODELS_CACHE_H
#define SHL_SCENES_MODELS_CACHE_H

#include <shoal/model_file.h>

// Who is told what happens, in one line without a newline. NULL: nobody.
typedef void shl_say_fn(const char *line);

typedef shoal_status shl_make_fn(uint32_t size, shoal_model_file *out);

typedef struct shl_recipe {
    const char *name; // of the file and in it; another way to make a model is another name
    shl_make_fn *make;
    uint32_t size; // what `make` is told; belongs to the name
} shl_recipe;

// A file that cannot be read, is damaged or of another name is made anew; one that cannot be
// written is not kept. Both are said. Give `out` to shoal_model_file_finish(). Errors: those of
// `make`.
SHOAL_CHECK shoal_status shl_cached_model(const shl_recipe *recipe, shl_say_fn *say,
                                          shoal_model_file *out);

#endif

#!/bin/sh
# SPDX-License-Identifier: MIT
# embed.sh FILE...: each file as a C array of its lines, shl_shader_NAME, that ends with a null.
echo '#include "gpu/shaders.h"'
for file in "$@"; do
  name=$(basename "$file")
  printf 'const char *const shl_shader_%s[] = {\n' "${name%%.*}"
  sed 's/[\\"]/\\&/g; s/.*/"&\\n",/' "$file"
  printf '0};\n'
done

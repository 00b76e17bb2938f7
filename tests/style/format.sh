#!/bin/sh
# SPDX-License-Identifier: MIT
# format.sh ROOT: sources are as clang-format 14 leaves them; other versions differ.
set -u
cd "$1" || exit 1
case $(clang-format --version 2>/dev/null) in
*"version 14."*) ;;
*) echo "not run: there is no clang-format 14"; echo "Pass: 0, fail: 0, skip: 1."; exit 0 ;;
esac
find . \( -path './build*' -o -path ./.deps -o -path ./examples \) -prune -o \
  \( -name '*.[ch]' -o -name '*.cpp' \) -print |
  xargs clang-format --dry-run -Werror && fail=0 || fail=1
echo "Pass: $((1 - fail)), fail: $fail, skip: 0."
exit "$fail"

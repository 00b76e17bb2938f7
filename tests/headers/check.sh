#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh INCLUDE_FOLDER CC [CXX]: each public header alone as C17 and, given CXX, as C++17.
set -u
include=$1 cc=$2 cxx=${3:-}
pass=0 fail=0 skip=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# compile SOURCE COMMAND...
compile() {
  source=$1
  shift
  if "$@" -Wall -Wextra -Wpedantic -Werror -I"$include" -fsyntax-only "$source"; then
    pass=$((pass + 1))
  else
    fail=$((fail + 1))
    echo "FAIL: $(sed -n 1p "$source") with $*"
  fi
}

for path in "$include"/shoal/*.h; do
  name=shoal/$(basename "$path")
  # Twice: a header without its guard shows here.
  printf '#include <%s>\n#include <%s>\nint main(void) { return 0; }\n' "$name" "$name" |
    tee "$work/one.c" >"$work/one.cpp"
  compile "$work/one.c" "$cc" -std=c17
  if [ -n "$cxx" ]; then compile "$work/one.cpp" "$cxx" -std=c++17; else skip=$((skip + 1)); fi
done
echo "Pass: $pass, fail: $fail, skip: $skip."
[ "$fail" = 0 ] && [ "$pass" -gt 0 ]

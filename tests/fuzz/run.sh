#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh SOURCE BUILD GREATEST test|check|long NAME: builds a fuzzer of tests/fuzz/list and runs it
# as long as that column says. Any bytes go into a reader, as a search for new paths makes them up.
set -u
cd "$1" || exit 1
build=$2 greatest=$3 column=$4 name=$5
finish() { echo "$1"; echo "Pass: $2, fail: $3, skip: $4."; exit "$3"; }
row=$(awk -v name="$name" '$1 == name' tests/fuzz/list)
[ -n "$row" ] || finish "there is no fuzzer $name" 0 1 0
read -r _ sanitizers test check long more <<ROW
$row
ROW
case $column in test) seconds=$test ;; check) seconds=$check ;; long) seconds=$long ;; *) finish "what is $column" 0 1 0 ;; esac
[ "$seconds" -gt 0 ] || finish "not run by $column" 0 0 1
source=fuzz_${name%%.*}
work=$build/fuzz/$name
mkdir -p "$work/inputs"
command -v clang >/dev/null || finish "not run: there is no clang" 0 0 1
echo 'int LLVMFuzzerTestOneInput(const char *d, long n); int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }' |
  clang -x c - -fsanitize=fuzzer -o "$work/try" 2>/dev/null || finish "not run: clang has no libFuzzer" 0 0 1
more=$(printf '%s' "$more" | sed "s|@|$build|g")
# shellcheck disable=SC2086
clang -g -O1 -fsanitize="fuzzer,$sanitizers" -fno-sanitize-recover=all -D_GNU_SOURCE -I. -Iinclude -Itests/unit/common \
  -isystem "$greatest" "tests/fuzz/$source.c" io/*.c $more -lxxhash -lm -o "$work/$source" || finish "it does not build" 0 1 0
scratch=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) # of run folders
trap 'rm -rf "$scratch"' EXIT
options=
[ "$source" != fuzz_folder ] || options=-close_fd_mask=3 # the tool prints
# 4 KiB of input never need a second, nor 64 MiB at once; a machine that is frozen is no hang
# shellcheck disable=SC2086
TMPDIR=$scratch "$work/$source" $options -max_total_time="$seconds" -max_len=4096 -timeout=60 -malloc_limit_mb=64 -rss_limit_mb=1024 \
  -verbosity=0 -print_final_stats=1 -artifact_prefix="$work/" "$work/inputs" "tests/fuzz/seeds/$source" ||
  finish "an input that fails is in $work" 0 1 0
finish "$seconds seconds" 1 0 0

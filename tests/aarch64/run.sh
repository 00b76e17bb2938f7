#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh SOURCE BUILD GREATEST TEST...: builds tests for 64-bit ARM in the folder BUILD and runs
# them in an emulator. `./dev test` installs the compiler, the emulator and the libraries.
set -u
cd "$1" || exit 1
build=$2 greatest=$3
shift 3
skip() { echo "not run: $*"; echo "Pass: 0, fail: 0, skip: 1."; exit 0; }
for program in aarch64-linux-gnu-gcc qemu-aarch64; do
  command -v "$program" >/dev/null || skip "there is no $program"
done
[ -f .deps/arm64/libraries.ini ] || skip "there are no arm64 libraries"
targets=
for name in "$@"; do targets="$targets tests/test_${name%%-long*}"; done
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
fail() { tail -n 40 "$log"; echo "Pass: 0, fail: 1, skip: 0."; exit 1; }
[ -f "$build/build.ninja" ] ||
  meson setup "$build" --cross-file .deps/arm64/libraries.ini --cross-file tests/aarch64/cross.ini \
    -Dgreatest="$greatest" -Dwerror=true -Dgpu=disabled -Dhdf5=disabled -Dmodes=disabled >"$log" 2>&1 || fail
# shellcheck disable=SC2086
ninja -j2 -C "$build" $targets >"$log" 2>&1 || fail
meson test -C "$build" --no-rebuild --timeout-multiplier 20 "$@" >"$log" 2>&1
code=$?
[ "$code" = 0 ] || cat "$log"
# what the programs counted, for whoever counts this one
grep -E '^Pass: |^FAIL' "$build/meson-logs/testlog.txt"
exit "$code"

#!/bin/sh
# The README's example, as it stands there: same as examples/first.c, compiles, prints what it should.
# Arguments: source folder, folder of libshoal.so, compiler.
set -eu
src=$1 lib=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { if [ "$2" = "$3" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $1: '$2' is not '$3'"; fi; }
awk '/^```c$/{on=1; next} /^```$/{on=0} on' "$src/README.md" >"$work/first.c"
cmp -s "$work/first.c" "$src/examples/first.c" && same=yes || same=no
check "README shows examples/first.c" "$same" yes
check "25 lines" "$(wc -l <"$work/first.c")" 25
"$@" -std=c17 -Wall -Wextra -I"$src/include" "$work/first.c" -o "$work/first" -L"$lib" -lshoal -Wl,-rpath,"$lib"
check "output" "$("$work/first" | tr '\n' ' ')" "step 0: 0 pairs step 1: 0 pairs step 2: 9 pairs step 3: 9 pairs "
echo "Pass: $passed, fail: $failed, skip: 0."
[ "$failed" = 0 ]

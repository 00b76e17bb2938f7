#!/bin/sh
# SPDX-License-Identifier: MIT
# parts.sh ROOT: the parts of ./dev check have names of their own, all fuzzers are among them, and
# a name that none has is an error, since it would test nothing and say "clean".
set -u
cd "$1" || exit 1
passed=0 failed=0
check() { if [ "$2" = "$3" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $1: '$2' is not '$3'"; fi; }
parts=$(./dev check --list)
check "a list" "$?" 0
check "names that two parts have" "$(printf '%s\n' "$parts" | sort | uniq -d)" ""
for name in $(sed 's/#.*//' tests/fuzz/list | awk 'NF { print $1 }'); do
  check "fuzzer $name" "$(printf '%s\n' "$parts" | grep -cx "fuzz $name")" 1
done
check "some parts" "$(./dev check --list --only=threads)" "$(printf '%s\n' "$parts" | grep threads)"
./dev check --list --only=none-has-this >/dev/null 2>&1
check "a name that none has" "$?" 70
echo "Pass: $passed, fail: $failed, skip: 0."
[ "$failed" = 0 ]

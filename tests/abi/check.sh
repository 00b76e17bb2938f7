#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh [--update] ROOT LIBRARY...: whether the libraries still have the interface that
# tests/abi/NAME.abi describes: functions, their arguments and every struct that these name.
# study.h makes no promise, so its functions are left out. --update writes the descriptions anew.
set -u
update=
[ "$1" = --update ] && update=1 && shift
root=$1
shift
command -v abidw >/dev/null && command -v abidiff >/dev/null || { echo "skip: no abigail-tools"; exit 77; }
pass=0 fail=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
tr '\n' ' ' <"$root/include/shoal/study.h" | grep -o 'SHOAL_API[^;]*;' | sed 's/(.*//; s/.*[ *]//' |
  sed 's/.*/[suppress_function]\n  name = &\n  drop = yes/' >"$work/study"
# These are opaque, but the library has headers of its own of the names of public ones, so that
# abidw takes what is in them for public; under this label it drops their members.
{ cat "$work/study" && cat <<'END'
[suppress_type]
  label = Artificial private types suppression specification
  name_regexp = ^shoal_(context|model|scene)$
  drop = yes
END
} >"$work/opaque"
for library in "$@"; do
  name=$(basename "$library" | sed 's/\.so.*//')
  described=$root/tests/abi/$name.abi
  abidw --headers-dir "$root/include" --drop-private-types --exported-interfaces-only \
    --suppressions "$work/opaque" --no-corpus-path --no-comp-dir-path --no-show-locs \
    --no-elf-needed --no-write-default-sizes --type-id-style hash \
    --out-file "$work/$name.abi" "$library" || { fail=$((fail + 1)); continue; }
  if [ -n "$update" ]; then
    cp "$work/$name.abi" "$described"
    pass=$((pass + 1))
    continue
  fi
  abidiff --suppressions "$work/study" "$described" "$work/$name.abi" >"$work/report" 2>&1
  status=$?
  if [ "$status" = 0 ]; then pass=$((pass + 1)); continue; fi
  fail=$((fail + 1))
  [ $((status & 8)) = 0 ] || echo "FAIL: $name breaks programs that were compiled before:"
  [ $((status & 8)) != 0 ] || echo "FAIL: $name has changed; tests/abi/check.sh --update describes it:"
  cat "$work/report"
done
echo "Pass: $pass, fail: $fail, skip: 0."
[ "$fail" = 0 ]

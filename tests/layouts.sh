#!/bin/sh
# SPDX-License-Identifier: MIT
# layouts.sh TOOL DOCS: below its preface, layouts.md is what the tool prints, and pipeline.svg
# shows the jobs of a step.
set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
pass=0 fail=0
same() { # same A B REMEDY
  if [ -s "$1" ] && diff "$1" "$2"; then pass=$((pass + 1)); else
    fail=$((fail + 1))
    echo "$3"
  fi
}
"$1" info --layouts >"$dir/printed"
sed '1,/^<!-- shoal info --layouts -->$/d' "$2/layouts.md" >"$dir/page"
same "$dir/printed" "$dir/page" "docs/layouts.md: below its mark stands the output of shoal info --layouts"

"$1" info --graph | sed -n 's/^[0-9]* \([a-z_]*\): .*/\1/p' | sort >"$dir/jobs"
sed -n 's/.*<text[^>]*>\([a-z_]*\): \(once\|rows\).*/\1/p' "$2/pipeline.svg" | sort >"$dir/drawn"
same "$dir/jobs" "$dir/drawn" "docs/pipeline.svg: shoal info --dot | dot -Tsvg >docs/pipeline.svg"
echo "Pass: $pass, fail: $fail, skip: 0."
[ "$fail" = 0 ]

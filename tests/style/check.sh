#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh ROOT: rules of the house that a compiler does not know.
set -u
cd "$1" || exit 1
pass=0 fail=0
check() { # check RULE FINDINGS: there must be none
  if [ -z "$2" ]; then pass=$((pass + 1)); else
    fail=$((fail + 1))
    printf 'FAIL: %s:\n%s\n' "$1" "$2"
  fi
}

ranks="include layouts kernels gpu runtime picture io volume scenes cli modes bench"
folders=
for f in $ranks; do [ -d "$f" ] && folders="$folders $f"; done
sources() { find "$@" -name '*.[ch]' | sort; }
written=$(find $folders tests -name '*.[ch]' -o -name '*.cpp' | sort)

# A file includes only headers of a lower rank or of its own folder; cli may call bench.
rank_of() {
  case $1 in
  include) echo 0 ;; layouts) echo 1 ;; kernels) echo 2 ;; gpu) echo 3 ;; runtime) echo 4 ;;
  io | picture) echo 5 ;; volume) echo 6 ;; scenes) echo 7 ;; cli | modes | bench) echo 8 ;; *) echo '' ;;
  esac
}
findings=$(for folder in $folders; do
  own=$(rank_of "$folder")
  grep -n '^#include "' $(sources "$folder") /dev/null | sed 's/:#include "/ /; s/".*//' |
    while read -r where header; do
      other=${header%%/*}
      rank=$(rank_of "$other")
      [ -n "$rank" ] || continue
      [ "$other" = "$folder" ] || [ "$rank" -lt "$own" ] || [ "$folder$other" = clibench ] || echo "$where: $header"
    done
done)
check "includes go down the ranks" "$findings"

# Pictures stand on what every user has; memory and the GPU module's table are the context's.
check "pictures are drawn on the public interface" \
  "$(grep -n '^#include "' $(sources picture) /dev/null |
    grep -vE '"(picture/[a-z_]*|layouts/(memory|float_env|versioned)|gpu/module)\.h"')"

findings=$(for file in $written; do
  sed -n 1p "$file" | grep -q '^// SPDX-License-Identifier: MIT$' || echo "$file"
done)
check "first line is the licence" "$findings"

check "OpenMP only in runtime/jobs" \
  "$(grep -n '#pragma omp\|<omp\.h>' $(sources $folders) | grep -v '^runtime/jobs/')"
check "kernels neither allocate nor print nor open files" \
  "$(grep -nwE 'malloc|calloc|realloc|aligned_alloc|free|printf|fprintf|puts|fopen|shl_alloc|shl_zalloc' \
    $(sources kernels) | grep -v '//.*\(alloc\|free\)')"
check "GL only in gpu" "$(grep -nE 'epoxy|EGL/|GL/|GLES' $(sources $folders tests | grep -v '^gpu/') | grep '#include')"
check "hwloc only in runtime/place" \
  "$(grep -n 'hwloc\.h' $(sources $folders) | grep -v '^runtime/place/')"
check "files only in io, scenes, cli and bench" \
  "$(grep -nwE 'fopen|open|fread|fwrite' $(sources $folders) | grep -E '^(include|layouts|kernels|runtime|picture)/' |
    grep -E '\<(fopen|fread|fwrite)\(')"
check "the library neither prints nor ends the process" \
  "$(grep -nE '\<(printf|puts|exit|abort|signal|sigaction) *\(' $(sources $folders) |
    grep -E '^(include|layouts|kernels|runtime|picture)/' | grep -v 'shl_fail\|__attribute__\|//')"
check "the environment of a set-user-id program is not believed" \
  "$(grep -nwE 'getenv' $(sources $folders))"
check "no program or module is searched for by name" \
  "$(grep -nE '\<(popen|system|execlp|execvpe?|posix_spawnp|dladdr)\(' $(sources $folders))"
check "no paths of one machine" \
  "$(grep -nE '"/(home|root|work|usr|opt)/|[ (]/(home|root|work)/' $(sources $folders tests) \
    $(find . -name meson.build -not -path './build*') /dev/null)"
check "no marks of unfinished work" \
  "$(grep -nwE 'TODO|FIXME|XXX|HACK' $(sources $folders tests))"

# Kinds and queries are modules: none includes a sibling, and nobody outside asks for a kind.
modules() { find runtime/kinds runtime/queries -mindepth 1 -maxdepth 1 -type d | sort; }
check "no module includes a sibling" "$(for module in $(modules); do
  grep -nE '#include "runtime/(kinds|queries)/' $(sources "$module") /dev/null |
    grep -vE "\"$module/|\"runtime/(kinds/(kind|rows)|queries/query)\\.h"
done)"
check "only the list and the module itself know a module" "$(for module in $(modules); do
  name=$(basename "$module")
  grep -nE "\<shl_${name}_(kind|query|row|of)\>|\"$module/[a-z_]*\\.h\"" $(sources runtime) |
    grep -vE "^$module/|^runtime/scene/modules\\.c|/(model|voronoi)\\.h\""
done)"
check "no test of a kind outside of it" \
  "$(grep -nE 'shl_is_lazy|SHL_BODY_(FREE|REDUCED|POINTS)|kind(\[[a-z]+\])? == ' $(sources runtime) | grep -v '^runtime/kinds/[a-z]*/\|SHL_EXTENT')"
check "no job's context is the scene" \
  "$(grep -nE 'shoal_scene \*[a-z]+ = (\(shoal_scene \*\))?ctx' $(sources runtime))"
# Words that once stood for several things each, and what they are called now. They occur in no
# name of a file, type, function, kernel or job, as whole words between underscores.
#   skin -> list margin, drift judge mark keep near -> list_displacement list_validate ...
#   points (a kind) -> skinned, proxy -> contact sphere, loose -> fat, sheet -> certificate
#   cut eager learn lesson heat -> front, visit rate, profile   touch (a job) -> first_touch
#   roots -> update   seed bundle -> frontier batch   walker looking -> scratch traversal
#   stranger -> nonadjacent   wide -> unbounded, avx512, f64   spot -> tri_ref   made -> revision
#   moved stray narrow -> recentred, rounding, to_f32   joined -> active   place -> slot
#   reach room part share -> extent, capacity, subtree or range, weight   again -> refind
#   tally settle recall -> histogram, reduce, warm_start
abolished='skin|drift|judge|mark|keep|near|proxy|proxies|loose|sheets?|cut|eager|learn|lessons?'
abolished="$abolished|heat|touch|roots|seeds?|bundle|walker|looking|strangers?|wide|spot|made"
abolished="$abolished|moved|stray|narrow|joined|places?|reach|room|parts?|shares?|again|settle|recall"
# Exceptions, with a reason each:
#   place        runtime/place/, shl_place_*: the placement of threads on cores
#   first_touch  the policy of the system that gives a page to the node that writes it first
#   in_place     said of data that are used where they are
#   choose_seeds graph partitioning calls them so
allowed='^(shl_)?place(_|$)|(^|_)first_touch|in_place|^choose_seeds$'
names=$({
  find runtime layouts kernels gpu picture -type f -name '*.*' | grep -v '^runtime/place/' | tr '/.' '\n\n'
  sed 's|//.*||' $(sources runtime layouts kernels gpu picture) | awk '
    /^[A-Za-z_].*\(/ { head = $0; sub(/\(.*/, "", head); sub(/.*[ *]/, "", head); print head }
    /^(typedef )?(struct|enum|union) [a-z_0-9]+/ { sub(/^typedef /, ""); print $2 }
    /^\} [a-z_0-9]+;/ { sub(/;.*/, "", $2); print $2 }
    { while (match($0, /"[a-z]+(_[a-z0-9]+)*"/)) {
        print substr($0, RSTART + 1, RLENGTH - 2); $0 = substr($0, RSTART + RLENGTH) } }'
} | sort -u)
check "no abolished word in a name" \
  "$(echo "$names" | grep -vE "$allowed" | grep -E "(^|_)($abolished)(_|$)")"

check "what was taken apart stays apart" "$(find runtime -path 'runtime/steps*' -o -path 'runtime/voronoi*')"
check "MPI only in runtime/dist" "$(grep -nE '<(mpi|zoltan)\.h>' $(sources $folders) | grep -v '^runtime/dist/')"
check "a type name exists once" \
  "$(grep -hoE '^(typedef .*\} |\} |typedef [a-z_ ]+ \**)(shl|shoal)_[a-z0-9_]+(\(|;)' $(sources include layouts kernels gpu runtime picture) |
    grep -oE '(shl|shoal)_[a-z0-9_]+(\(|;)$' | sort | uniq -d)"

# Longer than agreed: columns, lines of a file, lines of a function.
too_long() { # too_long LINES FILE...: functions, also those of classes, from { to } of one indent
  most=$1
  shift
  awk -v most="$most" 'FNR == 1 { split("", begin) }
    match($0, /^ *\{$/) { begin[RLENGTH] = FNR }
    match($0, /^ *\}$/) {
      if (RLENGTH in begin && FNR - begin[RLENGTH] > most + 1) print FILENAME ":" begin[RLENGTH]
      delete begin[RLENGTH]
    }
    /^\}/ { split("", begin) }' "$@"
}
check "at most 96 columns" "$(awk 'length($0) > 96 { print FILENAME ":" FNR }' $written)"
check "at most 500 lines" \
  "$(wc -l $written | awk '$2 != "total" && $1 > 500 { print $2 ": " $1 }')"
check "functions of at most 70 lines" "$(too_long 70 $(sources $folders tests))"
check "functions of at most 60 lines in C++" "$(too_long 60 $(find bench/peers -name '*.cpp' -o -name '*.h' | sort))"

# A public function needs a comment right above it.
check "public functions are documented" \
  "$(awk 'FNR == 1 { before = "" }
    /^SHOAL_API/ && before !~ /^\/\/\// {
      print FILENAME ":" FNR ": " $0 }
    { before = $0 }' include/shoal/*.h)"

# An item of a list, with the lines that continue it; in man pages also the text of an option.
check "list items of at most 80 words" \
  "$(awk 'function done() { if (words > 80) print file ":" line ": " words " words"; words = 0 }
    FNR == 1 { done(); code = 0 }
    /^```/ { done(); code = !code }
    code { next }
    /^ *([*-]|[0-9]+\.) / || /^\t/ { done(); file = FILENAME; line = FNR; words = NF; next }
    words && /^ +[^ ]/ { words += NF; next }
    { done() }
    END { done() }' $(find . -name '*.md' -not -path './build*' -not -path './.*' | sort) docs/man/*.scd)"
echo "Pass: $pass, fail: $fail, skip: 0."
[ "$fail" = 0 ]

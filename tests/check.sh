# Sourced by ./dev check: sanitizers with both compilers, races, clang-tidy, fuzzers and the long
# versions of the tests, in parts of which each ends within 20 minutes on two quiet cores, unless
# --long asks for more. Names what fails and goes on, so that one run shows everything.
long=
only=
list=
for argument in "$@"; do
  case $argument in
  --list) list=1 ;;
  --long) long=1 ;;
  --only=*) only=${argument#--only=} ;;
  *) die "check: unknown argument $argument" ;;
  esac
done

export LSAN_OPTIONS="suppressions=$(pwd)/tests/lsan.supp:print_suppressions=0"
failures=
table=
matched=
# part NAME COMMAND ...
part() {
  name=$1
  shift
  case $name in *"$only"*) matched=1 ;; *) return 0 ;; esac
  [ -z "$list" ] || { printf '%s\n' "$name"; return 0; }
  say "check: $name"
  began=$(date +%s)
  if ( "$@" ) >&2; then result=clean; else result=FAILED failures="$failures [$name]"; fi
  table=$(printf '%s\n%-40s %-8s %6d' "$table" "$name" "$result" $(($(date +%s) - began)))
  say "check: $name: $result"
}

# slice K/N: of the lines on stdin every Nth, beginning with the Kth.
slice() { awk -v k="${1%/*}" -v n="${1#*/}" 'NR % n == k % n'; }

sources() { git ls-files '*.c' '*.h' ':!examples'; }

# What a part leaves to others, and what it takes of the CI suite where all of it says no more. A
# new test is in every part but those of short lists.
has_own_part="fuzz_api aarch64"
one_thread="bounds check compiler controls_cli dynamics elastic exact_int io_[a-z]* literal literal_spheres mls
  model_[a-z]* modes modes_cli oracle mesh_oracle pairs plain png_file reduced skinned_bounds skinned_kernels
  sphere_triangle table tri_[a-z]* volume builders tree before check_parts headers exports style layouts
  float_environment install readme last_error"
same_bits="check compiler golden zero hash oracle pairs exact_int tri_[a-z]* sphere_triangle skinned_kernels
  skinned_bounds skinned_extremes reduced reduced_pose bounds tree builders self_cull io_number plug states"
other_checks="$same_bits api table io_[a-z]* model_[a-z]* vertices study distance_api contact_spheres diagram rebuild
  broad fat_boxes neighbour_list replace reduced_api reduced_bad skinned_api row_bounds filter mls elastic chairs"
sees_gpu="gpu_[a-z]* picture voronoi golden diagram distance_api nearest cli run_cli report_cli distance_cli
  chairs_cli float_api faults exports install study"

# among NAMES, not_among NAMES: of the lines on stdin those that match one of the names, or none.
among() { grep -xE "$(printf '%s' "$1" | tr -s ' \n' '|')"; }
not_among() { grep -vxE "$(printf '%s' "$1" | tr -s ' \n' '|')"; }

# in_build SLICE DIR COMPILER [meson options]: configures, builds and runs that share of the CI
# suite, or of those of its tests that the command $choose lets through.
in_build() {
  share=$1 dir=$2 compiler=$3
  shift 3
  # Sanitizers are ten times slower: fewer pairs and scenes, and short memories of who allocated what.
  case "$*" in *sanitize*)
    export SHOAL_PAIRS=100000 SHOAL_BOUNDS=100000 SHOAL_SCENES=1000 \
      UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
      ASAN_OPTIONS="malloc_context_size=2:quarantine_size_mb=16:${leaks:-detect_leaks=1}" ;;
  esac
  CC=$compiler configure "$dir" "$@" && ninja -C "$dir" || return 1
  names=$(meson test -C "$dir" --no-rebuild --list --suite ci 2>/dev/null | sed -n 's/^.*:ci \/ //p' |
    not_among "$has_own_part" | ${choose:-cat} | slice "$share")
  [ -n "$names" ] || { say "no tests in $dir"; return 1; }
  # shellcheck disable=SC2086
  run_tests "$dir" --suite ci --timeout-multiplier 10 $names
}

# gcc warns of what its own instrumentation made, so warnings are no errors there.
check_gcc_address() { in_build "$1" build-asan gcc -Db_sanitize=address,undefined -Doptimization=1 -Dwerror=false; }

# Its sanitizer of undefined behaviour sees other things than gcc's. LeakSanitizer 14 dies now and
# then while libomp's threads end, so leaks are left to gcc's build.
choose_other_checks() { among "$other_checks"; }
check_clang_address() {
  leaks=detect_leaks=0 choose=choose_other_checks
  in_build "$1" build-asan-clang clang -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1
}

# libomp tells the sanitizer about its barriers through Archer; libgomp cannot. It joins no
# threads at the end of a program whose helpers still wait.
watch_races() {
  archer=$(find /usr/lib/llvm-*/lib -name 'libarcher.so' 2>/dev/null | head -n 1)
  export TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=1 report_thread_leaks=0" OMP_TOOL_LIBRARIES="$archer"
}

choose_threads() { not_among "$one_thread"; }
check_races() {
  watch_races
  choose=choose_threads
  set -- "$1" build-tsan clang -Db_sanitize=thread -Db_lundef=false -Doptimization=1
  [ "$1" = again ] || { in_build "$@"; return; }
  # a race shows only when threads happen to meet: short tests get more chances
  shift
  dir=$1
  shift 2
  CC=clang configure "$dir" "$@" && ninja -C "$dir" && run_tests "$dir" --repeat 10 --timeout-multiplier 10 \
    api jobs_host fat_boxes distance_api skinned_api reduced_api overlap_results scene_jobs
}

# One file a run: over several, clang-tidy 14 takes every va_list for uninitialised.
check_tidy() {
  CC=clang configure build-clang && ninja -C build-clang || return 1
  sources | grep '\.c$' | grep -v '^tests/' | slice "$1" | xargs -P 2 -n 1 clang-tidy --quiet -p build-clang
}

built() { configure build && ninja -C build; }

# What ./dev test runs besides the CI suite: format, 64-bit ARM, fuzzers for some seconds.
check_tools() { built && lists_are_known && run_tests build --suite tools --timeout-multiplier 4; }

# A test that has got another name would drop out of a list without a word.
lists_are_known() {
  all=$(meson test -C build --no-rebuild --list --suite ci 2>/dev/null | sed -n 's/^.*:ci \/ //p')
  set -f
  for name in $one_thread $same_bits $other_checks $sees_gpu; do
    printf '%s\n' "$all" | grep -qxE "$name" || { say "no test is called $name"; return 1; }
  done
  set +f
}

check_fuzz() { built && sh tests/fuzz/run.sh . "$(pwd)/build" "$(cd "$greatest_dir" && pwd)" "$1" "$2"; }

# In an emulator, with the hashes of x86. Without SHOAL_LONG, zero-long-K is a sixth of the CI test.
check_aarch64() { sh tests/aarch64/run.sh . build-aarch64 "$(cd "$greatest_dir" && pwd)" "$@"; }

# fuzz_api SECONDS SEED DIR COMPILER [meson options]: random sequences of public calls.
fuzz_api() {
  seconds=$1
  seed=$2
  dir=$3
  compiler=$4
  shift 4
  CC=$compiler configure "$dir" "$@" && ninja -C "$dir" tests/fuzz_api &&
    SHOAL_FUZZ_SECONDS=$seconds SHOAL_FUZZ_SEED=$seed SHOAL_INCLUDE="$(pwd)/include" "$dir/tests/fuzz_api"
}

fuzz_api_address() {
  export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 ASAN_OPTIONS=detect_leaks=1
  fuzz_api 900 "$1" build-asan gcc -Db_sanitize=address,undefined -Doptimization=1 -Dwerror=false
}

fuzz_api_races() {
  watch_races
  fuzz_api 900 "$1" build-tsan clang -Db_sanitize=thread -Db_lundef=false -Doptimization=1
}

# Both beside each other: most of a sequence's time is on one thread.
fuzz_api_both() {
  (fuzz_api_address "$1") &
  beside=$!
  (fuzz_api_races "$2")
  races=$?
  wait "$beside" && [ "$races" = 0 ]
}

# Other people's readers read what a run wrote.
check_readers() {
  built && rm -rf build/readers &&
    build/shoal run bumpy-2 -s k=3 --steps 100 -q --every 5 --segment 50 --format hdf5,vtp,pc2 -o build/readers/pairs &&
    build/shoal run chairs -s count=6 --steps 400 -q --every 25 --segment 100 --format hdf5,vtp,pc2 -o build/readers/contacts &&
    /usr/bin/python3 tests/readers.py build/readers/pairs build/readers/contacts &&
    /usr/bin/python3 tests/read_vti.py build/shoal build/readers/voronoi
}

# Pages as a browser shows them.
check_pages() {
  built && rm -rf build/pages && mkdir build/pages &&
    build/shoal run chairs -s count=6 --steps 300 -q -o build/pages/contacts &&
    build/shoal run bumpy-27 -s k=3 --steps 60 -q -o build/pages/pairs || return 1
  build/shoal bench V8 M1 --repeat 1 --html build/pages/bench.html >/dev/null || [ $? = 1 ] || return 1
  SHOAL_SHOTS=build/pages/shots tests/pages.sh build/pages/contacts/report.html build/pages/pairs/report.html build/pages/bench.html
}

choose_same_bits() { among "$same_bits"; }
check_clang_plain() {
  choose=choose_same_bits
  in_build 1/1 build-clang clang
}

# As a user's job script may set them: fewer threads than asked for, and all of them bound.
check_variables() {
  export OMP_DYNAMIC=true OMP_THREAD_LIMIT=3 OMP_PROC_BIND=spread OMP_PLACES=cores OMP_STACKSIZE=512K
  choose=choose_threads
  in_build 1/1 build gcc
}

choose_gpu() { among "$sees_gpu"; }
check_no_gpu() {
  choose=choose_gpu
  in_build 1/1 build-nogpu gcc -Dgpu=disabled
}

# What `shoal info` says of the GPU must have these words: else a part would test nothing.
gpu_is() { SHOAL_GPU=force build/shoal info 2>/dev/null | grep -q "$1" || { say "the GPU is not as wanted: $1"; return 1; }; }

# A file that no loader takes hides the library of that name.
check_no_egl() {
  built || return 1
  mkdir -p build/hidden
  : >build/hidden/libEGL.so.1
  LD_LIBRARY_PATH=$(pwd)/build/hidden
  export LD_LIBRARY_PATH
  choose=choose_gpu
  gpu_is 'no EGL: ' && in_build 1/1 build gcc
}

# A second driver, and one whose calls return before the work is done.
check_zink() {
  VK_ICD_FILENAMES=${VK_ICD_FILENAMES:-$(ls /usr/share/vulkan/icd.d/lvp_icd*.json 2>/dev/null | head -n 1)}
  [ -n "$VK_ICD_FILENAMES" ] || { say "no lavapipe (package mesa-vulkan-drivers): not run"; return 0; }
  built || return 1
  export VK_ICD_FILENAMES LIBGL_ALWAYS_SOFTWARE=1 MESA_LOADER_DRIVER_OVERRIDE=zink
  gpu_is '^GPU *zink' && run_tests build --suite ci --timeout-multiplier 4 \
    gpu_bounds gpu_faults gpu_nearest gpu_start gpu_steps picture
}

# check_long TEST ...
check_long() {
  built || return 1
  [ -d ../shared/data ] && export SHOAL_DATA="${SHOAL_DATA:-$(cd ../shared/data && pwd)}"
  export SHOAL_LONG=1
  [ -n "$long" ] || export SHOAL_PAIRS=4000000 SHOAL_BOUNDS=20000000 SHOAL_SCENES=50000
  run_tests build --suite long --timeout-multiplier 1000 "$@"
}

# What no other part names.
check_long_others() {
  built || return 1
  others=$(meson test -C build --no-rebuild --list --suite long 2>/dev/null | sed -n 's/^.*:long \/ //p')
  for name in $long_zero $long_pairs $long_nearest; do others=$(printf '%s\n' "$others" | grep -vx "$name"); done
  # shellcheck disable=SC2086
  check_long $others
}
long_zero="zero-long-0 zero-long-1 zero-long-2 zero-long-3 zero-long-4 zero-long-5"
long_pairs="pairs-long bounds-long skinned_bounds-long tri_distance-long"
long_nearest="nearest-long voronoi-long gpu_bounds-long gpu_nearest-long"

part "tools" check_tools
for k in 1 2 3; do part "gcc, address and undefined $k/3" check_gcc_address "$k/3"; done
part "clang, address and undefined" check_clang_address 1/1
part "clang, plain: the same hashes" check_clang_plain
for k in 1 2 3 4; do part "clang, threads $k/4" check_races "$k/4"; done
part "clang, threads: again" check_races again
part "OpenMP: variables set" check_variables
part "gpu: built without" check_no_gpu
part "gpu: libEGL hidden" check_no_egl
part "gpu: zink" check_zink
for k in 1 2; do part "clang-tidy $k/2" check_tidy "$k/2"; done
column=check
[ -z "$long" ] || column=long
for name in $(sed -n 's/^\([a-z][a-z_.]*\).*/\1/p' tests/fuzz/list); do part "fuzz $name" check_fuzz "$column" "$name"; done
for k in 1 2; do part "fuzz api, address and threads $k/2" fuzz_api_both "${k}000000" "$((k + 2))000000"; done
part "aarch64: kernels and hashes" check_aarch64 check golden
for k in 1 2 3; do part "aarch64: zero $k/3" check_aarch64 $(printf '%s\n' $long_zero | slice "$k/3"); done
part "readers" check_readers
part "pages" check_pages
for k in 1 2 3; do part "long: zero $k/3" check_long $(printf '%s\n' $long_zero | slice "$k/3"); done
part "long: pairs and bounds" check_long $long_pairs
part "long: nearest" check_long $long_nearest
part "long: the others" check_long_others

[ -n "$matched" ] || die "check: no part has \"$only\" in its name"
[ -z "$list" ] || exit 0
say "check:$(printf '\n%-40s %-8s %6s' part result seconds)$table"
[ -z "$failures" ] || { say "check: not clean:$failures"; exit 1; }
say "check: clean${only:+, as far as \"$only\" goes}"

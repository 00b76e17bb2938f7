# Sourced by ./dev check: sanitizers with both compilers, races, clang-tidy, format and the long
# versions of the tests. Names what fails and goes on, so that one run shows everything.
long=
only=
for argument in "$@"; do
  case $argument in
  --long) long=1 ;;
  --only=*) only=${argument#--only=} ;;
  *) die "check: unknown argument $argument" ;;
  esac
done

export LSAN_OPTIONS="suppressions=$(pwd)/tests/lsan.supp:print_suppressions=0"
failures=
part() {
  name=$1
  shift
  case $name in *"$only"*) ;; *) return 0 ;; esac
  say "check: $name"
  if ( "$@" ) >&2; then say "check: $name: clean"; else failures="$failures [$name]" && say "check: $name: FAILED"; fi
}

sources() { git ls-files '*.c' '*.h' ':!examples'; }

check_format() { sources | xargs clang-format --dry-run -Werror; }

# in_build DIR COMPILER [meson options]: configures, builds and runs the CI suite.
in_build() {
  dir=$1
  compiler=$2
  shift 2
  # Sanitizers are ten times slower: fewer pairs and scenes, and short memories of who allocated what.
  case "$*" in *sanitize*)
    export SHOAL_PAIRS=100000 SHOAL_BOUNDS=100000 SHOAL_SCENES=1000 \
      UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
      ASAN_OPTIONS="malloc_context_size=2:quarantine_size_mb=16:${leaks:-detect_leaks=1}" ;;
  esac
  CC=$compiler configure "$dir" "$@" && ninja -C "$dir" && run_tests "$dir" --suite ci --timeout-multiplier 10
}

# LeakSanitizer 14 dies now and then while libomp's threads end, so leaks are left to gcc's build.
check_clang_address() {
  leaks=detect_leaks=0
  in_build build-asan-clang clang -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1
}

# One file a run: over several, clang-tidy 14 takes every va_list for uninitialised.
check_tidy() {
  CC=clang configure build-clang
  ninja -C build-clang
  sources | grep '\.c$' | grep -v '^tests/' | xargs -P 2 -n 1 clang-tidy --quiet -p build-clang
}

check_races() {
  # libomp tells the sanitizer about its barriers through Archer; libgomp cannot. It joins no
  # threads at the end of a program whose helpers still wait.
  archer=$(find /usr/lib/llvm-*/lib -name 'libarcher.so' 2>/dev/null | head -n 1)
  export TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=1 report_thread_leaks=0" OMP_TOOL_LIBRARIES="$archer"
  in_build build-tsan clang -Db_sanitize=thread -Db_lundef=false -Doptimization=1 || return 1
  # a race shows only when threads happen to meet: short tests get more chances
  run_tests build-tsan --repeat 10 --timeout-multiplier 10 \
    api jobs_host loose nearest_api points_api reduced_api results scene_jobs
}

# Any bytes into the readers of files and of run folders, as a search for new paths makes them up.
check_fuzz() {
  CC=clang configure build-asan-clang -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1
  meson compile -C build-asan-clang runtime/shoal:shared_library || return 1
  ninja -C build-asan-clang cli/shoal_build.h || return 1
  fuzz_seconds=30
  [ -z "$long" ] || fuzz_seconds=600
  mkdir -p build-fuzz
  scratch=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
  scenes="scenes/*.c volume/knots.c volume/nodes.c volume/voxels.c -Lbuild-asan-clang/runtime -lshoal -Wl,-rpath,$(pwd)/build-asan-clang/runtime"
  # what report, render and run need of the tool; the fuzzer itself has the film
  folders="cli/args.c cli/cmd_re*.c cli/cmd_run.c cli/dynamics_table.c cli/engine.c cli/frames.c cli/machine.c
    cli/plot.c cli/png_file.c cli/run_*.c cli/trace.c cli/report/[chlp]*.c cli/results/hdf5_none.c cli/results/pc2.c
    cli/results/results.c cli/results/vtp.c cli/run/[!v]*.c cli/scene/*.c -Ibuild-asan-clang/cli -ljansson -lpng -lzstd"
  for f in fuzz_mesh fuzz_model fuzz_scene fuzz_checkpoint fuzz_state fuzz_folder fuzz_api; do
    more=
    options=
    case $f in
    fuzz_scene) more="cli/scene/*.c cli/run/stream.c $scenes -ljansson" ;;
    fuzz_checkpoint) more="cli/run/checkpoint.c -ljansson -lzstd" ;;
    fuzz_api) more="$(ls tests/fuzz/api/*.c | grep -v /main.c) tests/oracle/tri_[odf]*.c tests/oracle/mesh_oracle.c tests/zero/meshes.c tests/zero/worlds*.c -Itests/oracle -Itests/zero -lgmp -Lbuild-asan-clang/runtime -lshoal -Wl,-rpath,$(pwd)/build-asan-clang/runtime" ;;
    fuzz_state) more="$scenes -fsanitize=float-cast-overflow" ;;
    # the tool prints
    fuzz_folder) more="$folders $scenes -fsanitize=float-cast-overflow" options=-close_fd_mask=3 ;;
    esac
    # shellcheck disable=SC2086
    clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -D_GNU_SOURCE -I. -Iinclude \
      -Itests/unit -isystem "$greatest_dir" "tests/fuzz/$f.c" io/*.c $more -lxxhash -lm -o "build-fuzz/$f" || return 1
    mkdir -p "build-fuzz/$f.inputs"
    # 4 KiB of input never need a second, nor 64 MiB at once; a machine that is frozen is no hang
    TMPDIR=$scratch "build-fuzz/$f" -max_total_time="$fuzz_seconds" -max_len=4096 -timeout=60 -malloc_limit_mb=64 \
      -rss_limit_mb=1024 -verbosity=0 -print_final_stats=1 $options -artifact_prefix="$(pwd)/build-fuzz/" \
      "build-fuzz/$f.inputs" "tests/fuzz/seeds/$f" || { rm -rf "$scratch"; return 1; }
  done
  rm -rf "$scratch"
}

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
  archer=$(find /usr/lib/llvm-*/lib -name 'libarcher.so' 2>/dev/null | head -n 1)
  export TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=1" OMP_TOOL_LIBRARIES="$archer"
  fuzz_api 900 "$1" build-tsan clang -Db_sanitize=thread -Db_lundef=false -Doptimization=1
}

# Other people's readers read what a run wrote.
check_readers() {
  configure build
  ninja -C build shoal
  rm -rf build/readers
  build/shoal run bumpy-2 -s k=3 --steps 100 -q --every 5 --segment 50 --format hdf5,vtp,pc2 -o build/readers/pairs
  build/shoal run chairs -s count=6 --steps 400 -q --every 25 --segment 100 --format hdf5,vtp,pc2 -o build/readers/contacts
  /usr/bin/python3 tests/readers.py build/readers/pairs build/readers/contacts
  /usr/bin/python3 tests/read_vti.py build/shoal build/readers/voronoi
}

# Pages as a browser shows them.
check_pages() {
  configure build
  ninja -C build
  rm -rf build/pages
  mkdir build/pages
  build/shoal run chairs -s count=6 --steps 300 -q -o build/pages/contacts
  build/shoal run bumpy-27 -s k=3 --steps 60 -q -o build/pages/pairs
  build/shoal bench V8 M1 --repeat 1 --html build/pages/bench.html >/dev/null || [ $? = 1 ]
  SHOAL_SHOTS=build/pages/shots tests/pages.sh build/pages/contacts/report.html build/pages/pairs/report.html build/pages/bench.html
}

# What `shoal info` says of the GPU must have these words: else a part would test nothing.
gpu_is() { SHOAL_GPU=force build/shoal info 2>/dev/null | grep -q "$1" || { say "the GPU is not as wanted: $1"; return 1; }; }

# A file that no loader takes hides the library of that name.
check_no_egl() {
  configure build
  ninja -C build
  mkdir -p build/hidden
  : >build/hidden/libEGL.so.1
  LD_LIBRARY_PATH=$(pwd)/build/hidden
  export LD_LIBRARY_PATH
  gpu_is 'no EGL: ' && run_tests build --suite ci --timeout-multiplier 4
}

# A second driver, and one whose calls return before the work is done.
check_zink() {
  VK_ICD_FILENAMES=${VK_ICD_FILENAMES:-$(ls /usr/share/vulkan/icd.d/lvp_icd*.json 2>/dev/null | head -n 1)}
  [ -n "$VK_ICD_FILENAMES" ] || { say "no lavapipe (package mesa-vulkan-drivers): not run"; return 0; }
  configure build
  ninja -C build
  export VK_ICD_FILENAMES LIBGL_ALWAYS_SOFTWARE=1 MESA_LOADER_DRIVER_OVERRIDE=zink
  gpu_is '^GPU *zink' && run_tests build --suite ci --timeout-multiplier 4 \
    gpu_bounds gpu_faults gpu_nearest gpu_start gpu_steps picture
}

check_long() {
  configure build
  ninja -C build
  [ -d ../shared/data ] && export SHOAL_DATA="${SHOAL_DATA:-$(cd ../shared/data && pwd)}"
  export SHOAL_LONG=1
  [ -n "$long" ] || export SHOAL_PAIRS=4000000 SHOAL_BOUNDS=20000000 SHOAL_SCENES=50000
  run_tests build --suite long --timeout-multiplier 1000
}

part "format" check_format
# gcc warns of what its own instrumentation made, so warnings are no errors there.
part "gcc, address and undefined" in_build build-asan gcc -Db_sanitize=address,undefined -Doptimization=1 -Dwerror=false
part "clang, address and undefined" check_clang_address
part "clang, plain: the same hashes" in_build build-clang clang
part "clang, threads" check_races
part "gpu: built without" in_build build-nogpu gcc -Dgpu=disabled
part "gpu: libEGL hidden" check_no_egl
part "gpu: zink" check_zink
part "clang-tidy" check_tidy
part "fuzz" check_fuzz
part "fuzz api, address and undefined, 1 of 2" fuzz_api_address 1000000
part "fuzz api, address and undefined, 2 of 2" fuzz_api_address 2000000
part "fuzz api, threads, 1 of 2" fuzz_api_races 3000000
part "fuzz api, threads, 2 of 2" fuzz_api_races 4000000
part "readers" check_readers
part "pages" check_pages
part "long tests" check_long

[ -z "$failures" ] || { say "check: not clean:$failures"; exit 1; }
say "check: clean${only:+, as far as \"$only\" goes}"

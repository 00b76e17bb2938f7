#!/bin/sh
# What meson installs is enough: a program outside the tree finds it by pkg-config and by CMake,
# and runs; man pages and completion are there.
# And it is hardened: readelf tells what the linker did.
# Arguments: build folder, source folder, flags that harden, compiler.
set -eu
build=$1 src=$2 hardening=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0
check() { if [ "$2" = "$3" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $1: '$2' is not '$3'"; fi; }
has() { if find "$work/root" -name "$1" | grep -q .; then echo yes; else echo no; fi; }
want="step 0: 0 pairs step 1: 0 pairs step 2: 9 pairs step 3: 9 pairs "
DESTDIR="$work/root" meson install -C "$build" --no-rebuild --quiet >/dev/null
prefix=$(dirname "$(dirname "$(find "$work/root" -name shoal -type f -path '*/bin/*')")")
lib=$(dirname "$(find "$prefix" -name 'libshoal.so' | head -n 1)")
check "the tool runs" "$(LD_LIBRARY_PATH=$lib "$prefix/bin/shoal" --version | cut -d' ' -f1)" shoal
check "completion" "$(has completions)" yes
# elf FILE OPTIONS PATTERN: whether what readelf says has the pattern
elf() { if LC_ALL=C readelf -W $2 "$1" | grep -qE "$3"; then echo yes; else echo no; fi; }
for file in "$prefix"/bin/* "$lib"/*.so; do
  name=$(basename "$file")
  check "$name: read-only relocations" "$(elf "$file" -l GNU_RELRO)" yes
  check "$name: bound at once" "$(elf "$file" -d 'FLAGS_1.*NOW')" yes
  check "$name: stack is not executable" "$(elf "$file" -l 'GNU_STACK.* RW +0x')" yes
  case $hardening in *-fstack-protector*) check "$name: stack protector" "$(elf "$file" --dyn-syms __stack_chk_fail)" yes ;; esac
  case $hardening in *_FORTIFY_SOURCE=*) check "$name: fortified" "$(elf "$file" --dyn-syms '__[a-z]+_chk(@|$)')" yes ;; esac
  case $file in */bin/*) check "$name: may lie anywhere" "$(elf "$file" -d 'FLAGS_1.*PIE')" yes ;; esac
done
check "libshoal is never unloaded" "$(elf "$lib/libshoal.so" -d 'FLAGS_1.*NODELETE')" yes
case $hardening in *-fcf-protection*)
  check "indirect calls land on endbr64" \
    "$(objdump -d --no-show-raw-insn "$lib/libshoal.so" | sed -n '/<shoal_version>:/{n;s/.*endbr64.*/yes/p}')" yes ;;
esac
export PKG_CONFIG_PATH="$lib/pkgconfig"
# shellcheck disable=SC2046
"$@" "$src/examples/first.c" -o "$work/first" $(pkg-config --define-variable=prefix="$prefix" --cflags --libs shoal)
check "pkg-config" "$(LD_LIBRARY_PATH=$lib "$work/first" | tr '\n' ' ')" "$want"
printf '#include <shoal/picture.h>\nint main(void) { return shoal_picture_def_default(NULL).width != 1280; }\n' >"$work/picture.c"
# shellcheck disable=SC2046
"$@" "$work/picture.c" -o "$work/picture" $(pkg-config --define-variable=prefix="$prefix" --cflags --libs shoal-picture)
check "pictures" "$(LD_LIBRARY_PATH=$lib "$work/picture" && echo yes)" yes
check "libshoal draws none" "$(nm -D --defined-only "$lib/libshoal.so" | grep -c picture)" 0
# a tetrahedron, and the same moved by half
printf 'v %s 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n' 0 >"$work/a.obj"
printf 'v %s 0 0\nv 1.5 0 0\nv 0.5 1 0\nv 0.5 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n' 0.5 >"$work/b.obj"
# shellcheck disable=SC2046
"$@" "$src/examples/meshes.c" -o "$work/meshes" $(pkg-config --define-variable=prefix="$prefix" --cflags --libs shoal-io shoal)
check "mesh files" "$(LD_LIBRARY_PATH=$lib "$work/meshes" "$work/a.obj" "$work/b.obj")" "9 pairs"
check "no mesh file" "$(LD_LIBRARY_PATH=$lib "$work/meshes" "$work/none.obj" 2>&1 | head -n 1 | grep -c none.obj)" 1
if command -v scdoc >/dev/null; then check "man pages" "$(has shoal.1; has shoal-scene.5)" "$(printf 'yes\nyes')"; else skipped=$((skipped + 1)); fi
if command -v cmake >/dev/null; then
  mkdir "$work/outside"
  cp "$src/examples/first.c" "$work/outside"
  cat >"$work/outside/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(outside C)
find_package(shoal REQUIRED)
add_executable(first first.c)
target_link_libraries(first shoal::shoal)
CMAKE
  cmake -S "$work/outside" -B "$work/outside/build" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 &&
    cmake --build "$work/outside/build" >>"$work/log" 2>&1 || cat "$work/log"
  check "CMake" "$("$work/outside/build/first" | tr '\n' ' ')" "$want"
else
  skipped=$((skipped + 1))
fi
echo "Pass: $passed, fail: $failed, skip: $skipped."
[ "$failed" = 0 ]

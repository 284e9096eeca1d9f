#!/usr/bin/env bash
# Functions about programs and the libraries that they load, for the scripts that pack both to run on machines where
# nothing is installed (bundle.sh, wheel.sh). A script sources this, and has set
#   root       the repository
#   build_dir  where it is built, before `built` and `take`
#
# A tree is a folder with programs in bin/ (or tests/bin/) and their libraries in lib/.
# shellcheck disable=SC2154  # These two are set there.
set -euo pipefail

# glibc's own, which belong to the kernel and the loader of the machine.
glibc='^(ld-linux.*|lib(anl|BrokenLocale|c|dl|m|mvec|nsl|nss_.*|pthread|resolv|rt|thread_db|util))\.so'
# Packages whose code is compiled into the programs.
compiled_in=(libcli11-dev libtomlplusplus-dev llvm-19-dev nlohmann-json3-dev)

say() { echo "== $*"; }
fail() { echo "$(basename "$0"): $*" >&2 && exit 1; }

# Seconds since 1970: of the sources, for what is made of them.
source_time() { echo "${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 0)}"; }

# The built file of a target.
built() {
  local file
  for file in "$build_dir/bin/$1" "$build_dir/tests/$1" "$build_dir/lib/lib$1.so" "$build_dir/lib/$1.so"; do
    if [[ -f $file ]]; then echo "$file" && return; fi
  done
  fail "$build_dir has no $1"
}

# take TARGET FOLDER: copies what is built there, without symbols.
take() {
  local from
  from=$(built "$1")
  strip -o "$2/$(basename "$from")" "$from"
}

# Every file of a tree that the loader reads.
binaries() {
  find "$1" -type f \( -path "$1/bin/*" -o -path "$1/lib/*" -o -path "$1/tests/bin/*" \) | sort
}

# "NAME PATH" of each library that the binaries of a tree load, directly or not.
libraries_of() {
  binaries "$1" | xargs -d '\n' env -u LD_LIBRARY_PATH ldd |
    awk '$2 == "=>" { print $1, ($3 == "not" ? "missing" : $3) }' | sort -u
}

# The Debian package of a file. Where /lib is a link to /usr/lib, either name may be the one that dpkg knows.
package_of() {
  local real
  real=$(readlink -f "$1")
  { dpkg -S "$real" 2>/dev/null || dpkg -S "${real#/usr}" 2>/dev/null || fail "$real is of no package"; } | cut -d: -f1
}

# take_licence PACKAGE FOLDER: a Debian package's; it stands beside its files.
take_licence() {
  local from=/usr/share/doc/$1/copyright
  [[ -f $from ]] || fail "the licence of $1 is not in $from"
  cp -L "$from" "$2/$1.txt"
}

# take_libraries TREE LICENCES: all but glibc's, and the licences of those and of what is compiled in.
take_libraries() {
  local name path package
  while read -r name path; do
    [[ $path != missing ]] || fail "$name is not found"
    if [[ $name =~ $glibc ]]; then continue; fi
    cp -L "$path" "$1/lib/$name"
    package=$(package_of "$path")
    take_licence "$package" "$2"
  done < <(libraries_of "$1")
  for package in "${compiled_in[@]}"; do take_licence "$package" "$2"; done
}

# Run paths from where a file is. DT_RPATH, which LD_LIBRARY_PATH does not override: what else somebody has there is not
# for these programs.
set_run_paths() {
  local file up
  while read -r file; do
    chmod u+w "$file"
    case ${file#"$1"/} in
      bin/*) up=/../lib ;;
      lib/*) up='' ;;
      tests/bin/*) up=/../../lib ;;
    esac
    patchelf --force-rpath --set-rpath "\$ORIGIN$up" "$file"
  done < <(binaries "$1")
}

# The newest glibc that something in a tree asks for.
needed_glibc() {
  binaries "$1" | xargs -d '\n' objdump -T | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1 | cut -d_ -f2
}

# Fails if one of "NAME PATH" on standard input is neither of the folder nor glibc's.
check_inside() {
  local name path
  while read -r name path; do
    if [[ $path == "$1"/* || $name =~ $glibc ]]; then continue; fi
    fail "$name comes from $path"
  done
}

# "NAME PATH" of each library that a process has loaded, also of those that it has opened itself.
loaded_by() {
  awk '$6 ~ /\.so/ { print $6 }' "/proc/$1/maps" | sort -u | sed 's|.*/\([^/]*\)$|\1 &|'
}

# check_size FILE TREE MIB: says how large both are; fails, with what is large, when the file has more than MIB.
check_size() {
  local bytes
  bytes=$(stat -c %s "$1")
  say "$1: $(awk -v b="$bytes" 'BEGIN { printf "%.1f", b / 1048576 }') MiB, unpacked" \
    "$(du -sm --apparent-size "$2" | cut -f1) MiB"
  if ((bytes > $3 << 20)); then
    (cd "$2" && du -am --apparent-size . | sort -rn | head -25 >&2)
    fail "that is more than $3 MiB; above is what is large in it, in MiB unpacked"
  fi
}

# A program that says itself whether its value is right: through generated code and oneDNN.
checked_program() {
  cat <<'TEXT'
func.func public @main() -> tensor<64x64xf32> {
  %x = stablehlo.constant dense<2.0> : tensor<64x64xf32>
  %y = stablehlo.dot %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %z = stablehlo.add %y, %x : tensor<64x64xf32>
  %expected = stablehlo.constant dense<258.0> : tensor<64x64xf32>
  stablehlo.custom_call @check.expect_eq(%z, %expected) {has_side_effect = true}
    : (tensor<64x64xf32>, tensor<64x64xf32>) -> ()
  return %z : tensor<64x64xf32>
}
TEXT
}

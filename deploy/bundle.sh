#!/usr/bin/env bash
# Makes a bundle: the daemon and accelctl with the libraries that they need, as one archive that runs from any folder
# of any Linux with a glibc that is not older. It is what a release gives to users.
#
#   deploy/bundle.sh [--tests] [--build-dir DIR] [--fast] [OUTPUT]
#     OUTPUT           folder for the archive (default: build/bundle)
#     --tests          with the test programs of tests/gpu/suites.txt and what they read, for tests/gpu/run.sh; the
#                      conformance programs come from ACCELD_CONFORMANCE_DIR and are left out where it is not set;
#                      so do programs to measure without JAX (tests/bench/vs_jax.py --export) from
#                      ACCELD_BENCH_PROGRAMS_DIR
#     --build-dir DIR  takes what is built in DIR; else builds the release preset
#     --fast           compresses little and allows any size: for trying it out
#
# The same build gives the same bytes. What it has made it unpacks elsewhere, checks that no library but glibc's comes
# from outside, starts, uses and stops. It fails when the archive has more than 60 MiB.
set -Eeuo pipefail
trap 'echo "bundle.sh: failed in line $LINENO" >&2' ERR
export LC_ALL=C
umask 022
root=$(cd "$(dirname "$0")/.." && pwd)

max_mib=60
# glibc's own, which belong to the kernel and the loader of the machine.
glibc='^(ld-linux.*|lib(anl|BrokenLocale|c|dl|m|mvec|nsl|nss_.*|pthread|resolv|rt|thread_db|util))\.so'
# Packages whose code is compiled into the programs.
compiled_in=(libcli11-dev libtomlplusplus-dev llvm-19-dev nlohmann-json3-dev)
test_compiled_in=(libgmock-dev libgtest-dev)

tests=false fast=false build_dir='' output=$root/build/bundle
while (($# > 0)); do
  case $1 in
    --tests) tests=true ;;
    --fast) fast=true ;;
    --build-dir) build_dir=$(cd "$2" && pwd) && shift ;;
    -h | --help) sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0" && exit ;;
    -*) echo "bundle.sh: $1 is unknown; --help says what there is" >&2 && exit 2 ;;
    *) output=$1 ;;
  esac
  shift
done
mkdir -p "$output"
output=$(cd "$output" && pwd)

work=$(mktemp -d)
daemon=''
clean_up() {
  if [[ -n $daemon ]]; then kill "$daemon" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap clean_up EXIT

say() { echo "== $*"; }
fail() { echo "bundle.sh: $*" >&2 && exit 1; }

# The programs of tests/gpu/suites.txt.
test_programs() { awk '!/^#/ && NF { print $2 }' "$root/tests/gpu/suites.txt"; }

build() {
  "$root/deploy/install_packages.sh" bundle
  local targets=(acceld accelctl) switch=OFF
  if $tests; then
    "$root/deploy/install_packages.sh" test
    mapfile -t -O 2 targets < <(test_programs)
    switch=ON
  fi
  say "Build (release): ${#targets[@]} programs"
  cd "$root"
  cmake --preset release -DACCELD_BUILD_TESTS=$switch >/dev/null
  cmake --build --preset release -j "$(nproc)" --target "${targets[@]}"
  build_dir=$root/build/release
}

# The built file of a target.
built() {
  local file
  for file in "$build_dir/bin/$1" "$build_dir/tests/$1" "$build_dir/lib/lib$1.so"; do
    if [[ -f $file ]]; then echo "$file" && return; fi
  done
  fail "$build_dir has no $1"
}

# Copies a program into a folder of the bundle, without symbols.
take() {
  local from
  from=$(built "$1")
  strip -o "$bundle/$2/$(basename "$from")" "$from"
}

# "NAME PATH" of each library that the binaries of a folder load, directly or not.
libraries_of() {
  binaries "$1" | xargs -d '\n' env -u LD_LIBRARY_PATH ldd |
    awk '$2 == "=>" { print $1, ($3 == "not" ? "missing" : $3) }' | sort -u
}

take_programs() {
  mkdir -p "$bundle"/{bin,doc,lib,licences}
  take acceld bin
  take accelctl bin
  cp "$root/LICENSE" "$bundle/"
  cp "$root"/deploy/{CONFIG,METRICS}.md "$bundle/doc/"
  cp "$root/tests/programs/softmax.mlir" "$bundle/doc/example.mlir"
}

take_tests() {
  local program folder from=${ACCELD_CONFORMANCE_DIR:-}
  mkdir -p "$bundle"/tests/{bin,conformance,gpu,programs}
  while read -r program; do take "$program" tests/bin; done < <(test_programs)
  # Where they are in the source tree.
  cp "$root"/tests/gpu/{run.sh,suites.txt} "$bundle/tests/gpu/"
  cp "$root"/tests/programs/*.{json,mlir,npy} "$bundle/tests/programs/"
  cp "$root/tests/conformance/overrides.txt" "$bundle/tests/conformance/"
  mkdir -p "$bundle/tests/attack/stubs" "$bundle/tests/programs/bytecode"
  cp "$root"/tests/attack/*.py "$bundle/tests/attack/"
  cp "$root"/tests/programs/bytecode/*.bc "$bundle/tests/programs/bytecode/"
  protoc -I"$root/proto" --{python,grpc}_out="$bundle/tests/attack/stubs" \
    --plugin=protoc-gen-grpc=/usr/bin/grpc_python_plugin acceld/v1/{program,host_call,trace,acceld}.proto
  mkdir "$bundle/tests/jax"
  cp "$root"/tests/jax/*.{py,txt} "$bundle/tests/jax/"
  mkdir -p "$bundle/tests/bench/against_jax/workloads"
  cp "$root/tests/bench/vs_jax.py" "$bundle/tests/bench/"
  cp "$root"/tests/bench/against_jax/*.py "$bundle/tests/bench/against_jax/"
  cp "$root"/tests/bench/against_jax/workloads/*.py "$bundle/tests/bench/against_jax/workloads/"
  if [[ -n ${ACCELD_BENCH_PROGRAMS_DIR:-} ]]; then
    mkdir "$bundle/tests/bench/programs"
    cp "$ACCELD_BENCH_PROGRAMS_DIR"/{manifest.json,*.mlirbc,*.npz} "$bundle/tests/bench/programs/"
  fi
  [[ -n $from ]] || say "ACCELD_CONFORMANCE_DIR is not set: without conformance programs"
  for folder in stablehlo bytecode extra; do
    if [[ -n $from && -d $from/$folder ]]; then
      mkdir -p "$bundle/tests/conformance/programs"
      cp -rL "$from/$folder" "$bundle/tests/conformance/programs/"
    fi
  done
}

# Every file that the loader reads.
binaries() {
  find "$1" -type f \( -path "$1/bin/*" -o -path "$1/lib/*" -o -path "$1/tests/bin/*" \) | sort
}

# A Debian package's licence; it stands beside its files.
take_licence() {
  local from=/usr/share/doc/$1/copyright
  [[ -f $from ]] || fail "the licence of $1 is not in $from"
  cp -L "$from" "$bundle/licences/$1.txt"
}

take_libraries() {
  local name path real package
  while read -r name path; do
    [[ $path != missing ]] || fail "$name is not found"
    if [[ $name =~ $glibc ]]; then continue; fi
    cp -L "$path" "$bundle/lib/$name"
    real=$(readlink -f "$path")
    package=$(dpkg -S "$real" 2>/dev/null || dpkg -S "${real#/usr}" 2>/dev/null) || fail "$real is of no package"
    take_licence "${package%%:*}"
  done < <(libraries_of "$bundle")
  for package in "${compiled_in[@]}"; do take_licence "$package"; done
  if $tests; then
    for package in "${test_compiled_in[@]}"; do take_licence "$package"; done
  fi
}

# Run paths from where a file is. DT_RPATH, which LD_LIBRARY_PATH does not override: what else somebody has there is not
# for these programs.
set_run_paths() {
  local file up
  while read -r file; do
    chmod u+w "$file"
    case ${file#"$bundle"/} in
      bin/*) up=/../lib ;;
      lib/*) up='' ;;
      tests/bin/*) up=/../../lib ;;
    esac
    patchelf --force-rpath --set-rpath "\$ORIGIN$up" "$file"
  done < <(binaries "$bundle")
}

# The newest glibc that something in the bundle asks for.
needed_glibc() {
  binaries "$bundle" | xargs -d '\n' objdump -T | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1 | cut -d_ -f2
}

write_readme() {
  {
    cat <<TEXT
acceld $version: a daemon that owns a machine's accelerators and runs StableHLO programs for other processes.

Start it, and run a program (it listens on a unix socket of yours; doc/CONFIG.md has every setting):

    bin/acceld &
    bin/accelctl devices
    bin/accelctl run doc/example.mlir --arg 'f32[64,1000]=random'

Needs Linux on $arch with glibc $(needed_glibc) or newer. GPUs need NVIDIA's driver and NVRTC (libnvrtc, of CUDA) on
the machine; without them programs run on the CPU, and accelctl devices says why. cuBLASLt, cuBLAS,
cuDNN, cuFFT and cuSOLVER are used where they are found; accelctl devices names those that are not.

    bin/        acceld, the daemon; accelctl, its command line
    lib/        the libraries that they load: nothing else but glibc and NVIDIA's is taken from the machine
    doc/        settings, metrics, an example
    LICENSE     of acceld; licences/ has those of the libraries and of what is compiled in
TEXT
    if $tests; then
      echo "    tests/      the tests for a machine with a GPU: tests/gpu/run.sh runs them"
    fi
  } >"$bundle/README.txt"
}

# The archive: names in order, and no owner or time but that of the sources.
pack() {
  local time filters=(--lzma2=preset=9)
  time=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 0)}
  tar --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX --mtime="@$time" --format=gnu \
    -C "$work" -cf "$work/bundle.tar" "$name"
  if $fast; then
    gzip -1nc "$work/bundle.tar" >"$archive"
  else
    # A tenth smaller than zstd -19 with a window as large, and slower. The filter takes a twentieth.
    if [[ $arch == x86_64 ]]; then filters=(--x86 "${filters[@]}"); fi
    xz -T1 "${filters[@]}" -c "$work/bundle.tar" >"$archive"
  fi
}

check_size() {
  local bytes
  bytes=$(stat -c %s "$archive")
  say "$archive: $(awk -v b="$bytes" 'BEGIN { printf "%.1f", b / 1048576 }') MiB, unpacked" \
    "$(du -sm --apparent-size "$bundle" | cut -f1) MiB"
  if ! $fast && ((bytes > max_mib << 20)); then
    (cd "$work" && du -am --apparent-size "$name" | sort -rn | head -25 >&2)
    fail "that is more than $max_mib MiB; above is what is large in it, in MiB unpacked"
  fi
}

# Fails if one of "NAME PATH" on standard input is neither of the folder nor glibc's.
check_inside() {
  local name path
  while read -r name path; do
    if [[ $path == "$1"/* || $name =~ $glibc ]]; then continue; fi
    fail "$name comes from $path"
  done
}

# The archive as a user gets it.
check_archive() {
  local there=$work/elsewhere/$name socket=$work/acceld.sock
  say "Check: unpack it elsewhere"
  rm -rf "$bundle"
  mkdir "$work/elsewhere"
  tar -C "$work/elsewhere" -xf "$archive"
  unset LD_LIBRARY_PATH
  libraries_of "$there" | check_inside "$there"

  say "Check: start the daemon there, use it, stop it"
  cd /
  local accelctl=("$there/bin/accelctl" --address "unix:$socket")
  # A GPU's driver brings libraries of its own.
  "$there/bin/acceld" --listen "unix:$socket" --cache-dir "$work/cache" --cuda-devices none 2>"$work/log" &
  daemon=$!
  for _ in $(seq 100); do
    if "${accelctl[@]}" devices >/dev/null 2>&1; then break; fi
    kill -0 "$daemon" 2>/dev/null || { cat "$work/log" >&2 && fail "the daemon has ended"; }
    sleep 0.1
  done
  "${accelctl[@]}" devices
  "${accelctl[@]}" run "$there/doc/example.mlir" --arg 'f32[64,1000]=random'
  checked_program >"$work/check.mlir"
  "${accelctl[@]}" check "$work/check.mlir" | tee "$work/checked"
  grep -q '^1 passed' "$work/checked" || fail "the program gives a wrong value"
  # What it has opened itself, too.
  awk '$6 ~ /\.so/ { print $6 }' "/proc/$daemon/maps" | sort -u |
    sed 's|.*/\([^/]*\)$|\1 &|' | check_inside "$there"
  kill "$daemon"
  wait "$daemon" || { cat "$work/log" >&2 && fail "the daemon did not end well"; }
  daemon=''
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

if [[ -z $build_dir ]]; then build; fi
version=$("$build_dir/bin/acceld" --version | awk '{ print $2 }')
arch=$(uname -m)
name=acceld-$version-linux-$arch
bundle=$work/$name
suffix=$($tests && echo -tests || true)
archive=$output/$name$suffix.tar.$($fast && echo gz || echo xz)

say "Gather: programs$($tests && echo ', tests' || true), libraries"
take_programs
if $tests; then take_tests; fi
take_libraries
set_run_paths
write_readme
say "Pack$($fast || echo ", which takes minutes")"
pack
check_size
check_archive
say "Good: $archive"

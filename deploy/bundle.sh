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

# shellcheck source=deploy/packing.sh
source "$root/deploy/packing.sh"

max_mib=60
# Packages whose code is compiled into the tests.
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

take_programs() {
  mkdir -p "$bundle"/{bin,doc,lib,licences}
  take acceld "$bundle/bin"
  take accelctl "$bundle/bin"
  cp "$root/LICENSE" "$bundle/"
  cp "$root"/deploy/{CONFIG,METRICS}.md "$bundle/doc/"
  cp "$root/tests/programs/softmax.mlir" "$bundle/doc/example.mlir"
}

take_tests() {
  local program folder from=${ACCELD_CONFORMANCE_DIR:-}
  mkdir -p "$bundle"/tests/{bin,conformance,gpu,programs}
  while read -r program; do take "$program" "$bundle/tests/bin"; done < <(test_programs)
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

write_readme() {
  {
    cat <<TEXT
acceld $version: a daemon that owns a machine's accelerators and runs StableHLO programs for other processes.

Start it, and run a program (it listens on a unix socket of yours; doc/CONFIG.md has every setting):

    bin/acceld &
    bin/accelctl devices
    bin/accelctl run doc/example.mlir --arg 'f32[64,1000]=random'

Needs Linux on $arch with glibc $(needed_glibc "$bundle") or newer. GPUs need NVIDIA's driver and
NVRTC (libnvrtc, of CUDA) on the machine; without them programs run on the CPU, and accelctl devices
says why. cuBLASLt, cuBLAS, cuDNN, cuFFT and cuSOLVER are used where they are found, and programs over
several GPUs need NCCL; accelctl devices names those that are not.

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
  local filters=(--lzma2=preset=9)
  tar --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX --mtime="@$(source_time)" --format=gnu \
    -C "$work" -cf "$work/bundle.tar" "$name"
  if $fast; then
    gzip -1nc "$work/bundle.tar" >"$archive"
  else
    # A tenth smaller than zstd -19 with a window as large, and slower. The filter takes a twentieth.
    if [[ $arch == x86_64 ]]; then filters=(--x86 "${filters[@]}"); fi
    xz -T1 "${filters[@]}" -c "$work/bundle.tar" >"$archive"
  fi
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
  loaded_by "$daemon" | check_inside "$there"
  kill "$daemon"
  wait "$daemon" || { cat "$work/log" >&2 && fail "the daemon did not end well"; }
  daemon=''
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
take_libraries "$bundle" "$bundle/licences"
if $tests; then
  for package in "${test_compiled_in[@]}"; do take_licence "$package" "$bundle/licences"; done
fi
set_run_paths "$bundle"
write_readme
say "Pack$($fast || echo ", which takes minutes")"
pack
check_size "$archive" "$bundle" "$($fast && echo 4096 || echo $max_mib)"
check_archive
say "Good: $archive"

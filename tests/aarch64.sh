#!/usr/bin/env bash
# Builds unit tests of common/ and kernels/ for 64-bit ARM processors, and runs them in QEMU.
#
#   tests/aarch64.sh [TEST ...]
#
# TEST is a test program, such as cpu_kernel_test; without one, those below are built and run. On Debian, as root or
# with sudo. The compiler and QEMU become packages of this machine; the libraries lie in build/aarch64-root, some 1 GB,
# which is made once. Remove the folder to have newer ones.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD/build/aarch64-root
tests=("$@")
if ((${#tests[@]} == 0)); then
  tests=(
    common_test common_concurrency_test ir_test interpreter_test lowering_test routine_test cpu_kernel_test
    cpu_math_test cpu_matmul_test
  )
fi

deploy/install_packages.sh aarch64

# Unpacks Debian's packages of the libraries, and of what a C++ program is linked with, for ARM. None of their scripts
# is run, and this machine's own packages stay as they are.
make_root() {
  mapfile -t packages < <(deploy/install_packages.sh libraries)
  mapfile -t options < <(tests/deploy/apt_sources.sh options)
  mapfile -t sources < <(tests/deploy/apt_sources.sh sources)
  # shellcheck source=/dev/null
  . /etc/os-release
  rm -rf "$root.part"
  mkdir -p "$root.part"
  mmdebstrap --quiet --variant=extract --architectures=arm64 --include="${packages[*]} libc6-dev libstdc++6" \
    "${options[@]}" "$VERSION_CODENAME" "$root.part" "${sources[@]}"
  # Absolute paths would lead out of the folder: in links, and in LLVM's CMake package.
  find "$root.part" -type l -lname '/*' -printf '%l\t%p\n' | while IFS=$'\t' read -r target link; do
    ln -srfn "$root.part$target" "$link"
  done
  sed -i 's|/usr/lib/aarch64-linux-gnu/|${_IMPORT_PREFIX}/../aarch64-linux-gnu/|g' \
    "$root.part/usr/lib/llvm-19/lib/cmake/llvm/LLVMExports.cmake"
  mv "$root.part" "$root"
}

[[ -d $root ]] || make_root
cmake --preset aarch64 -DACCELD_TORCH_PYTHON=
cmake --build --preset aarch64 -j "$(nproc)" -t "${tests[@]}"
ctest --preset aarch64 -j "$(nproc)" -R "^($(IFS='|' && echo "${tests[*]}"))\$"

#!/usr/bin/env bash
# Installs what acceld builds with, from the distribution (Debian 12 or Ubuntu 24.04), as root or with
# sudo. Does nothing, and needs no network, when all of it is there.
#
#   deploy/install_packages.sh [build|test|bundle|deb|image|wheel|browser|aarch64|libraries]
#     build  what the daemon and the client need (the default)
#     test   that, and what the test suites need
#     bundle what the build needs, and what deploy/bundle.sh packs with
#     deb    the same, and what deploy/deb.sh packs with
#     image  the same, and what deploy/image.sh builds with
#     wheel  the same, and what deploy/wheel.sh packs with
#     browser  nothing but Chromium, with which a test looks at the status page (Debian; some 400 MB)
#     aarch64  what tests/aarch64.sh builds and runs with
#     libraries  installs nothing: prints the libraries' packages, which another processor has under the same names
set -euo pipefail

libraries=(
  libabsl-dev libcli11-dev libdnnl-dev libfmt-dev libgrpc++-dev libgrpc-dev libhiredis-dev libjemalloc-dev
  libopenblas-openmp-dev libprotobuf-dev libspdlog-dev libssl-dev libtomlplusplus-dev libzstd-dev llvm-19-dev
  nlohmann-json3-dev ocl-icd-opencl-dev prometheus-cpp-dev protobuf-compiler-grpc zlib1g-dev
)
test_libraries=(libbenchmark-dev libgmock-dev libgtest-dev)
packages=(
  ca-certificates ccache cmake dpkg-dev g++ git lld-19 ninja-build pkg-config protobuf-compiler python3-venv
  "${libraries[@]}"
)
case ${1:-build} in
  test)
    packages+=(
      buildah clang-19 clang-format-19 clang-tidy-19 fish libclang-rt-19-dev libomp-19-dev lintian man-db
      mmdebstrap openssl patchelf python3 python3-grpcio python3-protobuf python3-setuptools python3-wheel
      redis-server runc systemd xz-utils zsh
      "${test_libraries[@]}")
    ;;
  bundle)
    packages+=(patchelf xz-utils)
    ;;
  deb)
    packages+=(patchelf python3)
    ;;
  image)
    packages+=(buildah mmdebstrap)
    ;;
  wheel)
    packages+=(patchelf python3-setuptools python3-wheel)
    ;;
  browser)
    packages=(chromium)
    ;;
  aarch64)
    packages+=(crossbuild-essential-arm64 mmdebstrap qemu-user)
    ;;
  libraries)
    printf '%s\n' "${libraries[@]}" "${test_libraries[@]}"
    exit
    ;;
esac

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "These packages are missing and neither root nor sudo is at hand: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "Installing ${#missing[@]} packages: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"

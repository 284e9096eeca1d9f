#!/usr/bin/env bash
# Makes the Python wheel: the JAX plugin, the daemon and accelctl with the libraries that they need, as one file that
# pip installs on any Linux with a glibc that is not older, for Python 3.11 and later.
#
#   deploy/wheel.sh [--build-dir DIR] [--fast] [OUTPUT]
#     OUTPUT           folder for acceld-VERSION-py3-none-manylinux_X_Y_ARCH.whl (default: build/wheel)
#     --build-dir DIR  takes what is built in DIR; else builds the release preset
#     --fast           allows any size, and does not install JAX beside it, which is a download of some 200 MB, to check
#                      it with: for trying it out
#
# The same build gives the same bytes. What it has made it installs in a new virtual environment, checks that no library
# but glibc's comes from outside, and lets it start its daemon, use it and end it. It fails when the wheel has more than
# 60 MiB.
#
# The package's description (client/python/pyproject.toml) is turned into a wheel's by setuptools, and the file is
# written by `wheel pack`, both the distribution's: neither needs a network, and neither has to know what the programs
# in it are.
set -Eeuo pipefail
trap 'echo "wheel.sh: failed in line $LINENO" >&2' ERR
export LC_ALL=C
umask 022
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=deploy/packing.sh
source "$root/deploy/packing.sh"

max_mib=60
# Packages whose archives the plugin is linked with; libstdc++'s is found below.
in_plugin=(libabsl-dev libc-ares-dev libfmt-dev libgrpc-dev libprotobuf-dev libre2-dev libspdlog-dev libssl-dev
  zlib1g-dev)
# The one that setuptools and wheel are installed for, whichever is first on the path.
python=/usr/bin/python3

fast=false build_dir='' output=$root/build/wheel
while (($# > 0)); do
  case $1 in
    --fast) fast=true ;;
    --build-dir) build_dir=$(cd "$2" && pwd) && shift ;;
    -h | --help) sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0" && exit ;;
    -*) echo "wheel.sh: $1 is unknown; --help says what there is" >&2 && exit 2 ;;
    *) output=$1 ;;
  esac
  shift
done
mkdir -p "$output"
output=$(cd "$output" && pwd)
work=$(mktemp -d)
there=''
clean_up() {
  # A daemon that a check has left behind.
  if [[ -n $there && -S $work/run/acceld.sock ]]; then "$there/bin/accelctl" drain >/dev/null 2>&1 || true; fi
  rm -rf "$work"
}
trap clean_up EXIT

build() {
  "$root/deploy/install_packages.sh" wheel
  "$root/deploy/fetch_sources.sh"
  say "Build (release): the plugin, the daemon and accelctl"
  cd "$root"
  cmake --preset release >/dev/null
  cmake --build --preset release -j "$(nproc)" --target acceld accelctl acceld_pjrt
  build_dir=$root/build/release
}

take_package() {
  cp -r "$root/client/python" "$work/python"
  find "$work/python" -name __pycache__ -prune -exec rm -rf {} +
  mkdir -p "$work/metadata" "$info"
  cp -r "$work/python/acceld" "$wheel/"
  (cd "$work/python" && "$python" -c '
import sys
from setuptools import build_meta
build_meta.prepare_metadata_for_build_wheel(sys.argv[1])' "$work/metadata" >"$work/log" 2>&1) ||
    { cat "$work/log" >&2 && fail "setuptools does not take client/python/pyproject.toml"; }
  # It leaves files of its own there, too.
  cp "$work/metadata/$(basename "$info")"/{METADATA,entry_points.txt} "$info/" ||
    fail "client/python says another version than the daemon, $version"
}

# Lets the daemon find the libraries of CUDA that NVIDIA's packages put beside this one, before the machine's.
look_for_cuda() {
  local path='$ORIGIN/../lib' part
  for part in cu13 cublas cuda_nvrtc cudnn cufft cusolver cusparse nccl nvjitlink; do
    path+=":\$ORIGIN/../../nvidia/$part/lib"
  done
  patchelf --force-rpath --set-rpath "$path" "$1"
}

take_programs() {
  mkdir -p "$wheel"/acceld/{bin,lib} "$info/licenses/libraries"
  take acceld "$wheel/acceld/bin"
  take accelctl "$wheel/acceld/bin"
  take_libraries "$wheel/acceld" "$info/licenses/libraries"
  set_run_paths "$wheel/acceld"
  look_for_cuda "$wheel/acceld/bin/acceld"
  take acceld_pjrt "$wheel/acceld/lib"
  for package in "${in_plugin[@]}" "$(package_of "$(g++ -print-file-name=libstdc++.a)")"; do
    take_licence "$package" "$info/licenses/libraries"
  done
  cp "$root/LICENSE" "$info/licenses/"
}

# Of the files, who made them and when is left out; a file is a program, or is not.
pack() {
  cat >"$info/WHEEL" <<TEXT
Wheel-Version: 1.0
Generator: acceld-wheel ($version)
Root-Is-Purelib: false
Tag: $tag
TEXT
  chmod -R u=rwX,go=rX "$wheel"
  find "$wheel" -type f -exec chmod 644 {} +
  chmod 755 "$wheel"/acceld/bin/*
  SOURCE_DATE_EPOCH=$(source_time) "$python" -m wheel pack "$wheel" --dest-dir "$output" >"$work/log" ||
    { cat "$work/log" >&2 && fail "the wheel was not packed"; }
}

# Ends the daemon that the environment's commands have started, and waits until it has gone.
end_daemon() {
  "$there/bin/accelctl" drain
  for _ in $(seq 100); do
    if [[ ! -S $XDG_RUNTIME_DIR/acceld.sock ]]; then return; fi
    sleep 0.1
  done
  cat "$work"/cache/acceld/*.log >&2
  fail "the daemon did not end"
}

# The process that listens on the user's socket: it has a lock on the file beside it.
daemon_pid() {
  local inode
  inode=$(stat -c %i "$XDG_RUNTIME_DIR/acceld.sock.lock")
  awk -v inode="$inode" '$2 == "FLOCK" && $6 ~ ":" inode "$" { print $5 }' /proc/locks | head -1
}

# The wheel as a user gets it, in an environment that has nothing of this machine's.
check_wheel() {
  there=$work/elsewhere
  say "Check: install it in a new virtual environment"
  rm -rf "$wheel" "$work/python"
  unset LD_LIBRARY_PATH PYTHONPATH PYTHONHOME "${!ACCELD_@}"
  python3 -m venv "$there"
  "$there/bin/pip" install -q --disable-pip-version-check --no-deps --no-index "$archive"
  package=$("$there/bin/python" -c 'import acceld; print(acceld.__path__[0])')
  libraries_of "$package" | check_inside "$package"
  ldd "$package/lib/acceld_pjrt.so" | awk '$2 == "=>" { print $1, $3 }' | check_inside /nowhere
  cd /
  [[ $("$there/bin/accelctl" --version) == "accelctl $version" ]] || fail "accelctl does not run"
  [[ $("$there/bin/acceld" --version) == "acceld $version" ]] || fail "acceld does not run"

  say "Check: let it start its daemon, use it, end it"
  # A GPU's driver brings libraries of its own.
  export XDG_RUNTIME_DIR=$work/run XDG_CACHE_HOME=$work/cache HOME=$work ACCELD_CUDA_DEVICES=none
  mkdir -m 700 "$XDG_RUNTIME_DIR"
  checked_program >"$work/check.mlir"
  "$there/bin/accelctl" check "$work/check.mlir" | tee "$work/checked"
  grep -q '^1 passed' "$work/checked" || fail "the program gives a wrong value"
  "$there/bin/accelctl" devices
  loaded_by "$(daemon_pid)" | check_inside "$package"
  end_daemon
}

# The two commands of the README.
check_with_jax() {
  local platform
  if ! "$there/bin/pip" download -q --disable-pip-version-check --no-deps -d "$work/jax" jax >/dev/null 2>&1; then
    say "There is no package index to be reached: not checked with JAX"
    return
  fi
  say "Check: with JAX"
  "$there/bin/pip" install -q --disable-pip-version-check "$archive"
  platform=$(JAX_PLATFORMS=acceld "$there/bin/python" -c '
import jax, jax.numpy as jnp
assert float(jax.jit(lambda x: (x @ x).sum())(jnp.ones((8, 8)))) == 512
print(jax.devices()[0].platform, jax.__version__)')
  say "JAX's platform: $platform"
  end_daemon
}

if [[ -z $build_dir ]]; then build; fi
version=$("$build_dir/bin/acceld" --version | awk '{ print $2 }')
wheel=$work/acceld-$version
info=$wheel/acceld-$version.dist-info
mkdir "$wheel"

say "Gather: package, programs, libraries"
take_package
take_programs
tag=py3-none-manylinux_$(needed_glibc "$wheel/acceld" | tr . _)_$(uname -m)
archive=$output/acceld-$version-$tag.whl
say "Pack"
pack
check_size "$archive" "$wheel" "$($fast && echo 4096 || echo $max_mib)"
check_wheel
if ! $fast; then check_with_jax; fi
say "Good: $archive"

#!/usr/bin/env bash
# Installs the client library of a build, makes a program outside of the tree with it, by CMake and by pkg-config, and
# runs both on the daemon that ACCELD_ADDRESS names.
#
#   tests/with_daemon.sh BUILD tests/deploy/install_test.sh BUILD
set -Eeuo pipefail
trap 'echo "install_test.sh: failed in line $LINENO" >&2' ERR
build=$(cd "$1" && pwd)
project=$(cd "$(dirname "$0")/outside_project" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --component development --prefix "$work/prefix" >"$work/install.log"
cmake -S "$project" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/configure.log" ||
  { cat "$work/configure.log" && exit 1; }
cmake --build "$work/build"

library=$(dirname "$(find "$work/prefix" -name libacceld.so)")
export PKG_CONFIG_PATH=$library/pkgconfig
read -ra flags < <(pkg-config --cflags --libs acceld)
c++ "$project/main.cc" -o "$work/by_pkg_config" "${flags[@]}" -Wl,-rpath,"$library"

# What it shows is its own: nothing of the libraries in it.
if nm -D --defined-only -C "$library/libacceld.so" |
  grep -vE ' acceld::| _ZNK?6acceld|for acceld::|^[0-9a-f]+ A ' >"$work/symbols"; then
  head "$work/symbols" && echo "libacceld.so shows names of others" && exit 1
fi

for program in "$work/build/outside" "$work/by_pkg_config"; do
  said=$("$program")
  [[ $said == 'slope 3.000 offset -2.000' ]] || { echo "$program says: $said" && exit 1; }
  # A mistake is one of the program, not of the library's headers.
  if said=$("$program" wrong 2>&1); then echo "$program: a mistake is an error" && exit 1; fi
  [[ $said == *"shapes [3] and [2]"*"main.cc:"* ]] || { echo "$program wrong says: $said" && exit 1; }
done
echo "installed, built outside, run"

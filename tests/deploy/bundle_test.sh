#!/usr/bin/env bash
# A bundle of a build's programs starts where it is unpacked, with its own libraries: deploy/bundle.sh checks that
# itself. It is the same when it is made again, and the script for machines with a GPU says what it has not found.
#
#   tests/deploy/bundle_test.sh BUILD
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$1

command -v patchelf >/dev/null || { echo "skipped: no patchelf (deploy/install_packages.sh test)" && exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$source/deploy/bundle.sh" --fast --build-dir "$build" "$work/first"
"$source/deploy/bundle.sh" --fast --build-dir "$build" "$work/second" >/dev/null
cmp "$work"/first/*.tar.* "$work"/second/*.tar.*

if "$source/tests/gpu/run.sh" "$work"/first/*.tar.* 2>"$work/said"; then
  echo "run.sh ran the tests of a bundle that has none" && exit 1
fi
grep 'has no tests' "$work/said"

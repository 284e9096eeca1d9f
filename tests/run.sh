#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test.
#
#   tests/run.sh       every test, in the dev preset, then those of what runs in threads with the thread sanitizer
#   tests/run.sh all   the same, then every test with the address and undefined behaviour sanitizers
#   tests/run.sh dev|asan|tsan [ctest arguments]   one preset
#
# Conformance programs are found through ACCELD_CONFORMANCE_DIR, or in ../shared/conformance beside the
# checkout; without either those suites say so and are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

deploy/install_packages.sh test

if [[ -z ${ACCELD_CONFORMANCE_DIR:-} && -d ../shared/conformance ]]; then
  ACCELD_CONFORMANCE_DIR=$(cd ../shared/conformance && pwd)
fi
export ACCELD_CONFORMANCE_DIR=${ACCELD_CONFORMANCE_DIR:-}
jobs=$(nproc)

run_preset() {
  local preset=$1
  shift
  echo "== $preset: configure and build"
  cmake --preset "$preset" >"build-$preset.log" 2>&1 || { cat "build-$preset.log"; return 1; }
  rm -f "build-$preset.log"
  cmake --build --preset "$preset" -j "$jobs"
  echo "== $preset: test"
  ctest --preset "$preset" -j "$jobs" "$@"
}

case ${1:-} in
  '' | all)
    for preset in dev tsan ${1:+asan}; do
      run_preset "$preset"
    done
    ;;
  *)
    run_preset "$@"
    ;;
esac

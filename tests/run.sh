#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test.
#
#   tests/run.sh       every test, in the dev preset, then those of what runs in threads with the thread sanitizer
#   tests/run.sh all   the same, then every test with the address and undefined behaviour sanitizers
#   tests/run.sh dev|asan|tsan [ctest arguments]   one preset
#
# JAX comes from PyPI, into build/jax, tools for tests of deploy/ into build/deploy; without a network their suites say
# that they are skipped. Conformance programs are found through ACCELD_CONFORMANCE_DIR, or in ../shared/conformance
# beside the checkout; without either those suites say so and are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

deploy/install_packages.sh test
deploy/install_packages.sh browser || echo "Chromium could not be installed: nobody looks at the status page" >&2

if [[ -z ${ACCELD_CONFORMANCE_DIR:-} && -d ../shared/conformance ]]; then
  ACCELD_CONFORMANCE_DIR=$(cd ../shared/conformance && pwd)
fi
export ACCELD_CONFORMANCE_DIR=${ACCELD_CONFORMANCE_DIR:-}
jobs=$(nproc)

# JAX, for the suite that compares with it.
export ACCELD_JAX_PYTHON=$PWD/build/jax/bin/python
if ! "$ACCELD_JAX_PYTHON" -c 'import flax, jax, optax' 2>/dev/null; then
  { python3 -m venv build/jax &&
    build/jax/bin/pip install -q --timeout 15 --retries 1 -r tests/jax/requirements.txt; } ||
    echo "JAX could not be installed: its suite is skipped" >&2
fi

# Tools of other projects, for the tests of what is deployed.
tests/deploy/fetch_tools.sh build/deploy ||
  echo "Tools could not be fetched: the tests of the chart and of compose.yaml are skipped" >&2

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

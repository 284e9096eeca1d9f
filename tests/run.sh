#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test.
#
#   tests/run.sh       every test, in the dev preset, then those of what runs in threads with the thread sanitizer
#   tests/run.sh all   the same, then every test with the address and undefined behaviour sanitizers
#   tests/run.sh dev|asan|tsan [ctest arguments]   one preset
#
# JAX comes from PyPI, into build/jax, and the newest, for which a Python 3.12 or later is looked for, into
# build/jax-newest; tools for tests of deploy/ come into build/deploy. Without a network, or without that Python, their
# suites say that they are skipped. Conformance programs are found through ACCELD_CONFORMANCE_DIR, or in
# ../shared/conformance beside the checkout; without either those suites say so and are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

# What the two presets build, and the environments with JAX, take about so much.
needed_gib=12
free_gib=$(($(df -Pk . | awk 'NR == 2 {print $4}') / 1024 / 1024))
if ((free_gib < needed_gib)); then
  echo "A first build takes about $needed_gib GiB of disk, and $free_gib GiB are free in $PWD" >&2
fi

deploy/install_packages.sh test
deploy/fetch_sources.sh || echo "Sources could not be fetched: the JAX plugin is left out" >&2
deploy/install_packages.sh browser || echo "Chromium could not be installed: nobody looks at the status page" >&2

if [[ -z ${ACCELD_CONFORMANCE_DIR:-} && -d ../shared/conformance ]]; then
  ACCELD_CONFORMANCE_DIR=$(cd ../shared/conformance && pwd)
fi
export ACCELD_CONFORMANCE_DIR=${ACCELD_CONFORMANCE_DIR:-}
jobs=$(nproc)

has_jax() { "$1/bin/python" -c 'import flax, jax, optax' 2>/dev/null; }

# Installs what the suites that compare with JAX need, for this Python and into this folder.
install_jax() {
  local python=$1 folder=$2 requirements=$3
  { "$python" -m venv "$folder" &&
    "$folder/bin/pip" install -q --timeout 15 --retries 1 -r "$requirements"; } ||
    echo "$(basename "$requirements") could not be installed for $python: suites with it are skipped" >&2
}

# The newest Python from 3.12 on, of those in the path and those of pyenv; nothing where there is none.
find_new_python() {
  local python minor best='' best_minor=11
  for python in $(compgen -c python3. | sort -u) "$HOME"/.pyenv/versions/3.*/bin/python3; do
    # One of pyenv's shims may name a version that is not chosen.
    minor=$("$python" -c 'import sys, venv; print(sys.version_info.minor)' 2>/dev/null) || continue
    ((minor > best_minor)) && best=$python best_minor=$minor
  done
  echo "$best"
}

export ACCELD_JAX_PYTHON=$PWD/build/jax/bin/python
has_jax build/jax || install_jax python3 build/jax tests/jax/requirements.txt
export ACCELD_JAX_NEWEST_PYTHON=$PWD/build/jax-newest/bin/python
if ! has_jax build/jax-newest; then
  new_python=$(find_new_python)
  if [[ -n $new_python ]]; then
    install_jax "$new_python" build/jax-newest tests/jax/requirements-newest.txt
  else
    echo "No Python 3.12 or later: suites with the newest JAX are skipped" >&2
  fi
fi

# What PyTorch needs is some GiB: its test is for whoever has put that into build/torch.
torch_python=$PWD/build/torch/bin/python
if [[ ! -x $torch_python ]]; then
  torch_python=''
  echo "No build/torch (tests/jax/pytorch/run_torch.py says how to make it): the test with PyTorch is left out" >&2
fi

# Tools of other projects, for the tests of what is deployed.
tests/deploy/fetch_tools.sh build/deploy ||
  echo "Tools could not be fetched: the tests of the chart and of compose.yaml are skipped" >&2

run_preset() {
  local preset=$1
  shift
  echo "== $preset: configure and build"
  cmake --preset "$preset" "-DACCELD_TORCH_PYTHON=$torch_python" >"build-$preset.log" 2>&1 ||
    { cat "build-$preset.log"; return 1; }
  rm -f "build-$preset.log"
  cmake --build --preset "$preset" -j "$jobs"
  echo "== $preset: test"
  rm -f "build/$preset/Testing/Temporary/LastTestsFailed.log"
  # One more than there are processors, as some tests wait.
  ctest --preset "$preset" -j "$((jobs + 1))" "$@" || run_failed_again "$preset"
}

# A few tests that failed run once more, one at a time: what only the load of the others made fail passes then, and is
# named in the output all the same.
run_failed_again() {
  local preset=$1 failed
  local list=build/$preset/Testing/Temporary/LastTestsFailed.log
  failed=$(cut -d: -f2 "$list" 2>/dev/null | xargs) || return 1
  (($(wc -w <<<"$failed") >= 1 && $(wc -w <<<"$failed") <= 3)) || return 1
  echo "== $preset: failed beside others, now alone: $failed"
  ctest --preset "$preset" --rerun-failed || return 1
  echo "== $preset: passed only alone, which is worth a look: $failed"
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

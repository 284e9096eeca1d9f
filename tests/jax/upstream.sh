#!/usr/bin/env bash
# Runs JAX's own test suite on the plugin and on JAX's CPU platform, side by side.
#
#   tests/jax/upstream.sh CHECKOUT [--python PYTHON] [--bin DIR] [--devices N] [options of upstream/run.py] [FILE ...]
#     CHECKOUT   a checkout of JAX whose tests fit the JAX of PYTHON; nothing of it comes into this repository
#     PYTHON     has that JAX (default: $ACCELD_JAX_NEWEST_PYTHON, else build/jax-newest/bin/python)
#     DIR        has acceld; the plugin is in ../lib of it (default: build/release/bin)
#     N          how many devices both platforms have (default: 1); JAX's tests of several want 8
#     FILE       under CHECKOUT/tests; all of them if none is named
#
# Results are kept in build/upstream/VERSION, those with several devices in a folder there: a run that was broken off
# goes on where it was. pytest and what JAX's tests need come from PyPI, into a virtual environment there.
# upstream/run.py --help says more.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/tests/jax

if [[ $# -eq 0 || $1 == -h || $1 == --help ]]; then
  sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0" && exit
fi
checkout=$(cd "$1" && pwd)
shift
python=${ACCELD_JAX_NEWEST_PYTHON:-$root/build/jax-newest/bin/python}
bin=$root/build/release/bin
devices=1
arguments=()
while (($# > 0)); do
  case $1 in
    --python) python=$2 && shift ;;
    --bin) bin=$(cd "$2" && pwd) && shift ;;
    --devices) devices=$2 && shift ;;
    *) arguments+=("$1") ;;
  esac
  shift
done

version=$("$python" -c 'import jax; print(jax.__version__)')
output=$root/build/upstream/$version
venv=$output/venv
if ((devices > 1)); then output=$output/$devices-devices; fi
mkdir -p "$output"
if [[ ! -x $venv/bin/pytest ]]; then
  echo "== Environment with pytest, for JAX $version: $venv"
  "$python" -m venv "$venv"
  # JAX itself comes from the given Python.
  "$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' >"$("$venv/bin/python" -c \
    'import sysconfig; print(sysconfig.get_path("purelib"))')/jax.pth"
  "$venv/bin/pip" install -q -r "$here/upstream/requirements.txt"
fi

work=$(mktemp -d)
"$bin/acceld" --listen "unix:$work/acceld.sock" --cache-dir "$work/cache" --cpu-devices "$devices" \
  2>"$output/acceld.log" &
daemon=$!
stop() {
  kill "$daemon" 2>/dev/null && wait "$daemon" || true
  rm -rf "$work"
}
trap stop EXIT
for _ in $(seq 100); do
  "$bin/accelctl" --address "unix:$work/acceld.sock" devices >/dev/null 2>&1 && break
  sleep 0.1
done

# JAX finds the plugin as an installed package would have it.
mkdir -p "$work/packages/jax_plugins/acceld"
echo 'from acceld.jax_plugin import initialize' >"$work/packages/jax_plugins/acceld/__init__.py"
export PYTHONPATH=$work/packages:$root/client/python${PYTHONPATH:+:$PYTHONPATH}
export ACCELD_ADDRESS=unix:$work/acceld.sock ACCELD_PJRT_PLUGIN=$bin/../lib/acceld_pjrt.so
"$venv/bin/python" "$here/upstream/run.py" --checkout "$checkout" --python "$venv/bin/python" --output "$output" \
  --devices "$devices" "${arguments[@]}"

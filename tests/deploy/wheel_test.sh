#!/usr/bin/env bash
# A wheel of a build's programs installs and starts its daemon: deploy/wheel.sh checks that itself. It is the same when
# it is made again, and unmodified JAX programs find it, where JAX is installed (tests/jax installs it in build/jax).
#
#   tests/deploy/wheel_test.sh BUILD
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$1

for command in patchelf /usr/bin/python3; do
  command -v $command >/dev/null || { echo "skipped: no $command (deploy/install_packages.sh test)" && exit 77; }
done
/usr/bin/python3 -c 'import setuptools, venv, wheel' ||
  { echo "skipped: no setuptools, venv or wheel (deploy/install_packages.sh test)" && exit 77; }
[[ -f $build/lib/acceld_pjrt.so ]] || { echo "skipped: no plugin (deploy/fetch_sources.sh)" && exit 77; }
work=$(mktemp -d)
clean_up() {
  if [[ -S $work/run/acceld.sock ]]; then "$work/env/bin/accelctl" drain || true; fi
  rm -rf "$work"
}
trap clean_up EXIT
fail() { echo "$*" >&2 && exit 1; }

"$source/deploy/wheel.sh" --fast --build-dir "$build" "$work/first"
"$source/deploy/wheel.sh" --fast --build-dir "$build" "$work/second" >/dev/null
cmp "$work"/first/*.whl "$work"/second/*.whl

jax=$(echo "$source"/build/jax/lib/python3.*/site-packages)
if [[ ! -d $jax/jax ]]; then
  echo "build/jax has no JAX: not checked with it"
  exit
fi
unset PYTHONPATH "${!ACCELD_@}"
"$source/build/jax/bin/python" -m venv "$work/env"
"$work/env/bin/pip" install -q --disable-pip-version-check --no-deps --no-index "$work"/first/*.whl
echo "$jax" >"$(echo "$work"/env/lib/python3.*/site-packages)/jax.pth"
export XDG_RUNTIME_DIR=$work/run XDG_CACHE_HOME=$work/cache HOME=$work JAX_PLATFORMS=acceld
export ACCELD_CUDA_DEVICES=none
mkdir -m 700 "$work/run"
cd /

# What the wheel has is all that JAX needs to be told of.
cat >"$work/program.py" <<'PYTHON'
import jax
import jax.numpy as jnp

assert float(jax.jit(lambda x: (x @ x).sum())(jnp.ones((8, 8)))) == 512
print(jax.devices()[0].platform)
PYTHON
pids=()
for each in 1 2 3 4; do
  "$work/env/bin/python" "$work/program.py" >"$work/said.$each" &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid"; done
[[ $(cat "$work"/said.* | sort -u) == acceld ]] || fail "JAX does not run on acceld"
[[ $(grep -c 'listening on' "$work"/cache/acceld/*.log) == 1 ]] || fail "they did not start one daemon"
"$work/env/bin/accelctl" stats | head -2

# Everybody may have his own, or none.
mkdir "$work/tmp"
ACCELD_AUTOSTART=private TMPDIR=$work/tmp "$work/env/bin/python" "$work/program.py" >/dev/null
[[ -z $(ls -A "$work/tmp") ]] || fail "a private daemon has left something: $(find "$work/tmp")"
"$work/env/bin/accelctl" drain
for _ in $(seq 100); do
  if [[ ! -S $work/run/acceld.sock ]]; then break; fi
  sleep 0.1
done
if ACCELD_AUTOSTART=off "$work/env/bin/python" "$work/program.py" >"$work/said" 2>&1; then
  fail "JAX ran on a daemon that there is not"
fi
grep -q 'start one with `acceld`' "$work/said" || { cat "$work/said" && fail "it does not say how to start one"; }

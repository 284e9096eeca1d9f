#!/usr/bin/env bash
# From a fresh machine to a running daemon: installs what is missing, builds, starts the daemon on a unix
# socket, trains a network on real data with it, from C++ and from JAX, and shows what the daemon is for.
#
#   deploy/quickstart.sh
#
# Leaves nothing running. To keep a daemon: build/release/bin/acceld
set -euo pipefail
cd "$(dirname "$0")/.."

deploy/install_packages.sh build
deploy/fetch_sources.sh

echo "== Build (release)"
cmake --preset release >/dev/null
cmake --build --preset release -j "$(nproc)" --target acceld accelctl acceld_pjrt train_digits tour

bin=build/release/bin
work=$(mktemp -d)
address=unix:$work/acceld.sock
echo "== Start: $bin/acceld --listen $address --cache-dir $work/cache"
"$bin/acceld" --listen "$address" --cache-dir "$work/cache" 2>"$work/log" &
daemon=$!
stop() {
  kill "$daemon" 2>/dev/null && wait "$daemon" || true
  rm -rf "$work"
}
trap stop EXIT
for _ in $(seq 100); do
  "$bin/accelctl" --address "$address" devices >/dev/null 2>&1 && break
  kill -0 "$daemon" 2>/dev/null || { cat "$work/log"; exit 1; }
  sleep 0.1
done
"$bin/accelctl" --address "$address" devices

echo "== Train a network on 1,797 handwritten digits; its parameters stay on the daemon"
"$bin/train_digits" --address "$address"

# JAX comes from PyPI; without it the rest goes on. The plugin is found as an installed package would have it.
echo "== Train it with an unmodified JAX program, on JAX's own CPU platform and on the daemon"
venv=build/quickstart
if "$venv/bin/python" -c 'import jax' 2>/dev/null ||
  { python3 -m venv "$venv" && "$venv/bin/pip" install -q "jax>=0.10.2"; }; then
  mkdir -p "$work/packages/jax_plugins/acceld"
  echo 'from acceld.jax_plugin import initialize' >"$work/packages/jax_plugins/acceld/__init__.py"
  JAX_PLATFORMS=cpu "$venv/bin/python" client/examples/digits.py
  for process in first second; do
    PYTHONPATH=$PWD/client/python:$work/packages ACCELD_PJRT_PLUGIN=$PWD/build/release/lib/acceld_pjrt.so \
      ACCELD_ADDRESS=$address JAX_PLATFORMS=acceld "$venv/bin/python" client/examples/digits.py |
      sed "s/$/ ($process process)/"
  done
else
  echo "JAX could not be installed: left out"
fi

echo "== What the daemon is for, measured now"
"$bin/tour" --address "$address"

echo "== What it did"
"$bin/accelctl" --address "$address" stats

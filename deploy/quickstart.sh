#!/usr/bin/env bash
# From a fresh machine to a running daemon: installs what is missing, builds, starts the daemon on a unix
# socket, trains a network on real data with it, and shows what the daemon is for.
#
#   deploy/quickstart.sh
#
# Leaves nothing running. To keep a daemon: build/release/bin/acceld
set -euo pipefail
cd "$(dirname "$0")/.."

deploy/install_packages.sh build

echo "== Build (release)"
cmake --preset release >/dev/null
cmake --build --preset release -j "$(nproc)" --target acceld accelctl train_digits tour

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

echo "== What the daemon is for, measured now"
"$bin/tour" --address "$address"

echo "== What it did"
"$bin/accelctl" --address "$address" stats

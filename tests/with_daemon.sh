#!/usr/bin/env bash
# Runs a command while a daemon of a build runs, which ACCELD_ADDRESS names to the command. Ends as the command does.
#
#   tests/with_daemon.sh BUILD COMMAND...
set -Eeuo pipefail
trap 'echo "with_daemon.sh: failed in line $LINENO" >&2' ERR
bin=$(cd "$1/bin" && pwd)
shift
work=$(mktemp -d)
daemon=''
finish() {
  if [[ -n $daemon ]]; then kill "$daemon" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap finish EXIT

export ACCELD_ADDRESS=unix:$work/acceld.sock
"$bin/acceld" --listen "$ACCELD_ADDRESS" --cache-dir "$work/cache" >"$work/daemon.log" 2>&1 &
daemon=$!
for _ in {1..200}; do
  if "$bin/accelctl" devices >/dev/null 2>&1; then break; fi
  kill -0 "$daemon" 2>/dev/null || { cat "$work/daemon.log" && exit 1; }
  sleep 0.05
done
"$@"

#!/usr/bin/env bash
# Runs the examples of client/examples, each with little work, on the daemon that ACCELD_ADDRESS names, and reads what
# they say.
#
#   tests/with_daemon.sh BUILD tests/integration/examples_test.sh BUILD
set -Eeuo pipefail
trap 'echo "examples_test.sh: failed in line $LINENO" >&2' ERR
bin=$(cd "$1/bin" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect PATTERN COMMAND...: it ends well, and a line of what it prints fits.
expect() {
  local said
  said=$("${@:2}" 2>&1) || { echo "${*:2} ended with $?: $said" && exit 1; }
  grep -qE -- "$1" <<<"$said" || { echo "${*:2}: expected $1, got: $said" && exit 1; }
}

expect '-1\.111.*0.*1\.0507.*2\.1014' "$bin/selu"
# The numbers are those of the keys, so they are the same on each machine.
expect 'mean -?0\.[0-9]+, deviation 9\.[0-9]+ \(theory: 0, 10\.000\)|deviation 10\.[0-9]+ \(theory' \
  "$bin/random_walk" --walks 500 --steps 100
expect 'final test accuracy 9[0-9]' "$bin/train_digits" --epochs 6
# Bounded gradients of each example; the loss falls.
expect 'step  100/100  loss 0\.[0-3]' "$bin/per_example_gradients" --examples 256 --steps 100
for _ in {1..40}; do cat "$(dirname "$0")/../../README.md"; done >"$work/text"
expect 'step   40/40  loss [0-3]\.' "$bin/gpt" --text "$work/text" --steps 40 --layers 1 --letters 20
expect '^It writes:' "$bin/gpt" --text "$work/text" --steps 1 --layers 1 --letters 20

# Wrong use is explained.
if said=$("$bin/gpt" --text "$work/nothing" 2>&1); then echo "gpt: no text is an error" && exit 1; fi
grep -q 'gpt: .*nothing: cannot be read' <<<"$said"
if said=$("$bin/random_walk" --address "unix:$work/nobody" 2>&1); then
  echo "random_walk: no daemon is an error" && exit 1
fi
grep -q '^random_walk: ' <<<"$said"
echo "the examples run"

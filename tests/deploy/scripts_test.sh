#!/usr/bin/env bash
# What can be seen of the repository's shell scripts without running them: that bash can read them, that they stop at
# the first error, have no long lines, and, where shellcheck is installed, that it finds nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."

failed=false
complain() { echo "$*" && failed=true; }

mapfile -t scripts < <(find .ci client deploy server tests -name '*.sh' -o -path .ci/run | sort)
for script in "${scripts[@]}"; do
  bash -n "$script" || complain "$script: bash cannot read it"
  [[ -x $script ]] || complain "$script: is not executable"
  grep -q '^set -E\?euo pipefail$' "$script" || [[ $script == .ci/run ]] || complain "$script: lacks set -euo pipefail"
  long=$(awk 'length > 120 { print FILENAME ":" FNR ": longer than 120 characters" }' "$script")
  [[ -z $long ]] || complain "$long"
done
if command -v shellcheck >/dev/null; then
  shellcheck --severity=warning "${scripts[@]}" || failed=true
fi
echo "${#scripts[@]} scripts"
! $failed

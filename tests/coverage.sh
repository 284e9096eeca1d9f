#!/usr/bin/env bash
# Prints which share of lines and branches of the code tests run, folder by folder.
#
#   tests/coverage.sh [REGEX]
#
# Builds the unit and integration tests whose names match REGEX (without one, all) in the preset `coverage`, runs
# them, and reads what they have run (tests/coverage/report.py). Only code that these tests are built with counts. What
# a process has run that SIGKILL ended is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

selected=(--preset coverage -L '^(unit|integration)$' -R "${1:-.}")
cmake --preset coverage -DACCELD_TORCH_PYTHON= >/dev/null
# The programs in the tests' command lines: what they need is built with them.
mapfile -t programs < <(
  grep -rh --include=CTestTestfile.cmake '^add_test(' build/coverage | sed 's/\[=\[\|\]=\]//g' |
    awk 'NR == FNR { wanted["add_test(" $3]; next } $1 in wanted' <(ctest "${selected[@]}" -N | grep ' Test *#') - |
    grep -oE 'build/coverage/(bin|tests)/[^"/]+"' | tr -d '"' | sort -u | sed 's|^build/coverage/||')
if ((${#programs[@]} == 0)); then
  echo "No unit or integration test matches '${1:-.}'" >&2
  exit 1
fi
cmake --build --preset coverage -j "$(nproc)" -t "${programs[@]}"
find build/coverage -name '*.gcda' -delete
ctest "${selected[@]}" -j "$(nproc)" || echo "Tests have failed; what they ran counts" >&2
python3 tests/coverage/report.py build/coverage

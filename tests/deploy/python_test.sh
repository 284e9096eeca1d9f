#!/usr/bin/env bash
# Runs a test that needs the tools of fetch_tools.sh; says that it is skipped where they are not.
#
#   tests/deploy/python_test.sh TEST BUILD
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
export ACCELD_DEPLOY_TOOLS=$source/build/deploy
for tool in "$ACCELD_DEPLOY_TOOLS/bin/python" "$ACCELD_DEPLOY_TOOLS/prometheus/usr/bin/promtool"; do
  if [[ ! -x $tool ]]; then
    echo "skipped: there is no $tool (tests/deploy/fetch_tools.sh build/deploy)" && exit 77
  fi
done
exec "$ACCELD_DEPLOY_TOOLS/bin/python" "$source/tests/deploy/$1" "$2"

#!/usr/bin/env bash
# The units are what systemd understands, shut the daemon in as far as they say, and leave it the time to drain.
#
#   tests/deploy/units_test.sh BUILD
set -euo pipefail
units=$(cd "$(dirname "$0")/../../deploy/systemd" && pwd)
acceld=$1/bin/acceld

command -v systemd-analyze >/dev/null || { echo "skipped: no systemd (deploy/install_packages.sh test)" && exit 77; }
# Of 10; what is left, and why, stands in the unit.
max_exposure=2.0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*" && exit 1; }
setting() { sed -n "s/^$1=//p" "$units/acceld.service"; }

cp "$units"/acceld.{service,socket} "$work"
# The program need not be installed.
sed -i "s|/usr/bin/acceld|$acceld|" "$work/acceld.service"
said=$(systemd-analyze verify --man=no "$work"/acceld.{service,socket} 2>&1) || fail "$said"
# Unknown settings are only named.
! grep -E 'acceld\.(service|socket)' <<<"$said" || exit 1

exposure=$(systemd-analyze security --offline=true "$work/acceld.service" --no-pager |
  sed -n 's/.*Overall exposure level for acceld.service: \([0-9.]*\).*/\1/p')
echo "exposure $exposure of 10, at most $max_exposure"
awk -v is="$exposure" -v max=$max_exposure 'BEGIN { exit !(is > 0 && is <= max) }' || fail "that is too much"

# The daemon's default; where the configuration says more, it asks systemd itself.
grace=$(ACCELD_CONFIG=/dev/null "$acceld" --print-config | sed -n 's/^shutdown-grace = \([0-9]*\).*/\1/p')
(($(setting TimeoutStopSec) > grace + 15)) || fail "TimeoutStopSec does not leave $grace seconds to drain"

# What the package installs is a configuration that the daemon takes.
"$acceld" --config "$units/../deb/acceld.toml" --print-config | grep -q '^users = \["group:acceld"\]' ||
  fail "acceld.toml does not let the group in"

#!/usr/bin/env bash
# The Debian package of a build, in a root folder whose systemd is process 1 of namespaces of its own: it installs,
# starts, serves, is upgraded while clients work, is removed and purged.
#
#   tests/deploy/deb_test.sh BUILD
set -Eeuo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
kept=$build/deploy

((EUID == 0)) || { echo "skipped: needs root" && exit 77; }
command -v lintian >/dev/null || { echo "skipped: no lintian (deploy/install_packages.sh test)" && exit 77; }
work=$(mktemp -d)
system=''
clean_up() {
  if [[ -n $system ]]; then "$source/tests/deploy/boot_root.sh" stop "$system"; fi
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT
trap 'echo "deb_test.sh: failed in line $LINENO" >&2; explain' ERR

say() { echo "== $*"; }
fail() { echo "deb_test.sh: $*" >&2 && explain && exit 1; }
explain() {
  if [[ -n $system ]]; then inside journalctl --no-pager -u acceld.service -u acceld.socket -n 40 >&2 || true; fi
}
inside() { "$source/tests/deploy/boot_root.sh" run "$system" "$@"; }
as() { inside runuser -u "$1" -- "${@:2}"; }
# expect PATTERN COMMAND...: what it prints fits.
expect() {
  local said
  said=$("${@:2}" 2>&1) || true
  grep -qE -- "$1" <<<"$said" || fail "${*:2}: expected $1, got: $said"
}
# expect_soon PATTERN COMMAND...: what it prints fits within some seconds.
expect_soon() {
  for _ in {1..60}; do
    "${@:2}" 2>&1 | grep -E -- "$1" >/dev/null && return
    sleep 0.5
  done
  expect "$@"
}

say "Packages of two versions"
"$source/deploy/deb.sh" --fast --build-dir "$build" "$work"
"$source/deploy/deb.sh" --fast --build-dir "$build" --suffix +next "$work" >/dev/null
"$source/deploy/deb.sh" --fast --build-dir "$build" "$work/again" >/dev/null
first=$(find "$work" -maxdepth 1 -name 'acceld_*.deb' ! -name '*+next*')
next=$(find "$work" -maxdepth 1 -name 'acceld_*+next*.deb')
for package in acceld acceld-dev libacceld0.1; do
  cmp "$work/$package"_*[0-9]_*.deb "$work/again/$package"_*.deb
done

say "lintian"
lintian --fail-on error,warning --info --allow-root "$first" "$work"/{acceld-dev,libacceld0.1}_*[0-9]_*.deb

say "A root folder"
mapfile -t depends < <(dpkg-deb -f "$first" Depends | tr ',' '\n' | sed 's/|.*//; s/(.*//; s/ //g' | sort -u)
archive=$("$source/tests/deploy/deb_root.sh" "$kept" "${depends[@]}") || exit $?
root=$work/root
mkdir "$root"
tar -C "$root" -xf "$archive"
system=$("$source/tests/deploy/boot_root.sh" start "$root") ||
  { system='' && echo "skipped: systemd does not start in namespaces here" && exit 77; }
cp "$first" "$next" "$root/root/"

say "Install"
inside apt-get install -qy --no-install-recommends "/root/$(basename "$first")" >"$work/apt.log" 2>&1 ||
  { cat "$work/apt.log" >&2 && fail "apt-get install"; }
for unit in acceld.socket acceld.service; do
  expect '^active$' inside systemctl is-active $unit
  expect '^enabled$' inside systemctl is-enabled $unit
done
inside systemd-analyze verify --man=no acceld.service acceld.socket
pid() { inside systemctl show -P MainPID acceld.service; }
expect '^acceld acceld$' inside stat -c '%U %G' "/proc/$(pid)"
expect '^root acceld 660$' inside stat -c '%U %G %a' /run/acceld/acceld.sock
expect '^root acceld 660$' inside stat -c '%U %G %a' /run/acceld/acceld.sock.segments
expect '^acceld acceld 700$' inside stat -c '%U %G %a' /var/cache/acceld
# A filter of system calls, and no capability.
expect $'^Seccomp:\t2$' inside cat "/proc/$(pid)/status"
expect $'^CapBnd:\t0*$' inside cat "/proc/$(pid)/status"

say "Serve"
inside useradd -G acceld ann
inside useradd bob
run=(accelctl run /usr/share/doc/acceld/examples/softmax.mlir --arg 'f32[64,1000]=random')
as ann "${run[@]}"
inside accelctl devices
# Not root, in no group.
expect 'ermission denied' as bob "${run[@]}"
# In the group of the socket, but no administrator.
expect 'Drain is for role admin; uid:[0-9]* has role user' as ann accelctl drain
expect 'Status: "1 device, listening on unix:/run/acceld/acceld.sock"' inside systemctl status acceld.service

say "Reload, stop, and start with the first client"
inside sed -i 's/^#shutdown-grace = .*/shutdown-grace = 200/; s/^#admins = .*/admins = ["user:ann"]/' \
  /etc/acceld/acceld.toml
# A reload sends a signal and does not wait for what the daemon makes of it.
inside systemctl reload acceld.service
expect_soon 'setting shutdown-grace: 10 -> 200' inside journalctl -u acceld.service
as ann accelctl sessions >/dev/null
inside systemctl stop acceld.service 2>/dev/null
expect '^inactive$' inside systemctl is-active acceld.service
as ann "${run[@]}" >/dev/null
expect '^active$' inside systemctl is-active acceld.service

say "Upgrade while clients work"
# Counts for some seconds, and says how far it came.
cat >"$root/root/count.mlir" <<'TEXT'
func.func public @main() -> tensor<i64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %n = stablehlo.constant dense<9000000000> : tensor<i64>
  %r = stablehlo.while(%i = %zero) : tensor<i64>
    cond {
      %c = stablehlo.compare NE, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i64>
      stablehlo.return %j : tensor<i64>
    }
  stablehlo.custom_call @check.expect_eq(%r, %n) {has_side_effect = true} : (tensor<i64>, tensor<i64>) -> ()
  return %r : tensor<i64>
}
TEXT
chmod 755 "$root/root"
before=$(pid)
as ann accelctl check /root/count.mlir >"$work/counted" 2>&1 &
counting=$!
for _ in $(seq 100); do
  # Its session, and the one that asks.
  if as ann accelctl stats --json | grep -qE '"compiles": ?[1-9]' &&
    as ann accelctl devices --json | grep -qE '"queued": ?[1-9]'; then break; fi
  sleep 0.1
done
kill -0 $counting || fail "the count ended too early: $(cat "$work/counted")"
inside apt-get install -qq "/root/$(basename "$next")" >"$work/apt.log" 2>&1 &
upgrade=$!
# New sessions are refused cleanly by the old daemon, or wait for the new one. Who comes in the very moment of its end
# hears that the call was broken off, or the connection was ended.
refusal='the daemon is shutting down|broke off the call$|ended the connection$'
served=0 refused=0
while kill -0 $upgrade 2>/dev/null; do
  # What has a session, and does not wait for the device.
  if said=$(as ann accelctl names publish ann/x 'f32[4]=iota' --replace 2>&1); then
    served=$((served + 1))
  elif grep -qE "$refusal" <<<"$said"; then
    refused=$((refused + 1))
  else
    fail "a client hears: $said"
  fi
done
wait $upgrade || { cat "$work/apt.log" >&2 && fail "apt-get install"; }
wait $counting || fail "the work in flight is lost: $(cat "$work/counted")"
grep -q '^1 passed' "$work/counted" || fail "the work in flight: $(cat "$work/counted")"
say "$served clients were served, $refused refused meanwhile"
((served > 0 && refused > 0)) || fail "nobody came while it drained"
expect '\+next$' inside dpkg-query -W -f '${Version}' acceld
[[ $(pid) != "$before" ]] || fail "the daemon was not restarted"
inside journalctl -u acceld.service | grep -q 'acceld.service: .*timed out' && fail "the drain was cut off"
as ann "${run[@]}"
# The configuration that was changed is kept.
expect 'shutdown-grace = 200' inside cat /etc/acceld/acceld.toml

say "Remove and purge"
gone=$(pid)
inside apt-get remove -qq acceld >/dev/null 2>&1
inside test ! -e "/proc/$gone" || fail "the daemon is still there"
inside test ! -e /run/acceld/acceld.sock || fail "the socket is still there"
inside test -e /etc/acceld/acceld.toml || fail "the configuration is gone"
inside apt-get purge -qq acceld >/dev/null 2>&1
left=$(inside find / -xdev \( -name '*acceld*' -o -name '*accelctl*' \) ! -path '/root/*' ! -path '/var/log/*')
[[ -z $left ]] || fail "left behind: $left"
left=$(inside find /run /tmp /var/tmp -name '*acceld*')
[[ -z $left ]] || fail "left behind: $left"
expect '^acceld:[!*]' inside getent shadow acceld
expect '^$' inside find /proc -maxdepth 1 -user acceld
expect 'could not be found|not-found' inside systemctl status acceld.service
say "Good"

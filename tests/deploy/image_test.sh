#!/usr/bin/env bash
# The image of a build's programs, made by deploy/image.sh and run by runc, which is what Docker and containerd run
# containers with: as its user without capabilities, with a root that cannot be written to, as process 1. Programs
# inside and outside use its daemon; SIGTERM lets work in flight finish and ends it with 0.
#
#   tests/deploy/image_test.sh BUILD
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$1

skip() { echo "skipped: $*" && exit 77; }
fail() {
  echo "image_test.sh: $*" >&2
  if [[ -s $work/log ]]; then tail -20 "$work/log" >&2; fi
  exit 1
}
[[ $(id -u) == 0 ]] || skip "not root"
for tool in buildah mmdebstrap runc; do
  command -v "$tool" >/dev/null || skip "no $tool (deploy/install_packages.sh test)"
done

work=$(mktemp -d)
container='' started=''
clean_up() {
  if [[ -n $started ]]; then "${runc[@]}" delete --force daemon >/dev/null 2>&1 || true; fi
  if [[ -n $container ]]; then buildah rm "$container" >/dev/null 2>&1 || true; fi
  rm -rf "$work"
}
trap clean_up EXIT
runc=(runc --root "$work/runc")

tag=localhost/acceld:test
"$source/deploy/image.sh" cpu --bootstrap --build-dir "$build" --storage "$work/storage" --tag "$tag" || {
  [[ $? == 69 ]] && skip "no mirror of Debian's packages can be reached"
  fail "the image cannot be built"
}
export CONTAINERS_STORAGE_CONF=$work/storage/storage.conf
container=$(buildah from --pull-never "$tag")
root=$(buildah mount "$container")
left=$(find "$root" -xdev -type f -perm /6000)
[[ -z $left ]] || fail "programs run as another than who starts them: $left"
buildah inspect --type image "$tag" >"$work/image.json"

# As an engine makes it of the image, with a read-only root and three places to write to.
mkdir -p "$work"/{bundle,run,cache}
chown 10001:10001 "$work"/{run,cache}
chmod 0755 "$work" "$work/run"
runc spec --bundle "$work/bundle"
make_bundle() {
  python3 - "$work" "$root" "$@" <<'PYTHON'
import json
import sys

work, root, *arguments = sys.argv[1:]
image = json.load(open(f"{work}/image.json"))
config, docker = image["OCIv1"]["config"], image["Docker"]["config"]
spec = json.load(open(f"{work}/bundle/config.json"))


def expect(what, is_, wanted):
    if is_ != wanted:
        sys.exit(f"image_test.sh: the image's {what} is {is_!r}, not {wanted!r}")


expect("user", config["User"], "10001:10001")
expect("entry point", config["Entrypoint"], ["/usr/bin/acceld"])
expect("stop signal", docker["StopSignal"], "SIGTERM")
expect("health check", docker["Healthcheck"]["Test"], ["CMD", "/usr/bin/accelctl", "health", "--live"])
expect("title", config["Labels"]["org.opencontainers.image.title"], "acceld")
uid, gid = map(int, config["User"].split(":"))
spec["root"] = {"path": root, "readonly": True}
spec["process"].update(terminal=False, user={"uid": uid, "gid": gid}, args=config["Entrypoint"] + arguments,
                       env=config["Env"], cwd=config["WorkingDir"], noNewPrivileges=True)
spec["process"]["capabilities"] = {}
# Limits are not what is tested, and control groups are not everywhere.
spec["mounts"] = [m for m in spec["mounts"] if m["destination"] != "/sys/fs/cgroup"]
spec["linux"].pop("resources", None)
spec["mounts"] += [
    {"destination": "/tmp", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", "mode=1777"]},
    {"destination": "/run/acceld", "type": "bind", "source": f"{work}/run", "options": ["bind", "rw"]},
    {"destination": "/var/cache/acceld", "type": "bind", "source": f"{work}/cache", "options": ["bind", "rw"]},
]
json.dump(spec, open(f"{work}/bundle/config.json", "w"))
PYTHON
}

start() {
  make_bundle "$@" || exit 1
  "${runc[@]}" run --bundle "$work/bundle" daemon 2>"$work/log" &
  running=$!
  started=true
  for _ in $(seq 300); do
    if inside /usr/bin/accelctl health >/dev/null 2>&1; then return; fi
    kill -0 "$running" 2>/dev/null || { grep -q 'not permitted' "$work/log" && skip "no containers can be run here"; }
    kill -0 "$running" 2>/dev/null || fail "the container has ended"
    sleep 0.2
  done
  fail "the daemon does not get well"
}
inside() { "${runc[@]}" exec daemon "$@"; }

echo "== Start it"
start --socket-mode 0666 --users uid:65534 --shutdown-grace 60
# As the probes and hooks of deploy/helm call it.
inside timeout 10 accelctl health --live || fail "it is not found by its name"
[[ $(inside /usr/bin/id -u) == 10001 ]] || fail "it runs as $(inside /usr/bin/id)"
[[ $(inside /bin/readlink /proc/1/exe) == /usr/bin/acceld ]] || fail "process 1 is $(inside /bin/readlink /proc/1/exe)"
inside /bin/grep -q '^CapEff:\s*0*$' /proc/1/status || fail "it has capabilities"
for place in /usr/x /etc/x /var/x /x; do
  if inside /usr/bin/touch "$place" 2>/dev/null; then fail "$place can be written to"; fi
done

echo "== Use it from inside"
cat >"$work/run/check.mlir" <<'TEXT'
func.func public @main() -> tensor<64x64xf32> {
  %x = stablehlo.constant dense<2.0> : tensor<64x64xf32>
  %y = stablehlo.dot %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %z = stablehlo.add %y, %x : tensor<64x64xf32>
  %expected = stablehlo.constant dense<258.0> : tensor<64x64xf32>
  stablehlo.custom_call @check.expect_eq(%z, %expected) {has_side_effect = true}
    : (tensor<64x64xf32>, tensor<64x64xf32>) -> ()
  return %z : tensor<64x64xf32>
}
TEXT
chmod 0644 "$work/run/check.mlir"
inside /usr/bin/accelctl check /run/acceld/check.mlir | tee "$work/checked"
grep -q '^1 passed' "$work/checked" || fail "the program gives a wrong value"
inside /usr/bin/accelctl devices
[[ -n $(find "$work/cache" -type f) ]] || fail "nothing is in the cache folder"

echo "== Use it through its socket, as root and as a user that is let in; another is not"
export ACCELD_ADDRESS=unix:$work/run/acceld.sock
export ACCELD_SERVER_USER=10001  # Neither root nor the users below.
"$build/bin/accelctl" check "$work/run/check.mlir" | grep '^1 passed' || fail "the program gives a wrong value outside"
install -m 0755 "$build/bin/accelctl" "$work/run/accelctl"
chmod 0755 "$work"
as() { setpriv --reuid "$1" --regid "$1" --clear-groups "$work/run/accelctl" "${@:2}"; }
as 65534 check "$work/run/check.mlir" | grep '^1 passed' || fail "the user that is let in cannot use it"
if as 65533 check "$work/run/check.mlir" 2>"$work/said"; then fail "a user that is not let in can use it"; fi
cat "$work/said"

echo "== SIGTERM lets work finish"
cat >"$work/count.mlir" <<'TEXT'
func.func public @main(%n: tensor<i64>) -> tensor<i64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %r = stablehlo.while(%i = %zero) : tensor<i64>
    cond {
      %c = stablehlo.compare NE, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i64>
      stablehlo.return %next : tensor<i64>
    }
  return %r : tensor<i64>
}
TEXT
# Some seconds of work.
"$build/bin/accelctl" run "$work/count.mlir" --arg 'i64[]=4000000000' --json >"$work/counted" 2>&1 &
counting=$!
for _ in $(seq 200); do
  if "$build/bin/accelctl" devices --json | python3 -c 'import json, sys
sys.exit(not any(d["queued"] for d in json.load(sys.stdin)["devices"]))'; then break; fi
  kill -0 "$counting" 2>/dev/null || fail "the work has ended before it is asked about: $(cat "$work/counted")"
  sleep 0.05
done
"${runc[@]}" kill daemon TERM
health=0
inside /usr/bin/accelctl health || health=$?
[[ $health == 3 ]] || fail "a daemon that ends says of its health $health"
wait "$counting" || fail "the work has not finished: $(cat "$work/counted")"
wait "$running" || fail "the container has ended with $?"
grep -q stopped "$work/log" || fail "the daemon has not ended well"
"${runc[@]}" delete --force daemon >/dev/null 2>&1 || true

echo "== It finds its cache when it is started again; work that takes too long does not hold it up"
start --shutdown-grace 0.5
inside /usr/bin/accelctl check /run/acceld/check.mlir >/dev/null
inside /usr/bin/accelctl stats | tee "$work/stats"
grep -q ' [1-9][0-9]* disk' "$work/stats" || fail "it has compiled again what is in the cache folder"
"$build/bin/accelctl" run "$work/count.mlir" --arg 'i64[]=-1' >/dev/null 2>&1 &
sleep 1
"${runc[@]}" kill daemon TERM
wait "$running" || fail "the container has ended with $?"
started=''
echo "== Good"

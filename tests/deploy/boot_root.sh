#!/usr/bin/env bash
# Boots a folder's systemd, as process 1 in namespaces of its own, without a network. Needs root, and what containers
# need of a kernel.
#
#   tests/deploy/boot_root.sh start ROOT   prints a process for the others; nothing is left when that is killed
#   tests/deploy/boot_root.sh run PROCESS COMMAND...
#   tests/deploy/boot_root.sh stop PROCESS
set -euo pipefail

# Where cgroups are, of version 2.
cgroups() { awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts; }

# In new namespaces: what systemd wants to find (https://systemd.io/CONTAINER_INTERFACE).
enter() {
  local root=$1 node
  mount --make-rprivate /
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
  mount -t tmpfs -o mode=755 tmpfs "$root/run"
  mount -t tmpfs tmpfs "$root/tmp"
  mount -t tmpfs -o mode=755 tmpfs "$root/dev"
  mkdir "$root/dev/pts" "$root/dev/shm"
  for node in null zero full random urandom tty; do
    touch "$root/dev/$node"
    mount --bind "/dev/$node" "$root/dev/$node"
  done
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
  mount -t tmpfs tmpfs "$root/dev/shm"
  ln -s pts/ptmx "$root/dev/ptmx"
  ln -s /proc/self/fd "$root/dev/fd"
  mkdir -p "$root/run/outside"
  cd "$root"
  pivot_root . run/outside
  exec chroot . /bin/sh -c 'umount -l /run/outside && rmdir /run/outside && exec env -i container=test \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd systemd.unit=multi-user.target'
}

# systemd's process, which is a child of unshare's.
inside() { pgrep -P "$1"; }

run() {
  local process
  process=$(inside "$1")
  shift
  nsenter -t "$process" -m -u -i -n -p -C -r -w env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@"
}

start() {
  local group process state
  group=$(cgroups)/acceld-test-$$
  mkdir "$group"
  # The cgroup of the first process is what is the root of the namespace.
  (
    echo "$BASHPID" >"$group/cgroup.procs"
    exec unshare --mount --pid --uts --ipc --net --cgroup --fork --kill-child "$0" enter "$1"
  ) >"$1.log" 2>&1 </dev/null &
  process=$!
  for _ in $(seq 300); do
    state=$(run $process systemctl is-system-running 2>/dev/null || true)
    if [[ $state == running || $state == degraded ]]; then
      echo $process
      return
    fi
    kill -0 $process 2>/dev/null || break
    sleep 0.2
  done
  kill -KILL $process 2>/dev/null || true
  cat "$1.log" >&2
  echo "boot_root.sh: systemd did not start ($state)" >&2
  return 1
}

stop() {
  local group
  group=$(cgroups)/$(sed -n 's/^0::.*\(acceld-test-[0-9]*\).*/\1/p' "/proc/$1/cgroup")
  kill -KILL "$1"
  # Its parent may be slow to ask how it ended.
  while grep -q '^State:[[:space:]]*[^ZX]' "/proc/$1/status" 2>/dev/null; do sleep 0.1; done
  # From the leaves on.
  find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
}

command=$1
shift
"$command" "$@"

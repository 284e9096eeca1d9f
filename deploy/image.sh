#!/usr/bin/env bash
# Builds a container image of Dockerfile with buildah: without an engine's daemon, and without a registry where
# none can be reached; its base is bootstrapped from Debian's packages then. Needs root.
#
#   deploy/image.sh [cpu|gpu] [OPTION...]
#     cpu, gpu         which image (default: cpu)
#     --build-dir DIR  takes what is built in DIR, and fetches CUDA's libraries on this machine, which has to be
#                      Debian 12 as the image is; else all of it happens in the image's own stages
#     --bootstrap      asks no registry
#     --cuda VERSION   the libraries of which CUDA (default: 12, which drivers from 525 on run; 13 needs 580)
#     --tag NAME       the image's name (default: localhost/acceld:VERSION-cpu)
#     --storage DIR    keeps images in DIR, instead of where buildah and podman keep theirs
#     --output FILE    writes the image as an archive, too, for docker load and podman load
#
# Fails when a CPU image has more than 250 MB, when CUDA's libraries do not load in it, or when its daemon does not
# start. Ends with 69 when Debian's packages cannot be had.
set -Eeuo pipefail
trap 'echo "image.sh: failed in line $LINENO" >&2' ERR
export LC_ALL=C
umask 022
root=$(cd "$(dirname "$0")/.." && pwd)

max_mb=250
no_packages=69
suite=bookworm

target=cpu build_dir='' bootstrap=false cuda=12 tag='' storage='' output=''
while (($# > 0)); do
  case $1 in
    cpu | gpu) target=$1 ;;
    --build-dir) build_dir=$(cd "$2" && pwd) && shift ;;
    --bootstrap) bootstrap=true ;;
    --cuda) cuda=$2 && shift ;;
    --tag) tag=$2 && shift ;;
    --storage) storage=$2 && shift ;;
    --output) output=$2 && shift ;;
    -h | --help) sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0" && exit ;;
    *) echo "image.sh: $1 is unknown; --help says what there is" >&2 && exit 2 ;;
  esac
  shift
done

say() { echo "== $*"; }
fail() { echo "image.sh: $*" >&2 && exit 1; }
[[ -f $root/deploy/container/cuda-$cuda.txt ]] || fail "there is no CUDA $cuda, but 12 and 13"
for tool in buildah mmdebstrap; do
  command -v "$tool" >/dev/null || fail "$tool is missing (deploy/install_packages.sh image)"
done

work=$(mktemp -d)
mounts() { awk -v folder="${storage:-none}/" 'index($2, folder) == 1 { print $2 }' /proc/self/mounts; }
container=''
clean_up() {
  if [[ -n $container ]]; then buildah rm "$container" >/dev/null || true; fi
  # What buildah has left mounted, so that the folder can be removed.
  if [[ -n $storage ]]; then
    mounts | grep -vxFf "$work/mounts" | while read -r left; do umount "$left"; done || true
  fi
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT

# Steps run under chroot: no namespaces are needed that a container would not give to one inside it.
export BUILDAH_ISOLATION=chroot

# How layers are kept in the storage: one over the other; where that cannot be mounted, each with a copy of all below.
layering() {
  local try=$storage/try driver=vfs
  mkdir -p "$try"/{lower,upper,work,merged}
  if mount -t overlay overlay -o "lowerdir=$try/lower,upperdir=$try/upper,workdir=$try/work" "$try/merged" 2>/dev/null
  then
    umount "$try/merged"
    driver=overlay
  fi
  rm -rf "$try"
  echo $driver
}

if [[ -n $storage ]]; then
  mkdir -p "$storage"
  storage=$(cd "$storage" && pwd)
  mounts >"$work/mounts"
  # What buildah reads instead of the machine's.
  cat >"$storage/storage.conf" <<TEXT
[storage]
driver = "$(layering)"
graphroot = "$storage/images"
runroot = "$storage/run"
[storage.options.overlay]
skip_mount_home = "true"
TEXT
  export CONTAINERS_STORAGE_CONF=$storage/storage.conf
fi

# Debian's image from its registry, if there is one.
pull_base() {
  base=docker.io/library/debian:$suite-slim
  build_base=docker.io/library/debian:$suite
  say "Base: $base"
  timeout 120 buildah pull -q "$base" >/dev/null 2>"$work/said" && return
  say "No registry: $(tail -1 "$work/said")"
  return 1
}

# The same from its packages. Where this machine has that Debian, from the mirrors that it uses.
bootstrap_base() {
  local sources=() file
  base=localhost/acceld-base:$suite
  build_base=$base
  say "Base: Debian's packages"
  if [[ $(host_suite) == "$suite" ]]; then
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
      if [[ -s $file ]] && grep -q "$suite" "$file"; then sources+=("$file"); fi
    done
  fi
  # Without documents, as in Debian's own slim images. /usr is merged from the start: what merges it needs all of Perl.
  if ! mmdebstrap --quiet --mode=root --variant=essential --include=apt,ca-certificates \
    --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
    --aptopt='APT::Install-Recommends 0' --aptopt='Acquire::Languages "none"' --dpkgopt=force-unsafe-io \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/info/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    "$suite" "$work/base.tar" "${sources[@]}" 2>"$work/said"; then
    tail -20 "$work/said" >&2
    if grep -qE 'Failed to fetch|Could not (resolve|connect)|Temporary failure' "$work/said"; then
      echo "image.sh: Debian's packages cannot be had here" >&2
      exit "$no_packages"
    fi
    fail "the base cannot be bootstrapped"
  fi
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$work/base.tar" / >/dev/null
  buildah commit --quiet "$container" "$base" >/dev/null
  buildah rm "$container" >/dev/null
  container=''
}

host_suite() { sed -n 's/^VERSION_CODENAME=//p' /etc/os-release; }

# A context with what the image takes from a build on this machine.
gather() {
  [[ $(host_suite) == "$suite" ]] || fail "what is built on another system than Debian $suite needs other libraries"
  say "Gather: programs$([[ $target == cpu ]] || echo ", libraries of CUDA $cuda")"
  context=$work/context
  "$root/deploy/container/gather.sh" "$build_dir" "$context/programs"
  programs=given-programs
  if [[ $target == gpu ]]; then
    "$root/deploy/container/cuda_libraries.sh" "$cuda" "$context/cuda"
    cuda_libraries=given-cuda
  fi
}

check_size() {
  local bytes
  container=$(buildah from --pull-never "$tag")
  mounted=$(buildah mount "$container")
  bytes=$(du -sb "$mounted" | cut -f1)
  say "$tag: $((bytes / 1000000)) MB"
  if [[ $target == cpu ]] && ((bytes > max_mb * 1000000)); then
    (cd "$mounted" && du -ab . | sort -rn | head -25 >&2)
    fail "that is more than $max_mb MB; above is what is large in it, in bytes"
  fi
}

# The daemon starts in the image as its user, and says which devices it has: the CPU, as no driver of a GPU is there.
check_start() {
  buildah run "$container" -- sh -c 'acceld 2>/tmp/log & daemon=$!
    for _ in $(seq 100); do accelctl health >/dev/null 2>&1 && break; sleep 0.2; done
    accelctl devices; kill $daemon && wait $daemon || { cat /tmp/log; exit 1; }' >"$work/said" 2>&1 ||
    { cat "$work/said" >&2 && fail "the daemon does not start, or does not end well"; }
  cat "$work/said"
  grep -qE '^ *0 +cpu ' "$work/said" || fail "the daemon has no CPU"
  grep -q 'no cuda device: no NVIDIA driver' "$work/said" || fail "the daemon does not say which driver it misses"
}

# Every library of CUDA with all that it needs and every symbol bound, in the image itself. Of one that needs the
# driver, which is not there, only that it needs nothing else.
check_cuda() {
  local library said with_driver=0
  for library in "$mounted"/usr/local/cuda/lib64/lib*.so.*; do
    library=$(basename "$library")
    said=$(chroot --userspec=10001:10001 "$mounted" /usr/bin/env LD_BIND_NOW=1 "LD_PRELOAD=$library" /bin/true 2>&1) ||
      [[ -n $said ]] || fail "$library cannot be loaded"
    if [[ $said == *'libcuda.so.1: cannot open'* ]]; then
      said=$(chroot "$mounted" /usr/bin/ldd "/usr/local/cuda/lib64/$library" |
        awk '/not found/ && $1 != "libcuda.so.1" { print $1 " is not found" }')
      with_driver=$((with_driver + 1))
    fi
    [[ -z $said ]] || fail "$library cannot be loaded: $said"
  done
  say "$(find "$mounted/usr/local/cuda/lib64" -name 'lib*' | wc -l) libraries of CUDA load, $with_driver with a driver"
}

# Buildah does not see that a stage needs another which only a default of the Dockerfile names: all are given.
programs=build cuda_libraries=cuda
context=$root
if [[ -n $build_dir ]]; then gather; fi
version=$(sed -n 's/^project(acceld VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
tag=${tag:-localhost/acceld:$version-$target}
$bootstrap || pull_base || bootstrap=true
if $bootstrap; then bootstrap_base; fi

say "Build: $tag"
# The format that knows health checks.
buildah build --format docker --pull-never --layers=false --target "$target" -f "$root/Dockerfile" \
  --build-arg BASE="$base" --build-arg BUILD_BASE="$build_base" --build-arg CUDA="$cuda" \
  --build-arg VERSION="$version" \
  --build-arg REVISION="$(git -C "$root" rev-parse HEAD 2>/dev/null || echo unknown)" \
  --build-arg PROGRAMS=$programs --build-arg CUDA_LIBRARIES=$cuda_libraries -t "$tag" "$context" >"$work/log" 2>&1 ||
  { tail -40 "$work/log" >&2 && fail "it cannot be built"; }
check_size
check_start
if [[ $target == gpu ]]; then check_cuda; fi
if [[ -n $output ]]; then
  buildah push --quiet "$tag" "docker-archive:$output:$tag"
  say "$output"
fi
say "Good: $tag"

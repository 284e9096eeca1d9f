#!/usr/bin/env bash
# Fetches the distribution's own sources of the libraries of which the JAX plugin compiles a few files again: their
# static archives are compiled for programs, and those files cannot be linked into a shared object as they are
# (client/pjrt/link/CMakeLists.txt). The versions are those of the installed packages, so both fit together.
#
#   deploy/fetch_sources.sh [FOLDER]     (default: build/sources)
#
# Does nothing, and needs no network, when they are there. Needs no root; apt verifies what it fetches.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
output=${1:-$root/build/sources}
# The source package comes from the package that is built against.
packages=(libabsl-dev libprotobuf-dev libre2-dev)

missing=()
for package in "${packages[@]}"; do
  read -r name version < <(dpkg-query -W -f '${source:Package} ${source:Version}\n' "$package")
  if [[ $(cat "$output/$name/.version" 2>/dev/null) != "$version" ]]; then missing+=("$name=$version"); fi
done
if ((${#missing[@]} == 0)); then exit 0; fi

echo "Fetching sources: ${missing[*]}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/parts" "$output"
# The machine's own archives, for their source packages. Others of them need not have any.
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  if [[ -f $list ]]; then sed -n 's/^deb /deb-src /p' "$list" >"$work/parts/$(basename "$list" .list)-src.list"; fi
done
for list in /etc/apt/sources.list.d/*.sources; do
  if [[ -f $list ]]; then
    sed 's/^Types:.*/Types: deb-src/' "$list" >"$work/parts/$(basename "$list" .sources)-src.sources"
  fi
done
apt=(apt-get -q -o Dir::Etc::sourcelist=- -o "Dir::Etc::sourceparts=$work/parts" -o "Dir::State::lists=$work/lists"
  -o "Dir::Cache=$work" -o "Dir::Cache::archives=$work/archives" -o APT::Sandbox::User=)
"${apt[@]}" update >"$work/log" 2>&1 || true
cd "$work"
"${apt[@]}" source --only-source "${missing[@]}" >>"$work/log" 2>&1 || { cat "$work/log" >&2 && exit 1; }
for each in "${missing[@]}"; do
  name=${each%%=*}
  rm -rf "${output:?}/$name"
  mv "$work/$name"-*/ "$output/$name"
  echo "${each#*=}" >"$output/$name/.version"
done

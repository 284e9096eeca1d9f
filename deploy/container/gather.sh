#!/usr/bin/env bash
# Gathers what an image takes from a build: the programs without symbols, and the names of the packages of this
# distribution whose libraries they load.
#
#   deploy/container/gather.sh BUILD OUTPUT
#     OUTPUT/root/...      files at their places
#     OUTPUT/packages.txt  packages
set -Eeuo pipefail
trap 'echo "gather.sh: failed in line $LINENO" >&2' ERR
export LC_ALL=C
umask 022
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$1 output=$2

mkdir -p "$output"/root/usr/{bin,share/doc/acceld}
for program in acceld accelctl; do
  strip -o "$output/root/usr/bin/$program" "$build/bin/$program"
done
cp "$source/LICENSE" "$output/root/usr/share/doc/acceld/copyright"

# The package of a file. Where /lib is a link to /usr/lib, either name may be the one that dpkg knows.
package_of() {
  local path
  path=$(readlink -f "$1")
  dpkg -S "$path" 2>/dev/null || dpkg -S "${path#/usr}" 2>/dev/null || { echo "$1 is of no package" >&2 && return 1; }
}

{
  # What TLS clients verify with, where they name no authorities.
  echo ca-certificates
  env -u LD_LIBRARY_PATH ldd "$build"/bin/{acceld,accelctl} |
    awk '$2 == "=>" { if ($3 == "not") { print $1 " is not found" >"/dev/stderr"; exit 1 } print $3 }' |
    sort -u | while read -r library; do package_of "$library"; done | cut -d: -f1
} | sort -u >"$output/packages.txt"

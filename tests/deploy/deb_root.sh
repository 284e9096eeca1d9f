#!/usr/bin/env bash
# Makes an archive of a root folder of the machine's own distribution, with systemd as process 1, and the packages that
# others depend on at hand to be installed without a network. It is kept in the folder, and made anew when it is older
# than a week or when other packages are wanted.
#
#   tests/deploy/deb_root.sh FOLDER PACKAGE...   prints the archive's path; 77 says that it cannot be made here
#
# Where packages come from is what the machine's apt says.
set -euo pipefail
folder=$1
shift

skip() { echo "skipped: $*" >&2 && exit 77; }

# Beside what every system has.
base=(dbus systemd-sysv)
archive=$folder/root-$(sha256sum <<<"$* ${base[*]}" | cut -c1-16).tar
if [[ -f $archive && -n $(find "$archive" -mtime -7) ]]; then
  echo "$archive"
  exit
fi

command -v mmdebstrap >/dev/null || skip "no mmdebstrap (deploy/install_packages.sh test)"
# shellcheck source=/dev/null
. /etc/os-release
here=$(dirname "$0")
mapfile -t sources < <("$here/apt_sources.sh" sources)
((${#sources[@]} > 0)) || skip "apt knows no package of ${ID^} (apt-get update)"
mapfile -t options < <("$here/apt_sources.sh" options)

mkdir -p "$folder"
rm -f "$folder"/root-*.tar*
mmdebstrap --quiet --mode=root --variant=minbase --dpkgopt=force-unsafe-io --skip=cleanup/apt \
  --include="${base[*]}" "${options[@]}" \
  --customize-hook="chroot \"\$1\" apt-get install -qq --download-only --no-install-recommends $*" \
  "$VERSION_CODENAME" "$archive.part.tar" "${sources[@]}" >&2 ||
  { rm -f "$archive.part.tar" && skip "the root folder cannot be made; above is why (is the repository reached?)"; }
mv "$archive.part.tar" "$archive"
echo "$archive"

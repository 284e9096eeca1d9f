#!/usr/bin/env bash
# Makes the Debian packages: acceld is the daemon with its units, configuration and user, accelctl, manual pages and
# completions; libacceld0.1 is the client library, and acceld-dev what C++ programs are built with. They are for the
# distribution that they are made on, whose libraries they depend on.
#
#   deploy/deb.sh [--build-dir DIR] [--suffix TEXT] [--fast] [OUTPUT]
#     OUTPUT           folder for NAME_VERSION_ARCH.deb of each (default: build/deb)
#     --build-dir DIR  takes what is built in DIR; else builds the release preset
#     --suffix TEXT    is added to the version: +site1
#     --fast           compresses little: for trying it out
#
# The same build gives the same bytes. $DEBFULLNAME and $DEBEMAIL say who maintains it.
set -Eeuo pipefail
trap 'echo "deb.sh: failed in line $LINENO" >&2' ERR
export LC_ALL=C
umask 022
root=$(cd "$(dirname "$0")/.." && pwd)

# Packages whose code is compiled into the programs.
compiled_in=(libcli11-dev libtomlplusplus-dev llvm-19-dev nlohmann-json3-dev)

build_dir='' suffix='' fast=false output=$root/build/deb
while (($# > 0)); do
  case $1 in
    --build-dir) build_dir=$(cd "$2" && pwd) && shift ;;
    --suffix) suffix=$2 && shift ;;
    --fast) fast=true ;;
    -h | --help) sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0" && exit ;;
    -*) echo "deb.sh: $1 is unknown; --help says what there is" >&2 && exit 2 ;;
    *) output=$1 ;;
  esac
  shift
done
mkdir -p "$output"
output=$(cd "$output" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stage=$work/acceld

fail() { echo "deb.sh: $*" >&2 && exit 1; }

build() {
  "$root/deploy/install_packages.sh" deb
  cd "$root"
  cmake --preset release >/dev/null
  cmake --build --preset release -j "$(nproc)" --target acceld accelctl acceld_shared
  build_dir=$root/build/release
}

# install_file FROM TO [MODE]
install_file() { install -D -m "${3:-644}" "$1" "$stage$2"; }

# Without the build's name and time, as packages have it.
compress() { gzip -9nc >"$stage$1"; }

take_programs() {
  local program blas
  mkdir -p "$stage/usr/bin"
  for program in acceld accelctl; do
    strip --remove-section=.comment --remove-section=.note -o "$stage/usr/bin/$program" "$build_dir/bin/$program"
  done
  # The flavour of OpenBLAS that shares its threads with oneDNN, whichever the machine prefers for others.
  blas=$(dirname "$(ldd "$build_dir/bin/acceld" | awk '$1 ~ /^libopenblas/ { print $3 }')")
  patchelf --set-rpath "$blas" "$stage/usr/bin/acceld"
}

take_units() {
  install_file "$root/deploy/systemd/acceld.service" /lib/systemd/system/acceld.service
  install_file "$root/deploy/systemd/acceld.socket" /lib/systemd/system/acceld.socket
  install_file "$root/deploy/systemd/acceld.sysusers" /usr/lib/sysusers.d/acceld.conf
  install_file "$root/deploy/deb/acceld.toml" /etc/acceld/acceld.toml
}

# All that follows from what the programs say of themselves.
take_documents() {
  local program
  local man=/usr/share/man shells=/usr/share
  mkdir -p "$stage$man"/man{1,5,8} "$stage$shells"/{bash-completion/completions,fish/vendor_completions.d} \
    "$stage$shells/zsh/vendor-completions"
  "$build_dir/bin/accelctl" --generate man | compress $man/man1/accelctl.1.gz
  "$build_dir/bin/acceld" --generate man | compress $man/man8/acceld.8.gz
  "$root/deploy/deb/config_page.py" "$root/deploy/CONFIG.md" "$version" | compress $man/man5/acceld.toml.5.gz
  for program in acceld accelctl; do
    "$build_dir/bin/$program" --generate bash >"$stage$shells/bash-completion/completions/$program"
    "$build_dir/bin/$program" --generate fish >"$stage$shells/fish/vendor_completions.d/$program.fish"
    "$build_dir/bin/$program" --generate zsh >"$stage$shells/zsh/vendor-completions/_$program"
  done
  install_file "$root/deploy/CONFIG.md" /usr/share/doc/acceld/CONFIG.md
  install_file "$root/deploy/ERRORS.md" /usr/share/doc/acceld/ERRORS.md
  install_file "$root/deploy/METRICS.md" /usr/share/doc/acceld/METRICS.md
  install_file "$root/tests/programs/softmax.mlir" /usr/share/doc/acceld/examples/softmax.mlir
}

# What `cmake --install` puts there: the library into one package, all else into the other.
take_library() {
  local dev=$work/acceld-dev lib=$work/$library
  DESTDIR=$dev cmake --install "$build_dir" --component development --prefix /usr >"$work/install.log"
  # Where pkg-config looks when it serves another architecture.
  mkdir -p "$lib/usr/lib" "$dev/usr/lib/$triplet/pkgconfig"
  sed 's|^prefix=.*|prefix=/usr|' "$dev/usr/lib/pkgconfig/acceld.pc" >"$dev/usr/lib/$triplet/pkgconfig/acceld.pc"
  rm -r "$dev/usr/lib/pkgconfig"
  mv "$dev"/usr/lib/libacceld.so.* "$lib/usr/lib/"
  strip --remove-section=.comment --remove-section=.note --strip-unneeded "$lib"/usr/lib/libacceld.so.*.*.*
  stage=$dev install_file "$root/docs/cpp.md" /usr/share/doc/acceld-dev/cpp.md
  stage=$dev install_file "$root/docs/compatibility.md" /usr/share/doc/acceld-dev/compatibility.md
}

write_copyright() {
  local package
  cat <<TEXT
acceld is distributed under the Apache License, Version 2.0. On Debian systems its text is in
/usr/share/common-licenses/Apache-2.0.

Copyright: the authors of acceld

Compiled into the programs is code of the packages below, whose notices follow.
TEXT
  for package in "${compiled_in[@]}"; do
    printf '\n%s\n\n' "==== $package"
    cat "/usr/share/doc/$package/copyright"
  done
}

write_changelog() {
  cat <<TEXT
acceld ($full_version) unstable; urgency=medium

  * Made from the sources of version $version; their history says what has changed.

 -- $maintainer  $(date -u -R -d "@$time")
TEXT
}

# The packages whose libraries these files load; of OpenBLAS the flavour that is used, alone.
library_packages() {
  mkdir -p "$work/debian"
  printf 'Source: acceld\n\nPackage: acceld\nArchitecture: any\n' >"$work/debian/control"
  (cd "$work" && dpkg-shlibdeps -O "${@/#/-e}" 2>"$work/shlibs.log") |
    sed -n 's/^shlibs:Depends=//; s/libopenblas0\b[^,]*/libopenblas0-openmp/; /./p' ||
    { cat "$work/shlibs.log" >&2 && return 1; }
}

# write_control NAME SECTION RELATIONS <DESCRIPTION
write_control() {
  cat <<TEXT
Package: $1
Version: $full_version
Architecture: $arch
Maintainer: $maintainer
Installed-Size: $(du -k -s --apparent-size "$stage" | cut -f1)
$3
Section: $2
Priority: optional
TEXT
  cat
}

# pack NAME SECTION RELATIONS <DESCRIPTION: makes the package of what is in $stage.
pack() {
  local options=()
  mkdir -p "$stage/DEBIAN" "$stage/usr/share/doc/$1"
  write_copyright >"$stage/usr/share/doc/$1/copyright"
  write_changelog | compress "/usr/share/doc/$1/changelog.gz"
  write_control "$@" >"$stage/DEBIAN/control"
  (cd "$stage" && find . -type f ! -path './DEBIAN/*' ! -path './etc/*' -printf '%P\0' | sort -z |
    xargs -0 md5sum) >"$stage/DEBIAN/md5sums"
  find "$stage" -exec touch -h -d "@$time" {} +
  if $fast; then options=(-Zgzip -z1); else options=(-Zxz); fi
  SOURCE_DATE_EPOCH=$time dpkg-deb --root-owner-group "${options[@]}" --build "$stage" \
    "$output/$1_${full_version}_$arch.deb"
}

pack_daemon() {
  local script depends
  take_programs
  take_units
  take_documents
  install -d "$stage/usr/share/lintian/overrides"
  install_file "$root/deploy/deb/lintian-overrides" /usr/share/lintian/overrides/acceld
  depends=$(library_packages acceld/usr/bin/acceld acceld/usr/bin/accelctl)
  mkdir "$stage/DEBIAN"
  echo /etc/acceld/acceld.toml >"$stage/DEBIAN/conffiles"
  for script in postinst prerm postrm; do install_file "$root/deploy/deb/$script" "/DEBIAN/$script" 755; done
  pack acceld admin "Depends: $depends, systemd | systemd-standalone-sysusers
Suggests: libcuda1" <<'TEXT'
Description: daemon that owns a machine's accelerators
 Processes send it computation graphs (StableHLO: what JAX lowers to) and get
 handles to future results at once. Each graph is compiled once for each
 combination of shapes, dtypes and device, for everybody; executables are kept
 in memory and on disk.
 .
 It runs on NVIDIA's GPUs where the driver and NVRTC are installed, and on the
 CPU. The package has the daemon as a systemd service behind a socket for the
 group acceld, and accelctl, its command line.
TEXT
}

pack_library() {
  local depends
  take_library
  stage=$work/$library
  depends=$(library_packages "$library/usr/lib/libacceld.so.$version")
  mkdir "$stage/DEBIAN"
  echo "libacceld ${version%.*} $library (>= $version)" >"$stage/DEBIAN/shlibs"
  echo 'activate-noawait ldconfig' >"$stage/DEBIAN/triggers"
  pack "$library" libs "Depends: $depends
Recommends: acceld" <<'TEXT'
Description: client library of acceld
 Programs that were built with acceld-dev load it. It sends their computations
 to the daemon acceld, which may be on another machine.
TEXT
  stage=$work/acceld-dev
  pack acceld-dev libdevel "Depends: $library (= $full_version), libabsl-dev" <<'TEXT'
Description: headers of the client library of acceld
 C++20 programs write functions of tensors once, differentiate and vectorize
 them as in JAX, and run them on the accelerators of the daemon acceld. The
 package has the headers, a CMake package (find_package(acceld), target
 acceld::client) and a description for pkg-config.
TEXT
}

if [[ -z $build_dir ]]; then build; fi
version=$("$build_dir/bin/acceld" --version | awk '{ print $2 }')
full_version=$version$suffix
arch=$(dpkg --print-architecture)
library=libacceld${version%.*}
triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
maintainer="${DEBFULLNAME:-The authors of acceld} <${DEBEMAIL:-maintainers@acceld.invalid}>"
time=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 0)}

pack_daemon
pack_library

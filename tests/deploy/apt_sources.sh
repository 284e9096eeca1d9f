#!/usr/bin/env bash
# Prints what mmdebstrap needs to take packages from where the machine's apt takes the distribution's own, a line each.
# Other repositories that a machine has do not fit an empty system.
#
#   tests/deploy/apt_sources.sh sources   the repositories; nothing where apt knows none (apt-get update)
#   tests/deploy/apt_sources.sh options   how they are reached
set -euo pipefail

case ${1:-} in
  sources)
    # shellcheck source=/dev/null
    . /etc/os-release
    apt-get indextargets --format $'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' \
      "Origin: ${ID^}" | sort -u
    ;;
  options)
    apt-config dump Acquire | sed -nE 's/^(Acquire::(http|https|ftp)::.*);$/--aptopt=\1/pI'
    ;;
  *)
    sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

#!/usr/bin/env bash
# Fetches what tests/deploy checks with and no package installs: from PyPI what requirements.txt names, and Docker
# Compose for the schema in it; from Debian's packages promtool and prometheus, which installed would be a service. Does
# nothing when all of it is there.
#
#   tests/deploy/fetch_tools.sh FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"

if ! bin/python -c 'import helm_python, jsonschema, kubernetes_validate, yaml' 2>/dev/null; then
  python3 -m venv .
  bin/pip install -q --timeout 15 --retries 1 -r "$here/requirements.txt"
fi
if ! compgen -G 'docker_compose-*.whl' >/dev/null; then
  bin/pip download -q --timeout 15 --retries 1 --no-deps docker-compose==1.29.2
fi
if [[ ! -x prometheus/usr/bin/promtool ]]; then
  apt-get -o APT::Sandbox::User=root download -q prometheus >/dev/null
  dpkg-deb -x prometheus_*.deb prometheus
  rm prometheus_*.deb
fi

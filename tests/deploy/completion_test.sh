#!/usr/bin/env bash
# What shells offer for the programs' command lines, from the scripts that these make themselves, and that their pages
# of the manual are well-formed and whole.
#
#   tests/deploy/completion_test.sh BUILD
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
bin=$1/bin

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
touch model.mlir
export LC_ALL=C.UTF-8 HOME=$work
failed=false
complain() { echo "$*" && failed=true; }

for program in acceld accelctl; do
  for kind in bash fish man zsh; do "$bin/$program" --generate $kind >$program.$kind; done
done

# What a shell offers for the last of a line's words.
offers_bash() {
  bash -c 'source "$1.bash"; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); "_$1"; printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}
offers_fish() {
  fish --no-config -c 'source $argv[1].fish; complete -C "$argv"' "$@" | cut -f1
}
offers_zsh() { timeout 60 zsh -f "$source/tests/deploy/zsh_complete.zsh" "$work/$1.zsh" "$*"; }

# check OFFERED WORDS...: all of the first, separated by spaces, are offered for the rest; those after "not:" are not.
check() {
  local expected=$1 word wanted=true offered
  shift
  offered=$("offers_$shell" "$@")
  for word in $expected; do
    if [[ $word == not: ]]; then
      wanted=false
    elif $wanted; then
      grep -qxF -- "$word" <<<"$offered" || complain "$shell: $* does not offer $word but $(tr '\n' ' ' <<<"$offered")"
    elif grep -qxF -- "$word" <<<"$offered"; then
      complain "$shell: $* offers $word"
    fi
  done
}

# The commands that the help names.
mapfile -t commands < <("$bin/accelctl" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
((${#commands[@]} > 10)) || complain "accelctl --help names only ${#commands[@]} commands"

for shell in bash fish zsh; do
  command -v $shell >/dev/null || { echo "skipped: no $shell (deploy/install_packages.sh test)" && continue; }
  check "${commands[*]}" accelctl ''
  check 'cache check not: run --address' accelctl c
  check 'ls not: run model.mlir' accelctl cache ''
  check 'publish not: get' accelctl names p
  check 'user publisher admin not: ls model.mlir' accelctl token new --role ''
  check '--timeout not: --repeat --undo' accelctl run --ti
  check '--address --json --repeat not: --undo' accelctl run --
  check 'names not: run' accelctl --address cache n
  check 'model.mlir not: run' accelctl run mod
  check 'model.mlir' accelctl run --arg mod
  check '--max-sessions --max-session-memory not: --listen' acceld --max-sess
done

for program in acceld accelctl; do
  for flag in $("$bin/$program" --help | grep -oE '^  (-[a-z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
    grep -qF -- "${flag//-/\\-}" $program.man || complain "$program's page does not have $flag"
  done
done
for command in "${commands[@]}"; do
  grep -q "^\.SS $command" accelctl.man || complain "accelctl's page does not have $command"
done
"$source/deploy/deb/config_page.py" "$source/deploy/CONFIG.md" 1 >acceld.toml.man
for setting in $(sed -n 's/^| `\([a-z-]*\)` .*/\1/p' "$source/deploy/CONFIG.md"); do
  grep -qF -- "${setting//-/\\-}" acceld.toml.man || complain "acceld.toml's page does not have $setting"
done
if command -v man >/dev/null; then
  for page in *.man; do
    said=$(man --warnings -l "$page" 2>&1 >/dev/null)
    [[ -z $said ]] || complain "$page: $said"
  done
else
  echo "skipped: no man to read the pages"
fi
! $failed

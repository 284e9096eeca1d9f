#!/usr/bin/env zsh
# Prints what zsh offers for the end of a line, a word a line.
#
#   zsh -f tests/deploy/zsh_complete.zsh SCRIPT LINE
zmodload zsh/zpty
zpty shell zsh -f -i
# A key says each candidate instead of offering it.
zpty -w shell 'PROMPT=; stty -echo; autoload -U compinit; compinit -D -u'
zpty -w shell "source ${(q)1}"
zpty -w shell 'compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  local -a hits
  builtin compadd -A hits "$@"
  local hit
  for hit in $hits; do print -r -- "offered: $hit"; done
}'
zpty -w shell 'finish() { zle offer; print -r -- "offered all"; exit }'
zpty -w shell 'zle -C offer complete-word _main_complete; zle -N finish; bindkey "^I" finish'
zpty -w -n shell "$2"$'\t'
while zpty -r shell line; do
  line=${${line%$'\n'}%$'\r'}
  [[ $line == *'offered all' ]] && break
  [[ $line == *'offered: '* ]] && print -r -- "${line##*offered: }"
done

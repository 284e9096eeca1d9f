#!/usr/bin/env bash
# Builds a fuzz target with libFuzzer and runs it until something is found or it is stopped.
#
#   tests/fuzz/run.sh TARGET [libFuzzer's flags]
#
# TARGET is bundle_fuzz, bytecode_fuzz, bytes_field_fuzz, cache_entry_fuzz, commands_fuzz, executable_fuzz,
# parse_proto_fuzz, parse_text_fuzz, partition_fuzz, redis_reply_fuzz or remote_blob_fuzz.
#
# A flag that helps is -max_total_time=600.
#
# It begins with the corpus and the programs of this repository, and keeps what reaches new code in
# build/fuzz/corpus/TARGET. An input that fails becomes build/fuzz/found/TARGET-*, and `build/fuzz/tests/TARGET FILE`
# runs it again. Made small (-minimize_crash=1), it goes to tests/fuzz/corpus/found with the fix.
#
# What it builds with comes from deploy/install_packages.sh test.
set -euo pipefail
cd "$(dirname "$0")/../.."

case ${1:-} in
  parse_text_fuzz) form=text corpus=text ;;
  parse_proto_fuzz) form=proto corpus=text ;;
  partition_fuzz) form=partition corpus=partition ;;
  commands_fuzz) form=commands corpus=commands ;;
  bytecode_fuzz) form=bytecode corpus=bytecode ;;
  bytes_field_fuzz) form=bytes_field corpus=bytes_field ;;
  bundle_fuzz) form=bundle corpus=bundle ;;
  executable_fuzz) form=executable corpus=executable ;;
  redis_reply_fuzz) form=redis corpus=redis ;;
  cache_entry_fuzz) form=entry corpus=entry ;;
  remote_blob_fuzz) form=blob corpus=blob ;;
  *)
    sed -n '2,13s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
target=$1
shift

cmake --preset fuzz >/dev/null
cmake --build --preset fuzz -j "$(nproc)"

work=build/fuzz
mkdir -p "$work/corpus/$target" "$work/found" "$work/seeds/$form"
flags=(-max_len=65536 -rss_limit_mb=4096 -timeout=25 -report_slow_units=1)
if [[ $form == bytecode ]]; then
  find tests/programs -name '*.mlir.bc' -exec cp {} "$work/seeds/$form" \;
elif [[ $corpus == text || $corpus == partition ]]; then
  # Programs with an expectation after them are programs without it.
  find tests/programs -name '*.mlir' | while read -r file; do
    sed '/^\/\/ expect/,$d' "$file" >"$work/seeds/$form/${file//\//_}"
  done
  sed 's/[\\"]/\\&/g; s/.*/"&"/' tests/fuzz/text_tokens.txt >"$work/text.dict"
  flags+=("-dict=$work/text.dict")
fi
exec "$work/tests/$target" "${flags[@]}" "-artifact_prefix=$work/found/$target-" "$@" \
  "$work/corpus/$target" "tests/fuzz/corpus/$corpus" "tests/fuzz/corpus/found/$form" "$work/seeds/$form"

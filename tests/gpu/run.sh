#!/usr/bin/env bash
# Runs the tests that say something about a GPU, on a machine with one and nothing else: no network, no packages, no
# sources; only a bundle of deploy/bundle.sh --tests. Prints what passed, failed and was skipped, and why.
#
#   tests/gpu/run.sh [--cpu] [--only SUITE,...] [--logs DIR] [BUNDLE]
#     BUNDLE            an unpacked bundle or its archive; else the bundle that this script stands in, else the newest
#                       one beside it or in build/bundle
#     --cpu             on the daemon's CPU device; else on its first GPU
#     --only SUITE,...  of the suites in suites.txt, and: sanitizer (compute-sanitizer on a part of the conformance
#                       programs), jax (functions compared with JAX), attack (tests/attack), against-jax
#                       (tests/bench/vs_jax.py)
#     --logs DIR        where each program's output goes (default: a new folder in /tmp)
#
# Every program has ACCELD_TEST_SECONDS (600) to end. Exits with 0 if nothing failed, 1 if something did, 2 if nothing
# could be run.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)

device=cuda:0 only='' logs='' bundle='' limit_s=${ACCELD_TEST_SECONDS:-600}
while (($# > 0)); do
  case $1 in
    --cpu) device=cpu:0 ;;
    --only) only=,$2, && shift ;;
    --logs) mkdir -p "$2" && logs=$(cd "$2" && pwd) && shift ;;
    -h | --help) sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0" && exit ;;
    -*) echo "run.sh: $1 is unknown; --help says what there is" >&2 && exit 2 ;;
    *) bundle=$1 ;;
  esac
  shift
done

work=$(mktemp -d)
daemon=''
clean_up() {
  if [[ -n $daemon ]]; then kill "$daemon" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap clean_up EXIT
stop() { echo "run.sh: $*" >&2 && exit 2; }

find_bundle() {
  local candidate
  for candidate in "$here/../.." $(ls -td "$here"/acceld-* "$here"/../../build/bundle/acceld-*-tests.* 2>/dev/null); do
    if [[ -d $candidate && ! -x $candidate/tests/bin/programs_test ]]; then continue; fi
    echo "$candidate" && return
  done
  stop "no bundle: give one, or make one with deploy/bundle.sh --tests"
}

[[ -n $bundle ]] || bundle=$(find_bundle)
if [[ -f $bundle ]]; then
  echo "== Unpack $bundle"
  tar -C "$work" -xf "$bundle"
  bundle=$(echo "$work"/acceld-*)
fi
bundle=$(cd "$bundle" && pwd)
[[ -x $bundle/tests/bin/programs_test ]] || stop "$bundle has no tests: deploy/bundle.sh --tests makes one with tests"
[[ -n $logs ]] || logs=$(mktemp -d "${TMPDIR:-/tmp}/acceld-tests-XXXXXX")

# What the test programs look for.
export ACCELD_BIN_DIR=$bundle/bin ACCELD_SOURCE_DIR=$bundle ACCELD_DEVICE=$device
export ACCELD_CLIENT_PROCESS=$bundle/tests/bin/client_process
export ACCELD_SHIFTED_CLOCK=$bundle/tests/bin/libshifted_clock.so
programs=$bundle/tests/conformance/programs
if [[ -z ${ACCELD_CONFORMANCE_DIR:-} && -d $programs ]]; then export ACCELD_CONFORMANCE_DIR=$programs; fi
accelctl=$bundle/bin/accelctl

# CUDA's compiler and libraries may be where the loader does not look: beside CUDA, or in a Python package of CUDA's or
# JAX's.
find_libraries() {
  local packages name file
  packages=$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))' 2>/dev/null || true)
  # With the versions that CUDA 12 and 13 have.
  for name in libnvrtc.so.1[23] libcublasLt.so.1[23] libcublas.so.1[23] libcufft.so.1[12] libcusolver.so.1[12] \
    libcudnn.so.[89] libnccl.so.2; do
    if ldconfig -p 2>/dev/null | grep -q "$name"; then continue; fi
    for file in /usr/local/cuda*/lib64/$name "$packages"/nvidia/*/lib/$name; do
      if [[ -f $file ]]; then
        export LD_LIBRARY_PATH=${file%/*}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        break
      fi
    done
  done
}

# Of each suite: "SUITE PASSED FAILED SKIPPED SECONDS" in results, "SUITE TEXT" in notes.
results=$work/results notes=$work/notes
touch "$results" "$notes"
record() { echo "$*" >>"$results"; }
note() { echo "$*" >>"$notes"; }
skip() { record "$1" 0 0 1 0 && note "$1 skipped: ${*:2}"; }
wanted() { [[ -z $only || $only == *,$1,* ]]; }

# run SUITE NAME COMMAND...: one program, whose tests are counted if GoogleTest runs them; 77 is for "skipped".
run() {
  local suite=$1 name=$2 log=$logs/$2.log begin=$SECONDS code=0 passed failed skipped
  shift 2
  echo "== $suite: $name"
  (cd "$bundle" && timeout -k 10 "$limit_s" "$@") >"$log" 2>&1 </dev/null || code=$?
  # What compute-sanitizer finds in a child of its program, as the daemon is one, is not in its exit code.
  if ((code == 0)) && grep -q '^========= .*SUMMARY: [1-9]' "$log"; then code=9; fi
  passed=$(grep -c '^\[       OK \] ' "$log" || true)
  failed=$(grep -cE '^\[  FAILED  \] .* \([0-9]+ ms\)$' "$log" || true)
  skipped=$(grep -cE '^\[  SKIPPED \] .* \([0-9]+ ms\)$' "$log" || true)
  case $code in
    0) if ((passed + skipped == 0)); then passed=1; fi ;;
    77) skipped=1 && note "$suite skipped: $name: $(tail -1 "$log")" ;;
    124 | 137) failed=$((failed + 1)) && note "$suite FAILED: $name: no end after $limit_s s" ;;
    *) if ((failed == 0)); then failed=1 && note "$suite FAILED: $name: ended with $code: $(tail -1 "$log")"; fi ;;
  esac
  record "$suite" "$passed" "$failed" "$skipped" $((SECONDS - begin))
  # Each failed test and each reason to skip one; what conformance programs gave.
  sed -nE "s/^\[  FAILED  \] (.*) \([0-9]+ ms\)\$/$suite FAILED: $name: \1/p" "$log" >>"$notes"
  sed -nE "/: Skipped\$/{n;s|^|$suite skipped: $name: |p}" "$log" | sort -u >>"$notes"
  sed -nE "s/^([0-9]+ passed, [0-9]+ failed.*)/$suite: \1/p" "$log" >>"$notes"
  if ((failed > 0)); then tail -15 "$log" | sed 's/^/   | /'; fi
}

run_programs() {
  local suite program words command
  while read -r -a words; do
    suite=${words[0]} program=${words[1]}
    command=("$bundle/tests/bin/$program" "${words[@]:2}")
    # Around an engine that is a fake, as its devices are.
    if [[ $suite == protocol ]]; then command=(env -u ACCELD_DEVICE "${command[@]}"); fi
    if wanted "$suite"; then run "$suite" "$program" "${command[@]}"; fi
  done < <(awk -v suites="$*" '!/^#/ && NF && index(" " suites " ", " " $1 " ")' "$bundle/tests/gpu/suites.txt")
}

# A part of the conformance programs under NVIDIA's checker of memory accesses, and of shared memory's use.
run_sanitizer() {
  local sanitizer tool part
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | tail -1 || true)
  if [[ $device != cuda:* ]]; then skip sanitizer "it is for GPUs" && return; fi
  if [[ -z $sanitizer ]]; then skip sanitizer "compute-sanitizer is not installed" && return; fi
  if [[ ! -d ${ACCELD_CONFORMANCE_DIR:-}/stablehlo ]]; then skip sanitizer "no conformance programs" && return; fi
  mapfile -t part < <(find "$ACCELD_CONFORMANCE_DIR/stablehlo" -name '*.mlir' | sort | awk 'NR % 25 == 1')
  for tool in memcheck racecheck; do
    run sanitizer "$tool" "$sanitizer" --tool "$tool" --target-processes all --error-exitcode 9 \
      "$accelctl" --local --local-flag=--no-disk-cache check \
      --overrides "$bundle/tests/conformance/overrides.txt" "${part[@]}"
  done
}

run_jax() {
  local table
  for table in functions library_functions; do
    run jax "jax_$table" python3 "$bundle/tests/jax/run_functions.py" "$table" "$bundle/bin"
  done
  run jax jax_symbolic_functions python3 "$bundle/tests/jax/run_symbolic_functions.py" "$bundle/bin"
}

# Clients that attack a daemon whose programs run on the device.
run_attack() {
  if ! python3 -c 'import google.protobuf, grpc' 2>/dev/null; then skip attack "python3 has no grpcio" && return; fi
  run attack attacks python3 "$bundle/tests/attack/run.py" --quick --daemon "$bundle/bin/acceld"
  sed -nE 's/^(FAILED [^|]*)\|.*now: (.*)/attack \1: \2/p; $s/^/attack: /p' "$logs/attacks.log" >>"$notes"
}

# Figures: what they print goes to the terminal, too.
run_benchmarks() {
  "$bundle/bin/acceld" --listen "unix:$work/acceld.sock" --no-disk-cache 2>"$logs/bench-daemon.log" &
  daemon=$!
  export ACCELD_ADDRESS=unix:$work/acceld.sock
  for _ in $(seq 200); do
    if "$accelctl" devices >/dev/null 2>&1; then break; fi
    sleep 0.1
  done
  run_programs bench
  kill "$daemon" && wait "$daemon" || true
  daemon=''
  unset ACCELD_ADDRESS
  awk '!/^#/ && $1 == "bench" { print $2 }' "$bundle/tests/gpu/suites.txt" |
    while read -r program; do sed 's/^/   /' "$logs/$program.log"; done
}

# Workloads beside JAX on the same device; where JAX does not find it, those that the bundle carries, without JAX.
run_against_jax() {
  local python=${ACCELD_JAX_PYTHON:-python3} exported=$bundle/tests/bench/programs
  local flags=(--device "$device" --bin "$bundle/bin" --quick --limit $((limit_s / 2)) --json "$logs/vs_jax.json")
  if ! "$python" -c "import jax; jax.devices('${device%:*}')" 2>/dev/null; then
    if ! "$python" -c 'import numpy' 2>/dev/null; then skip against-jax "python3 has no NumPy" && return; fi
    if [[ ! -d $exported ]]; then
      skip against-jax "python3 has no JAX that finds $device, and the bundle no exported programs" && return
    fi
    flags+=(--programs "$exported")
  fi
  run against-jax vs_jax "$python" "$bundle/tests/bench/vs_jax.py" "${flags[@]}"
  sed 's/^/   /' "$logs/vs_jax.log"
  sed -n 's/^geometric mean/against-jax: &/p' "$logs/vs_jax.log" >>"$notes"
}

find_libraries
echo "== Devices of $("$bundle/bin/acceld" --version), from $bundle"
"$accelctl" --local devices | tee "$work/devices"
grep -qE "^[0-9]+ +${device%:*} " "$work/devices" ||
  stop "no ${device%:*} device: see above; --cpu runs the tests on the CPU"
echo "== Tests on $device; logs in $logs"

run_programs conformance programs protocol memory integration faults soak nvrtc nccl
if wanted sanitizer; then run_sanitizer; fi
if wanted jax; then run_jax; fi
if wanted attack; then run_attack; fi
if wanted bench; then run_benchmarks; fi
if wanted against-jax; then run_against_jax; fi

[[ -s $results ]] || stop "no suite is named ${only#,}"
echo "== Summary, on $device"
awk 'BEGIN { printf "%-12s %7s %7s %8s %8s\n", "suite", "passed", "failed", "skipped", "seconds" }
  !($1 in seen) { seen[$1] = 1; order[++suites] = $1 }
  { passed[$1] += $2; failed[$1] += $3; skipped[$1] += $4; seconds[$1] += $5 }
  END { for (i = 1; i <= suites; ++i) { s = order[i]
    printf "%-12s %7d %7d %8d %8d\n", s, passed[s], failed[s], skipped[s], seconds[s] } }' "$results"
cat "$notes"
if awk '$3 > 0 { failed = 1 } END { exit !failed }' "$results"; then
  echo "FAILED; logs in $logs"
  exit 1
fi
echo "PASSED"

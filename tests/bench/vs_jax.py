#!/usr/bin/env python3
"""Measures JAX in this process beside acceld through its unix socket, on the same programs and operands.

    cmake --preset release -DACCELD_BUILD_TESTS=ON
    cmake --build --preset release -t acceld timing_client
    python3.13 -m venv build/jax-newest && build/jax-newest/bin/pip install -r tests/jax/requirements-newest.txt
    python3 tests/bench/vs_jax.py                    # all workloads, on the CPU, beside the newest JAX
    python3 tests/bench/vs_jax.py --quick --only 'mlp|softmax'
    python3 tests/bench/vs_jax.py --device cuda:0 --sweep --json sweep.json
    ACCELD_JAX_PYTHON=build/jax/bin/python python3 tests/bench/vs_jax.py  # beside the JAX of an older Python

Each workload (against_jax/workloads/) is exported from JAX, compiled by both, and run by both in turns: JAX, acceld,
JAX, ... Times are from the call until the results are there (block_until_ready; for acceld from the submission until
the arrays are ready), with operands on the device; what takes less than 20 ms is done twice in each turn, less than
1 ms five times, microseconds for one millisecond, and the last time counts. What both give is compared: a difference
beyond the workload's tolerance is a failure, its times do not count.

The floor is what the hardware asks for: the workload's bytes at the rate of copies, or its operations at the rate of
matrix products, whichever is longer. The rates are measured first, on the same device.

Where there is no JAX, programs that were exported where there is one can be measured alone:

    python3 tests/bench/vs_jax.py --export programs
    python3 tests/bench/vs_jax.py --programs programs --device cuda:0

Exits with 0 if all went well, 1 if a workload failed or gave wrong values, 2 if nothing could be measured. JAX is
that of the Python that ACCELD_JAX_PYTHON names, or of this one, or else the newest that is in build/jax-newest or
build/jax; the first line of the output says which it is.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import sys
import tempfile
import time

from against_jax.find_jax import use_newest_jax

use_newest_jax()

try:
    from against_jax import table
    from against_jax.acceld_side import AcceldSide, Failed
    from against_jax.benchmark import Benchmark
    from against_jax.floor import measure_floor
    from against_jax.machine import processor, take_cores
    from against_jax.outcome import Outcome, compile_summary, first_summary, geometric_mean, summary
    from against_jax.program import read_programs, write_programs
except ImportError as missing:
    print(f"vs_jax.py: {missing}: pip install -r tests/jax/requirements.txt", file=sys.stderr)
    sys.exit(2)

ROOT = pathlib.Path(__file__).resolve().parents[2]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu:0", metavar="KIND:N", help="cpu:0 (default) or cuda:0, for both sides")
    parser.add_argument("--only", default="", metavar="REGEX", help="workloads whose names have a match")
    parser.add_argument("--sweep", action="store_true", help="sizes of two programs instead of the workloads")
    parser.add_argument("--list", action="store_true", help="print the workloads and end")
    parser.add_argument("--quick", action="store_true",
                        help="7 repeats in 2 s at most and fewer compiles, without the slow workloads")
    parser.add_argument("--repeats", type=int, metavar="N", help="of each side (default: 30)")
    parser.add_argument("--seconds", type=float, metavar="S",
                        help="for a workload's repeats (default: 20); there are at least 3")
    parser.add_argument("--limit", type=float, metavar="S", default=float("inf"),
                        help="seconds after which the workloads that are left are skipped (default: none are)")
    parser.add_argument("--compile-times", action="store_true",
                        help="also tables of compile times (cold, and by a daemon that finds the result on disk) and "
                             "of new processes' first results of what others compiled")
    parser.add_argument("--markdown", action="store_true", help="print tables as Markdown")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="also write all figures there")
    parser.add_argument("--cores", type=int, metavar="N",
                        help="processor cores for each side (default: those that this process may use)")
    parser.add_argument("--matmul-precision", default="default", choices=("default", "highest"),
                        help="JAX's: on a GPU the default lets float32 products round their operands to 11 bits, and "
                             "results may then differ by 5e-3")
    parser.add_argument("--bin", type=pathlib.Path, metavar="DIR",
                        default=pathlib.Path(os.environ.get("ACCELD_BIN_DIR", ROOT / "build/release/bin")),
                        help="where acceld and timing_client are (default: $ACCELD_BIN_DIR, else build/release/bin)")
    parser.add_argument("--socket", metavar="ADDRESS", help="a daemon that runs already, instead of one of its own")
    parser.add_argument("--export", type=pathlib.Path, metavar="DIR",
                        help="write the workloads' programs there and end")
    parser.add_argument("--programs", type=pathlib.Path, metavar="DIR", help="measure those of --export, without JAX")
    arguments = parser.parse_args()
    if not re.fullmatch(r"(cpu|cuda):\d+", arguments.device):
        parser.error(f"--device {arguments.device}: it is cpu:N or cuda:N")
    if arguments.compile_times and arguments.socket:
        parser.error("--compile-times starts a daemon again, which it does not do with that of --socket")
    try:
        re.compile(arguments.only)
    except re.error as error:
        parser.error(f"--only: {error}")
    arguments.kind, number = arguments.device.split(":")
    arguments.number = int(number)
    arguments.repeats = arguments.repeats or (7 if arguments.quick else 30)
    arguments.seconds = arguments.seconds or (2 if arguments.quick else 20)
    # How often the times of single events are taken.
    arguments.compiles, arguments.first_results = (2, 1) if arguments.quick else (5, 3)
    return arguments


class Stop(Exception):
    """Nothing can be measured; the text says why."""


def prepare_jax(arguments):
    """The module of JAX's side, or why there is none."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu" if arguments.kind == "cpu" else "cuda,cpu")
    # The daemon wants memory of the same GPU.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    try:
        import jax
    except ImportError as missing:
        raise Stop(f"{missing}: pip install -r tests/jax/requirements.txt, name a Python that has it in "
                   "ACCELD_JAX_PYTHON, or measure acceld alone with --programs") from None
    if arguments.matmul_precision != "default":
        jax.config.update("jax_default_matmul_precision", arguments.matmul_precision)
    jax.config.update("jax_include_full_tracebacks_in_locations", False)
    from against_jax import jax_side

    return jax_side


def wanted(arguments, named):
    chosen = [one for one in named if re.search(arguments.only, one.name) and not (arguments.quick and one.slow)]
    if not chosen:
        raise Stop(f"no workload's name matches {arguments.only!r}; --list prints them")
    return chosen


def export_programs(arguments, programs, workloads, jax_module):
    jax_side = jax_module.JaxSide(arguments.kind, arguments.number)
    for program, workload in zip(programs, workloads):
        print(f"{program.name} ...", flush=True)
        jax_side.load(workload, [operand.value() for operand in program.operands])
        jax_side.run()
        program.expected = [one.sample() for one in jax_side.expected()]
        jax_side.unload()
    write_programs(arguments.export, programs, jax_module.jax.__version__)
    print(f"{len(programs)} programs in {arguments.export}")


def describe(arguments, facts, floor):
    return (f"{facts['when']}; {arguments.device}: {facts['device_name']}; {facts['cores']} cores of "
            f"{facts['processor']}; acceld {facts['acceld']}, JAX {facts['jax'] or 'not there'}\n{floor.describe()}\n")


def print_results(arguments, benchmark, programs, workloads, facts):
    """Measures and prints; gives the outcomes."""
    end = time.monotonic() + arguments.limit
    width = max(len(program.name) for program in programs)
    printer = table.Printer(table.COLUMNS, arguments.markdown, width)
    outcomes = []
    for program, workload in zip(programs, workloads):
        if time.monotonic() > end:
            outcomes.append(Outcome(program.name, program.tolerance, failure="skipped: no time is left", skipped=True))
        else:
            outcomes.append(benchmark.measure(program, workload))
        printer.print(table.row(outcomes[-1]))
    print("\n" + "\n".join(summary(outcomes)) + "\n" + table.LEGEND)
    if arguments.compile_times:
        compiled = [(program, outcome) for program, outcome in zip(programs, outcomes)
                    if outcome.acceld_compile_ns is not None]
        print_compile_times(arguments, benchmark, compiled, width)
    facts["load_average"].append(os.getloadavg()[0])
    print(f"load average: {facts['load_average'][0]:.1f} at first, {facts['load_average'][1]:.1f} at the end")
    return outcomes


def print_compile_times(arguments, benchmark, compiled, width):
    """Of pairs of a program and its outcome."""
    outcomes = [outcome for _, outcome in compiled]
    with tempfile.TemporaryDirectory() as folder:
        for program, outcome in compiled:
            benchmark.compile(program)  # cold compiles forgot those before them
            for _ in range(arguments.first_results):
                benchmark.measure_first(program, outcome)
                if benchmark.jax is not None:
                    benchmark.measure_jax_first(program, outcome, folder)
        benchmark.acceld.start_again()
        print()
        printer = table.Printer(table.COMPILE_COLUMNS, arguments.markdown, width)
        for program, outcome in compiled:
            benchmark.measure_disk(program, outcome)
            printer.print(table.compile_row(outcome))
        print("\n" + "\n".join([*compile_summary(outcomes), table.COMPILE_LEGEND]) + "\n")
        for _ in range(arguments.first_results):
            benchmark.acceld.start_again()
            for program, outcome in compiled:
                benchmark.measure_first(program, outcome)
        printer = table.Printer(table.FIRST_COLUMNS, arguments.markdown, width)
        for outcome in outcomes:
            printer.print(table.first_row(outcome))
    print("\n" + "\n".join(first_summary(outcomes)) + "\n" + table.FIRST_LEGEND)


def write_json(file, facts, outcomes):
    ratios = [outcome.ratio for outcome in outcomes if outcome.ratio is not None]
    mean = geometric_mean(ratios) if ratios else None
    results = {**facts, "geometric_mean_ratio": mean, "workloads": [outcome.to_json() for outcome in outcomes]}
    file.write_text(json.dumps(results, indent=1) + "\n")


def choose(arguments):
    """The module of JAX's side, programs, and their workloads for JAX; no module and no workloads where JAX is not
    used."""
    if arguments.programs:
        try:
            programs = wanted(arguments, read_programs(arguments.programs))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Stop(f"{arguments.programs} holds no programs of --export: {error}") from None
        return None, programs, [None] * len(programs)
    jax_module = prepare_jax(arguments)
    from against_jax import workloads

    chosen = wanted(arguments, workloads.SWEEP if arguments.sweep else workloads.ALL)
    return jax_module, None if arguments.list else [jax_module.export(one) for one in chosen], chosen


def measure(arguments, jax_module, programs, workloads, facts):
    """The exit code."""
    jax_side = None
    if jax_module is not None:
        try:
            jax_side = jax_module.JaxSide(arguments.kind, arguments.number)
        except (RuntimeError, IndexError) as error:
            raise Stop(f"JAX has no {arguments.device}: {error}") from None
    with tempfile.TemporaryDirectory() as folder:
        acceld = AcceldSide(arguments.bin, arguments.device, folder, facts["cores"], arguments.socket)
        try:
            dtypes = {program.flops_dtype for program in programs if program.flops}
            floor = measure_floor(arguments.kind, facts["cores"], acceld, jax_side, dtypes)
            facts.update(acceld=acceld.welcome["version"], device_name=acceld.welcome["device"],
                         copy_bytes_per_s=floor.bandwidths, flop_per_s=floor.rates)
            print(describe(arguments, facts, floor))
            rounded = arguments.kind == "cuda" and arguments.matmul_precision == "default"
            benchmark = Benchmark(arguments.kind, jax_side, acceld, floor, arguments.repeats, arguments.seconds,
                                  rounded, arguments.compiles if arguments.compile_times else 1)
            outcomes = print_results(arguments, benchmark, programs, workloads, facts)
        finally:
            acceld.close()
    if arguments.json:
        write_json(arguments.json, facts, outcomes)
    return 1 if any(outcome.failure and not outcome.skipped for outcome in outcomes) else 0


def run(arguments):
    try:
        cores = take_cores(arguments.cores)
    except ValueError as error:
        raise Stop(str(error)) from None
    jax_module, programs, workloads = choose(arguments)
    if arguments.list:
        for one in programs or workloads:
            print(f"{one.name:36} tolerance {one.tolerance:g}" + (f", for {one.device}" if one.device else ""))
        return 0
    if arguments.export:
        export_programs(arguments, programs, workloads, jax_module)
        return 0
    facts = {"when": time.strftime("%Y-%m-%d %H:%M:%S %Z"), "device": arguments.device, "cores": cores,
             "processor": processor(), "repeats": arguments.repeats, "seconds": arguments.seconds,
             "load_average": [os.getloadavg()[0]], "python": platform.python_version(),
             "jax": jax_module and jax_module.jax.__version__}
    return measure(arguments, jax_module, programs, workloads, facts)


def main():
    arguments = parse_arguments()
    try:
        return run(arguments)
    except (Failed, Stop) as stop:
        print(f"vs_jax.py: {stop}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Measures JAX in this process beside acceld through its unix socket, on the same programs and operands.

    cmake --preset release -DACCELD_BUILD_TESTS=ON
    cmake --build --preset release -t acceld timing_client
    python3 -m venv build/jax && build/jax/bin/pip install -r tests/jax/requirements.txt
    build/jax/bin/python tests/bench/vs_jax.py                    # all workloads, on the CPU
    build/jax/bin/python tests/bench/vs_jax.py --quick --only 'mlp|softmax'
    build/jax/bin/python tests/bench/vs_jax.py --device cuda:0 --sweep --json sweep.json

Each workload (against_jax/workloads/) is exported from JAX, compiled by both, and run by both in turns: JAX, acceld,
JAX, ... Times are from the call until the results are there (block_until_ready; for acceld from the submission until
the arrays are ready), with operands on the device. What both give is compared: a difference beyond the workload's
tolerance is a failure, its times do not count.

The floor is what the hardware asks for: the workload's bytes at the rate of copies, or its operations at the rate of
matrix products, whichever is longer. The rates are measured first, on the same device.

Where there is no JAX, programs that were exported where there is one can be measured alone:

    build/jax/bin/python tests/bench/vs_jax.py --export programs
    python3 tests/bench/vs_jax.py --programs programs --device cuda:0

Exits with 0 if all went well, 1 if a workload failed or gave wrong values, 2 if nothing could be measured. JAX is looked
for in this Python, or in the one that ACCELD_JAX_PYTHON names.
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

if (_python := os.environ.pop("ACCELD_JAX_PYTHON", None)) and os.path.exists(_python):
    os.execv(_python, [_python, *sys.argv])

ROOT = pathlib.Path(__file__).resolve().parents[2]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu:0", metavar="KIND:N", help="cpu:0 (default) or cuda:0, for both sides")
    parser.add_argument("--only", default="", metavar="REGEX", help="workloads whose names have a match")
    parser.add_argument("--sweep", action="store_true", help="sizes of two programs instead of the workloads")
    parser.add_argument("--list", action="store_true", help="print the workloads and end")
    parser.add_argument("--quick", action="store_true", help="7 repeats in 2 s at most, without the slow workloads")
    parser.add_argument("--repeats", type=int, metavar="N", help="of each side (default: 30)")
    parser.add_argument("--seconds", type=float, metavar="S",
                        help="for a workload's repeats (default: 20); there are at least 3")
    parser.add_argument("--compile-times", action="store_true",
                        help="also a table of compile times: cold, and by a daemon that finds the result on disk")
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
    parser.add_argument("--export", type=pathlib.Path, metavar="DIR", help="write the workloads' programs there and end")
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
    return arguments


class Stop(Exception):
    """Nothing can be measured; the text says why."""


def take_cores(wanted):
    """Keeps this process, and those that it starts, to so many cores; gives their number. JAX counts them when it is
    imported."""
    allowed = sorted(os.sched_getaffinity(0))
    if wanted is not None:
        if not 0 < wanted <= len(allowed):
            raise Stop(f"--cores {wanted}: this process may use {len(allowed)}")
        os.sched_setaffinity(0, allowed[:wanted])
    return wanted or len(allowed)


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


class Benchmark:
    """Both sides, and what they are measured on."""

    def __init__(self, arguments, cores, jax_side, acceld):
        self.arguments, self.cores, self.jax, self.acceld = arguments, cores, jax_side, acceld
        self.floor = None

    def measure(self, program, workload):
        """The Outcome of a program; `workload` is the same one for JAX, where JAX is."""
        from against_jax.acceld_side import Failed
        from against_jax.outcome import Outcome

        outcome = Outcome(program.name, self.tolerance(program), self.floor.seconds(program), program.moved_bytes,
                          program.flops)
        needed = 3 * program.moved_bytes // program.calls
        if program.device not in (None, self.arguments.kind):
            outcome.failure, outcome.skipped = f"skipped: it is for {program.device}", True
        elif needed > self.acceld.welcome["memory_bytes"]:
            outcome.failure, outcome.skipped = f"skipped: it needs {needed >> 30} GiB of memory", True
        else:
            try:
                self._measure(program, workload, outcome)
            except Failed as failed:
                outcome.failure = f"acceld: {failed}"
                self.acceld.recover()
            except Exception as failed:  # JAX raises what it likes
                if self.jax is None:
                    raise
                outcome.failure = f"JAX: {type(failed).__name__}: {str(failed)[:300]}"
        if self.jax is not None:
            self.jax.unload()
        return outcome

    def tolerance(self, program):
        rounded = self.arguments.kind == "cuda" and self.arguments.matmul_precision == "default" and program.flops
        return max(program.tolerance, 5e-3) if rounded else program.tolerance

    def _measure(self, program, workload, outcome):
        from against_jax.measure import Times, take_turns
        from against_jax.verify import worst_error

        values = [operand.value() for operand in program.operands]
        sides = [self.acceld]
        if self.jax is not None:
            outcome.jax_compile_ns = self.jax.load(workload, values)
            sides.insert(0, self.jax)
        loaded = self.acceld.load(program.module, values, program.calls)
        if loaded["verdict"] == "miss":
            outcome.acceld_compile_ns = loaded["compile_ns"]
        del values
        for side in sides * 2:
            side.run()
        self.acceld.device_ns.clear()
        times = take_turns(sides, self.arguments.repeats, self.arguments.seconds)
        outcome.jax, outcome.acceld = times.get("jax"), times["acceld"]
        outcome.acceld_device = Times.of(self.acceld.device_ns)

        expected = program.expected if self.jax is None else self.jax.expected()
        if expected is not None:
            outcome.error = worst_error(self.acceld.results(), expected)
            if outcome.error > outcome.tolerance:
                outcome.failure = f"WRONG VALUES: they differ by {outcome.error:.2g}, not {outcome.tolerance:g} at most"
        self.acceld.unload()


def export_programs(arguments, workloads, jax_side):
    from against_jax import program as programs
    import jax

    jax_device = jax_side.JaxSide(arguments.kind, arguments.number)
    exported = []
    for workload in workloads:
        print(f"{workload.name} ...", flush=True)
        program = jax_side.export(workload)
        jax_device.load(workload, [operand.value() for operand in program.operands])
        jax_device.run()
        program.expected = [one.sample() for one in jax_device.expected()]
        jax_device.unload()
        exported.append(program)
    programs.write_programs(arguments.export, exported, jax.__version__)
    print(f"{len(exported)} programs in {arguments.export}")


def processor():
    try:
        return re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())[1]
    except (OSError, TypeError):
        return platform.machine()


def print_results(arguments, benchmark, programs, workloads, facts, start_again):
    """Measures, prints, and gives the exit code."""
    from against_jax import outcome as outcomes
    from against_jax import table

    width = max(len(program.name) for program in programs)
    printer = table.Printer(table.COLUMNS, arguments.markdown, width)
    results = []
    for program, workload in zip(programs, workloads):
        results.append(benchmark.measure(program, workload))
        printer.print(table.row(results[-1]))
    print("\n" + "\n".join(outcomes.summary(results)) + "\n" + table.LEGEND)
    if arguments.compile_times:
        start_again()
        print()
        printer = table.Printer(table.COMPILE_COLUMNS, arguments.markdown, width)
        for program, result in zip(programs, results):
            if result.acceld_compile_ns is None:
                continue
            loaded = benchmark.acceld.load(program.module, [one.value() for one in program.operands], program.calls)
            if loaded["verdict"] == "disk":
                result.acceld_disk_ns = loaded["compile_ns"]
            printer.print(table.compile_row(result))
    facts["load_average"].append(os.getloadavg()[0])
    print(f"load average: {facts['load_average'][0]:.1f} at first, {facts['load_average'][1]:.1f} at the end")
    if arguments.json:
        ratios = [one.ratio for one in results if one.ratio is not None]
        facts["geometric_mean_ratio"] = outcomes.geometric_mean(ratios) if ratios else None
        facts["workloads"] = [one.to_json() for one in results]
        arguments.json.write_text(json.dumps(facts, indent=1) + "\n")
    return 1 if any(one.failure and not one.skipped for one in results) else 0


def run(arguments):
    from against_jax import acceld_side
    from against_jax.floor import measure_floor
    from against_jax.program import read_programs

    cores = take_cores(arguments.cores)
    facts = {"when": time.strftime("%Y-%m-%d %H:%M:%S %Z"), "device": arguments.device, "cores": cores,
             "processor": processor(), "repeats": arguments.repeats, "seconds": arguments.seconds,
             "load_average": [os.getloadavg()[0]], "python": platform.python_version(), "jax": None}
    jax_module = None
    if arguments.programs:
        try:
            programs = wanted(arguments, read_programs(arguments.programs))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Stop(f"{arguments.programs} holds no programs of --export: {error}") from None
        workloads = [None] * len(programs)
    else:
        jax_module = prepare_jax(arguments)
        from against_jax import workloads as all_workloads
        import jax

        workloads = wanted(arguments, all_workloads.SWEEP if arguments.sweep else all_workloads.ALL)
        facts["jax"] = jax.__version__
        if not arguments.list and not arguments.export:
            programs = [jax_module.export(workload) for workload in workloads]
    if arguments.list:
        for one in programs if arguments.programs else workloads:
            print(f"{one.name:36} tolerance {one.tolerance:g}" + (f", for {one.device}" if one.device else ""))
        return 0
    if arguments.export:
        export_programs(arguments, workloads, jax_module)
        return 0

    jax_side = None
    if jax_module is not None:
        try:
            jax_side = jax_module.JaxSide(arguments.kind, arguments.number)
        except (RuntimeError, IndexError) as error:
            raise Stop(f"JAX has no {arguments.device}: {error}") from None
    client = acceld_side.find_client(arguments.bin)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)

        def start():
            return None if arguments.socket else acceld_side.Daemon(arguments.bin, folder, arguments.kind, cores)

        daemon = start()
        try:
            acceld = acceld_side.AcceldSide(client, arguments.socket or daemon.address, arguments.device, folder)

            def start_again():
                nonlocal daemon
                acceld.close()
                daemon.stop()
                daemon = start()
                acceld.recover()

            facts["acceld"], facts["device_name"] = acceld.welcome["version"], acceld.welcome["device"]
            benchmark = Benchmark(arguments, cores, jax_side, acceld)
            benchmark.floor = measure_floor(arguments.kind, cores, acceld, jax_side,
                                            {program.flops_dtype for program in programs if program.flops})
            facts["copy_bytes_per_s"], facts["flop_per_s"] = benchmark.floor.bandwidths, benchmark.floor.rates
            print(f"{facts['when']}; {arguments.device}: {facts['device_name']}; {cores} cores of {facts['processor']}; "
                  f"acceld {facts['acceld']}, JAX {facts['jax'] or 'not there'}\n{benchmark.floor.describe()}\n")
            return print_results(arguments, benchmark, programs, workloads, facts, start_again)
        finally:
            if daemon is not None:
                daemon.stop()


def main():
    arguments = parse_arguments()
    try:
        return run(arguments)
    except Stop as stop:
        print(f"vs_jax.py: {stop}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

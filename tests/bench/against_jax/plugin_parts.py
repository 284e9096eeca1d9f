"""The parts of jax_plugin.py: each measures, prints its table, and gives what failed."""

import contextlib
import dataclasses

import numpy as np

from .launches import launch
from .measure import take_turns
from .outcome import geometric_mean, median
from .plain_side import Failed, PlainSide
from .program import Expected
from .table import Printer, time_text, times_text
from .verify import worst_error

# Seconds for which a core of a new daemon is busy with what first programs would wait for.
SETTLING = 3
CALLS_A_TURN = 200
STEPS, PROCESSES = 13, 4
MESH_DEVICES = 4
STARTUPS = ("gpt", "resnet50")


@dataclasses.dataclass
class Part:
    name: str
    group: str
    quick: bool
    workload: object = None


def parts(quick):
    from . import workloads

    chosen = [Part("calls", "calls", quick)]
    chosen += [Part(one.name, "workloads", quick, one) for one in workloads.ALL
               if one.device in (None, "cpu") and not (quick and one.slow)]
    chosen += [Part(one.name, "meshes", quick, one) for one in workloads.MESHES if not (quick and one.slow)]
    return [*chosen, *(Part(f"startup_{name}", "startup", quick) for name in STARTUPS),
            Part("four_processes", "processes", quick)]


def measure_calls(node, chosen, arguments):
    """Of one tiny function, by all three sides in turns."""
    with contextlib.ExitStack() as stack:
        environments = {"cpu": node.cpu_environment(), "xla-cpu-pjrt": node.stock_environment(),
                        "acceld": node.start_daemon()}
        sides = []
        for name, environment in environments.items():
            if environment is None:
                print(f"{name} is left out: there is no {arguments.stock_plugin}")
                continue
            try:
                sides.append(PlainSide(name, environment, node.folder / f"{name}.log"))
                stack.callback(sides[-1].close)
                sides[-1].calls(CALLS_A_TURN)
            except Failed as failed:
                if name != "xla-cpu-pjrt":
                    raise
                print(f"{name} is left out: it does not work with this JAX: {str(failed)[-200:]}")
                sides = [side for side in sides if side.name != name]
        samples = {side.name: {} for side in sides}
        for _ in range(3 if chosen[0].quick else 20):
            for side in sides:
                for end, times in side.calls(CALLS_A_TURN).items():
                    samples[side.name].setdefault(end, []).extend(times)
    medians = {name: {end: median(times) for end, times in ends.items()} for name, ends in samples.items()}
    others = [side.name for side in sides if side.name != "acceld"]
    printer = Printer(("a warm call, until it", *medians, *(f"to {name}" for name in others)), arguments.markdown, 32)
    for end, words in (("returns", "returns"), ("ready", "is ready"), ("value", "has its value here")):
        printer.print((words, *(time_text(ends[end]) for ends in medians.values()),
                       *(f"{medians['acceld'][end] / medians[name][end]:.2f}" for name in others)))
    return []


def measure_meshes(node, chosen, arguments):
    """Workloads on MESH_DEVICES devices of the CPU."""
    return measure_workloads(node, chosen, arguments, MESH_DEVICES)


def measure_workloads(node, chosen, arguments, devices=1):
    failures, ratios, compiles = [], [], []
    repeats, seconds = (7, 2) if chosen[0].quick else (30, 20)
    with contextlib.ExitStack() as stack:
        sides = [PlainSide(name, environment, node.folder / f"{name}.log")
                 for name, environment in (("cpu", node.cpu_environment(devices=devices)),
                                           ("acceld", node.start_daemon(devices)))]
        for side in sides:
            stack.callback(side.close)
        printer = Printer(("workload", "JAX", "acceld", "ratio", "compiles in", "ratio"), arguments.markdown,
                          max(len(part.name) for part in chosen))
        for part in chosen:
            try:
                cpu_compile, compile = (side.load(part.name) for side in sides)
                for side in sides:
                    side.run(repeats=2)
                times = take_turns(sides, repeats, seconds)
                wanted, actual = (side.results(node.folder) for side in sides)
                for side in sides:
                    side.unload()
            except Failed as failed:
                failures.append(f"{part.name}: {failed}")
                printer.print((part.name, "failed"))
                if any(side.process.poll() is not None for side in sides):
                    break
                continue
            error = worst_error(actual, [Expected.of(np.asarray(one)) for one in wanted])
            if error > part.workload.tolerance:
                failures.append(f"{part.name}: WRONG VALUES: they differ by {error:.2g}, not "
                                f"{part.workload.tolerance:g} at most")
                continue
            ratios.append(times["acceld"].median / times["cpu"].median)
            compiles.append(compile / cpu_compile)
            printer.print((part.name, times_text(times["cpu"]), times_text(times["acceld"]), f"{ratios[-1]:.2f}",
                           time_text(compile), f"{compiles[-1]:.2f}"))
    if ratios:
        print(f"\ngeometric means of acceld's times to JAX's, below 1 acceld is quicker: {geometric_mean(ratios):.2f}, "
              f"and {geometric_mean(compiles):.2f} for tracing and compiling; {len(ratios)} of {len(chosen)} workloads "
              f"have been verified; acceld is slower in {sum(ratio > 1 for ratio in ratios)}")
    return failures


def measure_startup(node, chosen, arguments):
    """Cold and warm launches of both sides in turns."""
    failures = []
    printer = Printer(("to the first step", "JAX", "acceld", "ratio", "JAX after imports", "acceld after imports",
                       "ratio"), arguments.markdown, 32)
    for part in chosen:
        script = part.name.removeprefix("startup_")
        launches = {}
        try:
            for turn in range(1 if part.quick else 5):
                cache = node.folder / f"{part.name}{turn}"
                for name, environment, count_compiled in (
                        ("cpu", node.cpu_environment(cache), lambda: len(list(cache.glob("*-cache")))),
                        ("acceld", node.start_daemon(), node.programs_compiled)):
                    compiled = [count_compiled()]
                    for temperature in ("cold", "warm"):
                        launches.setdefault((temperature, name), []).extend(launch(script, environment))
                        compiled.append(count_compiled())
                    if not compiled[0] < compiled[1] == compiled[2]:
                        failures.append(f"{part.name}: {name} had compiled {compiled[0]} programs before the cold launch, "
                                        f"{compiled[1]} after it and {compiled[2]} after the warm one, which has to find "
                                        "them all")
        except RuntimeError as failed:
            failures.append(f"{part.name}: {failed}")
            continue
        for temperature in ("cold", "warm"):
            cpu, acceld = (launches[temperature, name] for name in ("cpu", "acceld"))
            cells = [f"{script}, {temperature} caches"]
            for field in ("first_step", "after_imports"):
                medians = [median([getattr(one, field) for one in side]) for side in (cpu, acceld)]
                cells += [*(f"{seconds:.2f} s" for seconds in medians), f"{medians[1] / medians[0]:.2f}"]
            printer.print(cells)
    return failures


def measure_processes(node, chosen, arguments):
    """Several processes at once, with caches that have nothing and with caches that have met their programs."""
    printer = Printer((f"{PROCESSES} processes, {STEPS} steps", "JAX", "acceld", "ratio", "JAX's steps",
                       "acceld's steps", "ratio"), arguments.markdown, 32)
    seconds = {}
    try:
        for turn in range(1 if chosen[0].quick else 3):
            cache = node.folder / f"processes{turn}"
            for name, environment in (("cpu", node.cpu_environment(cache)), ("acceld", node.start_daemon())):
                for temperature in ("cold", "warm"):
                    done = launch("gpt", environment, STEPS, PROCESSES)
                    seconds.setdefault((temperature, name), []).append(
                        (max(one.last_step for one in done), median([one.following / (STEPS - 1) for one in done])))
    except RuntimeError as failed:
        return [f"four_processes: {failed}"]
    for temperature in ("cold", "warm"):
        cpu, acceld = ([median(list(column)) for column in zip(*seconds[temperature, name])]
                       for name in ("cpu", "acceld"))
        printer.print((f"until the last ends, {temperature}", f"{cpu[0]:.2f} s", f"{acceld[0]:.2f} s",
                       f"{acceld[0] / cpu[0]:.2f}", time_text(cpu[1] * 1e9), time_text(acceld[1] * 1e9),
                       f"{acceld[1] / cpu[1]:.2f}"))
    return []


GROUPS = (("calls", measure_calls), ("workloads", measure_workloads), ("meshes", measure_meshes), ("startup", measure_startup),
          ("processes", measure_processes))

#!/usr/bin/env python3
"""Draws JAX programs that call the host, runs each on acceld and on JAX's own CPU platform, and compares.

    run_random_callbacks.py BIN PLUGIN [--seed N] [--count N] [--show]     BIN has acceld and accelctl, PLUGIN is the
                                                                         shared object

Programs have consecutive seeds from the one given. Each runs with three sets of arguments, the first two without
waiting in between; then, for some programs, a callback is told to raise an exception, and the program runs again after
that. The same are:

    results                      all of them, exactly
    ordered callbacks            the sequence of what they saw, that of io_callback and of jax.debug.callback apart
    other callbacks              how often they saw what; those of pure_callback may be called as often as it pleases
    exceptions                   whether there is one, and of which callback; what ordered callbacks saw before; but
                                 platforms may leave out calls of pure_callback whose results they find unused

A program that differs is made smaller and printed. Exits with 1 after a difference.
"""

import argparse
import collections
import faulthandler
import logging
import os
import re
import sys
import threading
import warnings

import inside

inside.enter("acceld,cpu", seconds=None)

import callback_helpers  # noqa: E402
import callback_programs  # noqa: E402
import jax  # noqa: E402
import numpy as np  # noqa: E402
from jax._src import dispatch  # noqa: E402

SECONDS = 60  # for one program, which takes a few; what hangs ends the suite
ORDERED = ("ordered io", "ordered debug")


def end_what_hangs(device):
    print(f"the program hangs on {device}", flush=True)
    faulthandler.dump_traceback()
    os._exit(1)


class Outcome:
    """What some calls of a program gave on a device."""

    def __init__(self, function, device, calls):
        self.error, self.results = None, []
        callback_helpers.take_seen()
        watch = threading.Timer(SECONDS, end_what_hangs, (device,))
        watch.start()
        with jax.default_device(device):
            try:
                results = [function(*jax.device_put(arguments, device)) for arguments in calls]
                self.results = [np.asarray(leaf) for leaf in jax.tree.leaves(results)]
            except Exception as error:  # noqa: BLE001  The platforms raise different classes.
                self.error = error
            try:
                jax.effects_barrier()
            except Exception as error:  # noqa: BLE001
                self.error = self.error or error
                # JAX 0.10 has the error of an ordered callback be that of all programs with one from then on.
                dispatch.runtime_tokens.clear()
        watch.cancel()
        self.seen = collections.defaultdict(list)
        for kind, *call in callback_helpers.take_seen():
            self.seen[kind].append(tuple(call))

    def refusal(self):
        """Which callback has raised its exception; or an error that none has raised."""
        found = re.search(r"callback (\d+) refuses", str(self.error))
        return found[1] if found else f"{type(self.error).__name__}: {self.error}"


def difference(acceld, cpu, raising, ordered):
    """None, or what differs; `raising` is the kind of the callback that was told to raise an exception, if one was,
    and `ordered` has the kinds whose order counts."""
    if (acceld.error is None) != (cpu.error is None):
        if raising == "dispensable" and "refuses" in str(acceld.error or cpu.error):
            return None
        return f"acceld's error is {acceld.error!r}, cpu's {cpu.error!r}"[:3000]
    if cpu.error is not None:
        if raising is None or acceld.refusal() != cpu.refusal():
            return f"acceld's error is {acceld.refusal()}, cpu's {cpu.refusal()}"[:3000]
        for kind in ORDERED:
            ours, theirs = acceld.seen[kind], cpu.seen[kind]
            common = min(len(ours), len(theirs))
            if ours[:common] != theirs[:common] or (kind == raising and ours != theirs):
                return f"before the exception, {kind} callbacks saw {ours} on acceld, {theirs} on cpu"
        return None
    for i, (ours, theirs) in enumerate(zip(acceld.results, cpu.results, strict=True)):
        if (ours.dtype, ours.shape) != (theirs.dtype, theirs.shape) or not np.array_equal(ours, theirs):
            return f"result {i} is {ours!r} on acceld, {theirs!r} on cpu"
    for kind in ordered:
        if acceld.seen[kind] != cpu.seen[kind]:
            return f"{kind} callbacks saw {acceld.seen[kind]} on acceld, {cpu.seen[kind]} on cpu"
    for kind in acceld.seen.keys() | cpu.seen.keys():
        ours, theirs = collections.Counter(acceld.seen[kind]), collections.Counter(cpu.seen[kind])
        if ours != theirs:
            return f"only acceld's {kind} callbacks saw {ours - theirs}, only cpu's {theirs - ours}"
    return None


def compare(program, seed, devices, skipped=frozenset()):
    """None, or what differs; an exception if JAX does not trace the program, or XLA not compile it for its CPU."""
    jax.config.update("jax_enable_x64", program.is_wide)
    function = program.callable(skipped)
    arguments = [program.arguments([seed, i]) for i in range(3)]
    try:
        jax.eval_shape(function, np.int32(0), *arguments[0])
    except Exception as error:  # noqa: BLE001  JAX has many ways to say that it does not take this.
        return error
    if program.is_jitted:
        function = jax.jit(function)
    steps = [(0, None, arguments[:2])]
    # Op by op, an exception is the error of a result that nobody may ask for, and JAX keeps one token of a device.
    raising = program.raising if program.is_jitted else []
    if raising:
        steps.append((*raising[seed % len(raising)], arguments[2:]))
    steps.append((0, None, arguments[2:]))
    # Op by op, JAX runs callbacks itself, without waiting for what was dispatched before.
    ordered = ORDERED if program.is_jitted else ()
    for flag, raising, sets in steps:
        calls = [(np.int32(flag), *one) for one in sets]
        acceld, cpu = (Outcome(function, device, calls) for device in devices)
        # XLA's CPU compiler fails where a call with an effect in control flow has results that nobody uses.
        if "RET_CHECK failure" in str(cpu.error):
            return cpu.error
        wrong = difference(acceld, cpu, raising, ordered)
        if wrong is not None:
            return f"{f'callback {flag} told to raise: ' if flag else ''}{wrong}"
    return None


def reduced(program, seed, devices):
    """The numbers of statements that the program differs without."""
    skipped = frozenset()
    for number in range(program.statements, 0, -1):
        if isinstance(compare(program, seed, devices, skipped | {number}), str):
            skipped |= {number}
    return skipped


def main():
    parser = argparse.ArgumentParser("run_random_callbacks.py BIN PLUGIN")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--show", action="store_true", help="print each program, and why JAX refuses it")
    options = parser.parse_args()
    devices = [jax.devices("acceld")[0], jax.devices("cpu")[0]]
    warnings.simplefilter("ignore")
    logging.disable()  # JAX logs the exceptions of callbacks
    failed = refused = 0
    print(f"JAX {jax.__version__} on Python {sys.version.split()[0]}", flush=True)
    for seed in range(options.seed, options.seed + options.count):
        print(f"seed {seed}", flush=True)
        program = callback_programs.draw(seed)
        wrong = compare(program, seed, devices)
        if options.show:
            print(program.source(), repr(wrong))
        refused += isinstance(wrong, Exception)
        if isinstance(wrong, str):
            failed += 1
            skipped = reduced(program, seed, devices)
            print(f"differs: {wrong}\n\nmade smaller: {compare(program, seed, devices, skipped)}\n\n"
                  f"# jit: {program.is_jitted}, x64: {program.is_wide}\n{program.source(skipped)}", flush=True)
    print(f"{options.count} programs, {failed} differ, {refused} are refused by JAX or XLA")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

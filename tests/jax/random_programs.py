#!/usr/bin/env python3
"""Draws JAX programs, runs each in JAX and on a daemon, and compares the results.

    random_programs.py SEED COUNT [--bin DIR] [--seconds N] [--out DIR] [--dump] [--keep-going N]

Program number i of a seed is the same in every run with one version of JAX. The results have to be:

    integers, booleans   equal to JAX's
    floats               no further from the program run in float64 than JAX's own, up to a bound
    NaN and infinities   where JAX has them, unless the daemon's number is what float64 says

A difference counts only if it is larger than what rounding errors explain: the program is run again a few times, one
primitive operation after the other, each result moved by a rounding error, and what then changes by as much is no
fault. What is left is made small (fewer operations, arguments computed before) and printed as a script of its own,
which --out also writes to a file. Needs JAX, the distribution's /usr/bin/python3 with grpcio (run_bridge.py), and
says so and ends with 77 without. Prints a last line `N programs, N differences, N refused by JAX`; exits with 1 after
a difference.
"""

import os

# XLA compiles twice as fast so; a program runs once, and what it gives is judged by float64.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")

import harness  # first of the others: it finds JAX

import argparse
import collections
import pathlib
import pickle
import struct
import subprocess
import sys
import tempfile
import time
import warnings

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from jax.extend.core import Literal
from random_operations import draw_line
from random_values import draw_argument

jax.config.update("jax_enable_x64", True)
warnings.simplefilter("ignore")

ELEMENT_TYPES = {
    "bool": "i1", "int2": "i2", "int4": "i4", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint2": "ui2", "uint4": "ui4", "uint8": "ui8", "uint16": "ui16", "uint32": "ui32", "uint64": "ui64",
    "float4_e2m1fn": "f4E2M1FN", "float6_e2m3fn": "f6E2M3FN", "float6_e3m2fn": "f6E3M2FN", "float8_e3m4": "f8E3M4",
    "float8_e4m3": "f8E4M3", "float8_e4m3fn": "f8E4M3FN", "float8_e4m3fnuz": "f8E4M3FNUZ",
    "float8_e4m3b11fnuz": "f8E4M3B11FNUZ", "float8_e5m2": "f8E5M2", "float8_e5m2fnuz": "f8E5M2FNUZ",
    "float8_e8m0fnu": "f8E8M0FNU", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
    "complex64": "complex<f32>", "complex128": "complex<f64>"}


def dtype_named(name):
    return np.dtype(getattr(ml_dtypes, name, None) or name)


DTYPE_OF_ELEMENT = {element: dtype_named(name) for name, element in ELEMENT_TYPES.items()}


def is_float(dtype):
    return jnp.issubdtype(dtype, jnp.floating)


def is_complex(dtype):
    return jnp.issubdtype(dtype, jnp.complexfloating)


def is_inexact(dtype):
    return is_float(dtype) or is_complex(dtype)


def epsilon_of(dtype):
    return float(ml_dtypes.finfo(dtype).eps) if is_float(dtype) else float(np.finfo(dtype).eps)


def stored_bytes(array):
    """As the daemon takes them: narrow signed integers repeat their sign in the rest of their byte."""
    if array.dtype.name in ("int2", "int4"):
        array = array.astype(np.int8)
    return np.ascontiguousarray(array).tobytes()


class Program:
    """Lines of Python, each of which computes one value from arguments and values before.

    A line may call these, which do nothing in the program itself:
        up(x)    x as the run in float64 has it: what is drawn or decoded is of the program's type there too
        down(x, name)    x as the program has it, of the dtype with this name
    """

    def __init__(self, arguments, lines=(), outputs=()):
        self.arguments = list(arguments)  # (name, array)
        self.lines = list(lines)  # (name, expression, operands, dtype)
        self.outputs = list(outputs)

    def source(self):
        names = ", ".join(name for name, _ in self.arguments)
        text = f"def program({names}):\n"
        for name, expression, _, _ in self.lines:
            text += f"    {name} = {expression}\n"
        return text + f"    return ({''.join(name + ', ' for name in self.outputs)})\n"

    def function(self, wide=False):
        names = {"jax": jax, "jnp": jnp, "np": np, "lax": jax.lax, "jsp": jax.scipy}
        for name in ELEMENT_TYPES:
            names[name] = _wide(dtype_named(name)) if wide else dtype_named(name)
        names["up"] = _up if wide else lambda x: x
        names["down"] = (lambda x, name: jnp.asarray(x).astype(dtype_named(name))) if wide else lambda x, name: x
        exec(self.source(), names)
        return names["program"]

    def values(self):
        return [array for _, array in self.arguments]

    def without_dead_code(self):
        needed, lines = set(self.outputs), []
        for line in reversed(self.lines):
            if line[0] in needed:
                lines.append(line)
                needed.update(line[2])
        arguments = [argument for argument in self.arguments if argument[0] in needed]
        return Program(arguments, reversed(lines), self.outputs)


def _wide(dtype):
    if is_complex(dtype):
        return np.dtype(np.complex128)
    return np.dtype(np.float64) if is_float(dtype) else dtype


def _up(x):
    return jax.tree.map(lambda leaf: jnp.asarray(leaf).astype(_wide(leaf.dtype)), x)


def draw_program(seed, number):
    random = np.random.default_rng([seed, number])
    arguments = []
    for i in range(random.integers(1, 4)):
        arguments.append((f"a{i}", draw_argument(random)))
    known = {name: jax.ShapeDtypeStruct(array.shape, array.dtype) for name, array in arguments}
    names = Program([]).function().__globals__
    lines, used = [], set()
    for _ in range(60):
        if len(lines) >= 2 + number % 7:
            break
        drawn = draw_line(random, known)
        if drawn is None:
            continue
        expression, operands = drawn
        function = eval(f"lambda {', '.join(operands)}: {expression}", names)
        try:
            shape = jax.eval_shape(function, *(known[operand] for operand in operands))
        except Exception:  # JAX has many ways to say that it does not take this.
            continue
        if not hasattr(shape, "dtype") or shape.size > 20_000 or str(shape.dtype) not in ELEMENT_TYPES:
            continue
        name = f"v{len(lines)}"
        lines.append((name, expression, operands, shape.dtype))
        known[name] = shape
        used.update(operands)
    outputs = [line[0] for line in lines if line[0] not in used]
    return Program(arguments, lines, outputs).without_dead_code()


class Daemon:
    """A daemon and the bridge to it. Programs are sent; their answers come in the same order."""

    def __init__(self, binaries, folder):
        socket = folder / "acceld.sock"
        self.log = open(folder / "log", "wb")
        self.daemon = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", binaries / "acceld", "--listen", f"unix:{socket}", "--no-disk-cache"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log)
        for _ in range(400):
            if socket.exists():
                break
            time.sleep(0.05)
        self.bridge = subprocess.Popen(
            ["/usr/bin/python3", pathlib.Path(__file__).with_name("run_bridge.py"), socket],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, text, arguments):
        literals = [(ELEMENT_TYPES[a.dtype.name], a.shape, stored_bytes(a)) for a in arguments]
        data = pickle.dumps((text, literals, 120))
        self.bridge.stdin.write(struct.pack(">I", len(data)) + data)
        self.bridge.stdin.flush()

    def receive(self):
        head = self.bridge.stdout.read(4)
        if len(head) < 4:
            raise SystemExit("the bridge to the daemon has ended")
        error, results = pickle.loads(self.bridge.stdout.read(struct.unpack(">I", head)[0]))
        return error, [np.frombuffer(data, DTYPE_OF_ELEMENT[element]).reshape(dims) for element, dims, data in results]

    def is_alive(self):
        return self.daemon.poll() is None

    def stop(self):
        self.bridge.stdin.close()
        self.bridge.wait(timeout=60)
        self.daemon.terminate()
        self.daemon.wait(timeout=60)


def lowered(program):
    jitted = jax.jit(program.function(), keep_unused=True)
    return jitted, jitted.lower(*program.values()).as_text()


def in_double(array):
    array = np.asarray(array)
    if is_complex(array.dtype):
        return array.astype(np.complex128)
    return array.astype(np.float64)


def parts_of(array):
    wide = in_double(array)
    return [wide.real, wide.imag] if np.iscomplexobj(wide) else [wide]


def run_in_double(program):
    """None where JAX cannot."""
    try:
        wide = [array.astype(_wide(array.dtype)) for array in program.values()]
        return [np.asarray(r) for r in jax.jit(program.function(wide=True), keep_unused=True)(*wide)]
    except Exception:
        return None


# They move elements or pick some, and round none.
EXACT = """abs argmax argmin broadcast_in_dim clamp concatenate copy copy_p cummax cummin dynamic_slice
    dynamic_update_slice expand_dims gather imag iota max min neg pad real reduce_max reduce_min reshape rev select_n
    sign slice sort split squeeze stop_gradient top_k transpose""".split()
CALLS = ("jit", "pjit", "checkpoint", "closed_call", "custom_jvp_call", "custom_vjp_call")


def run_by_primitives(jaxpr, constants, arguments, noise):
    """The results of a jaxpr, of which each primitive's inexact results go through `noise`."""
    values = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*constants, *arguments]))
    for equation in jaxpr.eqns:
        inputs = [v.val if isinstance(v, Literal) else values[v] for v in equation.invars]
        inner = equation.params.get("jaxpr", equation.params.get("call_jaxpr"))
        if inner is not None and equation.primitive.name in CALLS:
            results = run_by_primitives(getattr(inner, "jaxpr", inner), getattr(inner, "consts", ()), inputs, noise)
        else:
            results = equation.primitive.bind(*inputs, **equation.primitive.get_bind_params(equation.params))
            results = results if equation.primitive.multiple_results else [results]
            if equation.primitive.name not in EXACT:
                # An element of a transform is off by as much as the largest one may be.
                results = [noise(result, of_largest=equation.primitive.name == "fft") for result in results]
        values.update(zip(equation.outvars, results))
    return [v.val if isinstance(v, Literal) else values[v] for v in jaxpr.outvars]


def noisy_runs(program, count):
    """The results with each float moved by rounding errors: the arguments, and what each primitive operation gives."""
    runs = []
    closed = jax.make_jaxpr(program.function())(*program.values())
    for i in range(count):
        random = np.random.default_rng(i)

        def noise(value, of_largest=False):
            if i == 0 or not is_inexact(value.dtype) or value.size == 0:
                return value
            array = in_double(value)
            scale = np.max(np.abs(array)) if of_largest else array
            moved = array + 2 * epsilon_of(value.dtype) * random.uniform(-1, 1, array.shape) * scale
            if of_largest and np.iscomplexobj(array):
                moved = moved + 2j * epsilon_of(value.dtype) * random.uniform(-1, 1, array.shape) * scale
            return jnp.asarray(moved.astype(value.dtype))

        try:
            arguments = [noise(array) for array in program.values()]
            runs.append([np.asarray(r) for r in run_by_primitives(closed.jaxpr, closed.consts, arguments, noise)])
        except Exception:
            pass
    return runs


def suspects(got, jax_result, truth, epsilon, has_fft):
    """Which elements are not what they should be, as far as a first look tells."""
    if not is_inexact(got.dtype):
        return got != jax_result
    bad = np.zeros(got.shape, bool)
    tiny = float(ml_dtypes.finfo(got.dtype).smallest_normal) if is_float(got.dtype) else 1e-37
    truth = jax_result if truth is None or truth.shape != got.shape else truth
    scale = np.abs(in_double(truth))
    any_nonfinite = ~np.isfinite(in_double(got)) & ~np.isfinite(in_double(jax_result))
    for mine, other, exact in zip(parts_of(got), parts_of(jax_result), parts_of(truth)):
        same = (mine == other) | (np.isnan(mine) & np.isnan(other))
        error, other_error = np.abs(mine - exact), np.abs(other - exact)
        finite = np.isfinite(other_error)
        if got.dtype in (np.float64, np.complex128):
            # The exact values are JAX's then, with rounding errors in proportion to the largest.
            allowed_beside = 8 * epsilon * np.max(scale, where=np.isfinite(scale), initial=0)
        else:
            allowed_beside = 0
        allowed = allowed_beside + 4 * np.max(other_error, where=finite, initial=0) + 32 * epsilon * scale + 2 * tiny
        near = np.isfinite(mine) & np.isfinite(exact) & (error <= allowed)
        same |= near
        if is_complex(got.dtype) or has_fft:
            # Which part of what has no value is NaN is not JAX's alone to say, nor which element of a transform.
            same |= any_nonfinite
        if is_complex(got.dtype):
            same |= np.isnan(other)  # XLA has NaN at many infinities where C says what the value is.
        bad |= ~same
    return bad


def explained(bad, got, jax_result, truth, runs, index):
    """Of the bad elements, those that rounding errors move as far."""
    fine = np.zeros(got.shape, bool)
    others = [run[index] for run in runs if run[index].shape == got.shape] + [jax_result]
    if truth is not None and truth.shape == got.shape:
        others.append(truth)
    if not is_inexact(got.dtype):
        stack = np.stack([np.asarray(other).astype(got.dtype) for other in others])
        return bad & np.any(stack != stack[:1], axis=0)
    for part, mine in enumerate(parts_of(got)):
        stack = np.stack([parts_of(other)[min(part, len(parts_of(other)) - 1)] for other in others])
        finite = np.isfinite(stack)
        unstable_pattern = np.any(finite != finite[:1], axis=0) | np.any(np.isnan(stack) != np.isnan(stack[:1]), axis=0)
        low = np.min(np.where(finite, stack, np.inf), axis=0)
        high = np.max(np.where(finite, stack, -np.inf), axis=0)
        spread = high - low
        inside = np.isfinite(mine) & (mine >= low - 8 * spread) & (mine <= high + 8 * spread)
        ok = unstable_pattern | inside | np.any(stack == mine, axis=0)
        fine = ok if part == 0 else fine & ok
    return bad & fine


def differences(program, error, results, jax_results):
    """None, or (index of the output, what is wrong)."""
    if error is not None:
        return 0, error
    if len(results) != len(jax_results):
        return 0, f"{len(results)} results, not {len(jax_results)}"
    for i, (got, want) in enumerate(zip(results, jax_results)):
        if got.shape != want.shape or got.dtype != want.dtype:
            return i, f"result is {got.dtype}{got.shape}, not {want.dtype}{want.shape}"
    if all(got.tobytes() == want.tobytes() for got, want in zip(results, jax_results)):
        return None
    truths = runs = None
    epsilon = max([epsilon_of(line[3]) for line in program.lines if is_inexact(line[3])] or [0.0])
    has_fft = any("fft" in line[1] for line in program.lines)
    for i, (got, want) in enumerate(zip(results, jax_results)):
        if got.size == 0 or got.tobytes() == want.tobytes():
            continue
        if truths is None:
            truths = run_in_double(program) or [None] * len(results)
        bad = suspects(got, want, truths[i], epsilon, has_fft)
        if not bad.any():
            continue
        if runs is None:
            runs = noisy_runs(program, 6)
        bad &= ~explained(bad, got, want, truths[i], runs, i)
        if bad.any():
            at = tuple(int(i) for i in np.unravel_index(np.flatnonzero(bad)[0], bad.shape))
            exact = None if truths[i] is None or truths[i].shape != got.shape else truths[i][at]
            return i, (f"{int(bad.sum())} of {bad.size} elements of {got.dtype}{got.shape}; at {list(at)}: "
                       f"got {got[at]}, JAX {want[at]}, float64 {exact}")
    return None


def check(daemon, program):
    """As differences, of a program run now."""
    try:
        jitted, text = lowered(program)
        jax_results = [np.asarray(r) for r in jitted(*program.values())]
    except Exception:
        return None
    daemon.send(text, program.values())
    error, results = daemon.receive()
    return differences(program, error, results, jax_results)


def shrink(daemon, program, output):
    """The smallest program found that still differs."""
    best = Program(program.arguments, program.lines, [program.outputs[output]]).without_dead_code()
    if check(daemon, best) is None:
        return program
    progress = True
    while progress:
        progress = False
        for i in range(len(best.lines) - 1):
            # The value of line i becomes an argument.
            name = best.lines[i][0]
            values = Program(best.arguments, best.lines[:i + 1], [name])
            try:
                value = np.asarray(jax.jit(values.function(), keep_unused=True)(*values.values())[0])
            except Exception:
                continue
            smaller = Program(best.arguments + [(name, value)], best.lines[:i] + best.lines[i + 1:], best.outputs)
            smaller = smaller.without_dead_code()
            if len(smaller.lines) < len(best.lines) and check(daemon, smaller) is not None:
                best, progress = smaller, True
                break
    return best


SCRIPT = '''#!/usr/bin/env python3
# {title}
#   {what}
# Runs it in JAX {version} and, given the folder of accelctl, on a daemon of its own.
import pathlib, subprocess, sys, tempfile
import jax, jax.numpy as jnp, ml_dtypes, numpy as np
from jax import lax
import jax.scipy as jsp
jax.config.update("jax_enable_x64", True)
for _name in {names}:
    globals()[_name] = np.dtype(getattr(ml_dtypes, _name, None) or _name)
up, down = lambda x: x, lambda x, name: x
{arguments}

{source}
arguments = [{argument_names}]
jitted = jax.jit(program, keep_unused=True)
print("JAX:", *(np.asarray(r) for r in jitted(*arguments)), sep="\\n")
if len(sys.argv) > 1:
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "program.mlir").write_text(jitted.lower(*arguments).as_text())
    command = [pathlib.Path(sys.argv[1]) / "accelctl", "--local", "run", folder / "program.mlir", "--out", folder]
    for i, argument in enumerate(arguments):
        np.save(folder / f"arg{{i}}.npy", argument)
        command += ["--arg", folder / f"arg{{i}}.npy"]
    subprocess.run(command)
    for result in sorted(folder.glob("[0-9]*.npy")):
        print("acceld:", np.load(result), sep="\\n")
'''


def script_of(program, title, what):
    arguments = "\n".join(
        f"{name} = np.frombuffer(bytes.fromhex({np.ascontiguousarray(array).tobytes().hex()!r}), "
        f"{array.dtype.name}).reshape({array.shape})" for name, array in program.arguments)
    used = sorted({name for name in ELEMENT_TYPES
                   if name in program.source() or any(array.dtype.name == name for _, array in program.arguments)})
    return SCRIPT.format(title=title, what=what, version=jax.__version__, names=used, arguments=arguments,
                         source=program.source(), argument_names=", ".join(name for name, _ in program.arguments))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--first", type=int, default=0, help="the number of the first program")
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"),
                        help="the folder with acceld (build/release/bin)")
    parser.add_argument("--seconds", type=float, default=1e9, help="draw no more after this time")
    parser.add_argument("--out", type=pathlib.Path, help="a folder for the scripts of what differs")
    parser.add_argument("--dump", action="store_true", help="print every program")
    parser.add_argument("--keep-going", type=int, default=20, help="end after so many differences (20)")
    return parser.parse_args()


def finish(daemon, batch, counts, options):
    answers = [daemon.receive() for _ in batch]
    for (number, program, jax_results), (error, results) in zip(batch, answers):
        counts["programs"] += 1
        found = differences(program, error, results, jax_results)
        if found is None:
            continue
        counts["differences"] += 1
        if not daemon.is_alive():
            raise SystemExit(f"the daemon has ended; one of these did it:\n" +
                             "\n".join(program.source() for _, program, _ in batch))
        report(daemon, number, program, found, options)


def report(daemon, number, program, found, options):
    title = f"seed {options.seed}, program {number}"
    small = shrink(daemon, program, found[0])
    what = (check(daemon, small) or found)[1].replace("\n", " ")[:600]
    script = script_of(small, title, what)
    if options.out is None:
        print(f"--- {title}: {what}\n{script}", flush=True)
        return
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / f"seed{options.seed}_{number}.py"
    file.write_text(script)
    arguments = ", ".join(f"{name}: {array.dtype}{array.shape}" for name, array in small.arguments)
    print(f"--- {title}: {what}\n{small.source()}    # {arguments}; {file}", flush=True)


def main():
    options = parse_arguments()
    try:
        subprocess.run(["/usr/bin/python3", "-c", "import grpc"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        print("skipped: /usr/bin/python3 has no grpcio (python3-grpcio)")
        return 77
    begin = time.monotonic()
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as temporary:
        daemon = Daemon(options.bin, pathlib.Path(temporary))
        batch = []
        for number in range(options.first, options.first + options.count):
            if time.monotonic() - begin > options.seconds or counts["differences"] >= options.keep_going:
                break
            program = draw_program(options.seed, number)
            if not program.lines:
                continue
            if options.dump:
                print(f"# program {number}\n{program.source()}", flush=True)
            try:
                jitted, text = lowered(program)
                jax_results = [np.asarray(r) for r in jitted(*program.values())]
            except Exception as error:  # JAX has many ways to say that it does not do this.
                counts["refused"] += 1
                if options.dump:
                    print("#", str(error)[:200])
                continue
            daemon.send(text, program.values())  # It runs while JAX compiles the next one.
            batch.append((number, program, jax_results))
            if len(batch) == 8:
                finish(daemon, batch, counts, options)
                batch = []
            if number % 500 == 499:
                jax.clear_caches()
                print(f"... {counts['programs']} programs, {time.monotonic() - begin:.0f} s", flush=True)
        finish(daemon, batch, counts, options)
        daemon.stop()
    print(f"{counts['programs']} programs, {counts['differences']} differences, {counts['refused']} refused by JAX")
    return 1 if counts["differences"] else 0


if __name__ == "__main__":
    sys.exit(main())

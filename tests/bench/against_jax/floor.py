"""The least time that a workload's work could take on this device, from rates that are measured in the same run.

Bytes at the rate of copies, and operations at the rate of matrix products: the larger of the two times. On the
CPU copies are memcpy in threads, on a GPU the better of acceld's and JAX's; products are the best of theirs and, on the
CPU, NumPy's.
"""

import concurrent.futures
import time

import numpy as np

from .operands import uniform

COPY_BYTES = (1 << 16, 1 << 20, 1 << 23, 1 << 26, 1 << 29)  # read and written together
GPU_COPY_BYTES = (1 << 26, 1 << 29, 1 << 31)
PRODUCT_SIZE, GPU_PRODUCT_SIZE = 2048, 8192
SECONDS_EACH = 0.3


class Floor:
    def __init__(self):
        self.bandwidths = {}  # bytes per second, of copies that read and write so many bytes
        self.rates = {}  # operations per second, of matrix products of a dtype

    def note_copy(self, size_bytes, seconds):
        self.bandwidths[size_bytes] = max(self.bandwidths.get(size_bytes, 0), size_bytes / seconds)

    def note_product(self, dtype, size, seconds):
        self.rates[dtype] = max(self.rates.get(dtype, 0), 2 * size**3 / seconds)

    def seconds(self, program):
        """Small sizes fit into a cache, which may be quicker than memory; or they are too small to be quick at all. So
        a size has the best rate of its own and all larger sizes."""
        times = [0.0]
        if self.bandwidths:
            largest = max(self.bandwidths)
            fitting = [rate for size, rate in self.bandwidths.items() if size >= min(program.moved_bytes, largest)]
            times.append(program.moved_bytes / max(fitting))
        if program.flops_dtype in self.rates:
            times.append(program.flops / self.rates[program.flops_dtype])
        return max(times)

    def describe(self):
        copies = ", ".join(f"{rate / 1e9:.0f} GB/s ({size / 2**20:g} MiB)"
                           for size, rate in sorted(self.bandwidths.items()))
        products = ", ".join(f"{rate / 1e9:,.0f} Gflop/s ({dtype})" for dtype, rate in sorted(self.rates.items()))
        return f"copies: {copies}; matrix products: {products}"


def negate_program(count):
    shape = f"tensor<{count}xf32>"
    return (f"func.func public @main(%x: {shape}) -> {shape} {{\n"
            f"  %0 = stablehlo.negate %x : {shape}\n  return %0 : {shape}\n}}\n").encode()


def product_program(size, dtype):
    shape = f"tensor<{size}x{size}x{'bf16' if dtype == 'bfloat16' else 'f32'}>"
    return (f"func.func public @main(%x: {shape}) -> {shape} {{\n"
            f"  %0 = stablehlo.dot %x, %x : ({shape}, {shape}) -> {shape}\n  return %0 : {shape}\n}}\n").encode()


def measure_floor(kind, cores, acceld, jax_side, dtypes):
    """With the rates of products of these dtypes."""
    floor = Floor()
    if kind == "cpu":
        for size_bytes in COPY_BYTES:
            floor.note_copy(size_bytes, _memcpy_seconds(size_bytes // 2, cores))
    else:
        for size_bytes in GPU_COPY_BYTES:
            values = [uniform(size_bytes // 8).value()]
            for seconds in _sides_seconds(acceld, jax_side, negate_program(values[0].size), values, _negate):
                floor.note_copy(size_bytes, seconds)
    size = PRODUCT_SIZE if kind == "cpu" else GPU_PRODUCT_SIZE
    for dtype in sorted(dtypes):
        operand = uniform(size, size, dtype=dtype)
        values = [operand.value()]
        if kind == "cpu" and dtype == "float32":
            x = values[0]
            floor.note_product(dtype, size, _best_seconds(lambda: _timed(np.matmul, x, x)))
        for seconds in _sides_seconds(acceld, jax_side, product_program(size, dtype), values, _square, operand):
            floor.note_product(dtype, size, seconds)
    return floor


def _negate(x):
    return -x


def _square(x):
    return x @ x


def _sides_seconds(acceld, jax_side, module, values, function, operand=None):
    acceld.load(module, values, 1)
    yield _best_seconds(lambda: acceld.run() * 1e-9)
    acceld.unload()
    if jax_side is not None:
        from .workload import Workload

        operand = operand or uniform(*values[0].shape)
        jax_side.load(Workload("floor", function, (operand,)), values)
        yield _best_seconds(lambda: jax_side.run() * 1e-9)
        jax_side.unload()


def _timed(function, *arguments):
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def _best_seconds(run):
    """The least of several, after one that warms up; for as long as SECONDS_EACH."""
    run()
    end = time.monotonic() + SECONDS_EACH
    best = run()
    while time.monotonic() < end:
        best = min(best, run())
    return best


def _memcpy_seconds(size_bytes, threads):
    """Of one copy of so many bytes by so many threads, each its part; small ones repeated, as threads take time to
    begin."""
    repeats = max(1, (1 << 27) // size_bytes)
    parts = [(np.ones(size_bytes // threads, np.uint8), np.ones(size_bytes // threads, np.uint8))
             for _ in range(threads)]

    def copy(part):
        to, source = part
        for _ in range(repeats):
            np.copyto(to, source)

    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        return _best_seconds(lambda: _timed(lambda: list(pool.map(copy, parts)))) / repeats

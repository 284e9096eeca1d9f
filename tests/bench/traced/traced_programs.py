#!/usr/bin/env python3
"""Compares programs that C++ traces with those that JAX lowers for the same functions: operations, compile and run time.

    cmake --preset release -DACCELD_BUILD_TESTS=ON
    cmake --build --preset release -t program_bench traced_programs
    python3 -m venv build/jax && build/jax/bin/pip install -r tests/jax/requirements.txt
    build/jax/bin/python tests/bench/traced/traced_programs.py build/release [--rounds N]

Both are compiled and run by acceld, in turns, in one process (program_bench); what is shown is the median.
Operations are counted after the compiler's simplifications (the stage before fusion).
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax


def rms_norm(x, scale):
    return x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale


def gpt_logits(model, tokens, heads=4):
    batch, length = tokens.shape
    x = jnp.take(model["tokens"], tokens, axis=0, mode="clip") + model["positions"][:length]
    width = x.shape[-1]
    for block in model["blocks"]:
        q, k, v = (part.reshape(batch, length, heads, width // heads)
                   for part in jnp.split(rms_norm(x, block["norm1"]) @ block["attention"], 3, -1))
        mixed = jax.nn.dot_product_attention(q, k, v, is_causal=True)
        x = x + mixed.reshape(x.shape) @ block["projection"]
        x = x + jax.nn.gelu(rms_norm(x, block["norm2"]) @ block["expand"]) @ block["contract"]
    return rms_norm(x, model["norm"]) @ model["tokens"].T


def cross_entropy(logits, labels):
    return jnp.mean(optax.softmax_cross_entropy_with_integer_labels(logits, labels))


OPTIMIZER = optax.adamw(2e-3, weight_decay=1e-4)


def gpt_step(training, tokens):
    model, memory = training
    loss, gradients = jax.value_and_grad(
        lambda m: cross_entropy(gpt_logits(m, tokens[:, :-1]), tokens[:, 1:]))(model)
    updates, memory = OPTIMIZER.update(gradients, memory, model)
    return (optax.apply_updates(model, updates), memory), loss


def gpt_arguments():
    def f32(*shape):
        return np.zeros(shape, np.float32)
    width = 128
    block = dict(norm1=f32(width), attention=f32(width, 3 * width), projection=f32(width, width), norm2=f32(width),
                 expand=f32(width, 4 * width), contract=f32(4 * width, width))
    model = dict(tokens=f32(80, width), positions=f32(64, width), blocks=[block] * 4, norm=f32(width))
    return (model, OPTIMIZER.init(model)), np.zeros((16, 65), np.int32)


def mlp(w, x, labels):
    for i in range(0, len(w), 2):
        x = x @ w[i] + w[i + 1]
        if i + 2 < len(w):
            x = jax.nn.relu(x)
    return cross_entropy(x, labels)


def rnn(w, u, xs):
    return jnp.sum(lax.scan(lambda h, x: (jnp.tanh(h @ w + x @ u), None), jnp.zeros((16, 64)), xs)[0] ** 2)


def zeros(*shape):
    return np.zeros(shape, np.float32)


WEIGHTS = [zeros(64, 128), zeros(128), zeros(128, 64), zeros(64), zeros(64, 10), zeros(10)]
PROGRAMS = {
    "gpt_step": (gpt_step, *gpt_arguments()),
    "mlp_gradient": (jax.value_and_grad(mlp), WEIGHTS, zeros(64, 64), np.zeros(64, np.int32)),
    "mlp_per_example": (jax.vmap(jax.grad(mlp), (None, 0, 0)), WEIGHTS, zeros(64, 1, 64), np.zeros((64, 1), np.int32)),
    "rnn_gradient": (jax.grad(rnn, (0, 1)), zeros(64, 64), zeros(32, 64), zeros(50, 16, 32)),
}


def operations(bench, program, folder):
    """How many operations of each kind the last stage before fusion has."""
    subprocess.run([bench, "--benchmark_filter=^Compile/", "--benchmark_min_time=0.001", program], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ, ACCELD_DUMP_DIR=folder))
    stages = sorted(folder.glob("*/*.mlir"))
    before_fusion = [stage for stage in stages if not re.search("fus|nest|plan|program", stage.name)]
    return collections.Counter(re.findall(r"\bstablehlo\.(\w+)", before_fusion[-1].read_text()))


def measure(bench, files, repetitions):
    """The medians of times in ms, by the names of the benchmarks; all of them in turns."""
    run = subprocess.run(
        [bench, "--benchmark_filter=^(Compile|Run)/", f"--benchmark_repetitions={repetitions}",
         "--benchmark_enable_random_interleaving=true", "--benchmark_min_time=0.1", "--benchmark_format=json", *files],
        check=True, capture_output=True, text=True)
    units = {"us": 1e-3, "ms": 1}
    return {row["run_name"].split("/real_time")[0]: row["real_time"] * units[row["time_unit"]]
            for row in json.loads(run.stdout)["benchmarks"] if row.get("aggregate_name") == "median"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    bench = options.build / "bin" / "program_bench"
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(temporary)
        subprocess.run([options.build / "bin" / "traced_programs", root], check=True)
        print(f"JAX {jax.__version__}; ratios are those of C++ to JAX")
        for name, (function, *arguments) in PROGRAMS.items():
            (root / f"{name}_jax.mlir").write_text(jax.jit(function).lower(*arguments).as_text())
            files = [root / f"{name}.mlir", root / f"{name}_jax.mlir"]
            counts = []
            for i, file in enumerate(files):
                (root / f"{name}{i}").mkdir()
                counts.append(operations(bench, file, root / f"{name}{i}"))
            times = measure(bench, files, options.rounds)
            print(f"{name}: operations {sum(counts[0].values())} and {sum(counts[1].values())}")
            for more, who in ((counts[0] - counts[1], "C++"), (counts[1] - counts[0], "JAX")):
                if more:
                    print(f"  more with {who}:", ", ".join(f"{kind} {count}" for kind, count in more.most_common()))
            for what in (f"Compile/{name}", f"Run/{name}/1", f"Run/{name}/2"):
                ours, jaxs = times[what], times[what.replace(name, f"{name}_jax")]
                print(f"  {what:24} {ours:9.3f} ms {jaxs:9.3f} ms  {ours / jaxs:5.2f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())

"""JAX in a process of its own, on the platform that its environment says, which answers commands: one JSON list a line
on the standard input, one JSON value a line on the standard output. plain_side.py starts it.

    ["load", NAME]        puts the operands of the workload on the device; nanoseconds of tracing and compiling it
    ["run", REPEATS]      nanoseconds of the last of so many calls, until its results are there
    ["results", FILE]     pickles the last results there
    ["unload"]
    ["calls", COUNT]      of a tiny function, nanoseconds of each of so many calls: {"returns": [...], "ready": [...],
                          "value": [...]}
"""

import json
import os
import pathlib
import pickle
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import jax  # noqa: E402
import numpy as np  # noqa: E402

from against_jax import workloads  # noqa: E402
from against_jax.jax_side import JaxSide  # noqa: E402


class Worker:
    def __init__(self):
        self.side = JaxSide(None, 0)
        self.tiny = jax.jit(lambda x: x * 0.999 + 0.001)
        self.x = jax.device_put(np.ones(16, np.float32))

    def load(self, name):
        workload = next(one for one in workloads.ALL + workloads.MESHES if one.name == name)
        compile_ns, _ = self.side.load(workload, [leaf.value() for leaf in jax.tree.leaves(workload.operands)])
        return compile_ns

    def run(self, repeats):
        return self.side.run(repeats)

    def results(self, file):
        pathlib.Path(file).write_bytes(pickle.dumps([one.values for one in self.side.expected()]))

    def unload(self):
        self.side.unload()

    def calls(self, count):
        jax.block_until_ready(self.tiny(self.x))
        ends = {"returns": lambda y: y, "ready": jax.block_until_ready, "value": np.asarray}
        return {name: [self._call(end) for _ in range(count)] for name, end in ends.items()}

    def _call(self, end):
        start = time.perf_counter_ns()
        y = self.tiny(self.x)
        end(y)
        elapsed = time.perf_counter_ns() - start
        y.block_until_ready()
        return elapsed


def main():
    # What libraries print must not come between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = Worker()
    print(json.dumps(jax.default_backend()), file=answers, flush=True)
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        try:
            answer = getattr(worker, name)(*arguments)
        except Exception as error:  # JAX raises what it likes.
            answer = {"error": f"{type(error).__name__}: {str(error)[:300]}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()

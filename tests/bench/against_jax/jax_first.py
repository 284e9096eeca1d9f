"""JAX in a process of its own that finds what it compiles in its persistent cache: when its first result is there.

    python jax_first.py NAME KIND NUMBER PRECISION FOLDER

calls the workload NAME once on device KIND:NUMBER, with the cache in FOLDER, and prints one JSON object:
{"first_ns": from the start of the call until its results are there, "lowered_ns": the part of it after tracing and
lowering, "hit": whether the program was in the cache}.
"""

import json
import pathlib
import subprocess
import sys
import time

ENDS_AFTER_SECONDS = 600


def first_result(name, kind, number, precision, folder):
    """What a process prints that finds what another one kept in `folder`."""
    command = [sys.executable, __file__, name, kind, str(number), precision, str(folder)]
    for _ in range(2):
        run = subprocess.run(command, capture_output=True, text=True, timeout=ENDS_AFTER_SECONDS)
        if run.returncode != 0:
            raise RuntimeError(f"JAX's first result of {name}: {run.stderr[-300:]}")
        answer = json.loads(run.stdout)
        if answer["hit"]:
            return answer
    raise RuntimeError(f"JAX keeps nothing of {name} in its cache")


def _main(name, kind, number, precision, folder):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
    import jax

    # As little as it compiles is kept.
    jax.config.update("jax_compilation_cache_dir", folder)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    if precision != "default":
        jax.config.update("jax_default_matmul_precision", precision)
    from against_jax import workloads
    from against_jax.jax_side import JaxSide

    workload = next(one for one in workloads.ALL + workloads.SWEEP if one.name == name)
    events = []
    jax.monitoring.register_event_listener(lambda event, **_: events.append(event))
    side = JaxSide(kind, int(number))
    side.put(workload, [leaf.value() for leaf in jax.tree.leaves(workload.operands)])
    start = time.perf_counter_ns()
    lowered = side.function.lower(*side.operands)
    compiling = time.perf_counter_ns()
    jax.block_until_ready(lowered.compile()(*side.operands))
    end = time.perf_counter_ns()
    print(json.dumps({"first_ns": end - start, "lowered_ns": end - compiling,
                      "hit": "/jax/compilation_cache/cache_hits" in events}))


if __name__ == "__main__":
    _main(*sys.argv[1:])

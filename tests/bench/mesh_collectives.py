#!/usr/bin/env python3
"""Counts the collectives of programs on a mesh: of XLA, of Shardy and of acceld.

    cmake --build --preset release -t acceld accelctl acceld_pjrt
    build/jax/bin/python tests/bench/mesh_collectives.py --markdown
    build/jax/bin/python tests/bench/mesh_collectives.py --only 'step_fsdp$'

The programs are those of against_jax/workloads/models/meshes.py, on four devices of the CPU. XLA's collectives are
counted in the text of what JAX has compiled, Shardy's after the passes that make the collectives explicit, which are in
jaxlib, and acceld's in what its daemon dumps of the last stage of its compiler. An op with several operands is one
collective.

Exits with 0 if acceld has at most as many as XLA everywhere, 1 if not, 2 if nothing could be counted. JAX is that of
the Python that ACCELD_JAX_PYTHON names, or of this one, or else the newest that is in build/jax-newest or build/jax.
"""

import argparse
import os
import pathlib
import re
import sys
import tempfile

from against_jax.find_jax import use_newest_jax

use_newest_jax()

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/jax/plugin"))
import platforms  # noqa: E402

os.environ.update(platforms.cpu_environment(devices=4))

try:
    import jax
    from jaxlib.mlir import ir, passmanager

    from against_jax import workloads
    from against_jax.acceld_side import Daemon, Failed
    from against_jax.jax_side import JaxSide
    from against_jax.plain_side import Failed as SideFailed
    from against_jax.plain_side import PlainSide
    from against_jax.table import Printer
except ImportError as missing:
    print(f"mesh_collectives.py: {missing}: pip install -r tests/jax/requirements.txt", file=sys.stderr)
    sys.exit(2)

KINDS = ("all_gather", "all_reduce", "reduce_scatter", "all_to_all", "collective_permute", "collective_broadcast")
SHARDY_PASSES = ("sdy-propagation-pipeline, func.func(sdy-sharding-constraint-to-reshard, "
                 "sdy-insert-explicit-reshards{enable-full-version=true}, sdy-reshard-to-collectives)")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="_step_", metavar="REGEX",
                        help="programs whose names have a match (default: the training steps)")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    parser.add_argument("--bin", type=pathlib.Path, metavar="DIR",
                        default=pathlib.Path(os.environ.get("ACCELD_BIN_DIR", ROOT / "build/release/bin")),
                        help="where acceld is (default: $ACCELD_BIN_DIR, else build/release/bin)")
    return parser.parse_args()


def counted(text, pattern):
    """How many ops of each kind a text has, where `pattern` says how the name of one is written."""
    counts = {kind: len(re.findall(pattern(kind), text)) for kind in KINDS}
    return {kind: count for kind, count in counts.items() if count}


def of_xla_and_shardy(side, workload):
    side.put(workload, [leaf.value() for leaf in jax.tree.leaves(workload.operands)])
    lowered = side.function.lower(*side.operands)
    with lowered.compiler_ir().context:
        module = ir.Module.parse(lowered.as_text())
        passmanager.PassManager.parse(f"builtin.module({SHARDY_PASSES})").run(module.operation)
        shardy = counted(str(module), lambda kind: rf"sdy\.{kind}\b|stablehlo\.{kind}\b")
    xla = counted(lowered.compile().as_text(), lambda kind: rf" {kind.replace('_', '-')}(?:-start)?\(")
    side.unload()
    return xla, shardy


def of_acceld(side, workload, dumps):
    before = set(dumps.glob("*/*-gather-again.mlir"))
    side.load(workload.name)
    side.unload()
    texts = [file.read_text() for file in set(dumps.glob("*/*-gather-again.mlir")) - before]
    if len(texts) != 1:
        raise Failed(f"{workload.name}: {len(texts)} programs were dumped, not 1")
    return counted(texts[0], lambda kind: rf"stablehlo\.{kind}\b")


def as_text(counts):
    parts = [f"{count} {kind.replace('_', ' ')}" for kind, count in counts.items()]
    return f"{sum(counts.values())}: {', '.join(parts)}" if parts else "0"


def main():
    arguments = parse_arguments()
    try:
        chosen = [one for one in workloads.MESHES if re.search(arguments.only, one.name)]
    except re.error as error:
        print(f"mesh_collectives.py: --only: {error}", file=sys.stderr)
        return 2
    if not chosen:
        print(f"mesh_collectives.py: no program's name matches {arguments.only!r}; there are "
              f"{', '.join(one.name for one in workloads.MESHES)}", file=sys.stderr)
        return 2
    more = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        dumps = folder / "dumps"
        try:
            daemon = Daemon(arguments.bin, folder, "cpu", len(os.sched_getaffinity(0)), 4, ["--dump-dir", dumps])
        except Failed as failed:
            print(f"mesh_collectives.py: {failed}", file=sys.stderr)
            return 2
        try:
            environment = platforms.acceld_environment(folder, arguments.bin.parent / "lib/acceld_pjrt.so",
                                                       daemon.address)
            acceld = PlainSide("acceld", environment, folder / "acceld.log")
            jax_side = JaxSide("cpu", 0)
            printer = Printer(("program", "XLA", "Shardy", "acceld"), arguments.markdown,
                              max(len(one.name) for one in chosen))
            for workload in chosen:
                xla, shardy = of_xla_and_shardy(jax_side, workload)
                ours = of_acceld(acceld, workload, dumps)
                printer.print((workload.name.removeprefix("mesh_"), as_text(xla), as_text(shardy), as_text(ours)))
                if sum(ours.values()) > sum(xla.values()):
                    more.append(workload.name)
            acceld.close()
        except (Failed, SideFailed) as failed:
            print(f"mesh_collectives.py: {failed}", file=sys.stderr)
            return 2
        finally:
            daemon.stop()
    for name in more:
        print(f"FAILED {name}: acceld has more than XLA")
    return 1 if more else 0


if __name__ == "__main__":
    sys.exit(main())

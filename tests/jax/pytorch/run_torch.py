#!/usr/bin/env python3
"""Trains a convolution network of torch.nn (train_convolution.py) with PyTorch on the CPU, and through torchax with
JAX_PLATFORMS=acceld, and compares what comes out.

    run_torch.py BIN PLUGIN       BIN has acceld and accelctl, PLUGIN is the shared object

The Python that starts it must have the packages of requirements.txt. They take 5.4 GiB, since PyPI's PyTorch brings
CUDA, so they are installed by hand, and the test is left out where they are not. From the root of the repository, with
the release preset built:

    python3.13 -m venv build/torch
    build/torch/bin/pip install -r tests/jax/pytorch/requirements.txt
    build/torch/bin/python tests/jax/pytorch/run_torch.py build/release/bin build/release/lib/acceld_pjrt.so

tests/run.sh then runs it, too. CMake has it as a test (`ctest -L torch`) where ACCELD_TORCH_PYTHON names that Python.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

# Those would start this suite again with a Python that has no PyTorch.
for other in ("ACCELD_JAX", "ACCELD_JAX_PYTHON"):
    os.environ.pop(other, None)
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / folder) for folder in ("", "plugin")]
import harness  # noqa: E402

import numpy as np  # noqa: E402

import platforms  # noqa: E402

SCRIPT = pathlib.Path(__file__).resolve().with_name("train_convolution.py")
SECONDS = 300
# Relative to the largest magnitude of an array: each step of SGD starts from what the one before has rounded.
TOLERANCE = 1e-4


def train(framework: str, environment: dict[str, str], output: pathlib.Path) -> dict[str, np.ndarray]:
    """What the script writes; what it prints goes where this suite's output goes."""
    run = subprocess.run([sys.executable, SCRIPT, framework, output], env=environment, stdin=subprocess.DEVNULL,
                         timeout=SECONDS)
    if run.returncode != 0:
        sys.exit(f"failed: training with {framework} ends with {run.returncode}")
    with np.load(output) as file:
        return dict(file)


def compare(actual: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> list[str]:
    """What is wrong; prints how far apart each array is."""
    if actual.keys() != expected.keys():
        return [f"only one of both has {sorted(actual.keys() ^ expected.keys())}"]
    wrong = []
    for name, want in expected.items():
        if actual[name].shape != want.shape or actual[name].dtype != want.dtype:
            wrong.append(f"{name} is {actual[name].dtype}{actual[name].shape}, not {want.dtype}{want.shape}")
            continue
        scale = np.abs(want).max()
        apart = np.abs(actual[name] - want).max() / scale
        print(f"{name}: differs by up to {apart:.2g} of its largest magnitude {scale:.3g}")
        # A value that is no number is not within the tolerance either.
        if not apart <= TOLERANCE:
            wrong.append(f"{name} differs by {apart:.2g}, not at most {TOLERANCE:g}")
    return wrong


def main() -> None:
    binaries, plugin = pathlib.Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        expected = train("torch", platforms.cpu_environment(), folder / "torch.npz")
        daemon = harness.Daemon(binaries, folder)
        environment = platforms.acceld_environment(folder, plugin, f"unix:{folder}/acceld.sock")
        actual = train("torchax", environment, folder / "torchax.npz")
        executions = daemon.stats()["executions"]
        unwell = daemon.stop()
    for framework, results in (("torch on the CPU", expected), ("torchax on acceld", actual)):
        print(f"losses of {framework}: " + " ".join(f"{loss:.6f}" for loss in results["losses"]))
    wrong = compare(actual, expected)
    if not expected["losses"][-1] < expected["losses"][0] / 2:
        wrong.append("nothing was learned")
    if executions < len(expected["losses"]):
        wrong.append(f"the daemon ran {executions} executions, fewer than there are steps")
    wrong += [unwell] if unwell is not None else []
    for one in wrong:
        print(f"failed: {one}")
    print(f"{executions} executions on the daemon, {len(wrong)} failed")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()

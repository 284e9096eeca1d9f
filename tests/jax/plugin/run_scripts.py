#!/usr/bin/env python3
"""Runs each script of tests/jax/scripts, unmodified, with JAX_PLATFORMS=cpu and with JAX_PLATFORMS=acceld, and compares
what they write.

    run_scripts.py BIN PLUGIN [--meshes] [NAME ...]       BIN has acceld and accelctl, PLUGIN is the shared object

Without names, all of them run with the newest JAX, and every fourth with the older one where the newest is there, too.
With --meshes it is the scripts in the folder meshes, and both platforms have four devices.

Both must end well, print the same, and give arrays of the same names, shapes and dtypes. Integers, text and truth are
equal; other values are as near as TOLERANCES says.
"""

import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness  # noqa: E402

import numpy as np  # noqa: E402

import platforms  # noqa: E402

SCRIPTS = pathlib.Path(__file__).resolve().parents[1] / "scripts"
SECONDS = 120
DEVICES = 4  # for scripts with meshes
# Packages that not every environment has, and the scripts that need them.
NEEDED = {"equinox_training": "equinox", "exported_functions": "flatbuffers", "numpyro_inference": "numpyro",
          "pickled_arrays": "orbax"}

# Relative to the largest magnitude of an array, by the dtype's size of a real part.
TOLERANCE = {2: 2e-3, 4: 2e-5, 8: 1e-13}
# Where rounding is magnified: by script, patterns of arrays and their tolerances; the first that matches counts.
TOLERANCES: dict[str, list[tuple[str, float]]] = {
    # Steps of Adam and of SGD with momentum, each of which starts from what the one before has rounded.
    "diffusion": [("losses", 1e-4), ("samples", 1e-3)],
    "equinox_training": [("outputs|losses", 1e-4)],
    "gpt": [("logits", 1e-4)],
    "linen_training": [("losses|logits|mean", 1e-4)],
    "nnx_training": [(".*", 1e-3)],
    # Newton's method ends within rounding errors times the condition of the Hessian, which is 2,500.
    "double_precision": [("minimum", 1e-11), ("inverse", 1e-11)],
    # A sampler's path is chaotic, so these are means over 200 of its places, whose standard errors are about 2e-3.
    "numpyro_inference": [("sampled_.*", 2e-2), ("svi_.*", 1e-4)],
    # Values of bfloat16, one unit in whose last place is 2^-8 of a value.
    "random_generators": [(".*normal16", 8e-3)],
    # Steps of Adam and of SGD with momentum.
    "data_parallel": [(".*", 1e-3)],
    "fully_sharded": [(".*", 1e-3)],
}


def run(script: pathlib.Path, environment: dict[str, str], output: pathlib.Path) -> subprocess.Popen:
    """On several devices, XLA's compiler tells on its standard error what the script does not print."""
    errors = output.with_suffix(".errors").open("w") if script.parent.name == "meshes" else subprocess.STDOUT
    return subprocess.Popen([sys.executable, script, output], env=environment, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)


def tolerance_of(script: str, name: str, dtype: np.dtype) -> float:
    for pattern, tolerance in TOLERANCES.get(script, []):
        if re.fullmatch(pattern, name):
            return tolerance
    return TOLERANCE[dtype.itemsize // (2 if dtype.kind == "c" else 1)]


def difference(script: str, name: str, actual: np.ndarray, expected: np.ndarray) -> str | None:
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return f"{name} is {actual.dtype}{actual.shape}, not {expected.dtype}{expected.shape}"
    if actual.dtype.kind not in "fc":
        return None if (actual == expected).all() else f"{name} is {actual.tolist()}, not {expected.tolist()}"[:600]
    finite = expected[np.isfinite(expected)]
    scale = float(np.abs(finite).max()) if finite.size else 0.0
    tolerance = tolerance_of(script, name, actual.dtype)
    if np.allclose(actual, expected, rtol=0, atol=tolerance * scale, equal_nan=True):
        return None
    with np.errstate(invalid="ignore"):
        worst = np.nanmax(np.abs(actual - expected), initial=0.0) / (scale or 1.0)
    return f"{name} differs by up to {worst:.2g} of its largest magnitude {scale:.3g}, not {tolerance:g}"


def differences(script: str, actual: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> list[str]:
    if actual.keys() != expected.keys():
        return [f"only one of both has {sorted(actual.keys() ^ expected.keys())}"]
    found = [difference(script, name, actual[name], expected[name]) for name in expected]
    return [one for one in found if one is not None]


def compare(script: pathlib.Path, folder: pathlib.Path, environments: dict[str, dict[str, str]]) -> list[str]:
    """What is wrong with the script; the platforms run side by side."""
    processes = {name: run(script, environment, folder / f"{name}.npz") for name, environment in environments.items()}
    said, wrong = {}, []
    for name, process in processes.items():
        try:
            said[name], _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            said[name], _ = process.communicate()
            wrong.append(f"{name} takes more than {SECONDS} s")
        if process.returncode != 0:
            errors = folder / f"{name}.errors"
            text = said[name] + (errors.read_text() if errors.exists() else "")
            wrong.append(f"{name} ends with {process.returncode}: {text[-3000:]}")
    if wrong:
        return wrong
    if said["acceld"] != said["cpu"]:
        wrong.append(f"acceld prints {said['acceld'][-2000:]!r}, cpu {said['cpu'][-2000:]!r}")
    results = {}
    for name in environments:
        with np.load(folder / f"{name}.npz") as file:
            results[name] = dict(file)
    return wrong + differences(script.stem, results["acceld"], results["cpu"])


def main() -> None:
    binaries, plugin, wanted = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    with_meshes = "--meshes" in wanted
    wanted = [name for name in wanted if name != "--meshes"]
    scripts = sorted((SCRIPTS / "meshes" if with_meshes else SCRIPTS).glob("*.py"))
    if wanted:
        scripts = [script for script in scripts if script.stem in wanted]
    else:
        scripts = harness.rows_for_this_jax(scripts, 4)
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        devices = DEVICES if with_meshes else 1
        daemon = harness.Daemon(binaries, folder, *(["--cpu-devices", str(devices)] if with_meshes else []))
        environments = {"cpu": platforms.cpu_environment(devices),
                        "acceld": platforms.acceld_environment(folder, plugin, f"unix:{folder}/acceld.sock")}
        for script in scripts:
            package = NEEDED.get(script.stem)
            if package and importlib.util.find_spec(package) is None:
                print(f"{script.stem}: skipped: there is no {package} (tests/jax/requirements.txt)", flush=True)
                continue
            start, before = time.monotonic(), daemon.stats()["executions"]
            wrong = compare(script, folder, environments)
            if daemon.stats()["executions"] == before:
                wrong.append("nothing ran on the daemon")
            print(f"{script.stem}: {'failed' if wrong else 'ok'}, {time.monotonic() - start:.1f} s", flush=True)
            for one in wrong:
                print(f"    {one}", flush=True)
            failed += bool(wrong)
        unwell = daemon.stop()
        if unwell is not None:
            sys.exit(unwell)
    print(f"{len(scripts)} scripts, {failed} failed")
    sys.exit(failed != 0 or not scripts)


if __name__ == "__main__":
    main()

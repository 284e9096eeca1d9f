"""Where a suite that is itself a JAX program runs: with a daemon of its own, and as if the package were installed."""

import os
import pathlib
import subprocess
import sys
import tempfile

import platforms

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
_MARK = "ACCELD_TEST_INSIDE"


def enter(jax_platforms: str = "acceld", seconds: float | None = 300) -> None:
    """Returns only there. Elsewhere, it starts a daemon, runs the suite there for at most so many seconds, and exits.

    A suite calls it before it imports JAX. Its command line is `SUITE BIN PLUGIN [ARGUMENT ...]`, where BIN has acceld
    and accelctl, and PLUGIN is the shared object; sys.argv has lost these two when the call returns.
    """
    if _MARK in os.environ:
        del sys.argv[1:3]
        return
    import harness  # Only here, as it imports packages that the suites do without.

    binaries, plugin = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        daemon = harness.Daemon(pathlib.Path(binaries), folder)
        environment = platforms.acceld_environment(folder, plugin, f"unix:{folder}/acceld.sock")
        environment |= {_MARK: "1", "JAX_PLATFORMS": jax_platforms,
                        "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}"}
        status = subprocess.run([sys.executable, *sys.argv], env=environment, timeout=seconds).returncode
        wrong = daemon.stop()
    if wrong is not None:
        print(wrong)
    sys.exit(status or wrong is not None)

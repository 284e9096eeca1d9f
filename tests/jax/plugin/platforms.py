"""Environments in which an unmodified JAX program runs on a platform: JAX's own cpu, or acceld through the plugin."""

import os
import pathlib

PACKAGE = pathlib.Path(__file__).resolve().parents[3] / "client/python"
# Of whoever runs the tests; they would change where or how programs run.
_FOREIGN = ("ACCELD_ADDRESS", "ACCELD_DEVICE", "JAX_COMPILATION_CACHE_DIR", "JAX_ENABLE_X64", "JAX_PLATFORMS",
            "PJRT_NAMES_AND_LIBRARY_PATHS", "PYTHONPATH", "XLA_FLAGS")


def cpu_environment(devices: int = 1) -> dict[str, str]:
    """For JAX's own CPU platform with so many devices."""
    flags = {"XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}"} if devices > 1 else {}
    return {**_own(), **flags, "JAX_PLATFORMS": "cpu"}


def acceld_environment(folder: pathlib.Path, plugin: str, address: str) -> dict[str, str]:
    """For the daemon at `address`, through the shared object `plugin`, as if the wheel were installed; `folder` gets
    what stands for the wheel's entry point."""
    package = folder / "path/jax_plugins/acceld"
    package.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").write_text("from acceld.jax_plugin import initialize\n")
    return {**_own(), "JAX_PLATFORMS": "acceld", "ACCELD_ADDRESS": address, "ACCELD_PJRT_PLUGIN": str(plugin),
            "PYTHONPATH": f"{folder / 'path'}{os.pathsep}{PACKAGE}"}


def _own() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1"}

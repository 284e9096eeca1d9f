"""What JAX imports and initializes when it looks for plugins (the entry point `jax_plugins`)."""

from __future__ import annotations

import os
import pathlib

from acceld import jax_private

PLATFORM = "acceld"

# JAX takes the platform with the highest number unless it is told otherwise; CUDA's is 200.
PRIORITY = 400

# Primitives that JAX has no rule for on a platform that it does not know, or none as good: the CPU's rules call LAPACK,
# and the daemon computes those calls on every device.
CPU_LOWERINGS = frozenset({
    "eig", "eigh", "geqp3", "geqrf", "hessenberg", "householder_product", "ormqr", "schur", "svd", "tridiagonal",
})


def library_path() -> pathlib.Path:
    """The plugin's shared object: $ACCELD_PJRT_PLUGIN, or the one in this package."""
    given = os.environ.get("ACCELD_PJRT_PLUGIN")
    path = pathlib.Path(given) if given else pathlib.Path(__file__).parent / "lib" / "acceld_pjrt.so"
    if not path.is_file():
        raise FileNotFoundError(f"acceld's plugin is not at {path}"
                                + ("" if given else "; set ACCELD_PJRT_PLUGIN to where it is"))
    return path


def initialize() -> None:
    """Registers the platform `acceld`. JAX connects to the daemon when it first needs a device."""
    jax_private.register_plugin(PLATFORM, str(library_path()), PRIORITY)
    jax_private.allow_donation(PLATFORM)
    jax_private.lower_as_on_cpu(PLATFORM, CPU_LOWERINGS)

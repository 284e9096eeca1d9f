"""What JAX imports and initializes when it looks for plugins (the entry point `jax_plugins`)."""

from __future__ import annotations

import functools

from acceld import callbacks, jax_meshes, jax_private, library, native

PLATFORM = "acceld"

# JAX takes the platform with the highest number unless it is told otherwise; CUDA's is 200.
PRIORITY = 400

# Primitives that JAX has no rule for on a platform that it does not know, or none as good. The CPU's rules call LAPACK,
# and the daemon computes those calls on every device; or Python, as jax_private.call_back says.
CPU_LOWERINGS = frozenset({
    "check", "debug_callback", "debug_print", "eig", "eigh", "geqp3", "geqrf", "hessenberg", "householder_product", "lu",
    "ormqr", "schur", "spsolve", "svd", "tridiagonal", "tridiagonal_solve",
})

# Primitives whose rule is that of CUDA: JAX has none for other platforms, and it gives plain StableHLO.
CUDA_LOWERINGS = frozenset({"pbroadcast"})


@functools.cache  # JAX calls it for each way in which it finds the package.
def initialize() -> None:
    """Registers the platform `acceld`. JAX connects to the daemon when it first needs a device."""
    jax_private.register_plugin(PLATFORM, str(library.path()), PRIORITY)
    jax_private.allow_donation(PLATFORM)
    jax_private.analyze_lowered(PLATFORM)
    jax_private.lower_as_on(PLATFORM, "cpu", CPU_LOWERINGS)
    jax_private.lower_as_on(PLATFORM, "cuda", CUDA_LOWERINGS)
    jax_private.know_parameter_layouts(PLATFORM)
    jax_private.wait_before_fetching(PLATFORM, native.fetch_ahead())
    callbacks.initialize()
    jax_private.call_back(PLATFORM, callbacks.register)
    jax_meshes.put_in_another_order(PLATFORM)
    jax_meshes.inspect_shardings(PLATFORM)

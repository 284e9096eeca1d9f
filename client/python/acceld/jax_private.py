"""Everything of JAX that acceld uses and that JAX does not promise to keep.

Each name is looked up in one of the functions below, so that a version of JAX without it is an error that says so, and
not an AttributeError somewhere. tests/jax/ runs with each version in SUPPORTED.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import jax

SUPPORTED = ("0.10.2", "0.12.0.1")


def _private(module: str, name: str) -> Any:
    """An attribute of a module under jax._src."""
    try:
        return getattr(importlib.import_module(f"jax._src.{module}"), name)
    except (ImportError, AttributeError) as error:
        raise RuntimeError(
            f"acceld needs jax._src.{module}.{name}, which JAX {jax.__version__} has not; "
            f"acceld is tested with JAX {' and '.join(SUPPORTED)}"
        ) from error


def register_plugin(name: str, library: str, priority: int) -> None:
    """Makes the shared object known to JAX as a platform."""
    # JAX warns of each use of a platform that is not in this set.
    _private("xla_bridge", "_nonexperimental_plugins").add(name)
    _private("xla_bridge", "register_plugin")(name, priority=priority, library_path=library)


def allow_donation(platform: str) -> None:
    """Lets jax.jit's donate_argnums reach programs for this platform."""
    platforms = _private("interpreters.mlir", "_platforms_with_donation")
    if platform not in platforms:
        platforms.append(platform)


def lower_as_on_cpu(platform: str, primitives: frozenset[str]) -> None:
    """Uses the CPU's lowering of these primitives, by name, for the platform, also of modules imported later."""
    rules = _private("interpreters.mlir", "_platform_specific_lowerings")
    register = _private("interpreters.mlir", "register_lowering")
    for primitive, entry in list(rules["cpu"].items()):
        if primitive.name in primitives:
            rules[platform][primitive] = entry

    def register_lowering(prim: Any, rule: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        register(prim, rule, *args, **kwargs)
        entry = rules["cpu"].get(prim)
        if entry is not None and prim.name in primitives:
            rules[platform][prim] = entry

    importlib.import_module("jax._src.interpreters.mlir").register_lowering = register_lowering

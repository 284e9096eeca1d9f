"""Programs before they run: whether they would have to be compiled, and compiling them."""

from __future__ import annotations

import pathlib
import tempfile
from typing import Any

from acceld import daemon


def _serialized_program(executable: bytes) -> bytes:
    """The program that the plugin has serialized (client/serialized_program.h), without what JAX puts around it."""
    magic, size_bytes, digest_bytes = b"acceld program 1\n", 8, 32
    begin = executable.index(magic)
    size_at = begin + len(magic)
    size = int.from_bytes(executable[size_at:size_at + size_bytes], "little")
    return executable[begin:size_at + size_bytes + digest_bytes + size]


def explain(jitted: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """Where the daemon would find the executable of `jitted(*args, **kwargs)`, or why it would have to compile.

    Nothing is compiled, unless the program is for several devices: JAX asks at once how its results are distributed, so
    that it is compiled first. `jitted` is what jax.jit gives; arguments may be jax.ShapeDtypeStructs. The answer is that
    of `accelctl cache explain`: "tier" is "memory", "disk", "remote" or empty, and "components" says what the cache's
    key is made of, beside that of the most similar entry.
    """
    later = jitted.lower(*args, **kwargs).compile(compiler_options={"acceld_compile": "later"})
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program"
        program.write_bytes(_serialized_program(later.runtime_executable().serialize()))
        would_compile = 3
        return daemon.ask("cache", "explain", str(program), "--json", answers=(0, would_compile))


def warm(jitted: Any, *args: Any, **kwargs: Any) -> None:
    """Compiles `jitted` for these arguments and waits for it, so that the first call is quick, for everybody who uses
    the daemon. Arguments may be jax.ShapeDtypeStructs. Raises a JaxRuntimeError when it cannot be compiled."""
    jitted.lower(*args, **kwargs).compile(compiler_options={"acceld_compile": "wait"})

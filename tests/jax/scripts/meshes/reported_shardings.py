"""What JAX is told of programs over several devices: shardings that its user gave are unchanged, others are filled in;
compiled and serialized executables; and pictures of shardings."""

import contextlib
import io
import re
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import serialize_executable
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

MESH = Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("x", "y"))
SPECS = (P("x", "y"), P(("y", "x")), P(None, "x"), P(None, ("y", "x")), P("y"), P())
VALUES = np.arange(64, dtype=np.float32).reshape(8, 8)


def given_shardings():
    for given in SPECS:
        for wanted in SPECS:
            program = jax.jit(lambda x: x * 2 + 1, in_shardings=NamedSharding(MESH, given),
                              out_shardings=NamedSharding(MESH, wanted))
            compiled = program.lower(jax.ShapeDtypeStruct((8, 8), np.float32)).compile()
            (argument,), _ = compiled.input_shardings
            assert argument.is_equivalent_to(NamedSharding(MESH, given), 2), (argument, given)
            result = program(jax.device_put(VALUES, NamedSharding(MESH, given)))
            assert result.sharding.spec == wanted, (result.sharding, wanted)
            np.testing.assert_array_equal(result, VALUES * 2 + 1)


def found_shardings():
    """Of elementwise ops, whose results can only be where their operands are."""
    for spec in SPECS:
        x = jax.device_put(VALUES, NamedSharding(MESH, spec))
        for result in (jnp.sin(x), jax.jit(lambda x: (x + 1) * x)(x)):
            assert result.sharding.is_equivalent_to(x.sharding, 2), (result.sharding, spec)
        transposed = jax.jit(lambda x: x.T)(x)
        np.testing.assert_array_equal(transposed, VALUES.T)
        # The sharding of a result is good enough for that of an argument.
        again = jax.jit(lambda x: x + 1, out_shardings=transposed.sharding)(transposed)
        assert again.sharding.is_equivalent_to(transposed.sharding, 2)


def executables():
    x = jax.device_put(VALUES, NamedSharding(MESH, P("y", "x")))
    compiled = jax.jit(lambda x, y: (jnp.tanh(x) @ y, y.sum())).lower(x, x).compile()
    product, total = compiled(x, x)
    payload, in_tree, out_tree = serialize_executable.serialize(compiled)
    loaded = serialize_executable.deserialize_and_load(payload, in_tree, out_tree,
                                                       execution_devices=list(MESH.devices.flat))
    for result, expected in zip(loaded(x, x), (product, total)):
        np.testing.assert_array_equal(result, expected)
        assert result.sharding.is_equivalent_to(expected.sharding, result.ndim)
    assert compiled.cost_analysis()["flops"] > 0
    assert compiled.memory_analysis().argument_size_in_bytes == 2 * VALUES.nbytes // 4
    assert compiled.as_text()
    mirrored = Mesh(MESH.devices[::-1, ::-1], ("x", "y"))  # the same program on the same devices in another order
    there = jax.jit(jnp.tanh)(jax.device_put(VALUES, NamedSharding(mirrored, P("x", "y"))))
    assert there.sharding.mesh == mirrored
    return product, total, there


def pictures():
    """Which devices' numbers stand in pictures of shardings, line by line."""
    seen = []
    for spec in (P("x", "y"), P(("y", "x")), P(None, "x"), P()):
        x = jax.device_put(VALUES, NamedSharding(MESH, spec))
        with contextlib.redirect_stdout(io.StringIO()) as picture:
            jax.debug.visualize_array_sharding(x, use_color=False)
        seen.append([re.findall(r"[\d,]+", line) for line in picture.getvalue().splitlines() if re.search(r"\d", line)])
    return seen


def inspected():
    """The shardings of values inside of jit, which do not depend on choices of the compiler."""
    seen = []

    @jax.jit
    def program(x):
        jax.debug.inspect_array_sharding(x * 2, callback=lambda sharding: seen.append(("twice", sharding.spec)))
        y = jax.lax.with_sharding_constraint(jnp.sin(x), NamedSharding(MESH, P("y", None)))
        jax.debug.inspect_array_sharding(y, callback=lambda sharding: seen.append(("moved", sharding.spec)))
        return x + y

    x = jax.device_put(VALUES, NamedSharding(MESH, P("x", "y")))
    np.testing.assert_allclose(program(x), VALUES + np.sin(VALUES), rtol=1e-6)
    return seen


def main():
    given_shardings()
    found_shardings()
    product, total, there = executables()
    print(pictures())
    print(inspected())
    np.savez(sys.argv[1], product=product, total=total, there=there)


if __name__ == "__main__":
    main()

"""Donated arguments of programs over several devices: all of their shards are gone, what is kept is untouched, and
results are right whether or not they fit into what was donated."""

import functools
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def main():
    mesh = Mesh(np.array(jax.devices()[:4]), ("i",))
    rows, columns, copies = (NamedSharding(mesh, spec) for spec in (P("i"), P(None, "i"), P()))
    values = np.arange(64, dtype=np.float32).reshape(8, 8)

    def put(sharding):
        return jax.device_put(values, sharding) + 0

    results = {}
    same = jax.jit(lambda x, y: x * 2 + y, donate_argnums=0)
    x, y = put(rows), put(rows)
    shards = [shard.data for shard in x.addressable_shards]
    results["same"] = same(x, y)
    assert x.is_deleted() and not y.is_deleted()
    assert all(shard.is_deleted() for shard in shards) or not any(shard.is_deleted() for shard in shards)
    try:
        np.asarray(x)
        raise AssertionError("the donated array could be read")
    except RuntimeError:
        pass
    x = put(rows)
    results["moved"] = jax.jit(lambda x: x + 1, donate_argnums=0, out_shardings=columns)(x)
    assert x.is_deleted()
    x = put(copies)
    results["copies"] = jax.jit(lambda x: x - x.sum(), donate_argnums=0)(x)
    assert x.is_deleted()
    mapped = jax.jit(jax.shard_map(lambda x: jax.lax.ppermute(x, "i", [(j, (j + 1) % 4) for j in range(4)]), mesh=mesh,
                                   in_specs=P("i"), out_specs=P("i")), donate_argnums=0)
    x = put(rows)
    for _ in range(5):
        before, x = x, mapped(x)
        assert before.is_deleted()
    results["turned"] = x
    np.testing.assert_array_equal(x, np.roll(values, 2, axis=0))

    @functools.partial(jax.jit, donate_argnames="state")
    def accumulate(state, x):
        return {"total": state["total"] + x, "count": state["count"] + 1}, state["total"].mean()

    state = {"total": put(rows) * 0, "count": jax.device_put(jnp.int32(0), copies)}
    means = []
    for _ in range(30):  # each needs the one before
        state, mean = accumulate(state, y)
        means.append(mean)
    results |= {"total": state["total"], "count": state["count"], "means": jnp.stack(means), "kept": y}
    np.testing.assert_allclose(state["total"], values * 30)
    read = put(rows)
    later = read * 3  # reads what the next call consumes
    results["after"] = same(read, y)
    np.testing.assert_array_equal(later, values * 3)
    np.savez(sys.argv[1], **results)


if __name__ == "__main__":
    main()

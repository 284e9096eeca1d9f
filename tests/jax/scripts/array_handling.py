"""Puts arrays on the device, waits for them, copies them, deletes them, and asks them all they know."""

import sys

import jax
import jax.numpy as jnp
import numpy as np


def raised(function):
    try:
        function()
    except Exception as error:
        return type(error).__name__
    return "nothing"


def main():
    device = jax.devices()[0]
    host = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    x = jax.device_put(host, device)
    results = {"put": x, "strided": jax.device_put(host[:, ::-1, ::2]), "transposed": jax.device_put(host.T),
               "broadcast": jax.device_put(np.broadcast_to(np.float32(2), (3, 3))), "scalar": jax.device_put(3),
               "fortran": jax.device_put(np.asfortranarray(host)), "empty": jax.device_put(np.zeros((0, 2)))}
    y = jax.jit(lambda a: a * 2)(x)
    y.block_until_ready()
    y.copy_to_host_async()
    results |= {"ready": y.is_ready(), "doubled": np.array(y), "again": np.asarray(y), "item": y[0, 1, 2].item(),
                "list": y[0, 0].tolist(), "iterated": [float(v) for v in y[0, 0]], "bytes": y.nbytes,
                "devices": len(y.devices()), "committed": x.committed, "on_host": y.sharding.memory_kind is not None,
                "int": int(jnp.int32(7)), "bool": bool(jnp.any(y > 50)), "index": list(range(5))[jnp.int32(2)],
                "format": f"{jnp.float32(1.5):.3f}", "repr": repr(jnp.arange(3)), "contains": 4.0 in jnp.arange(5.0)}
    same = jax.device_put(y, device)
    y.delete()
    results |= {"deleted": y.is_deleted(), "read": raised(lambda: np.asarray(y)), "used": raised(lambda: y + 1),
                "waited": raised(y.block_until_ready), "same": raised(lambda: np.asarray(same))}
    tree = jax.device_put({"a": host, "b": [host[0], 4]}, device)
    jax.block_until_ready(tree)
    fetched = jax.device_get(tree)
    view = np.asarray(x)
    results |= {"tree": fetched["a"], "tree_scalar": fetched["b"][1], "writeable": view.flags.writeable,
                "writing": raised(lambda: view.__setitem__(0, 1)), "copy": np.array(x),
                "updated": x.at[0, 1].set(9).at[1].add(1).at[2].mul(2), "large": jnp.arange(3_000_000) % 1000,
                "moved": jax.device_put(x, jax.local_devices()[0]) is not None,
                "may_alias": jax.device_put(x, may_alias=True), "from_list": jnp.array([[1, 2], [3, 4]])}
    np.savez(sys.argv[1], **results)


if __name__ == "__main__":
    main()

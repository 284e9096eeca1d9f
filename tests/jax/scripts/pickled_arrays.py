"""Pickles and copies arrays, keys and trees, writes them with NumPy, and keeps them with Orbax."""

import copy
import io
import pathlib
import pickle
import sys
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint


def main():
    tree = {"f32": jnp.linspace(0, 1, 7), "bf16": jnp.arange(5, dtype=jnp.bfloat16),
            "i8": jnp.arange(-3, 3, dtype=jnp.int8), "bool": jnp.array([True, False]), "scalar": jnp.float32(2.5),
            "complex": jnp.array([1 + 2j]),
            "empty": jnp.zeros((0, 3)), "matrix": jax.random.normal(jax.random.key(0), (64, 33))}
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        back = pickle.loads(pickle.dumps(tree, protocol))
    copies = {**copy.deepcopy(tree), "shallow": copy.copy(tree["matrix"]), "own": tree["matrix"].copy()}
    file = io.BytesIO()
    np.save(file, tree["matrix"])
    file.seek(0)
    with tempfile.TemporaryDirectory() as folder, orbax.checkpoint.StandardCheckpointer() as checkpointer:
        path = pathlib.Path(folder) / "checkpoint"
        checkpointer.save(path, tree | {"empty": jnp.ones(1)})
        checkpointer.wait_until_finished()
        kept = checkpointer.restore(path, jax.tree.map(jnp.zeros_like, tree | {"empty": jnp.ones(1)}))

    def plain(prefix, tree):
        return {f"{prefix}_{name}": np.asarray(value.astype(jnp.float32) if value.dtype == jnp.bfloat16 else value)
                for name, value in tree.items()}

    np.savez(sys.argv[1], **plain("pickled", back), **plain("copied", copies), **plain("kept", kept),
             loaded=jnp.asarray(np.load(file)), dtypes=[str(value.dtype) for value in back.values()],
             used=jax.jit(lambda x: (x @ x.T).sum())(back["matrix"]))


if __name__ == "__main__":
    main()

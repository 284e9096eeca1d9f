"""Computes with sparse matrices: BCOO and BCSR, batched, differentiated, and solves sparse systems."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import sparse


def main():
    generator = np.random.default_rng(0)
    dense = jnp.asarray((generator.normal(size=(12, 9)) * (generator.random((12, 9)) < 0.3)).astype(np.float32))
    other = jnp.asarray(generator.normal(size=(9, 5)).astype(np.float32))
    matrix = sparse.BCOO.fromdense(dense)
    rows = sparse.BCSR.from_bcoo(matrix.sort_indices())
    results = {
        "product": jax.jit(lambda m, x: m @ x)(matrix, other),
        "vector": matrix @ other[:, 0],
        "from_left": other.T @ matrix.T,
        "rows_product": jax.jit(lambda m, x: m @ x)(rows, other),
        "rows_dense": rows.todense(),
        "indptr": rows.indptr,
        "sparse_sparse": (matrix.T @ matrix).todense(),
        "sum": (matrix + 2 * matrix).sum_duplicates(nse=matrix.nse).todense(),
        "reduced": sparse.bcoo_reduce_sum(matrix, axes=(0,)).todense(),
        "elementwise": sparse.bcoo_multiply_dense(matrix, jnp.ones((12, 9)) * 3),
        "slice": matrix[2:7].todense(),
        "transposed": sparse.bcoo_transpose(matrix, permutation=(1, 0)).todense(),
    }
    batch = sparse.BCOO.fromdense(jnp.stack([dense, -dense, dense + 1]), n_batch=1)
    results["batched"] = jax.vmap(lambda m: m @ other)(batch)
    results["gradient"] = jax.grad(lambda data: (sparse.BCOO((data, matrix.indices), shape=(12, 9)) @ other).sum())(
        matrix.data)
    sparsified = sparse.sparsify(lambda m, x: jnp.tanh(m @ x).sum() + m.sum())
    results["sparsified"] = sparsified(matrix, other)
    laplacian = jnp.diag(jnp.full(20, 2.1)) - jnp.diag(jnp.ones(19), 1) - jnp.diag(jnp.ones(19), -1)
    solution, _ = jax.scipy.sparse.linalg.cg(sparse.BCOO.fromdense(laplacian).__matmul__, jnp.ones(20), maxiter=60)
    results["conjugate_gradient"] = solution
    results["eigenvalues"], _, _ = sparse.linalg.lobpcg_standard(
        laplacian, jnp.asarray(generator.normal(size=(20, 2)).astype(np.float32)), m=50)
    rows = sparse.BCSR.fromdense(laplacian)
    results["direct"] = jax.jit(lambda b: sparse.linalg.spsolve(rows.data, rows.indices, rows.indptr, b))(jnp.ones(20))
    np.savez(sys.argv[1], **results)


if __name__ == "__main__":
    main()

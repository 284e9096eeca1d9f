"""What is ordered by value is exact; what is computed of it is not."""

import jax.numpy as jnp
from jax import lax

from row import Numbers, Row

n = Numbers(7)

ROWS = [
    Row("sort 200x500", jnp.sort, (n.normal(200, 500),), most_ulp=0),
    Row("sort along columns", lambda x: jnp.sort(x, axis=0), (n.normal(3000, 20),), most_ulp=0),
    Row("top 20 of 5000", lambda x: lax.top_k(x, 20)[0], (n.normal(16, 5000),), most_ulp=0),
    Row("median", lambda x: jnp.median(x, axis=1), (n.normal(50, 1001),), most_ulp=0.5),
    Row("quantiles", lambda x: jnp.quantile(x, jnp.linspace(0, 1, 9, dtype=x.dtype), axis=1), (n.normal(60, 1000),)),
    Row("percentile 10 by columns", lambda x: jnp.percentile(x, 10, axis=0), (n.normal(700, 64),)),
    Row("maxima", lambda x: (x.max(0), x.min(1)), (n.normal(300, 400),), most_ulp=0),
    Row("cumulative maxima", lambda x: lax.cummax(x, axis=1), (n.normal(30, 400),), most_ulp=0),
    Row("interpolation", jnp.interp, (n.uniform(3000, high=10), jnp.linspace(0, 10, 101), n.normal(101))),
]

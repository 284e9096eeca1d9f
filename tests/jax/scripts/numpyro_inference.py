"""Infers the coefficients of a regression with NumPyro: by variational inference, and by the no-U-turn sampler."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS, SVI, Predictive, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal


def model(x, y=None):
    weights = numpyro.sample("weights", dist.Normal(0, 2).expand([x.shape[1]]).to_event(1))
    noise = numpyro.sample("noise", dist.HalfNormal(1.0))
    numpyro.sample("y", dist.Normal(x @ weights, noise), obs=y)


def main():
    key = jax.random.key(0)
    x = jax.random.normal(key, (100, 3))
    y = x @ jnp.array([1.0, -2.0, 0.5]) + 0.3 * jax.random.normal(jax.random.fold_in(key, 1), (100,))

    guide = AutoNormal(model)
    svi = SVI(model, guide, numpyro.optim.Adam(0.05), Trace_ELBO())
    fitted = svi.run(jax.random.fold_in(key, 2), 50, x, y, progress_bar=False)

    mcmc = MCMC(NUTS(model), num_warmup=150, num_samples=200, progress_bar=False)
    mcmc.run(jax.random.fold_in(key, 3), x, y)
    samples = mcmc.get_samples()
    predicted = Predictive(model, samples)(jax.random.fold_in(key, 4), x[:4])["y"]
    np.savez(sys.argv[1], svi_losses=fitted.losses, svi_location=fitted.params["weights_auto_loc"],
             sampled_weights=samples["weights"].mean(0), sampled_noise=samples["noise"].mean(),
             sampled_predictions=predicted.mean(0), shape=predicted.shape)


if __name__ == "__main__":
    main()

"""Integrates differential equations, and differentiates through the integration, forwards and by the adjoint."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.ode import odeint


def pendulum(y, t, damping):
    angle, velocity = y
    return jnp.stack([velocity, -damping * velocity - jnp.sin(angle)])


def lotka_volterra(y, t, rates):
    prey, predators = y["prey"], y["predators"]
    return {"prey": rates[0] * prey - rates[1] * prey * predators,
            "predators": rates[2] * prey * predators - rates[3] * predators}


def main():
    times = jnp.linspace(0.0, 5.0, 30)
    start = jnp.array([1.0, 0.0])
    path = odeint(pendulum, start, times, 0.2)
    gradient = jax.jit(jax.grad(lambda damping: (odeint(pendulum, start, times, damping) ** 2).sum()))(0.2)
    starts = jnp.stack([jnp.linspace(0.1, 2.0, 6), jnp.zeros(6)], axis=1)
    paths = jax.jit(jax.vmap(lambda y: odeint(pendulum, y, times, 0.1, rtol=1e-6)))(starts)
    rates = jnp.array([1.1, 0.4, 0.1, 0.4])
    first = {"prey": 10.0, "predators": 5.0}
    populations = odeint(lotka_volterra, first, times, rates)
    fitted = jax.grad(lambda r: odeint(lotka_volterra, first, times, r)["prey"].mean())(rates)
    np.savez(sys.argv[1], path=path, gradient=gradient, paths=paths, prey=populations["prey"],
             predators=populations["predators"], fitted=fitted)


if __name__ == "__main__":
    main()

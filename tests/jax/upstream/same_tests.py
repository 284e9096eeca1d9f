"""A pytest plugin that makes JAX's tests the same on both platforms.

The CPU platform is left with as many devices as it was given where tests ask for eight, as acceld has as many. And tests
are told that they run on a CPU, as many are skipped on a platform that they do not know: what runs there is to run on
acceld.
"""

import jax
from jax._src import test_util


def pytest_configure() -> None:
    test_util.request_cpu_devices = lambda _: None
    jax.config.update("jax_test_dut", "cpu")

"""A pytest plugin that leaves the CPU platform with one device, where JAX's tests ask for eight: acceld runs a program
on one device, and both platforms are to run the same tests."""

from jax._src import test_util


def pytest_configure() -> None:
    test_util.request_cpu_devices = lambda _: None

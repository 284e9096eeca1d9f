"""What a workload is: a function of JAX and the operands that it is measured on."""

import dataclasses
from typing import Any, Callable


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    function: Callable
    operands: tuple  # trees whose leaves are operands.Operand
    # Largest error of a result that counts as equal, to the largest magnitude in that result; integers must be equal.
    tolerance: float = 2e-5
    calls: int = 1  # more: y = f(y), waited for at the end
    # Bytes that must be moved; none: each operand and result once.
    moved_bytes: int | None = None
    device: str | None = None  # the only kind of device that it is meant for
    slow: bool = False  # left out by --quick

    def abstract_operands(self):
        """The operands as JAX knows them without values."""
        import jax

        return jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), self.operands)


def training_step(loss: Callable[..., Any], update: Callable[..., Any]):
    """A function of a state, whose first part are the parameters, and data: gives the loss and the next state."""
    import jax

    def step(state, *data):
        value, gradient = jax.value_and_grad(loss)(state[0], *data)
        return value, update(state, gradient)

    return step

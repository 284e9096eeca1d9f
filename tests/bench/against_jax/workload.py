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
    wide: bool = False  # numbers of 64 bits stay what they are: jax_enable_x64
    # For several devices: the axes of a mesh with their sizes, and a tuple of axis names, as of a PartitionSpec, for
    # each leaf of the operands and of the results.
    mesh: dict | None = None
    specs: tuple = ()
    result_specs: Any = None

    def abstract_operands(self):
        """The operands as JAX knows them without values."""
        import jax

        return jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), self.operands)

    def set_widths(self):
        """Lets JAX take numbers of 64 bits as they are, or halve them, which is its default."""
        import jax

        jax.config.update("jax_enable_x64", self.wide)


def training_step(loss: Callable[..., Any], update: Callable[..., Any]):
    """A function of a state, whose first part are the parameters, and data: gives the loss and the next state."""
    import jax

    def step(state, *data):
        value, gradient = jax.value_and_grad(loss)(state[0], *data)
        return value, update(state, gradient)

    return step


def is_spec(tree):
    """Whether a tree of specs ends here: a tuple of names of axes, and of None where a dimension is not divided."""
    return isinstance(tree, tuple) and all(isinstance(one, str | None) for one in tree)

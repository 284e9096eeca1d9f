"""Operands as recipes: every machine makes the same values of them, so that they need not be stored.

Integer hashes and exact conversions make the values: they hang on no library's random generator.
"""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Operand:
    """An array: its shape, its dtype (NumPy's name of it, or "bfloat16"), and how its values are made."""

    kind: str
    shape: tuple
    dtype: str = "float32"
    seed: int = 0
    low: float = -1.0
    high: float = 1.0

    @property
    def size_bytes(self):
        return int(np.prod(self.shape)) * (2 if self.dtype == "bfloat16" else np.dtype(self.dtype).itemsize)

    def value(self):
        """The array. NumPy has no bfloat16: its numbers are two bytes of dtype V2, as in .npy files."""
        made = _MAKERS[self.kind](self)
        return to_bfloat16(made) if self.dtype == "bfloat16" else made.astype(self.dtype, copy=False)

    def to_json(self):
        return dataclasses.asdict(self)

    @staticmethod
    def from_json(json):
        return Operand(**{**json, "shape": tuple(json["shape"])})


def uniform(*shape, seed=0, low=-1.0, high=1.0, dtype="float32"):
    return Operand("uniform", shape, dtype, seed, low, high)


def integers(*shape, below, seed=0):
    """Whole numbers from 0 to below - 1."""
    return Operand("integers", shape, "int32", seed, 0, below)


def filled(*shape, value, dtype="float32"):
    return Operand("filled", shape, dtype, 0, value, value)


def positive_definite(n, seed=0):
    """A symmetric matrix whose condition number is about ten."""
    return Operand("positive_definite", (n, n), "float32", seed)


def orthogonal(n, seed=0):
    """A symmetric matrix whose powers neither grow nor shrink: it reflects."""
    return Operand("orthogonal", (n, n), "float32", seed)


def bits(*shape, dtype, seed=0):
    """Integers all of whose bits vary."""
    return Operand("bits", shape, dtype, seed)


def random_key(seed=0):
    """A key of JAX's threefry generator, as its two words."""
    return Operand("random_key", (2,), "uint32", seed)


def to_bfloat16(array):
    """The nearest numbers with eight bits of precision, ties to even."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    rounded = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    return (rounded >> np.uint32(16)).astype(np.uint16).view("V2")


def from_bfloat16(array):
    return (array.view(np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)


def _hash(operand):
    """Uniform 24-bit integers of seed and index."""
    x = np.arange(int(np.prod(operand.shape)), dtype=np.uint32)
    x += np.uint32((operand.seed * 0x9E3779B9 + 0x7F4A7C15) & 0xFFFFFFFF)
    x ^= x >> np.uint32(16)
    x *= np.uint32(0x7FEB352D)
    x ^= x >> np.uint32(15)
    x *= np.uint32(0x846CA68B)
    x ^= x >> np.uint32(16)
    return (x >> np.uint32(8)).reshape(operand.shape)


def _uniform(operand):
    x = _hash(operand).astype(np.float32)
    x *= np.float32((operand.high - operand.low) * 2.0**-24)
    x += np.float32(operand.low)
    return x


def _integers(operand):
    return (_hash(operand).astype(np.uint64) * np.uint64(operand.high)) >> np.uint64(24)


def _filled(operand):
    return np.full(operand.shape, operand.low, np.float64)


def _positive_definite(operand):
    x = _uniform(operand)
    return x + x.T + np.float32(2 * np.sqrt(operand.shape[0])) * np.eye(operand.shape[0], dtype=np.float32)


def _orthogonal(operand):
    x = _uniform(dataclasses.replace(operand, shape=operand.shape[:1])).astype(np.float64)
    return np.eye(operand.shape[0]) - 2 * np.outer(x, x) / np.dot(x, x)


def _bits(operand):
    """Each 8 bytes are made of three hashes."""
    parts = [_hash(dataclasses.replace(operand, seed=3 * operand.seed + i)).astype(np.uint64) for i in range(3)]
    return parts[0] << np.uint64(40) | parts[1] << np.uint64(16) | parts[2] >> np.uint64(8)


def _random_key(operand):
    return np.array([0, operand.seed])


_MAKERS = {
    "uniform": _uniform,
    "integers": _integers,
    "filled": _filled,
    "positive_definite": _positive_definite,
    "orthogonal": _orthogonal,
    "bits": _bits,
    "random_key": _random_key,
}

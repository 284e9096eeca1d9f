"""A workload without JAX: a StableHLO program as bytecode, its operands, what it must give, and the work in it.

Folders of them (vs_jax.py --export) hold manifest.json, NAME.mlirbc, and NAME.npz with values of each result at some
places: a machine without JAX can measure and verify acceld with that.
"""

import dataclasses
import json

import numpy as np

from .operands import Operand, from_bfloat16

SAMPLES = 256


@dataclasses.dataclass
class Expected:
    """A result: all of its values, or those at places that follow from its size."""

    shape: tuple
    dtype: str  # of the .npy file
    scale: float  # the largest finite magnitude in it
    values: np.ndarray
    sampled: bool = False

    @staticmethod
    def of(array):
        numbers = np.abs(as_numbers(array))
        scale = float(np.max(numbers, where=np.isfinite(numbers), initial=0.0))
        return Expected(array.shape, array.dtype.str, scale, array)

    def sample(self):
        values = self.values.reshape(-1)[sample_places(self.values.size)]
        return dataclasses.replace(self, values=values, sampled=True)


@dataclasses.dataclass
class Program:
    name: str
    module: bytes
    operands: list[Operand]
    tolerance: float
    calls: int
    moved_bytes: int
    flops: int
    flops_dtype: str
    device: str | None
    slow: bool
    expected: list[Expected] | None = None  # none: JAX is here to say it


def as_numbers(array):
    """Bits of bfloat16 as numbers; others as they are."""
    return from_bfloat16(array) if array.dtype.str == "|V2" else array


def sample_places(size):
    return np.linspace(0, size - 1, min(size, SAMPLES)).round().astype(np.int64)


def write_programs(folder, programs, version):
    """Expected results must be samples."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for program in programs:
        entry = {name: value for name, value in vars(program).items() if name not in ("module", "operands", "expected")}
        entry["operands"] = [operand.to_json() for operand in program.operands]
        entry["results"] = [{"shape": one.shape, "dtype": one.dtype, "scale": one.scale} for one in program.expected]
        entries.append(entry)
        (folder / f"{program.name}.mlirbc").write_bytes(program.module)
        # NumPy's own names of dtypes only: bits for the others.
        np.savez(folder / f"{program.name}.npz",
                 *(np.frombuffer(one.values.tobytes(), np.uint8) for one in program.expected))
    (folder / "manifest.json").write_text(json.dumps({"jax": version, "programs": entries}, indent=1) + "\n")


def read_programs(folder):
    programs = []
    for entry in json.loads((folder / "manifest.json").read_text())["programs"]:
        name, results = entry["name"], entry.pop("results")
        entry["operands"] = [Operand.from_json(operand) for operand in entry["operands"]]
        with np.load(folder / f"{name}.npz") as samples:
            entry["expected"] = [
                Expected(tuple(one["shape"]), one["dtype"], one["scale"], samples[f"arr_{i}"].view(one["dtype"]), True)
                for i, one in enumerate(results)]
        programs.append(Program(module=(folder / f"{name}.mlirbc").read_bytes(), **entry))
    return programs

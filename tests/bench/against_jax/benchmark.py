"""One workload on both sides: loaded, verified, timed."""

from .acceld_side import Failed
from .measure import Times, take_turns
from .outcome import Outcome
from .verify import worst_error

# Of products of float32 on a GPU, where operands are rounded to 11 bits unless JAX is told otherwise.
ROUNDED_TOLERANCE = 5e-3


class Benchmark:
    """Of a kind of device ("cpu", "cuda"); jax_side is None where there is no JAX. Each workload is compiled `compiles`
    times; more than once needs a daemon of its own."""

    def __init__(self, kind, jax_side, acceld, floor, repeats, seconds, rounded_products, compiles):
        self.kind, self.jax, self.acceld, self.floor = kind, jax_side, acceld, floor
        self.repeats, self.seconds, self.rounded_products = repeats, seconds, rounded_products
        self.compiles = compiles

    def measure(self, program, workload):
        """The Outcome of a program; `workload` is the same thing for JAX, where JAX is."""
        rounded = self.rounded_products and program.flops
        tolerance = max(program.tolerance, ROUNDED_TOLERANCE) if rounded else program.tolerance
        outcome = Outcome(program.name, tolerance, self.floor.seconds(program), program.moved_bytes, program.flops)
        # Operands and results of both sides, and what lies between.
        needed = 3 * program.moved_bytes // program.calls
        if program.device not in (None, self.kind):
            outcome.failure, outcome.skipped = f"skipped: it is for {program.device}", True
            return outcome
        if needed > self.acceld.welcome["memory_bytes"]:
            outcome.failure, outcome.skipped = f"skipped: it needs {needed / 2**30:.1f} GiB of memory", True
            return outcome
        try:
            self._measure(program, workload, outcome)
        except Failed as failed:
            outcome.failure = f"acceld: {failed}"
            self.acceld.recover()
        except Exception as failed:  # JAX raises what it likes.
            if self.jax is None:
                raise
            outcome.failure = f"JAX: {type(failed).__name__}: {str(failed)[:300]}"
        finally:
            if self.jax is not None:
                self.jax.unload()
        return outcome

    def compile(self, program):
        """By acceld, unless it has it."""
        self.acceld.load(program.module, [operand.value() for operand in program.operands], program.calls)
        self.acceld.unload()

    def measure_disk(self, program, outcome):
        """Adds the time to get what was compiled before from disk."""
        loaded = self.acceld.load(program.module, [operand.value() for operand in program.operands], program.calls)
        if loaded["verdict"] == "disk":
            outcome.acceld_disk_ns = loaded["compile_ns"]
        self.acceld.unload()

    def measure_first(self, program, outcome):
        """Adds acceld's first result, from memory or disk, whichever it is."""
        values = [operand.value() for operand in program.operands]
        first = self.acceld.first(program.module, values)
        if first["verdict"] == "memory":
            outcome.first.acceld_memory.append(first["first_ns"])
        elif first["verdict"] == "disk":
            outcome.first.acceld_disk.append(first["first_ns"])
        self.acceld.unload()

    def measure_jax_first(self, program, outcome, folder):
        """Adds JAX's first result, with its cache in `folder`."""
        jax = self.jax.first(program.name, folder)
        outcome.first.jax.append(jax["first_ns"])
        outcome.first.jax_lowered.append(jax["lowered_ns"])

    def _measure(self, program, workload, outcome):
        values = [operand.value() for operand in program.operands]
        sides = [self.acceld]
        if self.jax is not None:
            sides.insert(0, self.jax)
        for turn in range(self.compiles):
            if self.jax is not None:
                both, alone = self.jax.load(workload, values)
                outcome.jax_compiles.append(both)
                outcome.jax_compiles_alone.append(alone)
            if turn > 0:
                self.acceld.forget()
            loaded = self.acceld.load(program.module, values, program.calls)
            if loaded["verdict"] == "miss":
                outcome.acceld_compiles.append(loaded["compile_ns"])
        del values
        for side in sides:
            side.run(repeats=2)
        self.acceld.device_ns.clear()
        times = take_turns(sides, self.repeats, self.seconds)
        outcome.jax, outcome.acceld = times.get("jax"), times["acceld"]
        outcome.acceld_device = Times.of(self.acceld.device_ns)

        expected = program.expected if self.jax is None else self.jax.expected()
        outcome.error = worst_error(self.acceld.results(), expected)
        if outcome.error > outcome.tolerance:
            outcome.failure = f"WRONG VALUES: they differ by {outcome.error:.2g}, not {outcome.tolerance:g} at most"
        self.acceld.unload()

"""What came of one workload, and of all of them."""

import dataclasses
import math

from .measure import Times


# From this ratio on a workload is named in the summary.
NEAR = 0.85


@dataclasses.dataclass
class FirstResults:
    """When new processes have their first results, in nanoseconds from the start of their calls, of a program that
    another process compiled before."""

    jax: list[int] = dataclasses.field(default_factory=list)  # from JAX's persistent cache
    jax_lowered: list[int] = dataclasses.field(default_factory=list)  # the part of it after tracing and lowering
    acceld_memory: list[int] = dataclasses.field(default_factory=list)  # by the daemon that compiled it
    acceld_disk: list[int] = dataclasses.field(default_factory=list)  # by one that was started since

    def median(self, name):
        """Of one of the lists; none: not measured."""
        return median(getattr(self, name))

    def sooner(self, where):
        """How many times sooner than JAX's acceld's is, from "memory" or "disk"."""
        jax, acceld = self.median("jax"), self.median(f"acceld_{where}")
        return jax / acceld if jax and acceld else None

    def to_json(self):
        return {name: Times.of(samples).to_json() for name, samples in vars(self).items() if samples}


@dataclasses.dataclass
class Outcome:
    name: str
    tolerance: float
    floor_s: float = 0.0
    moved_bytes: int = 0
    flops: int = 0
    jax: Times | None = None
    acceld: Times | None = None
    acceld_device: Times | None = None  # the last call of each repeat, as the daemon timed it on the device
    jax_compiles: list[int] = dataclasses.field(default_factory=list)  # cold ones with lowering, in nanoseconds
    jax_compiles_alone: list[int] = dataclasses.field(default_factory=list)  # the part of them after lowering
    acceld_compiles: list[int] = dataclasses.field(default_factory=list)
    acceld_disk_ns: int | None = None  # compiled before, by a daemon that has ended
    first: FirstResults = dataclasses.field(default_factory=FirstResults)
    error: float | None = None  # to the largest magnitude
    failure: str | None = None  # why there are no times, or why they do not count
    skipped: bool = False  # the failure is nobody's fault

    @property
    def ratio(self):
        """Below 1, acceld is the quicker one; none where that makes no sense."""
        if self.failure or self.jax is None or self.acceld is None:
            return None
        return self.acceld.median / self.jax.median

    @property
    def jax_compile_ns(self):
        return median(self.jax_compiles)

    @property
    def acceld_compile_ns(self):
        return median(self.acceld_compiles)

    @property
    def compile_ratio(self):
        """Cold, as `ratio`."""
        return self.acceld_compile_ns / self.jax_compile_ns if self.acceld_compile_ns and self.jax_compile_ns else None

    @property
    def compile_ratio_alone(self):
        """To JAX's compiling without tracing and lowering."""
        alone = median(self.jax_compiles_alone)
        return self.acceld_compile_ns / alone if self.acceld_compile_ns and alone else None

    @property
    def soonest(self):
        """How many times sooner than JAX's a first result of acceld's could be at most: if it were nothing but the
        run."""
        jax = self.first.median("jax")
        if not jax or self.acceld_device is None or self.acceld_device.median <= 0:
            return None
        return jax / self.acceld_device.median

    @property
    def floor_share(self):
        """Of acceld's time, what is the floor: 1 is as good as it gets."""
        return None if self.acceld is None else self.floor_s * 1e9 / self.acceld.median

    def to_json(self):
        json = {name: value.to_json() if isinstance(value, Times) else value for name, value in vars(self).items()}
        return {**json, "first": self.first.to_json(), "ratio": self.ratio, "jax_compile_ns": self.jax_compile_ns,
                "acceld_compile_ns": self.acceld_compile_ns, "compile_ratio": self.compile_ratio,
                "compile_ratio_alone": self.compile_ratio_alone,
                "floor_share": self.floor_share}


def median(samples):
    """None of none."""
    return Times.of(samples).median if samples else None


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def summary(outcomes):
    """Lines for people."""
    measured = [outcome for outcome in outcomes if outcome.ratio is not None]
    ratios = [outcome.ratio for outcome in measured]
    failed = [outcome for outcome in outcomes if outcome.failure and not outcome.skipped]
    lines = []
    if ratios:
        slower = sum(ratio > 1 for ratio in ratios)
        lines.append(f"geometric mean of acceld's time to JAX's: {geometric_mean(ratios):.2f} over {len(ratios)} "
                     f"workloads; acceld is slower in {slower}")
    near = sorted((outcome for outcome in measured if outcome.ratio > NEAR), key=lambda outcome: -outcome.ratio)
    if near:
        lines.append(f"above {NEAR:g} (in brackets, the floor to JAX's time): " +
                     ", ".join(f"{one.name} {one.ratio:.2f} ({one.floor_s * 1e9 / one.jax.median:.2f})" for one in near))
    compared = sum(outcome.error is not None and not outcome.failure for outcome in outcomes)
    lines.append(f"{compared} of {len(outcomes)} workloads have been verified, {len(failed)} failed, "
                 f"{sum(outcome.skipped for outcome in outcomes)} skipped")
    lines += [f"FAILED {outcome.name}: {outcome.failure}" for outcome in failed]
    return lines


def compile_summary(outcomes):
    """The same of compile times."""
    compiled = [outcome for outcome in outcomes if outcome.compile_ratio is not None]
    if not compiled:
        return []
    ratios = [outcome.compile_ratio for outcome in compiled]
    alone = [outcome.compile_ratio_alone for outcome in compiled]
    return [f"geometric mean of acceld's compile time to JAX's lowering and compiling: {geometric_mean(ratios):.2f}, "
            f"at most {max(ratios):.2f}; to its compiling alone: {geometric_mean(alone):.2f}, at most {max(alone):.2f}",
            f"acceld compiles in at most half of JAX's time for compiling alone in "
            f"{sum(ratio <= 0.5 for ratio in alone)} of {len(alone)}"]


def first_summary(outcomes):
    """The same of first results."""
    lines = []
    for where in ("memory", "disk"):
        found = [(outcome.first.sooner(where), outcome.soonest) for outcome in outcomes]
        found = [(times, soonest) for times, soonest in found if times is not None]
        if found:
            out_of_reach = sum(times < 10 and soonest is not None and soonest < 10 for times, soonest in found)
            lines.append(f"from {where} acceld's first result is at least ten times sooner than JAX's in "
                         f"{sum(times >= 10 for times, _ in found)} of {len(found)}; geometric mean: "
                         f"{geometric_mean([times for times, _ in found]):.1f} times; of the others, {out_of_reach} "
                         "take more than a tenth of JAX's time for the run alone")
    return lines

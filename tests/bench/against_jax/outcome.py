"""What came of one workload, and of all of them."""

import dataclasses
import math

from .measure import Times


@dataclasses.dataclass
class FirstResults:
    """When a new process has its first result, in nanoseconds from the start of its call, of a program that another
    process compiled before; none: not measured."""

    jax: int | None = None  # from JAX's persistent cache
    jax_lowered: int | None = None  # the part of it after tracing and lowering
    acceld_memory: int | None = None  # by the daemon that compiled it
    acceld_disk: int | None = None  # by one that was started since

    def sooner(self, acceld):
        """How many times sooner acceld's `acceld` is than JAX's."""
        return self.jax / acceld if self.jax and acceld else None


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
    jax_compile_ns: int | None = None
    acceld_compile_ns: int | None = None
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
    def compile_ratio(self):
        """Cold, as `ratio`."""
        return self.acceld_compile_ns / self.jax_compile_ns if self.acceld_compile_ns and self.jax_compile_ns else None

    @property
    def soonest(self):
        """How many times sooner than JAX's a first result of acceld's could be at most: if it were nothing but the
        run."""
        if not self.first.jax or self.acceld_device is None or self.acceld_device.median <= 0:
            return None
        return self.first.jax / self.acceld_device.median

    @property
    def floor_share(self):
        """Of acceld's time, what is the floor: 1 is as good as it gets."""
        return None if self.acceld is None else self.floor_s * 1e9 / self.acceld.median

    def to_json(self):
        json = {name: value.to_json() if isinstance(value, Times) else value for name, value in vars(self).items()}
        return {**json, "first": vars(self.first), "ratio": self.ratio, "compile_ratio": self.compile_ratio,
                "floor_share": self.floor_share}


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def summary(outcomes):
    """Lines for people."""
    ratios = [outcome.ratio for outcome in outcomes if outcome.ratio is not None]
    failed = [outcome for outcome in outcomes if outcome.failure and not outcome.skipped]
    lines = []
    if ratios:
        slower = sum(ratio > 1 for ratio in ratios)
        lines.append(f"geometric mean of acceld's time to JAX's: {geometric_mean(ratios):.2f} over {len(ratios)} "
                     f"workloads; acceld is slower in {slower}")
    compared = sum(outcome.error is not None and not outcome.failure for outcome in outcomes)
    lines.append(f"{compared} of {len(outcomes)} workloads have been verified, {len(failed)} failed, "
                 f"{sum(outcome.skipped for outcome in outcomes)} skipped")
    lines += [f"FAILED {outcome.name}: {outcome.failure}" for outcome in failed]
    return lines


def compile_summary(outcomes):
    """The same of compile times."""
    ratios = [outcome.compile_ratio for outcome in outcomes if outcome.compile_ratio is not None]
    if not ratios:
        return []
    return [f"acceld compiles in at most half of JAX's time in {sum(ratio <= 0.5 for ratio in ratios)} of {len(ratios)}"]


def first_summary(outcomes):
    """The same of first results."""
    lines = []
    for where in ("memory", "disk"):
        found = [(outcome.first.sooner(getattr(outcome.first, f"acceld_{where}")), outcome.soonest)
                 for outcome in outcomes]
        found = [(times, soonest) for times, soonest in found if times is not None]
        if found:
            out_of_reach = sum(times < 10 and soonest is not None and soonest < 10 for times, soonest in found)
            lines.append(f"from {where} acceld's first result is at least ten times sooner than JAX's in "
                         f"{sum(times >= 10 for times, _ in found)} of {len(found)}; geometric mean: "
                         f"{geometric_mean([times for times, _ in found]):.1f} times; of the others, {out_of_reach} "
                         "take more than a tenth of JAX's time for the run alone")
    return lines

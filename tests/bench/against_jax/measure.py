"""Repeats of two sides that take turns, and what they come to."""

import dataclasses
import gc
import time

import numpy as np

MIN_REPEATS = 3
# Threads of the side before may still look for work for a while.
SETTLE_SECONDS = 0.003
# What takes less is repeated before it is timed, so many times in all: it would meet threads asleep, and caches full of
# what the other side wrote, which would have to go to memory first.
BRIEF_NS, BRIEF_REPEATS = 20_000_000, 5
# And what takes next to nothing so many times, the same number on both sides: it takes a while until threads that answer
# one another run on cores of their own. A call on several devices has more of them and takes a few hundred microseconds.
TINY_NS, TINY_REPEATS = 1_000_000, 100


@dataclasses.dataclass
class Times:
    """Of several repeats, in nanoseconds."""

    median: float
    quartiles: tuple[float, float]
    repeats: int

    @staticmethod
    def of(samples):
        low, median, high = np.percentile(samples, (25, 50, 75))
        return Times(float(median), (float(low), float(high)), len(samples))

    def to_json(self):
        return {"median_ns": self.median, "quartiles_ns": self.quartiles, "repeats": self.repeats}


def repeats_for(expected_ns):
    """In one turn, of what took so long before; 0 if that is not known."""
    if 0 < expected_ns < TINY_NS:
        return TINY_REPEATS
    return BRIEF_REPEATS if expected_ns < BRIEF_NS else 1


def take_turns(sides, repeats, seconds):
    """Times of each side, by name: first, second, first, ... until there are so many repeats of each, or the seconds
    are over and there are a few."""
    samples = {side.name: [] for side in sides}
    end = time.monotonic() + seconds
    gc.collect()
    gc.disable()
    try:
        for done in range(repeats):
            if done >= MIN_REPEATS and time.monotonic() > end:
                break
            for side in sides:
                time.sleep(SETTLE_SECONDS)
                taken = samples[side.name]
                taken.append(side.run(repeats=repeats_for(taken[-1] if taken else 0)))
    finally:
        gc.enable()
    return {name: Times.of(ones) for name, ones in samples.items()}

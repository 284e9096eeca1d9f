"""The list of attacks, and how one is declared.

An attack is a function that gets a Lab (lab.py), does to the daemon what an unprivileged client can do, and returns an
Outcome: what was tried, and what the daemon answered. It calls `expect` for what must hold; the runner checks
afterwards that the daemon lives, computes, and holds no more than before.
"""

import collections
import dataclasses

ATTACKS = []


class Failed(Exception):
    """What an attack has found."""


class Skipped(Exception):
    """Why an attack cannot be tried here."""


@dataclasses.dataclass
class Outcome:
    tried: str
    answered: str


@dataclasses.dataclass
class Attack:
    name: str
    cve_class: str
    before: str  # What the daemon of revision 7c1951c did.
    function: object
    flags: tuple  # of the daemon
    quick: bool  # It takes a few seconds.
    open_files: int  # which the daemon may have; 0: as many as this process


def attack(cve_class, before, flags=(), quick=True, open_files=0):
    """Adds a function to ATTACKS, under its own name."""
    def add(function):
        ATTACKS.append(Attack(function.__name__, cve_class, before, function, tuple(flags), quick, open_files))
        return function
    return add


def expect(holds, what):
    if not holds:
        raise Failed(what)


class Answers(collections.Counter):
    """How often the daemon gave which answer, for people: "INVALID_ARGUMENT 12, OK 3"."""

    def __str__(self):
        return ", ".join(f"{answer} {count}" for answer, count in sorted(self.items())) or "nothing"

"""Runs files of JAX's own test suite on two platforms and compares them, test by test.

    run.py --checkout DIR --python PYTHON --output DIR [FILE ...]

For each file of CHECKOUT/tests it runs pytest on `cpu` and on `acceld`, keeps the results in OUTPUT (one XML file per
test file and platform, so that a run that was broken off goes on where it ended), and prints a table. A test counts for
acceld when it passes on cpu. What is expected to fail stands in expected.txt with its reason: a test that fails or is
skipped without standing there is an error, and so is one that stands there and passes.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import time
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
PLATFORMS = ("cpu", "acceld")
# Files whose tests are about other hardware or more than one process.
LEFT_OUT = re.compile(r"^(mosaic/|pallas/.*(gpu|tpu|mosaic|triton)|multiprocess|.*multihost|documentation_coverage)")
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkout", type=pathlib.Path, required=True, help="a checkout of JAX; its tests/ is run")
    parser.add_argument("--python", required=True, help="a Python with JAX, pytest, pytest-xdist and pytest-timeout")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="where the results are kept")
    parser.add_argument("--expected", type=pathlib.Path, default=HERE / "expected.txt")
    parser.add_argument("--jobs", type=int, default=2, help="test files that run at the same time (2)")
    parser.add_argument("--devices", type=int, default=1, help="how many devices the daemon has, and cpu is given (1)")
    parser.add_argument("--timeout", type=int, default=300, help="seconds that one test may take (300)")
    parser.add_argument("--again", action="store_true", help="runs on acceld also what has results already")
    parser.add_argument("--select", help="only tests that match, as pytest's -k has it")
    parser.add_argument("--markdown", type=pathlib.Path, help="writes the table to this file, too")
    parser.add_argument("files", nargs="*", help="names under tests/, such as lax_test.py; all, if none is given")
    return parser.parse_args()


def test_files(arguments: argparse.Namespace) -> list[str]:
    if arguments.files:
        return arguments.files
    tests = arguments.checkout / "tests"
    names = [str(path.relative_to(tests)) for path in sorted(tests.glob("**/*_test.py"))]
    return [name for name in names if not LEFT_OUT.match(name)]


def environment(platform: str, home: pathlib.Path, devices: int) -> dict[str, str]:
    environ = dict(os.environ)
    # Beside acceld, too: some tests copy from one platform to the other.
    if devices > 1:
        environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={devices}"
    environ.update(
        JAX_PLATFORMS="acceld,cpu" if platform == "acceld" else "cpu",
        JAX_NUM_GENERATED_CASES=environ.get("JAX_NUM_GENERATED_CASES", "1"),
        JAX_SKIP_SLOW_TESTS="1", JAX_ENABLE_COMPILATION_CACHE="false",
        PYTHONPATH=os.pathsep.join([str(HERE), *filter(None, [environ.get("PYTHONPATH")])]),
        PYTHONWARNINGS="ignore", PYTHONDONTWRITEBYTECODE="1", HOME=str(home))
    return environ


def results_of(arguments: argparse.Namespace, name: str, platform: str) -> pathlib.Path:
    return arguments.output / platform / (name.replace("/", "__") + ".xml")


def run_file(arguments: argparse.Namespace, name: str, platform: str) -> None:
    """Runs one file on one platform, unless it has results."""
    results = results_of(arguments, name, platform)
    if results.exists() and not (arguments.again and platform == "acceld"):
        return
    results.parent.mkdir(parents=True, exist_ok=True)
    part = results.with_suffix(".part")
    command = [arguments.python, "-m", "pytest", "-q", "-s", "-n", "1", "--max-worker-restart=50", "--tb=short",
               "--import-mode=importlib", "-W", "ignore", "-p", "no:cacheprovider", "-p", "same_tests", "--color=no",
               f"--timeout={arguments.timeout}", f"--junitxml={part}", "-o", "junit_family=xunit1",
               str(arguments.checkout / "tests" / name)]
    if arguments.select:
        command += ["-k", arguments.select]
    with open(results.with_suffix(".log"), "w") as log:
        subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, cwd=arguments.checkout,
                       env=environment(platform, arguments.output, arguments.devices), check=False)
    if part.exists():
        part.rename(results)


@dataclasses.dataclass
class Outcome:
    state: str
    message: str = ""


def outcomes(results: pathlib.Path) -> dict[str, Outcome]:
    """By the name of the test: "LaxTest::testSin0"."""
    found: dict[str, Outcome] = {}
    if not results.exists():
        return found
    for case in xml.etree.ElementTree.parse(results).iter("testcase"):
        name = f"{case.get('classname', '').split('.')[-1]}::{case.get('name')}"
        outcome = Outcome(PASSED)
        for child in case:
            if child.tag == "skipped":
                outcome = Outcome(SKIPPED, child.get("message", ""))
            elif child.tag in ("failure", "error"):
                outcome = Outcome(FAILED, child.get("message", "") or (child.text or "")[:200])
        if name not in found or found[name].state != FAILED:
            found[name] = outcome
    return found


@dataclasses.dataclass
class Expected:
    """Lines of expected.txt: `FILE TEST REASON`, in which TEST is a regular expression for a whole name. After a `~` it
    depends on the machine's load or on the version of JAX, so that a pass is as good."""

    rules: list[tuple[str, re.Pattern[str], str]]
    sometimes: list[tuple[str, re.Pattern[str], str]]

    @staticmethod
    def read(path: pathlib.Path) -> Expected:
        found = Expected([], [])
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            parts = line.split(maxsplit=2)
            if len(parts) != 3:
                sys.exit(f"{path}:{number}: expected FILE TEST REASON, found '{line}'")
            rules = found.sometimes if parts[1].startswith("~") else found.rules
            rules.append((parts[0], re.compile(parts[1].removeprefix("~")), parts[2]))
        return found

    def reason(self, name: str, test: str, passes: bool) -> str | None:
        for rule_file, pattern, reason in self.rules if passes else [*self.rules, *self.sometimes]:
            if rule_file in (name, "*") and pattern.fullmatch(test):
                return reason
        return None


@dataclasses.dataclass
class Row:
    name: str
    cpu_passed: int = 0
    cpu_failed: int = 0
    cpu_skipped: int = 0
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    expected: int = 0


def compare(name: str, cpu: dict[str, Outcome], acceld: dict[str, Outcome], expected: Expected,
            errors: list[str]) -> Row:
    row = Row(name)
    for test, outcome in cpu.items():
        row.cpu_passed += outcome.state == PASSED
        row.cpu_failed += outcome.state == FAILED
        row.cpu_skipped += outcome.state == SKIPPED
        if outcome.state != PASSED:
            continue
        ours = acceld.get(test, Outcome(FAILED, "it did not run"))
        row.passed += ours.state == PASSED
        row.failed += ours.state == FAILED
        row.skipped += ours.state == SKIPPED
        reason = expected.reason(name, test, ours.state == PASSED)
        row.expected += reason is not None
        if ours.state == PASSED and reason is not None:
            errors.append(f"{name} {test} passes, but is expected to fail: {reason}")
        if ours.state != PASSED and reason is None:
            errors.append(f"{name} {test} {ours.state}: {' '.join(ours.message.split())[:300]}")
    return row


def table(rows: list[Row]) -> str:
    lines = ["| file | cpu: passed | failed | skipped | acceld, of what passes on cpu: passed | failed | skipped | expected |",
             "|---|---|---|---|---|---|---|---|"]
    total = Row("all")
    for row in rows:
        for field in dataclasses.fields(Row)[1:]:
            setattr(total, field.name, getattr(total, field.name) + getattr(row, field.name))
    for row in [*rows, total]:
        lines.append(f"| {row.name} | {row.cpu_passed} | {row.cpu_failed} | {row.cpu_skipped} | {row.passed} | "
                     f"{row.failed} | {row.skipped} | {row.expected} |")
    if total.cpu_passed:
        lines.append("")
        lines.append(f"{total.passed} of {total.cpu_passed} pass: {100 * total.passed / total.cpu_passed:.2f} %")
    return "\n".join(lines)


def main() -> None:
    arguments = parse()
    arguments.checkout = arguments.checkout.resolve()
    arguments.output = arguments.output.resolve()
    expected = Expected.read(arguments.expected)
    names = test_files(arguments)
    start = time.monotonic()

    def run_both(name: str) -> str:
        for platform in PLATFORMS:
            run_file(arguments, name, platform)
        return name

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for count, name in enumerate(pool.map(run_both, names), 1):
            print(f"[{count}/{len(names)}, {time.monotonic() - start:.0f} s] {name}", flush=True)
    errors: list[str] = []
    rows = [compare(name, *(outcomes(results_of(arguments, name, platform)) for platform in PLATFORMS), expected, errors)
            for name in names]
    text = table(rows)
    print(text)
    if arguments.markdown:
        arguments.markdown.write_text(text + "\n")
    for error in errors:
        print(f"ERROR {error}")
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()

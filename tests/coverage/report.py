#!/usr/bin/env python3
"""Prints which share of lines and branches tests have run, for each folder of code and for all of it.

    python3 tests/coverage/report.py BUILD_FOLDER [--jobs N]

BUILD_FOLDER was configured with the preset `coverage`; tests/coverage.sh builds it and runs tests. Only code that is
built there counts, run or not. A line or a branch in a header counts once, and as run if it was in one source that
includes the header; so does one in a template. Branches that exceptions take are left out.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("client", "common", "kernels", "server")
# Objects for one call of gcov, whose answer has all headers of each.
OBJECTS_AT_ONCE = 8


class Coverage:
    """What has run of each file, by its path relative to `root`."""

    def __init__(self, root):
        self.root = root
        self.lines = collections.defaultdict(dict)  # {file: {line: whether it has run}}
        self.branches = collections.defaultdict(dict)  # {file: {(line, index): whether it was taken}}

    def add(self, result):
        """Adds one answer of gcov, as read from its JSON."""
        for file in result["files"]:
            path = pathlib.Path(result["current_working_directory"], file["file"])
            if not any(path.is_relative_to(self.root / folder) for folder in FOLDERS):
                continue
            name = path.relative_to(self.root)
            lines, branches = self.lines[name], self.branches[name]
            for line in file["lines"]:
                number = line["line_number"]
                lines[number] = lines.get(number, False) or line["count"] > 0
                for index, branch in enumerate(line["branches"]):
                    if not branch["throw"]:
                        key = (number, index)
                        branches[key] = branches.get(key, False) or branch["count"] > 0

    def rows(self):
        """(folder, lines that have run, lines, branches taken, branches) of each folder, and last of all together."""
        folders = sorted({name.parent for name in self.lines})
        for folder in [*folders, None]:
            files = [name for name in self.lines if folder in (name.parent, None)]
            run = [ran for name in files for ran in self.lines[name].values()]
            taken = [ran for name in files for ran in self.branches[name].values()]
            yield str(folder or "all"), sum(run), len(run), sum(taken), len(taken)


def gcov(objects):
    run = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", *objects], check=True,
                         capture_output=True, text=True)
    return [json.loads(line) for line in run.stdout.split("\n") if line]


def read(build, root, jobs):
    """The coverage of what was built in a folder. Raises CalledProcessError if gcov refuses an object."""
    coverage = Coverage(root)
    objects = sorted(map(str, build.rglob("*.gcno")))
    batches = [objects[i:i + OBJECTS_AT_ONCE] for i in range(0, len(objects), OBJECTS_AT_ONCE)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for results in pool.map(gcov, batches):
            for result in results:
                coverage.add(result)
    return coverage


def share(part, whole):
    return f"{100 * part / whole:5.1f} % of {whole:6}" if whole else "     none       "


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    coverage = read(arguments.build.resolve(), ROOT, arguments.jobs)
    if not coverage.lines:
        sys.exit(f"{arguments.build}: nothing was built with the preset coverage here")
    print(f"{'folder':44}{'lines':>16}{'branches':>18}")
    for folder, run, lines, taken, branches in coverage.rows():
        print(f"{folder:44}{share(run, lines)}  {share(taken, branches)}")


if __name__ == "__main__":
    main()

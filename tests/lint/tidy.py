#!/usr/bin/env python3
"""Runs clang-tidy, with the checks of .clang-tidy, over the C++ sources that have changed.

    python3 tests/lint/tidy.py BUILD_FOLDER [--since REVISION | FILE_OR_FOLDER ...]

BUILD_FOLDER has the compile_commands.json of a configured and built preset (generated headers are read). Changed is
what differs from REVISION, new files included: by default from where the branch left origin/main, or from 20 commits
ago where there is no origin/main. A header is checked through the source beside it, or through a source that includes
it. A folder stands for all sources in it.

Prints what is found. Exits with 1 if there is something, 77 without clang-tidy.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import clang_sources
from clang_sources import ROOT


def git(*arguments):
    """What git prints, or nothing if it refuses."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True).stdout.split("\n")[:-1]


def changed_files(since):
    revision = since or next(iter(git("merge-base", "HEAD", "origin/main") or git("rev-parse", "HEAD~20")), None)
    if revision is None or not git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"):
        sys.exit(f"there is no revision {since or 'origin/main, nor one 20 commits ago'} to compare with")
    names = git("diff", "--name-only", "--diff-filter=d", revision) + git("ls-files", "--others", "--exclude-standard")
    return [ROOT / name for name in names]


def sources_of(file, entries):
    """Through which sources a file or a folder is checked; none for what is not compiled."""
    if file.is_dir():
        return [source for source in entries if source.is_relative_to(file)]
    if file in entries:
        return [file]
    if file.suffix != ".h":
        return []
    if file.with_suffix(".cc") in entries:
        return [file.with_suffix(".cc")]
    include = f'#include "{file.relative_to(ROOT)}"'
    return [source for source in sorted(entries) if include in source.read_text()][:1]


def check(tidy, commands, source):
    run = subprocess.run([tidy, "--quiet", "-p", commands, source], cwd=ROOT, capture_output=True, text=True)
    # What it says about itself, such as how many warnings are hidden, is in the other stream.
    return run.stdout + (run.stderr if run.returncode and not run.stdout else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--since")
    parser.add_argument("--clang-tidy", default="clang-tidy-19")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_intermixed_args()
    if arguments.since and arguments.files:
        parser.error("either --since or files")
    if not shutil.which(arguments.clang_tidy):
        print(f"skipped: there is no {arguments.clang_tidy} (deploy/install_packages.sh test)")
        return 77
    entries = clang_sources.read_entries(arguments.build)
    files = [file.resolve() for file in arguments.files] or changed_files(arguments.since)
    sources = {file: sources_of(file, entries) for file in files}
    unknown = [str(file) for file in files if arguments.files and not sources[file]]
    if unknown:
        print(f"nothing in {arguments.build}/compile_commands.json reads {', '.join(unknown)}")
        return 1
    wanted = sorted(set().union(*sources.values()))
    found = 0
    with tempfile.TemporaryDirectory() as commands, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        pathlib.Path(commands, "compile_commands.json").write_text(json.dumps([
            {"directory": entries[source]["directory"], "file": str(source),
             "arguments": clang_sources.clang_command(entries[source], "clang++")}
            for source in wanted]))
        for source, text in zip(wanted, pool.map(lambda source: check(arguments.clang_tidy, commands, source), wanted)):
            if text:
                found += 1
                print(f"== {source.relative_to(ROOT)}\n{text}", flush=True)
    print(f"{len(wanted)} sources, {found} with findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Has Clang check the thread annotations (common/threads/mutex.h), which GCC ignores: that guarded data
is touched with its mutex locked only, that what requires a lock is called with it, and that every lock is
released.

    python3 tests/lint/thread_safety.py BUILD_FOLDER [--clang clang++-19] [--jobs N] [FILE ...]

BUILD_FOLDER has the compile_commands.json of a configured and built preset (generated headers are read).
Without files, all sources are checked that have annotations themselves or in the header beside them, except those that
BUILD_FOLDER has compiled with Clang and its warnings about threads, as the preset tsan does.
Nothing is compiled but headers. Prints what Clang complains about. Exits with 1 if there is something, 77 without
Clang.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import clang_sources
from clang_sources import ROOT

ANNOTATED = re.compile(r"\bABSL_(GUARDED_BY|PT_GUARDED_BY|EXCLUSIVE_LOCKS_REQUIRED|LOCKS_EXCLUDED)\b|\bMutexLock\b")
WARNING = "-Wthread-safety"
CHECKS = ["-fsyntax-only", WARNING, "-Werror=thread-safety"]


def has_annotations(source):
    texts = [source, source.with_suffix(".h")]
    return any(ANNOTATED.search(text.read_text()) for text in texts if text.is_file())


def is_checked_by_build(entry):
    """Whether the build has compiled the entry, and Clang has warned then."""
    arguments = entry["command"].split()
    return WARNING in arguments and pathlib.Path(entry["directory"], arguments[arguments.index("-o") + 1]).exists()


def check(entry, clang, precompiled):
    command = clang_sources.clang_command(entry, clang, precompiled) + CHECKS
    run = subprocess.run(command, cwd=entry["directory"], capture_output=True, text=True)
    return run.returncode, run.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--clang", default="clang++-19")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    if not shutil.which(arguments.clang):
        print(f"skipped: there is no {arguments.clang} (deploy/install_packages.sh test)")
        return 77
    entries = clang_sources.read_entries(arguments.build)
    annotated = [source for source in entries if has_annotations(source)]
    wanted = ([file.resolve() for file in arguments.files] or
              [source for source in annotated if not is_checked_by_build(entries[source])])
    unknown = [file for file in wanted if file not in entries]
    if unknown:
        print(f"not in {arguments.build}/compile_commands.json: {', '.join(map(str, unknown))}")
        return 1
    bad = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        precompiled = clang_sources.precompile([entries[source] for source in wanted], arguments.clang, folder)
        results = pool.map(lambda source: check(entries[source], arguments.clang, precompiled), wanted)
        for source, (code, complaints) in zip(wanted, results):
            if code != 0:
                bad += 1
                print(f"== {source.relative_to(ROOT)}\n{complaints}")
    print(f"{len(wanted)} sources checked of {len(annotated)} with thread annotations, {bad} with findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

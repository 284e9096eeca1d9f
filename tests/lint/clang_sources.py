"""The sources of a build as Clang's tools can read them, though GCC builds them: from compile_commands.json, without
what GCC alone is told. Nothing is compiled; generated headers have to be there, so the preset has to be built."""

import json
import pathlib
import re
import shlex

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What Clang does not know, what matters to generated code only, and warnings, which GCC gives.
DROPPED = re.compile(r"-fpch-preprocess|-W.*|-f(no-)?sanitize.*|-O\d|-g\d?|-c|-MD|-MMD")
# Options whose next argument goes with them.
DROPPED_WITH_VALUE = ("-o", "-MF", "-MT", "-MQ")
COMPILER = re.compile(r"(g\+\+|clang\+\+|c\+\+)[-\d.]*$")


def read_entries(build):
    """The entries of a build folder's compile_commands.json for the sources of the repository, by path. What the build
    has generated is left out."""
    entries = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if source.is_relative_to(ROOT) and not source.is_relative_to(build.resolve()):
            entries.setdefault(source, entry)
    return entries


def clang_command(entry, clang):
    """An entry's command with `clang` as the compiler: without outputs, without warnings, and without precompiled
    headers, which are GCC's."""
    arguments = entry.get("arguments") or shlex.split(entry["command"])
    compiler = next(i for i, argument in enumerate(arguments) if COMPILER.search(argument))
    kept = [clang, "-Wno-everything"]
    rest = iter(arguments[compiler + 1:])
    for argument in rest:
        if argument in DROPPED_WITH_VALUE:
            next(rest)
        elif argument == "-include":
            header = next(rest)
            kept += [] if "cmake_pch" in header else [argument, header]
        elif not DROPPED.fullmatch(argument):
            kept.append(argument)
    return kept

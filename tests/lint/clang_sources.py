"""The sources of a build as Clang's tools can read them, even if GCC builds them: from compile_commands.json, without
what GCC alone is told. Generated headers have to be there, so the preset has to be built."""

import json
import pathlib
import re
import shlex
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What Clang does not know, what matters to generated code only, and warnings, which GCC gives.
DROPPED = re.compile(r"-fpch-preprocess|--param=.*|-W.*|-f(no-)?sanitize.*|-O\d|-g\d?|-c|-MD|-MMD")
# Options whose next argument goes with them.
DROPPED_WITH_VALUE = ("-o", "-MF", "-MT", "-MQ", "-include-pch")
UNITY_INCLUDE = re.compile(r'^#include "(/.*\.cc)"$', re.MULTILINE)
COMPILER = re.compile(r"(g\+\+|clang\+\+|c\+\+)[-\d.]*$")


def read_entries(build):
    """The entries of a build folder's compile_commands.json for the sources of the repository, by path. What the build
    has generated is left out; a file that includes several sources, to compile them at once, stands for each of them."""
    entries = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["directory"], entry["file"])
        included = UNITY_INCLUDE.findall(file.read_text()) if file.parent.name == "Unity" else []
        for source in [pathlib.Path(path) for path in included] or [file.resolve()]:
            if source.is_relative_to(ROOT) and not source.is_relative_to(build.resolve()):
                entries.setdefault(source, entry_of(source, entry))
    return entries


def entry_of(source, entry):
    """The entry of a file, for a source that it includes."""
    if "command" not in entry or not entry["command"].endswith(f" {entry['file']}"):
        return entry
    return {**entry, "file": str(source), "command": entry["command"].removesuffix(entry["file"]) + str(source)}


def clang_command(entry, clang, precompiled=None):
    """An entry's command with `clang` as the compiler: without outputs, without warnings, and with Clang's version of
    the precompiled header, if `precompiled` has it (precompile), instead of GCC's."""
    arguments = entry.get("arguments") or shlex.split(entry["command"])
    compiler = next(i for i, argument in enumerate(arguments) if COMPILER.search(argument))
    kept = [clang, "-Wno-everything"]
    # A build with Clang names its precompiled header behind -Xclang, which these options do not need.
    rest = (argument for argument in arguments[compiler + 1:] if argument != "-Xclang")
    for argument in rest:
        if argument in DROPPED_WITH_VALUE:
            next(rest)
        elif argument == "-include":
            header = next(rest)
            if "cmake_pch" not in header:
                kept += [argument, header]
            elif header in (precompiled or {}):
                kept += ["-include-pch", precompiled[header]]
        elif not DROPPED.fullmatch(argument):
            kept.append(argument)
    return kept


def precompile(entries, clang, folder):
    """Has Clang precompile, into `folder`, the headers that the build precompiles for these entries: most of what Clang
    reads of a source. Returns the files by header; those that Clang does not accept are left out."""
    precompiled = {}
    for entry in entries:
        header = next(iter(re.findall(r"-include (?:-Xclang )?(\S*cmake_pch\S*)", entry.get("command", ""))), None)
        if header is None or header in precompiled:
            continue
        precompiled[header] = str(pathlib.Path(folder, f"{len(precompiled)}.pch"))
        command = [argument for argument in clang_command(entry, clang)
                   if pathlib.Path(entry["directory"], argument) != pathlib.Path(entry["directory"], entry["file"])]
        run = subprocess.run(command + ["-x", "c++-header", header, "-o", precompiled[header]], cwd=entry["directory"],
                             capture_output=True, text=True)
        if run.returncode != 0:
            precompiled[header] = None
    return {header: file for header, file in precompiled.items() if file}

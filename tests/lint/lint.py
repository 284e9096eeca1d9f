#!/usr/bin/env python3
"""Checks what the compiler can't: who may include whom, where third-party headers may appear, sizes
of files and folders, lists that must stay sorted, layout, and that the reference of errors is whole. Prints
`file:line: message` for each finding.

    python3 tests/lint/lint.py [--clang-format clang-format-19]
"""

import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAX_LINES = 600
# In one folder, of code. Folders of cases for tests may have more.
MAX_FILES = 30
CASES = ("tests/fuzz/corpus", "tests/programs", "tests/jax/scripts")
ERRORS = (ROOT / "deploy/ERRORS.md").read_text().split("\n")

# Which of our folders each folder may include, besides itself. Longest prefix wins.
LAYERS = {
    "common/ir": ["common", "acceld/v1"],
    "common/api": ["common", "acceld/v1"],
    "common": [],
    "kernels/ir": ["common"],
    "kernels/lowering": ["common", "kernels/ir"],
    "kernels/cpu": ["common", "kernels/ir"],
    "kernels/cuda": ["common", "kernels/ir", "acceld/v1"],
    "server/hal": ["common", "kernels", "acceld/v1"],
    "server/codegen": ["common", "kernels", "server/hal"],
    "server/compiler": ["common", "kernels", "server/codegen", "server/hal", "acceld/v1"],
    "server/cache": ["common", "kernels", "server/hal", "server/compiler", "server/observability/instruments",
                     "common/threads/fair_schedule.h"],
    "server/runtime": ["common", "kernels", "server/hal", "server/compiler", "server/observability/instruments"],
    # The scheduler knows no device.
    "server/runtime/schedule": ["common", "server/runtime/array.h", "server/runtime/memory/memory_account.h",
                                "server/runtime/task.h"],
    "server/engine": ["common", "kernels", "server/codegen", "server/hal", "server/compiler", "server/cache", "server/runtime",
                      "server/observability/instruments"],
    "server/rpc": ["common", "server/engine", "server/observability/instruments", "acceld/v1"],
    "server/observability/instruments": ["common"],
    "server/observability": ["common", "server/engine"],
    "server": ["common", "server"],
    "client": ["common", "acceld/v1"],
}
OUR_TOP = ("common/", "kernels/", "server/", "client/", "tests/", "acceld/v1/")

# Where each third-party library may be seen (tests may see GoogleTest and what they test with).
FENCES = {
    r"llvm/|llvm-c/": ["kernels/cpu", "tests/unit/kernels"],
    r"dnnl": ["kernels/cpu", "tests/bench"],
    r"omp\.h": ["kernels/cpu", "server/hal/cpu", "tests/bench"],
    r"grpcpp/|grpc/|acceld/v1/acceld\.grpc": ["server/rpc", "server/main.cc", "client/transport", "tests/integration", "tests/unit/client",
                                                "tests/bench/protocol"],
    r"spdlog/": ["common/log/log.cc"],
    r"prometheus/": ["server/observability", "tests/unit/observability"],
    r"openssl/": ["common", "server/cache", "server/engine", "server/rpc/auth"],
    r"CLI/": ["common/cli", "server/config", "client/tools", "client/examples", "tests/unit/common/cli", "tests/integration",
              "tests/bench"],
    r"toml\+\+/": ["server/config"],
    r"nlohmann/": ["server/observability/status_page", "client/tools", "client/examples", "tests"],
    r"cuda\.h|nvrtc\.h": ["kernels/cuda", "server/codegen/cuda", "server/hal/cuda"],
    r"gtest/|gmock/|benchmark/": ["tests"],
}

# Files whose macro rows must be sorted within each run of lines without a blank or comment line between.
SORTED_LISTS = {
    "common/ir/ops.def": re.compile(r"^ACCELD_[A-Z]+_OP\((\w+),"),
    "common/ir/bytecode/vhlo_ops.def": re.compile(r'^ACCELD_VHLO_OP\("([^"]+)",'),
    "server/observability/instruments/refusals.def": re.compile(r"^ACCELD_REFUSAL\((\w+),"),
    "server/observability/metrics.def": re.compile(r'^ACCELD_METRIC\(\w+, \w+, "([^"]+)",'),
    "server/rpc/auth/rpcs.def": re.compile(r"^ACCELD_RPC\((\w+),"),
    "kernels/ir/scalar_ops.def": re.compile(r"^ACCELD_SCALAR_OP\((\w+),"),
}


def sources():
    tracked = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                             capture_output=True, text=True).stdout.split("\n")
    return [pathlib.Path(p) for p in tracked if p and (ROOT / p).is_file()]


def under(path, folders):
    text = path.as_posix()
    return any(text == f or text.startswith(f + "/") for f in folders)


def check_includes(path, lines):
    layer = max((k for k in LAYERS if under(path, [k])), key=len, default=None)
    for number, line in enumerate(lines, 1):
        match = re.match(r'\s*#\s*include\s+[<"]([^>"]+)[>"]', line)
        if not match:
            continue
        header = match.group(1)
        for pattern, allowed in FENCES.items():
            if re.match(pattern, header) and not under(path, allowed):
                yield number, f"{header} may be included only in {', '.join(allowed)}"
        if layer and header.startswith(OUR_TOP):
            if not under(pathlib.Path(header), [layer] + LAYERS[layer]):
                yield number, f"{layer} may not include {header} (allowed: {', '.join(LAYERS[layer]) or 'itself'})"


def check_sorted(path, lines):
    pattern = SORTED_LISTS.get(path.as_posix())
    if not pattern:
        return
    previous = None
    for number, line in enumerate(lines, 1):
        match = pattern.match(line)
        if not match:
            previous = None
            continue
        if previous is not None and match.group(1) < previous:
            yield number, f"{match.group(1)} must stand before {previous}"
        previous = match.group(1)


def check_cmake_sources(path, lines):
    if path.name != "CMakeLists.txt":
        return
    text = "\n".join(lines)
    for match in re.finditer(r"SOURCES\s+((?:[\w./]+\.cc\s*)+)", text):
        names = match.group(1).split()
        if names != sorted(names):
            yield text[: match.start()].count("\n") + 1, "SOURCES must be sorted"


def check_errors(path, lines):
    """The reference of errors knows every code and every reason to refuse a caller."""
    if path.parts[0] not in ("client", "common", "server"):
        return
    for number, line in enumerate(lines, 1):
        for code in re.findall(r"\babsl::(\w+)Error\(", line):
            heading = "### " + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", code).upper()
            if heading not in ERRORS:
                yield number, f"deploy/ERRORS.md has no '{heading}'"
        refusal = re.match(r'ACCELD_REFUSAL\(\w+, "(\w+)"\)', line)
        if refusal and not any(row.startswith(f"| `{refusal.group(1)}` |") for row in ERRORS):
            yield number, f"deploy/ERRORS.md has no row for `{refusal.group(1)}`"


def check_layout(path, lines):
    if len(lines) > MAX_LINES:
        yield len(lines), f"{len(lines)} lines; split it (limit {MAX_LINES})"
    if path.suffix == ".h" and lines and lines[0].strip() != "#pragma once":
        yield 1, "a header begins with #pragma once"
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            yield number, "trailing white space"
        if re.search(r"\b(TODO|FIXME|XXX)\b", line) and path.name != "lint.py":
            yield number, "open ends belong in the issue tracker, not in the code"


def check_format(clang_format, files):
    """One clang-format run over all C++ files."""
    if not files:
        return []
    result = subprocess.run([clang_format, "--dry-run", *map(str, files)], cwd=ROOT, capture_output=True, text=True)
    return [line for line in result.stderr.split("\n") if "warning:" in line]


def check_folders(paths):
    """No folder has so many files that its subject cannot be seen."""
    folders = collections.Counter(path.parent for path in paths if not under(path, CASES))
    return [f"{folder}: {count} files; make folders by concept (limit {MAX_FILES})"
            for folder, count in sorted(folders.items()) if count > MAX_FILES]


def check_built(paths):
    """Every source is named in the CMakeLists.txt of its folder or of one above: what is not built breaks unseen. In a
    name such as ${part}_test.cc a variable stands for any word of that CMakeLists.txt."""
    sources = {path for path in paths if path.suffix == ".cc"}
    for listed in (path for path in paths if path.name == "CMakeLists.txt"):
        text = (ROOT / listed).read_text()
        words = set(re.findall(r"[\w/]+", text))
        for name in re.findall(r"[\w./${}-]+\.cc\b", text):
            sources.discard(listed.parent / name)
            if "${" in name:
                pattern = re.compile(re.sub(r"\\\$\\{\w+\\}", r"([\\w/]+)", re.escape((listed.parent / name).as_posix())))
                matches = {path: pattern.fullmatch(path.as_posix()) for path in sources}
                sources -= {path for path, match in matches.items() if match and words.issuperset(match.groups())}
    return [f"{path}:1: no CMakeLists.txt names it" for path in sorted(sources)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clang-format", default="clang-format-19", help="skipped when it is not installed")
    arguments = parser.parse_args()

    findings = []
    cpp = []
    paths = sources()
    findings += check_folders(paths)
    findings += check_built(paths)
    for path in paths:
        if path.suffix in (".h", ".cc"):
            cpp.append(path)
        if path.suffix not in (".h", ".cc", ".def", ".py", ".sh", ".proto") and path.name != "CMakeLists.txt":
            continue
        lines = (ROOT / path).read_text().split("\n")[:-1]
        for check in (check_includes, check_sorted, check_cmake_sources, check_errors, check_layout):
            findings += [f"{path}:{number}: {message}" for number, message in check(path, lines)]
    if shutil.which(arguments.clang_format):
        findings += check_format(arguments.clang_format, cpp)
    else:
        print(f"{arguments.clang_format} is not installed: layout by .clang-format was not checked")
    for finding in findings:
        print(finding)
    print(f"{len(cpp)} C++ files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())

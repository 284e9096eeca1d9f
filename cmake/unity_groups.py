#!/usr/bin/env python3
"""Which sources of a target are compiled together, as one translation unit (a "unity build").

    cmake/unity_groups.py TARGETS OUTPUT

TARGETS has a line per target: its CMake folder, its name and its sources, separated by semicolons. OUTPUT becomes a
CMake file that sets each source's UNITY_GROUP. Sources of two folders stay apart, so that a program that links one of
them from an archive does not get the other, with all that it needs. So do sources that would disturb each other:

- one defines, in an unnamed namespace or as a macro, a name that the other has too (several passes have their `Visit`);
- one has a using-directive, which would hold for those after it.

The rest of a group reads the same headers once and instantiates the same templates once. That is most of the time that
a compiler spends here.
"""

import pathlib
import re
import sys

# More in a group saves little more time, and takes longer to compile again after a change to one of them.
MAX_SOURCES = 10

COMMENT = re.compile(r" *//.*")
RAW_STRING = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
# clang-format indents nothing inside of a namespace: a definition there starts in the first column.
UNNAMED_NAMESPACE = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.DOTALL | re.MULTILINE)
ALIAS = re.compile(r"(?:using|namespace) (\w+) = .*")
# `ir` for acceld::ir means the same in all files.
SHORT_NAMESPACE = re.compile(r"namespace (\w+) = (?:\w+::)*\1;")
MACRO_CALL = re.compile(r"[A-Z_]+\(")
USING_DECLARATION = re.compile(r"^(using [\w:]*::(\w+);)", re.MULTILINE)
TYPE = re.compile(r"(?:template.*> )?(?:class|struct|enum class|enum|union) (\w+)")
# The values of an enum that is no class are names beside it.
ENUM = re.compile(r"\benum (?!class)[^{;]*\{(.*?)\}", re.DOTALL)
CONSTANTS = re.compile(r"^constexpr .*?;", re.DOTALL | re.MULTILINE)
CONSTANT = re.compile(r"(\w+) =")
FUNCTION_OR_VARIABLE = re.compile(r"(?=\w)(?:[\w:<>,&*() \[\]]*?[ *&])?(\w+)(?:\(|\[| =|;|\{)")
# Names of members and of other namespaces are no matter.
NAME = re.compile(r"(?<![\w.:])(?<!->)[A-Za-z_]\w*")
USING_DIRECTIVE = re.compile(r"^using namespace ", re.MULTILINE)
MACRO = re.compile(r"^#define (\w+)", re.MULTILINE)


def without_comments(text):
    """Without what strings say, either."""
    return STRING.sub('""', COMMENT.sub("", text))


class Source:
    """A source's names: `defined` in its unnamed namespaces, with the text of the definition if that is an alias, which
    may be repeated as it is; and all that it mentions."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        whole = RAW_STRING.sub('""', self.path.read_text())
        text = without_comments(whole)
        self.reaches_others = USING_DIRECTIVE.search(text) is not None
        self.mentioned = set(NAME.findall(text))
        self.defined = dict.fromkeys(MACRO.findall(text))
        self.defined.update((name, line) for line, name in USING_DECLARATION.findall(text))
        for namespace in map(without_comments, UNNAMED_NAMESPACE.findall(whole)):
            for values in ENUM.findall(namespace):
                self.defined.update(dict.fromkeys(NAME.findall(values)))
            for declarations in CONSTANTS.findall(namespace):
                self.defined.update(dict.fromkeys(CONSTANT.findall(declarations)))
            for line in namespace.splitlines():
                if SHORT_NAMESPACE.match(line) or MACRO_CALL.match(line):
                    continue
                if alias := ALIAS.match(line):
                    self.defined[alias.group(1)] = line
                elif name := TYPE.match(line) or FUNCTION_OR_VARIABLE.match(line):
                    self.defined[name.group(1)] = None

    def may_follow(self, other):
        """Whether both can be in one translation unit."""
        return not (self.path.parent != other.path.parent or other.reaches_others or self.reaches_others or
                    self.takes_a_name_of(other) or other.takes_a_name_of(self))

    def takes_a_name_of(self, other):
        return any(name in other.mentioned and (text is None or other.defined.get(name) != text)
                   for name, text in self.defined.items())


def group(sources):
    """The sources in groups: each goes to the first that has room and none that it disturbs."""
    groups = []
    for source in sources:
        for others in groups:
            if len(others) < MAX_SOURCES and all(source.may_follow(other) for other in others):
                others.append(source)
                break
        else:
            groups.append([source])
    return groups


def main():
    targets, output = map(pathlib.Path, sys.argv[1:])
    lines = []
    for target in targets.read_text().splitlines():
        folder, name, *paths = target.split(";")
        for index, sources in enumerate(group([Source(path) for path in paths])):
            if len(sources) > 1:
                files = " ".join(f'"{source.path}"' for source in sources)
                lines.append(f'set_property(SOURCE {files} DIRECTORY "{folder}" '
                             f"PROPERTY UNITY_GROUP {name}_{index})\n")
    output.write_text("".join(lines))


if __name__ == "__main__":
    main()

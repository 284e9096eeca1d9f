#!/usr/bin/env python3
"""Checks the Markdown documents of the repository: links, anchors and pictures, paths in backticks, blocks of code,
and the size of README.md. Every finding is printed as `document:line: message`.

    python3 tests/docs/links_test.py
"""

import ast
import itertools
import pathlib
import posixpath
import re
import subprocess
import unittest
import urllib.parse
import xml.etree.ElementTree

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10 and earlier
    tomllib = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAX_README_BYTES = 8000
MAX_PICTURE_WIDTH = 900

FENCE = re.compile(r"^(\s*)(```+|~~~+)\s*([\w+-]*)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
# Code spans have to be removed before links are looked for, and the other way round.
CODE_SPAN = re.compile(r"(`+)(.+?)\1(?!`)")
# The text of a link may itself hold a picture: [![text](picture)](target).
LINK = re.compile(r"\]\(\s*<?([^()<>\s]+(?:\([^()\s]*\)[^()<>\s]*)*)>?(?:\s+[\"'][^\"']*[\"'])?\s*\)")
REFERENCE = re.compile(r"^\s{0,3}\[[^\]]+\]:\s+<?(\S+?)>?(?:\s|$)")
ANCHOR = re.compile(r"<a\s+(?:id|name)=[\"']([^\"']+)[\"']")
PATH = re.compile(r"[\w.{][\w.,+*{}-]*(?:/[\w.,+*{}-]+)*/?")


def repository_files():
    """Every file that Git tracks or would track, as a path relative to the root."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.split("\n")
    return {path for path in listed if path and (ROOT / path).is_file()}


FILES = repository_files()
FOLDERS = {parent.as_posix() for path in FILES for parent in pathlib.PurePosixPath(path).parents}
TOP_FOLDERS = {path.split("/")[0] for path in FILES if "/" in path}


def slug(heading):
    """The anchor that GitHub gives to a heading."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    text = re.sub(r"(?<![\w*])\*{1,3}(.+?)\*{1,3}(?![\w*])", r"\1", text)
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


class Document:
    """A Markdown document: its prose by line, its blocks of code, and the anchors of its headings."""

    def __init__(self, path, text):
        self.path = path
        self.prose = []  # (number of the line, text)
        self.blocks = []  # (number of the first line, language, text)
        fence = None
        for number, line in enumerate(text.split("\n"), 1):
            match = FENCE.match(line)
            if fence is None and match:
                fence, indent, language, body, first = match.group(2), match.group(1), match.group(3), [], number + 1
            elif fence is not None and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                self.blocks.append((first, language, "\n".join(body) + "\n"))
                fence = None
            elif fence is not None:
                body.append(line[len(indent):] if line.startswith(indent) else line)
            else:
                self.prose.append((number, line))
        if fence is not None:
            self.blocks.append((first, "unclosed", "\n".join(body)))
        self.anchors = set()
        counts = {}
        for _, line in self.prose:
            self.anchors.update(ANCHOR.findall(line))
            if match := HEADING.match(line):
                anchor = slug(match.group(1))
                count = counts.get(anchor, 0)
                counts[anchor] = count + 1
                self.anchors.add(f"{anchor}-{count}" if count else anchor)

    def links(self):
        """(line, target) of each link and picture."""
        for number, line in self.prose:
            line = CODE_SPAN.sub(lambda span: "`" * len(span.group(0)), line)
            for match in itertools.chain(LINK.finditer(line), REFERENCE.finditer(line)):
                yield number, match.group(1)

    def code_spans(self):
        """(line, text) of each span of code. A span that goes on in the next line counts as two."""
        for number, line in self.prose:
            for match in CODE_SPAN.finditer(line):
                yield number, match.group(2)


def expand(pattern):
    """`a/{b,c}.h` as `a/b.h` and `a/c.h`."""
    match = re.search(r"\{([^{}]*)\}", pattern)
    if not match:
        return [pattern]
    return [path for part in match.group(1).split(",")
            for path in expand(pattern[: match.start()] + part + pattern[match.end():])]


def exists(path):
    """Whether the repository has the file or folder. `*` and a part in capitals (NAME) stand for any name."""
    path = path.rstrip("/")
    if path in FILES or path in FOLDERS:
        return True
    parts = [re.escape(part).replace(r"\*", "[^/]*") if not re.fullmatch(r"[A-Z][A-Z_]+", part) else "[^/]+"
             for part in path.split("/")]
    pattern = re.compile("/".join(parts))
    return any(pattern.fullmatch(known) for known in itertools.chain(FILES, FOLDERS))


def paths_in(text):
    """The words of a span of code that look like paths of files (with an extension) or folders (with a slash behind)."""
    for word in text.split():
        word = word.rstrip(",;:")
        if "/" not in word or not PATH.fullmatch(word):
            continue
        last = word.rstrip("/").split("/")[-1]
        if word.endswith("/") or re.search(r"[\w*}]\.[A-Za-z]\w*$", last):
            yield word


def is_ours(path, document):
    """Whether a path claims to be in the repository: by its first folder, from the root or beside the document."""
    first = path.split("/")[0]
    beside = (document.parent / first).as_posix()
    return first in TOP_FOLDERS or "{" in first or (beside in FOLDERS and first not in (".", ".."))


def finding_of_link(document, target, anchors_of):
    if re.match(r"[a-z][a-z0-9+.-]*:", target, re.IGNORECASE):
        return None
    path, _, anchor = target.partition("#")
    resolved = document.path
    if path:
        if path.startswith("/"):
            return f"{target}: a link has to be relative to the document"
        resolved = pathlib.PurePosixPath(posixpath.normpath(document.path.parent / urllib.parse.unquote(path)))
        if resolved.as_posix() not in FILES and resolved.as_posix() not in FOLDERS:
            return f"{target}: there is no such file"
    if anchor and resolved.suffix == ".md" and anchor not in anchors_of(resolved):
        return f"{target}: there is no such heading"
    return None


def finding_of_block(language, text):
    if language == "unclosed":
        return "the block of code has no end"
    if language in ("python", "py"):
        try:
            ast.parse(text)
        except SyntaxError as error:
            return f"python: {error}"
    if language in ("bash", "sh", "shell"):
        result = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
        if result.returncode != 0:
            return f"bash: {result.stderr.strip()}"
    if language == "toml" and tomllib is not None:
        try:
            tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            return f"toml: {error}"
    return None


class DocumentsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.documents = {path: Document(pathlib.PurePosixPath(path), (ROOT / path).read_text())
                         for path in sorted(FILES) if path.endswith(".md")}

    def expect_none(self, findings):
        if findings:
            self.fail(f"{len(findings)} findings\n" + "\n".join(findings))

    def test_links_resolve(self):
        anchors_of = lambda path: self.documents[path.as_posix()].anchors
        self.expect_none([
            f"{path}:{number}: {finding}"
            for path, document in self.documents.items() for number, target in document.links()
            if (finding := finding_of_link(document, target, anchors_of))])

    def test_paths_in_backticks_exist(self):
        findings = []
        for path, document in self.documents.items():
            for number, span in document.code_spans():
                for word in paths_in(span):
                    if not is_ours(word, document.path):
                        continue
                    if not all(exists(each) or exists((document.path.parent / each).as_posix()) for each in expand(word)):
                        findings.append(f"{path}:{number}: {word}: there is no such file or folder")
        self.expect_none(findings)

    def test_blocks_of_code_parse(self):
        self.expect_none([
            f"{path}:{number}: {finding}"
            for path, document in self.documents.items() for number, language, text in document.blocks
            if (finding := finding_of_block(language, text))])

    def test_readme_is_short(self):
        self.assertLessEqual((ROOT / "README.md").stat().st_size, MAX_README_BYTES)

    def test_pictures_are_plain(self):
        """A picture is well-formed, as wide as a page at most, and has no scripts."""
        findings = []
        for path in sorted(FILES):
            if not (path.startswith("docs/pictures/") and path.endswith(".svg")):
                continue
            try:
                root = xml.etree.ElementTree.parse(ROOT / path).getroot()
            except xml.etree.ElementTree.ParseError as error:
                findings.append(f"{path}: {error}")
                continue
            width = re.match(r"[\d.]+", root.get("width", ""))
            if not width or float(width.group(0)) > MAX_PICTURE_WIDTH:
                findings.append(f"{path}: its width is {root.get('width')}, not {MAX_PICTURE_WIDTH} at most")
            if any(element.tag.endswith("script") for element in root.iter()):
                findings.append(f"{path}: it has a script")
        self.expect_none(findings)


class CheckerTest(unittest.TestCase):
    """What the checks above find, and what they let pass."""

    def test_headings_become_anchors(self):
        self.assertEqual(slug("Which test covers what"), "which-test-covers-what")
        self.assertEqual(slug("`listen`, and *why*: a [link](x.md)"), "listen-and-why-a-link")
        self.assertEqual(Document(pathlib.PurePosixPath("x.md"), "# A\n## A\n```\n# B\n```\n").anchors, {"a", "a-1"})

    def test_links_outside_of_code_count(self):
        document = Document(pathlib.PurePosixPath("x.md"), "[a](b.md) `[c](d.md)` [![e](f.svg)](g.md#h)\n[i]: j.md\n")
        self.assertEqual([target for _, target in document.links()], ["b.md", "f.svg", "g.md#h", "j.md"])

    def test_a_wrong_link_is_found(self):
        document = Document(pathlib.PurePosixPath("docs/x.md"), "# Heading\n")
        anchors_of = lambda path: {"heading"}
        for target in ("../README.md", "#heading", "../README.md#heading", "https://example.org/x.md", "../docs"):
            self.assertIsNone(finding_of_link(document, target, anchors_of), target)
        for target in ("README.md", "#other", "../README.md#other", "/README.md", "../../x.md"):
            self.assertIsNotNone(finding_of_link(document, target, anchors_of), target)

    def test_paths_are_told_from_other_words(self):
        self.assertEqual(list(paths_in("tests/run.sh dev")), ["tests/run.sh"])
        self.assertEqual(list(paths_in("kernels/{nvrtc,cublas}/, ~/.cache/x.h and/or a/b -x/y.h /run/x.sock")),
                         ["kernels/{nvrtc,cublas}/"])
        self.assertEqual(expand("a/{b,c}.h"), ["a/b.h", "a/c.h"])
        for path in ("tests/docs/links_test.py", "tests/docs/", "tests/docs/*_test.py", "tests/NAME/links_test.py"):
            self.assertTrue(exists(path), path)
        for path in ("tests/docs/links.py", "tests/doc/", "tests/docs/*_tests.py"):
            self.assertFalse(exists(path), path)

    def test_a_wrong_block_is_found(self):
        for language, text in (("python", "x = 1\n"), ("bash", "a | b\n"), ("toml", "a = 1\n"), ("", "if (\n")):
            self.assertIsNone(finding_of_block(language, text), language)
        wrong = [("python", "x = (\n"), ("bash", "if a; then\n"), ("unclosed", "")]
        if tomllib is not None:
            wrong.append(("toml", "a = \n"))
        for language, text in wrong:
            self.assertIsNotNone(finding_of_block(language, text), language)


if __name__ == "__main__":
    unittest.main()

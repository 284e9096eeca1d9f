#!/usr/bin/env python3
"""What tests/coverage/report.py counts, with small programs.

    python3 tests/coverage/report_test.py
"""

import pathlib
import subprocess
import tempfile
import unittest

import report

HEADER = """
inline int Sign(int x) {
  if (x < 0)
    return -1;
  return 1;
}
"""
LIBRARY = """
#include "common/sign.h"
int Negative() { return Sign(-1); }
int NeverCalled() { return 3; }
"""
PROGRAM = """
#include "common/sign.h"
int Negative();
int main() { return Sign(2) + Negative(); }
"""


class ReportTest(unittest.TestCase):
    def rows(self, runs):
        """The report on a program of three files, which `runs` or was only built."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            build = root / "build"
            for name, text in (("common/sign.h", HEADER), ("common/library.cc", LIBRARY), ("tests/program.cc", PROGRAM)):
                (root / name).parent.mkdir(exist_ok=True)
                (root / name).write_text(text)
            build.mkdir()
            for source in ("common/library.cc", "tests/program.cc"):
                flags = ["-O0", "--coverage", "-fprofile-abs-path", f"-I{root}"]
                subprocess.run(["g++", *flags, "-c", root / source], check=True, cwd=build)
            if runs:
                subprocess.run(["g++", "--coverage", "library.o", "program.o", "-o", "program"], check=True, cwd=build)
                subprocess.run(["./program"], check=True, cwd=build)
            return list(report.read(build, root, 2).rows())

    def test_what_has_run_counts_in_whichever_source_it_did(self):
        self.assertEqual(self.rows(runs=True), [("common", 5, 6, 2, 2), ("all", 5, 6, 2, 2)])

    def test_what_is_built_and_has_not_run_counts_as_missed(self):
        self.assertEqual(self.rows(runs=False), [("common", 0, 6, 0, 2), ("all", 0, 6, 0, 2)])


if __name__ == "__main__":
    unittest.main()

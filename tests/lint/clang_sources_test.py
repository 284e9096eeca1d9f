#!/usr/bin/env python3
"""How the checks with Clang read a build of GCC's, and which sources clang-tidy is run over.

    python3 tests/lint/clang_sources_test.py
"""

import json
import pathlib
import tempfile
import unittest

import clang_sources
import tidy

ROOT = clang_sources.ROOT


class ClangSourcesTest(unittest.TestCase):
    def test_what_only_gcc_understands_is_left_out(self):
        command = ("/usr/bin/cmake -E env A=b /usr/bin/ccache /usr/bin/c++ -DNAME=1 -I/a -isystem /b -O1 -g1 "
                   "-fpch-preprocess --param=ggc-min-heapsize=1 -Wall -Werror -Winvalid-pch -std=c++20 "
                   "-fsanitize=address -fno-sanitize=null -include /build/cmake_pch.hxx -include own.h -o a.cc.o "
                   "-MD -MF a.d -c /source/a.cc")
        kept = "clang++ -Wno-everything -DNAME=1 -I/a -isystem /b -std=c++20 -include own.h /source/a.cc".split()
        self.assertEqual(clang_sources.clang_command({"command": command}, "clang++"), kept)
        self.assertEqual(clang_sources.clang_command({"arguments": command.split()}, "clang++"), kept)

    def test_the_headers_that_gcc_has_precompiled_are_those_that_clang_has(self):
        entry = {"command": "c++ -std=c++20 -include /build/cmake_pch.hxx -c a.cc"}
        self.assertEqual(clang_sources.clang_command(entry, "clang++", {"/build/cmake_pch.hxx": "/clang/0.pch"}),
                         "clang++ -Wno-everything -std=c++20 -include-pch /clang/0.pch a.cc".split())

    def test_the_precompiled_header_of_a_build_with_clang_has_other_options_and_is_made_again(self):
        entry = {"command": "clang++ -std=c++20 -fsanitize=thread -Xclang -include-pch -Xclang /build/cmake_pch.hxx.pch "
                            "-Xclang -include -Xclang /build/cmake_pch.hxx -c a.cc"}
        self.assertEqual(clang_sources.clang_command(entry, "clang++", {"/build/cmake_pch.hxx": "/clang/0.pch"}),
                         "clang++ -Wno-everything -std=c++20 -include-pch /clang/0.pch a.cc".split())

    def test_what_a_build_has_generated_is_not_read(self):
        with tempfile.TemporaryDirectory(dir=ROOT / "tests") as folder:
            build = pathlib.Path(folder)
            files = ["../../common/status.cc", "generated.cc", "/usr/include/other.cc"]
            (build / "compile_commands.json").write_text(
                json.dumps([{"directory": folder, "file": file, "command": ""} for file in files]))
            self.assertEqual(list(clang_sources.read_entries(build)), [ROOT / "common/status.cc"])

    def test_a_file_that_includes_sources_stands_for_them(self):
        with tempfile.TemporaryDirectory(dir=ROOT / "tests") as folder:
            unity = pathlib.Path(folder, "Unity/unity_0.cxx")
            unity.parent.mkdir()
            sources = [ROOT / "common/status.cc", ROOT / "common/check.cc"]
            unity.write_text("".join(f'#include "{source}"\n' for source in sources))
            pathlib.Path(folder, "compile_commands.json").write_text(
                json.dumps([{"directory": folder, "file": str(unity), "command": f"c++ -o 0.o -c {unity}"}]))
            entries = clang_sources.read_entries(pathlib.Path(folder))
            self.assertEqual({source: f"c++ -o 0.o -c {source}" for source in sources},
                             {source: entry["command"] for source, entry in entries.items()})


class TidyTest(unittest.TestCase):
    entries = [ROOT / "client/client.cc", ROOT / "common/log/log.cc", ROOT / "common/threads/fair_pool.cc"]

    def sources_of(self, path):
        return [str(source.relative_to(ROOT)) for source in tidy.sources_of(ROOT / path, self.entries)]

    def test_a_source_is_checked_itself(self):
        self.assertEqual(self.sources_of("common/log/log.cc"), ["common/log/log.cc"])

    def test_a_folder_stands_for_its_sources(self):
        self.assertEqual(self.sources_of("common"), ["common/log/log.cc", "common/threads/fair_pool.cc"])

    def test_a_header_is_checked_through_the_source_beside_it(self):
        self.assertEqual(self.sources_of("common/log/log.h"), ["common/log/log.cc"])

    def test_a_header_alone_is_checked_through_a_source_that_includes_it(self):
        self.assertEqual(self.sources_of("client/state/client_state.h"), ["client/client.cc"])
        self.assertEqual(self.sources_of("common/threads/start_thread.h"), ["common/threads/fair_pool.cc"])

    def test_what_is_not_compiled_is_not_checked(self):
        self.assertEqual(self.sources_of("README.md"), [])
        self.assertEqual(self.sources_of("common/ir/ops.def"), [])


if __name__ == "__main__":
    unittest.main()

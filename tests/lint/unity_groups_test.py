#!/usr/bin/env python3
"""Which sources may be compiled as one translation unit.

    python3 tests/lint/unity_groups_test.py
"""

import pathlib
import sys
import tempfile
import unittest

import clang_sources

sys.path.insert(0, str(clang_sources.ROOT / "cmake"))
import unity_groups  # noqa: E402


class UnityGroupsTest(unittest.TestCase):
    def sources(self, *texts):
        with tempfile.TemporaryDirectory() as folder:
            for index, text in enumerate(texts):
                pathlib.Path(folder, f"{index}.cc").write_text(text)
            return [unity_groups.Source(str(pathlib.Path(folder, f"{index}.cc"))) for index in range(len(texts))]

    def assert_together(self, *texts):
        self.assertEqual([len(texts)], [len(group) for group in unity_groups.group(self.sources(*texts))])

    def assert_apart(self, *texts):
        self.assertEqual([1] * len(texts), [len(group) for group in unity_groups.group(self.sources(*texts))])

    def unnamed(self, definition):
        return f"namespace acceld {{\nnamespace {{\n\nvoid First() {{\n}}\n\n{definition}\n\n}}  // namespace\n}}\n"

    def test_sources_without_names_of_their_own_are_together(self):
        self.assert_together("int One() { return 1; }\n", "int Two() { return 2; }\n", "")

    def test_what_is_defined_twice_keeps_its_sources_apart(self):
        for definition in ("int Visit(ir::Op& op) {\n}", "absl::StatusOr<std::vector<int>> Visit(\n    int a) {\n}",
                           "template <typename T> class Visit {\n};", "struct Visit {\n};", "enum class Visit { kA };",
                           "constexpr int64_t Visit = 3;", "constexpr int a = 1, Visit = 2;",
                           "constexpr Form Visit[] = {\n};", "const char* const Visit =\n    nullptr;",
                           "enum { kA, Visit };", "enum Kinds : int {\n  kA = 1,\n  Visit = 2,\n};"):
            with self.subTest(definition):
                other = self.unnamed(definition).replace("First", "Second")
                self.assert_apart(self.unnamed(definition), other.replace("kA", "kB").replace("Kinds", "Others"))

    def test_a_name_of_ones_own_that_another_takes_from_elsewhere_keeps_them_apart(self):
        self.assert_apart(self.unnamed("int Launch() {\n}"), "void F(const Launch& launch) {\n}\n")
        self.assert_apart("void F(const Launch& launch) {\n}\n", self.unnamed("int Launch() {\n}"))

    def test_members_strings_and_comments_are_no_matter(self):
        self.assert_together(self.unnamed("int Launch() {\n}"),
                             'void F() {\n  a.Launch(b->Launch(), hal::Launch());  // Launch\n  Log("Launch");\n}\n')

    def test_the_same_alias_may_be_repeated_and_another_one_not(self):
        clock = self.unnamed("using Clock = std::chrono::steady_clock;")
        self.assert_together(clock, clock.replace("First", "Second"))
        self.assert_apart(clock, clock.replace("First", "Second").replace("steady", "system"))
        short = self.unnamed("namespace ir = acceld::ir;")
        self.assert_together(short, "void F(ir::Op& op) {\n}\n")
        value = "using llvm::Value;\n"
        self.assert_together(value, value)
        self.assert_apart(value, "void F(Value value) {\n}\n")

    def test_macros_that_others_mention_and_using_directives_keep_apart(self):
        self.assert_apart("#define ACCELD_OP(a) a\n", "#define ACCELD_OP(a) #a\n")
        self.assert_together("#define ACCELD_OP(a) a\n", "#define ACCELD_ROUTINE(a) a\n")
        self.assert_apart("using namespace std;\n", "int One() { return 1; }\n")

    def test_tests_of_one_suite_are_together(self):
        self.assert_together(*(f"namespace {{\n\nTEST(Suite, {name}) {{\n}}\n\n}}  // namespace\n" for name in "AB"))

    def test_sources_of_two_folders_are_apart(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder, name) for name in ("a.cc", "inner/b.cc")]
            paths[1].parent.mkdir()
            for path in paths:
                path.write_text("")
            self.assertEqual(2, len(unity_groups.group([unity_groups.Source(path) for path in paths])))

    def test_a_group_has_no_more_than_its_limit(self):
        groups = unity_groups.group(self.sources(*[""] * (unity_groups.MAX_SOURCES + 1)))
        self.assertEqual([unity_groups.MAX_SOURCES, 1], [len(group) for group in groups])


if __name__ == "__main__":
    unittest.main()

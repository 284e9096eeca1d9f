#include "common/cli/text.h"

#include "gtest/gtest.h"

namespace acceld::cli {
namespace {

TEST(TextTest, LinesAreFilledUpToTheirWidth) {
  EXPECT_EQ(Filled("one two three", 0, 7), "one two\nthree");
  EXPECT_EQ(Filled("one two three", 2, 7), "one\n  two\n  three");
  EXPECT_EQ(Filled("one two three", 0, kUnlimitedColumns), "one two three");
  EXPECT_EQ(Filled("a\nb  c", 0, 80), "a b c");
  EXPECT_EQ(Filled("", 4, 80), "");
}

TEST(TextTest, LongPiecesStandAloneAndWhole) {
  EXPECT_EQ(Filled("a unbreakable b", 0, 5), "a\nunbreakable\nb");
  EXPECT_EQ(Filled({"1 open,", "2 since the start"}, 3, 12), "1 open,\n   2 since the start");
}

TEST(TextTest, WidthsAreThoseOfCharacters) {
  EXPECT_EQ(Filled("\xC3\xA4\xC3\xA4 b", 0, 4), "\xC3\xA4\xC3\xA4 b");
  EXPECT_EQ(PadRight("\xC3\xA4", 3), "\xC3\xA4  ");
  EXPECT_EQ(PadLeft("\xC3\xA4", 3), "  \xC3\xA4");
  EXPECT_EQ(PadLeft("abcd", 3), "abcd");
}

TEST(TextTest, WhatIsCutSaysSo) {
  EXPECT_EQ(Cut("abcdef", 6), "abcdef");
  EXPECT_EQ(Cut("abcdefg", 6), "abc...");
  EXPECT_EQ(Cut("\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F\xC3\xA4", 4), "\xC3\xA4...");
  EXPECT_EQ(Cut("abcdefg", 2), "..");
  EXPECT_EQ(Cut("abc", 0), "");
}

TEST(TextTest, ListsAreReadAloud) {
  EXPECT_EQ(Listed({}, "or"), "");
  EXPECT_EQ(Listed({"a"}, "or"), "a");
  EXPECT_EQ(Listed({"a", "b"}, "or"), "a or b");
  EXPECT_EQ(Listed({"a", "b", "c"}, "and"), "a, b and c");
}

}  // namespace
}  // namespace acceld::cli

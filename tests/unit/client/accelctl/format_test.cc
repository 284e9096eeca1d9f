#include "client/tools/accelctl/views/format.h"

#include "gtest/gtest.h"

namespace acceld::tools {
namespace {

TEST(FormatTest, SizesAreShort) {
  EXPECT_EQ(SizeText(0), "0 B");
  EXPECT_EQ(SizeText(1023), "1023 B");
  EXPECT_EQ(SizeText(1536), "1.5 KiB");
  EXPECT_EQ(SizeText(uint64_t{3} << 40), "3.0 TiB");
}

TEST(FormatTest, TimesAreShort) {
  EXPECT_EQ(TimeText(0), "0 s");
  EXPECT_EQ(TimeText(-1), "0 s");
  EXPECT_EQ(TimeText(25.34e-6), "25.3 us");
  EXPECT_EQ(TimeText(999.96e-6), "1.0 ms");
  EXPECT_EQ(TimeText(6.7e-3), "6.7 ms");
  EXPECT_EQ(TimeText(0.99996), "1.0 s");
  EXPECT_EQ(TimeText(5.24), "5.2 s");
  EXPECT_EQ(TimeText(59.96), "1m00s");
  EXPECT_EQ(TimeText(723), "12m03s");
  EXPECT_EQ(TimeText(3599.8), "1h00m");
  EXPECT_EQ(TimeText(11100), "3h05m");
  EXPECT_EQ(TimeText(187200), "2d04h");
}

TEST(FormatTest, NumbersAgreeWithTheirNoun) {
  EXPECT_EQ(CountText(0, "session"), "0 sessions");
  EXPECT_EQ(CountText(1, "session"), "1 session");
  EXPECT_EQ(CountText(2, "entry", "entries"), "2 entries");
}

TEST(FormatTest, NamesDoNotSteerTheTerminal) {
  EXPECT_EQ(PrintableText("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(PrintableText("\xff\n\x7f"), "\\xff\\x0a\\x7f");
  EXPECT_EQ(PrintableText("\xc2\x9b"
                          "2J"),
            "\\xc2\\x9b2J");  // The same in one character.
  EXPECT_EQ(PrintableText("it's \xc3\xa4 \"name\"\xc2\xa0"), "it's \xc3\xa4 \"name\"\xc2\xa0");
  EXPECT_EQ(CellText(""), "-");
  EXPECT_EQ(CellText("a\tb"), "a\\x09b");
}

}  // namespace
}  // namespace acceld::tools

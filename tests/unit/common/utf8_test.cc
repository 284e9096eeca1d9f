#include "common/utf8.h"

#include "gtest/gtest.h"

namespace acceld {
namespace {

TEST(Utf8Test, TellsCharactersFromBytes) {
  for (const char* text : {"", "plain", "\xC2\x80", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEF\xBF\xBF",
                           "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "caf\xC3\xA9"}) {
    EXPECT_TRUE(IsUtf8(text)) << text;
    EXPECT_EQ(EscapeNonUtf8(text), text);
  }
  // Alone, cut short, overlong, a surrogate, past the last plane.
  for (const char* text :
       {"\x80", "a\xFF", "\xC3", "\xE0\xA0", "\xC0\x80", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF",
        "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xC3(", "\xE2\x82z"}) {
    EXPECT_FALSE(IsUtf8(text)) << EscapeNonUtf8(text);
    EXPECT_TRUE(IsUtf8(EscapeNonUtf8(text)));
  }
}

TEST(Utf8Test, CountsCharacters) {
  EXPECT_EQ(Utf8Length(""), 0u);
  EXPECT_EQ(Utf8Length("caf\xC3\xA9"), 4u);
  EXPECT_EQ(Utf8Length("\xF0\x9F\x98\x80!"), 2u);
  EXPECT_EQ(Utf8Length("a\xFF\xC3"), 3u);
}

TEST(Utf8Test, EscapesOnlyWhatIsNoCharacter) {
  EXPECT_EQ(EscapeNonUtf8("a\xFF\xC3\xA9\xC3"), "a\\xff\xC3\xA9\\xc3");
}

}  // namespace
}  // namespace acceld

#include "server/config/size.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/status_matchers.h"

namespace acceld::config {
namespace {

TEST(SizeTest, TakesUnits) {
  EXPECT_EQ(*ParseSizeBytes("0"), 0);
  EXPECT_EQ(*ParseSizeBytes("4096"), 4096);
  EXPECT_EQ(*ParseSizeBytes("4096B"), 4096);
  EXPECT_EQ(*ParseSizeBytes("512KiB"), 512 << 10);
  EXPECT_EQ(*ParseSizeBytes("64mib"), 64 << 20);
  EXPECT_EQ(*ParseSizeBytes("2GiB"), int64_t{2} << 30);
  EXPECT_EQ(*ParseSizeBytes("3TiB"), int64_t{3} << 40);
}

TEST(SizeTest, QuotesWhatIsNoSize) {
  for (const char* text :
       {"", "KiB", "-1", "+1", " 1", "1 KiB", "1.5GiB", "1KB", "1e9", "0x10", "many", "nan"}) {
    EXPECT_THAT(ParseSizeBytes(text), IsRefused(std::string("'") + text + "' is not a size"))
        << text;
  }
  EXPECT_THAT(ParseSizeBytes("9223372036854775808"), IsRefused("is more than 2^63 bytes"));
  EXPECT_THAT(ParseSizeBytes("8388608TiB"), IsRefused("'8388608TiB' is more than 2^63 bytes"));
}

TEST(SizeTest, IsWrittenAsItIsRead) {
  for (const char* text : {"0", "1", "1023", "1KiB", "1025", "64MiB", "3GiB", "1024TiB"}) {
    EXPECT_EQ(SizeText(*ParseSizeBytes(text)), text);
  }
}

}  // namespace
}  // namespace acceld::config

#include "kernels/cpu/object_set.h"

#include <gtest/gtest.h>

namespace acceld::kernels::cpu {
namespace {

TEST(ObjectSetTest, OneObjectIsKeptAsItIs) {
  EXPECT_EQ(PackObjects({"\x7f"
                         "ELF"}),
            "\x7f"
            "ELF");
  EXPECT_EQ(*UnpackObjects("\x7f"
                           "ELF"),
            std::vector<absl::string_view>{"\x7f"
                                           "ELF"});
}

TEST(ObjectSetTest, SeveralComeBackInTheirOrder) {
  const std::vector<std::string> objects = {"first", "", std::string(1000, '\0'), "acceldset1"};
  const std::string code = PackObjects(objects);
  const auto again = UnpackObjects(code);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(std::vector<std::string>(again->begin(), again->end()), objects);
}

TEST(ObjectSetTest, WhatIsCutOffOrHasMoreBytesIsRefused) {
  const std::string code = PackObjects({"first", "second"});
  const size_t mark_bytes = 10;
  for (size_t size = mark_bytes; size < code.size(); ++size) {
    EXPECT_EQ(UnpackObjects(code.substr(0, size)).status().code(),
              absl::StatusCode::kInvalidArgument)
        << size;
  }
  EXPECT_FALSE(UnpackObjects(code + "x").ok());
}

TEST(ObjectSetTest, SizesThatNoBytesHaveAreRefused) {
  const std::string code = PackObjects({"first", "second"});
  // The number, and the size of either object.
  for (const size_t index : {size_t{10}, size_t{18}, size_t{26}}) {
    for (const char top : {'\x01', '\x7f', '\xff'}) {
      std::string wrong = code;
      wrong[index + 7] = top;
      EXPECT_FALSE(UnpackObjects(wrong).ok()) << index;
    }
  }
  std::string none = code;
  none[10] = 0;
  EXPECT_FALSE(UnpackObjects(none).ok());
}

}  // namespace
}  // namespace acceld::kernels::cpu

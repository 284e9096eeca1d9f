#include "client/program_locations.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/op_origin.h"
#include "gtest/gtest.h"

namespace acceld::client {
namespace {

std::shared_ptr<const ir::OpLocations> Locations(std::string location) {
  return std::make_shared<const ir::OpLocations>(ir::OpLocations{{0, 1}, {std::move(location)}});
}

absl::Status ErrorAt(const Digest& program, uint32_t op) {
  return InProgram(WithOp(absl::InternalError("why"), op), program);
}

TEST(ProgramPlacesTest, ErrorsOfKnownOpsSayWhereTheyWereMade) {
  const Digest program = DigestOf("program");
  ProgramLocations source_locations;
  EXPECT_EQ(source_locations.Locate(ErrorAt(program, 2)).message(), "why");
  source_locations.Add(program, Locations("train.py:3"));
  EXPECT_EQ(source_locations.Locate(ErrorAt(program, 2)).message(), "train.py:3: why");
  EXPECT_EQ(source_locations.Locate(ErrorAt(program, 1)).message(), "why");
  EXPECT_EQ(source_locations.Locate(ErrorAt(program, 3)).message(), "why");
  EXPECT_EQ(source_locations.Locate(ErrorAt(DigestOf("other"), 2)).message(), "why");
  EXPECT_EQ(source_locations.Locate(absl::InternalError("why")).message(), "why");
  source_locations.Add(program, Locations("evaluate.py:4"));
  EXPECT_EQ(source_locations.Locate(ErrorAt(program, 2)).message(), "evaluate.py:4: why");
}

TEST(ProgramPlacesTest, ForgetTheFirstWhenThereIsMuch) {
  ProgramLocations source_locations;
  const std::string long_name(1 << 20, 'x');
  for (int i = 0; i < 20; ++i)
    source_locations.Add(DigestOf(absl::StrCat(i)), Locations(long_name));
  EXPECT_EQ(source_locations.Locate(ErrorAt(DigestOf("0"), 2)).message(), "why");
  EXPECT_NE(source_locations.Locate(ErrorAt(DigestOf("19"), 2)).message(), "why");
}

}  // namespace
}  // namespace acceld::client

#include "common/ir/op_numbers.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/ir/fingerprint.h"
#include "common/ir/verify/op_error.h"
#include "common/ir/wire/wire.h"
#include "common/op_origin.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/ir/sample_modules.h"

namespace acceld::ir {
namespace {

void ForEachOp(Region& region, const std::function<void(Op&)>& visit) {
  for (Op& op : region.ops) {
    visit(op);
    for (Region& inner : op.regions) ForEachOp(inner, visit);
  }
}

// The names and numbers of all ops, in the order of the module.
std::vector<std::string> NumbersOf(Module module, absl::string_view entry) {
  NumberOps(module, entry);
  std::vector<std::string> numbers;
  for (Function& function : module.functions) {
    ForEachOp(function.body, [&](Op& op) {
      numbers.push_back(absl::StrCat(NameOf(op.kind), " ", op.location.op));
    });
  }
  return numbers;
}

TEST(OpNumbersTest, AreEqualInProgramsWithEqualFingerprints) {
  const Module module = CallModule();
  Module other = module;
  Function unused = module.functions[1];
  unused.name = "unused";
  std::swap(other.functions[0], other.functions[1]);
  other.functions.insert(other.functions.begin(), unused);
  ASSERT_EQ(Fingerprint(other, "main"), Fingerprint(module, "main"));

  std::vector<std::string> numbers = NumbersOf(module, "main");
  std::vector<std::string> others = NumbersOf(other, "main");
  // What the entry does not call has no numbers.
  for (size_t i = 0; i < unused.body.ops.size(); ++i)
    EXPECT_THAT(others[i], testing::EndsWith(" 0"));
  others.erase(others.begin(), others.begin() + static_cast<int64_t>(unused.body.ops.size()));
  std::sort(numbers.begin(), numbers.end());
  std::sort(others.begin(), others.end());
  EXPECT_EQ(others, numbers);
}

TEST(OpNumbersTest, AreGivenToTheOpsOfRegionsAndAreTheSameAfterTheWire) {
  for (const Module& module : SampleModules()) {
    std::vector<std::string> numbers = NumbersOf(module, "main");
    EXPECT_EQ(NumbersOf(*FromProto(ToProto(module)), "main"), numbers);
    std::sort(numbers.begin(), numbers.end());
    EXPECT_EQ(std::adjacent_find(numbers.begin(), numbers.end()), numbers.end());
  }
}

TEST(OpNumbersTest, LeadToThePlacesOfOps) {
  Module module = CallModule();
  module.source_locations = {"train.py:3", "train.py:7"};
  std::vector<Op*> ops;
  for (Function& function : module.functions) {
    ForEachOp(function.body, [&](Op& op) { ops.push_back(&op); });
  }
  ops.front()->location.index = 2;
  ops.back()->location.index = 9;  // There are no nine.
  const OpLocations source_locations = NumberOps(module, "main");
  EXPECT_EQ(source_locations.LocationOf(ops.front()->location.op), "train.py:7");
  EXPECT_EQ(source_locations.LocationOf(ops.back()->location.op), "");
  EXPECT_EQ(source_locations.LocationOf(0), "");
  EXPECT_EQ(source_locations.LocationOf(1000), "");
  EXPECT_TRUE(module.source_locations.empty());
}

TEST(OpErrorTest, TheInnermostOpAndTheFirstProgramAreKept) {
  Op inner, outer;
  inner.location.op = 5;
  outer.location.op = 2;
  const Digest program = DigestOf("program"), other = DigestOf("other");
  const absl::Status error = Annotate(
      InProgram(InProgram(AtOp(AtOp(absl::InternalError("why"), inner), outer), program), other),
      "context");
  EXPECT_EQ(error.message(), "context: why");
  const absl::optional<OpOrigin> origin = OriginOf(error);
  ASSERT_TRUE(origin.has_value());
  EXPECT_EQ(origin->op, 5u);
  EXPECT_EQ(origin->program, program);
}

TEST(OpErrorTest, AnErrorWithoutAnOpHasNoOrigin) {
  EXPECT_FALSE(OriginOf(InProgram(absl::InternalError("why"), DigestOf("program"))).has_value());
  EXPECT_FALSE(OriginOf(AtOp(absl::InternalError("why"), Op())).has_value());
  Op op;
  op.location.op = 1;
  EXPECT_TRUE(InProgram(AtOp(absl::OkStatus(), op), DigestOf("program")).ok());
}

TEST(OpErrorTest, TheLineIsThatOfTheInnermostOp) {
  Op inner, outer;
  inner.location.line = 12;
  outer.location.line = 4;
  EXPECT_EQ(AtOp(AtOp(absl::InternalError("why"), inner), outer).message(), "line 12: why");
}

}  // namespace
}  // namespace acceld::ir

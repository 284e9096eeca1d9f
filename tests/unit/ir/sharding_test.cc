#include "common/ir/processes/sharding.h"

#include <cstdint>
#include <limits>

#include "common/ir/verify/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::ir {
namespace {

TEST(Sharding, PrioritiesAreFromZeroToTheLimit) {
  const Mesh mesh{.axes = {{"x", 2}}};
  const Type type(TensorType{DType::kF32, {4}});
  const auto check = [&](int64_t priority) {
    Sharding sharding;
    sharding.dimensions = {{.axes = {{.axis = 0}}, .priority = priority}};
    return CheckSharding(sharding, type, {mesh});
  };
  EXPECT_TRUE(check(0).ok());
  EXPECT_TRUE(check(limits::kMaxShardingPriority).ok());
  for (const int64_t priority :
       {int64_t{-1}, limits::kMaxShardingPriority + 1, std::numeric_limits<int64_t>::min(),
        std::numeric_limits<int64_t>::max()}) {
    const absl::Status status = check(priority);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << priority;
    EXPECT_THAT(std::string(status.message()),
                ::testing::HasSubstr(std::to_string(priority) + ", expected 0 to 31"));
  }
}

}  // namespace
}  // namespace acceld::ir

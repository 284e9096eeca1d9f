#include "client/pjrt/compile/serialized_executable.h"

#include <string>

#include "client/serialized_program.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::pjrt {
namespace {

client::Program Program() {
  auto program = client::Program::FromText(
      "module attributes {mhlo.num_partitions = 2 : i32} {"
      "  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }"
      "}");
  EXPECT_TRUE(program.ok()) << program.status();
  return *std::move(program);
}

const DeviceAssignment kAssignment{.grid = {.num_partitions = 2}, .devices = {3, 1}};

TEST(SerializedExecutable, KeepsTheProgramAndItsDevices) {
  const auto read = DeserializeExecutable(SerializeExecutable(Program(), kAssignment));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->program.fingerprint(), Program().fingerprint());
  EXPECT_EQ(read->assignment, kAssignment);
}

TEST(SerializedExecutable, OfAnEarlierVersionHasNoDevices) {
  const auto read = DeserializeExecutable(client::SerializeProgram(Program()));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_FALSE(read->assignment.has_value());
}

TEST(SerializedExecutable, ThatIsDamagedIsAnError) {
  const std::string bytes = SerializeExecutable(Program(), kAssignment);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DeserializeExecutable(absl::string_view(bytes).substr(0, size)).ok()) << size;
  }
  std::string damaged = bytes;
  damaged.back() ^= 1;
  EXPECT_EQ(DeserializeExecutable(damaged).status().code(), absl::StatusCode::kDataLoss);
  std::string huge = bytes;
  huge[std::string("acceld executable 1\n").size() + 7] = '\x7f';
  EXPECT_EQ(DeserializeExecutable(huge).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(DeserializeExecutable("module {}").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace acceld::pjrt

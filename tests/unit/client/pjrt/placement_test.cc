#include "client/pjrt/distribution/placement.h"

#include <string>

#include "client/pjrt/distribution/device_assignment.h"
#include "common/ir/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::pjrt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

DeviceAssignmentProto Message(const std::vector<std::vector<int64_t>>& by_partition) {
  DeviceAssignmentProto message;
  for (const std::vector<int64_t>& replicas : by_partition) {
    auto& devices = *message.add_computation_devices();
    for (const int64_t id : replicas) devices.add_replica_device_ids(id);
  }
  return message;
}

TEST(DeviceAssignment, IsListedByProcess) {
  const auto assignment = ReadDeviceAssignment(Message({{5, 1}, {0, 2}, {4, 3}}));
  ASSERT_TRUE(assignment.ok()) << assignment.status();
  EXPECT_EQ(assignment->grid, (ir::ProcessGrid{.num_replicas = 2, .num_partitions = 3}));
  EXPECT_THAT(assignment->devices, ElementsAre(5, 0, 4, 1, 2, 3));
  const DeviceAssignmentProto message = ToProto(*assignment);
  EXPECT_EQ(message.replica_count(), 2);
  EXPECT_EQ(message.computation_count(), 3);
  EXPECT_EQ(*ReadDeviceAssignment(message), *assignment);
}

TEST(DeviceAssignment, HasAsManyDevicesAsItSays) {
  EXPECT_THAT(ReadDeviceAssignment(Message({})).status().message(), HasSubstr("no devices"));
  EXPECT_THAT(ReadDeviceAssignment(Message({{}, {}})).status().message(), HasSubstr("no devices"));
  EXPECT_THAT(ReadDeviceAssignment(Message({{1, 2}, {3}})).status().message(),
              HasSubstr("of 2 and of 1 replicas"));
  DeviceAssignmentProto message = Message({{1}, {2}});
  message.set_replica_count(2);
  EXPECT_THAT(ReadDeviceAssignment(message).status().message(), HasSubstr("1 replicas of 2"));
}

ir::Module Module(const std::string& attributes, const std::string& op = "") {
  auto module = ir::ParseModule("module @step attributes {" + attributes +
                                "} { func.func public @main(%x: tensor<ui32>) -> tensor<ui32> {" +
                                op + " return %x : tensor<ui32> } }");
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

constexpr char kFourPartitions[] = "mhlo.num_partitions = 4 : i32";

CompileOptions ForFour() {
  return {.num_replicas = 1,
          .num_partitions = 4,
          .use_spmd_partitioning = true,
          .use_shardy_partitioner = true};
}

TEST(Placement, IsThatOfTheOptions) {
  CompileOptions options = ForFour();
  options.assignment = *ReadDeviceAssignment(Message({{6}, {4}, {7}, {5}}));
  const auto assignment = AssignmentFor(options, Module(kFourPartitions));
  ASSERT_TRUE(assignment.ok()) << assignment.status();
  EXPECT_THAT(assignment->devices, ElementsAre(6, 4, 7, 5));
}

TEST(Placement, IsTheFirstDevicesByDefault) {
  EXPECT_THAT(AssignmentFor(ForFour(), Module(kFourPartitions))->devices, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(AssignmentFor({}, Module(kFourPartitions))->devices, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(AssignmentFor({}, Module(""))->devices, ElementsAre(0));
}

TEST(Placement, NeedsOptionsForAsManyProcesses) {
  const absl::Status partitions = AssignmentFor(ForFour(), Module("")).status();
  EXPECT_EQ(partitions.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(partitions.message(), HasSubstr("'step' has 1 partitions (mhlo.num_partitions); the "
                                              "compile options are for 4"));
  CompileOptions options = ForFour();
  options.num_replicas = 2;
  EXPECT_THAT(AssignmentFor(options, Module(kFourPartitions)).status().message(),
              HasSubstr("mhlo.num_replicas"));
  options = ForFour();
  options.assignment = *ReadDeviceAssignment(Message({{0}, {1}}));
  EXPECT_THAT(AssignmentFor(options, Module(kFourPartitions)).status().message(),
              HasSubstr("the device assignment is for 1 of 2"));
}

TEST(Placement, NeedsDifferentDevices) {
  CompileOptions options = ForFour();
  options.assignment = *ReadDeviceAssignment(Message({{6}, {4}, {7}, {4}}));
  const absl::Status status = AssignmentFor(options, Module(kFourPartitions)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("device 4 twice"));
}

TEST(Placement, NeedsShardyForAProgramThatIsPartitioned) {
  CompileOptions options = ForFour();
  options.use_shardy_partitioner = false;
  const absl::Status gspmd = AssignmentFor(options, Module(kFourPartitions)).status();
  EXPECT_EQ(gspmd.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(gspmd.message(), HasSubstr("JAX_USE_SHARDY_PARTITIONER=1"));
  options.use_spmd_partitioning = false;
  EXPECT_THAT(AssignmentFor(options, Module(kFourPartitions)).status().message(),
              HasSubstr("use_spmd_partitioning"));
  const ir::Module local = Module(kFourPartitions, "%p = stablehlo.partition_id : tensor<ui32>");
  EXPECT_TRUE(AssignmentFor(options, local).ok()) << AssignmentFor(options, local).status();
}

}  // namespace
}  // namespace acceld::pjrt

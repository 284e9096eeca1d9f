#include "client/pjrt/distribution/op_sharding.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::pjrt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kX = 0, kY = 1;

ir::Mesh Mesh(std::vector<int64_t> device_ids = {}) {
  return {.name = "mesh",
          .axes = {{.name = "x", .size = 2}, {.name = "y", .size = 4}},
          .device_ids = std::move(device_ids)};
}

// Returns a sharding by the axes of each dimension.
ir::Sharding Along(const std::vector<std::vector<ir::AxisRef>>& dimensions) {
  ir::Sharding sharding;
  for (const std::vector<ir::AxisRef>& axes : dimensions) {
    sharding.dimensions.push_back({.axes = axes});
  }
  return sharding;
}

// The expected values are what JAX writes for NamedSharding(mesh, P(...)).

TEST(OpSharding, OfAWholeValueIsReplicated) {
  EXPECT_EQ(ToOpSharding(Along({}), Mesh()).SerializeAsString(), "");
  EXPECT_EQ(ToOpSharding(Along({{}, {}}), Mesh()).SerializeAsString(), "");
}

TEST(OpSharding, ListsTheAxesOfTheDimensionsFirst) {
  const OpSharding sharding = ToOpSharding(Along({{}, {{.axis = kY}}}), Mesh());
  EXPECT_EQ(sharding.type(), OpSharding::OTHER);
  EXPECT_THAT(sharding.tile_assignment_dimensions(), ElementsAre(1, 4, 2));
  EXPECT_TRUE(sharding.replicate_on_last_tile_dim());
  EXPECT_THAT(sharding.iota_reshape_dims(), ElementsAre(2, 4));
  EXPECT_THAT(sharding.iota_transpose_perm(), ElementsAre(kY, kX));
  EXPECT_THAT(sharding.tile_assignment_devices(), IsEmpty());
  EXPECT_THAT(sharding.last_tile_dims(), IsEmpty());
}

TEST(OpSharding, KeepsTheOrderOfAxes) {
  const OpSharding of_one = ToOpSharding(Along({{{.axis = kY}, {.axis = kX}}}), Mesh());
  EXPECT_THAT(of_one.tile_assignment_dimensions(), ElementsAre(8));
  EXPECT_FALSE(of_one.replicate_on_last_tile_dim());
  EXPECT_THAT(of_one.iota_transpose_perm(), ElementsAre(kY, kX));
  const OpSharding of_two = ToOpSharding(Along({{{.axis = kX}}, {{.axis = kY}}}), Mesh());
  EXPECT_THAT(of_two.tile_assignment_dimensions(), ElementsAre(2, 4));
  EXPECT_THAT(of_two.iota_transpose_perm(), ElementsAre(kX, kY));
}

TEST(OpSharding, SaysAlongWhichAxesAValueIsASum) {
  ir::Sharding sharding = Along({{}});
  sharding.unreduced = {{.axis = kX}};
  const OpSharding of_one = ToOpSharding(sharding, Mesh());
  EXPECT_THAT(of_one.tile_assignment_dimensions(), ElementsAre(1, 4, 2));
  EXPECT_THAT(of_one.last_tile_dims(), ElementsAre(OpSharding::REPLICATED, OpSharding::UNREDUCED));
  EXPECT_FALSE(of_one.replicate_on_last_tile_dim());
  EXPECT_THAT(of_one.iota_transpose_perm(), ElementsAre(kY, kX));
  sharding.unreduced = {{.axis = kX}, {.axis = kY}};
  const OpSharding of_all = ToOpSharding(sharding, Mesh());
  EXPECT_THAT(of_all.tile_assignment_dimensions(), ElementsAre(1, 8));
  EXPECT_THAT(of_all.last_tile_dims(), ElementsAre(OpSharding::UNREDUCED));
  EXPECT_THAT(of_all.metadata(), IsEmpty());
}

TEST(OpSharding, SaysHowPartsAreCombinedIfNotBySums) {
  ir::Sharding sharding = Along({{}});
  sharding.unreduced = {{.axis = kX}};
  for (const auto& [reduction, name] :
       {std::pair(ir::Reduction::kMax, "MAX"), std::pair(ir::Reduction::kMin, "MIN")}) {
    sharding.reduction = reduction;
    const OpSharding message = ToOpSharding(sharding, Mesh());
    ASSERT_EQ(message.metadata_size(), 1);
    EXPECT_EQ(message.metadata(0).op_type(), "sdy::reduction_op");
    EXPECT_EQ(message.metadata(0).op_name(), name);
  }
}

TEST(OpSharding, ListsTheParticipantsOfPartsOfAxes) {
  const OpSharding minor = ToOpSharding(Along({{{.axis = kY, .pre_size = 2, .size = 2}}}), Mesh());
  EXPECT_THAT(minor.tile_assignment_dimensions(), ElementsAre(2, 4));
  EXPECT_TRUE(minor.replicate_on_last_tile_dim());
  EXPECT_THAT(minor.tile_assignment_devices(), ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  EXPECT_THAT(minor.iota_reshape_dims(), IsEmpty());
  ir::Sharding sharding = Along({{{.axis = kX}}});
  sharding.unreduced = {{.axis = kY, .pre_size = 1, .size = 2}};
  const OpSharding sum = ToOpSharding(sharding, Mesh());
  EXPECT_THAT(sum.tile_assignment_dimensions(), ElementsAre(2, 2, 2));
  EXPECT_THAT(sum.tile_assignment_devices(), ElementsAre(0, 2, 1, 3, 4, 6, 5, 7));
}

TEST(OpSharding, ListsTheParticipantsOfAMeshInAnotherOrder) {
  const OpSharding sharding =
      ToOpSharding(Along({{{.axis = kX}}, {{.axis = kY}}}), Mesh({7, 6, 5, 4, 3, 2, 1, 0}));
  EXPECT_THAT(sharding.tile_assignment_dimensions(), ElementsAre(2, 4));
  EXPECT_THAT(sharding.tile_assignment_devices(), ElementsAre(7, 6, 5, 4, 3, 2, 1, 0));
}

TEST(SerializedShardings, AreListedAsTheInterfaceWants) {
  EXPECT_EQ(SerializedShardings().data(), nullptr);
  EXPECT_EQ(SerializedShardings({}, Mesh()).sizes(), nullptr);
  const std::vector<ir::Sharding> shardings = {Along({{{.axis = kX}}}), Along({{}})};
  const SerializedShardings serialized(shardings, Mesh());
  OpSharding first;
  ASSERT_TRUE(first.ParseFromArray(serialized.data()[0], static_cast<int>(serialized.sizes()[0])));
  EXPECT_THAT(first.tile_assignment_dimensions(), ElementsAre(2, 4));
  EXPECT_NE(serialized.data()[1], nullptr);
  EXPECT_EQ(serialized.sizes()[1], 0u);
}

}  // namespace
}  // namespace acceld::pjrt

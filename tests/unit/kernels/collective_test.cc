// Which collectives are accepted, and how they are written.

#include "kernels/ir/collective.h"

#include <functional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::kernels {
namespace {

using ir::DType;
using ir::TensorType;
using ::testing::HasSubstr;
using Kind = Collective::Kind;
using Combiner = Collective::Combiner;

TensorType F32(ir::Dims dims) { return {DType::kF32, std::move(dims)}; }

const Collective kSum{.kind = Kind::kAllReduce,
                      .groups = {{0, 1}, {2, 3}},
                      .operands = {{DType::kF32, {2}}},
                      .results = {{DType::kF32, {2}}}};
const Collective kGather{.kind = Kind::kAllGather,
                         .dimension = 1,
                         .groups = {{0, 2}, {1, 3}},
                         .operands = {{DType::kF32, {2, 3}}},
                         .results = {{DType::kF32, {2, 6}}}};
const Collective kTurn{.kind = Kind::kAllToAll,
                       .dimension = 0,
                       .concat_dimension = 1,
                       .groups = {{0, 1}},
                       .operands = {{DType::kF32, {4, 3}}},
                       .results = {{DType::kF32, {2, 6}}}};
const Collective kShift{.kind = Kind::kPermute,
                        .groups = {{0, 1}, {1, 2}},
                        .operands = {{DType::kF32, {2}}},
                        .results = {{DType::kF32, {2}}}};
const Collective kScatter{.kind = Kind::kReduceScatter,
                          .combiner = Combiner::kMaximum,
                          .dimension = 0,
                          .groups = {{1, 0}},
                          .operands = {{DType::kF32, {4}}},
                          .results = {{DType::kF32, {2}}}};

TEST(CollectiveTest, TextSaysWhatIsExchanged) {
  EXPECT_EQ(ToString(kSum), "all_reduce add {0, 1} {2, 3} (tensor<2xf32>) -> (tensor<2xf32>)");
  EXPECT_EQ(ToString(kGather),
            "all_gather dim=1 {0, 2} {1, 3} (tensor<2x3xf32>) -> (tensor<2x6xf32>)");
  EXPECT_EQ(ToString(kTurn),
            "all_to_all split=0 concat=1 {0, 1} (tensor<4x3xf32>) -> (tensor<2x6xf32>)");
  EXPECT_EQ(ToString(kShift),
            "collective_permute {0, 1} {1, 2} (tensor<2xf32>) -> (tensor<2xf32>)");
  EXPECT_EQ(ToString(kScatter),
            "reduce_scatter maximum dim=0 {1, 0} (tensor<4xf32>) -> (tensor<2xf32>)");
  Collective mean = kSum;
  mean.factor = 0.5;
  EXPECT_EQ(ToString(mean),
            "all_reduce add * 0.5 {0, 1} {2, 3} (tensor<2xf32>) -> (tensor<2xf32>)");
}

TEST(CollectiveTest, AcceptsWhatFitsTogether) {
  Collective uneven = kSum;
  uneven.groups = {{0, 1, 2}, {3}};
  Collective sent_to_nobody = kShift;
  sent_to_nobody.groups = {};
  for (const Collective& one : {kSum, kGather, kTurn, kShift, kScatter, uneven, sent_to_nobody}) {
    EXPECT_TRUE(CheckCollective(one).ok()) << CheckCollective(one);
  }
}

// The error for a collective after `change`.
std::string ErrorOf(Collective collective, const std::function<void(Collective&)>& change) {
  change(collective);
  const absl::Status status = CheckCollective(collective);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  return std::string(status.message());
}

TEST(CollectiveTest, RefusesGroupsThatOverlapOrDiffer) {
  EXPECT_EQ(ErrorOf(kSum, [](Collective& c) { c.groups = {{0, 1}, {1, 2}}; }),
            "all_reduce: member 1 stands twice");
  EXPECT_EQ(ErrorOf(kSum, [](Collective& c) { c.groups = {{0, -1}}; }), "all_reduce: member -1");
  EXPECT_EQ(ErrorOf(kSum, [](Collective& c) { c.groups = {{}}; }),
            "all_reduce: a group without members");
  EXPECT_EQ(ErrorOf(kSum, [](Collective& c) { c.groups = {}; }), "all_reduce: it has no groups");
  EXPECT_EQ(ErrorOf(kGather, [](Collective& c) { c.groups = {{0, 2}, {1}}; }),
            "all_gather: groups of 2 and of 1 members");
  EXPECT_EQ(ErrorOf(kShift, [](Collective& c) { c.groups = {{0, 1}, {2, 1}}; }),
            "collective_permute: member 1 stands twice");
  EXPECT_EQ(ErrorOf(kShift, [](Collective& c) { c.groups = {{0, 1, 2}}; }),
            "collective_permute: a pair of 3 members");
}

TEST(CollectiveTest, RefusesResultsOfOtherTypes) {
  EXPECT_EQ(ErrorOf(kSum, [](Collective& c) { c.results[0] = F32({3}); }),
            "all_reduce: tensor<3xf32> from tensor<2xf32>");
  EXPECT_EQ(ErrorOf(kSum, [](Collective& c) { c.results.push_back(F32({2})); }),
            "all_reduce: 1 operands, but 2 results");
  EXPECT_EQ(ErrorOf(kGather, [](Collective& c) { c.results[0] = F32({4, 3}); }),
            "all_gather: tensor<4x3xf32> of 2 parts tensor<2x3xf32>");
  EXPECT_EQ(ErrorOf(kGather, [](Collective& c) { c.dimension = 2; }),
            "all_gather: dimension 2 of tensor<2x3xf32>");
  EXPECT_EQ(ErrorOf(kTurn, [](Collective& c) { c.operands[0] = F32({3, 3}); }),
            "all_to_all: tensor<3x3xf32> in 2 parts");
  EXPECT_EQ(ErrorOf(kTurn, [](Collective& c) { c.results[0] = F32({4, 3}); }),
            "all_to_all: tensor<4x3xf32> of 2 parts of tensor<4x3xf32>");
  EXPECT_EQ(ErrorOf(kScatter, [](Collective& c) { c.results[0] = F32({4}); }),
            "reduce_scatter: tensor<4xf32> of 2 parts tensor<4xf32>");
  EXPECT_THAT(
      ErrorOf(kSum, [](Collective& c) { c.operands[0] = c.results[0] = F32({ir::kDynamicDim}); }),
      HasSubstr("tensor<?xf32>"));
}

TEST(CollectiveTest, ReductionsOfSomeFloatsHaveFactors) {
  EXPECT_EQ(ErrorOf(kGather, [](Collective& c) { c.factor = 2; }), "all_gather: it has a factor");
  EXPECT_EQ(ErrorOf(kShift, [](Collective& c) { c.factor = 2; }),
            "collective_permute: it has a factor");
  for (const DType dtype : {DType::kI32, DType::kC64, DType::kF8E4M3FN}) {
    EXPECT_THAT(ErrorOf(kSum,
                        [&](Collective& c) {
                          c.factor = 2;
                          c.operands[0].dtype = c.results[0].dtype = dtype;
                        }),
                HasSubstr("all_reduce: a factor for "));
  }
  for (const DType dtype : {DType::kF16, DType::kBF16, DType::kF32, DType::kF64}) {
    Collective mean = kScatter;
    mean.factor = 2;
    mean.operands[0].dtype = mean.results[0].dtype = dtype;
    EXPECT_TRUE(CheckCollective(mean).ok()) << CheckCollective(mean);
  }
}

TEST(CollectiveTest, CombinersAreForSomeTypes) {
  EXPECT_TRUE(CanCombine(Combiner::kAdd, DType::kC64));
  EXPECT_FALSE(CanCombine(Combiner::kMultiply, DType::kC64));
  EXPECT_FALSE(CanCombine(Combiner::kMaximum, DType::kC64));
  EXPECT_TRUE(CanCombine(Combiner::kOr, DType::kI1));
  EXPECT_TRUE(CanCombine(Combiner::kXor, DType::kUI8));
  EXPECT_FALSE(CanCombine(Combiner::kAnd, DType::kF32));
  EXPECT_EQ(ErrorOf(kSum, [](Collective& c) { c.combiner = Combiner::kXor; }),
            "all_reduce: xor of f32");
}

}  // namespace
}  // namespace acceld::kernels

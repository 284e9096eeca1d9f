#include "common/ir/builder.h"

#include "common/ir/verify/verifier.h"
#include "gtest/gtest.h"
#include "tests/unit/status_matchers.h"

namespace acceld::ir {
namespace {

const Type kScalar = TensorType{DType::kF32, {}};
const Type kVector = TensorType{DType::kF32, {4}};

absl::Status VerifyFunction(Function function) {
  Module module;
  module.functions.push_back(std::move(function));
  return Verify(module);
}

// while (x < 10) x = x + y, where y comes from around the loop.
Function CountingLoop() {
  FunctionBuilder b("main");
  const ValueId x = b.AddParameter(kScalar);
  const ValueId y = b.AddParameter(kScalar);
  const ValueId in_cond = b.BeginRegion({kScalar})[0];
  const ValueId ten = b.Constant(Literal::Filled({DType::kF32, {}}, 10));
  const ValueId less =
      *b.AddOne(OpKind::kCompare, {in_cond, ten}, CompareAttributes{ComparisonDirection::kLt});
  std::vector<Region> regions;
  regions.push_back(b.EndRegion({less}));
  const ValueId in_body = b.BeginRegion({kScalar})[0];
  const ValueId sum = *b.AddOne(OpKind::kAdd, {in_body, y});
  regions.push_back(b.EndRegion({sum}));
  const auto results = b.Add(OpKind::kWhile, {x}, NoAttributes{}, std::move(regions));
  return b.Finish(*results);
}

TEST(BuilderTest, RegionsSeeTheValuesAroundThem) {
  EXPECT_THAT(VerifyFunction(CountingLoop()), IsOk());
}

TEST(BuilderTest, FailedAddLeavesTheFunctionAsItWas) {
  FunctionBuilder b("main");
  const ValueId x = b.AddParameter(kVector);
  const ValueId y = b.AddParameter(kScalar);
  const Function before = b.function();
  EXPECT_THAT(b.AddOne(OpKind::kAdd, {x, y}), IsRefused("add: operands differ in shape"));
  EXPECT_THAT(b.AddOne(OpKind::kAdd, {x, 77}), IsRefused("operand 77"));
  EXPECT_EQ(b.function(), before);
  EXPECT_THAT(VerifyFunction(b.Finish({*b.AddOne(OpKind::kAdd, {x, x})})), IsOk());
}

TEST(BuilderTest, DeclaredTypesMustFitTheInferredOnes) {
  FunctionBuilder b("main");
  const ValueId x = b.AddParameter(kVector);
  EXPECT_THAT(b.AddOne(OpKind::kAbs, {x}, NoAttributes{}, {kScalar}),
              IsRefused("abs: result 0 is declared tensor<f32>, but is tensor<4xf32>"));
  const Type dynamic = TensorType{DType::kF32, {kDynamicDim}};
  const ValueId y = *b.AddOne(OpKind::kAbs, {x}, NoAttributes{}, {dynamic});
  EXPECT_EQ(b.TypeOf(y), dynamic);
}

TEST(BuilderTest, AddOneRefusesOpsWithoutExactlyOneResult) {
  FunctionBuilder b("main");
  const ValueId x = b.AddParameter(kVector);
  EXPECT_THAT(b.AddOne(OpKind::kOptimizationBarrier, {x, x}), IsRefused("one result expected"));
}

TEST(BuilderTest, ClonedFunctionIsEqualToItsSource) {
  const Function source = CountingLoop();
  FunctionBuilder b("main");
  absl::flat_hash_map<ValueId, ValueId> map;
  for (ValueId id : source.body.parameters) map[id] = b.AddParameter(source.TypeOf(id));
  for (const Op& op : source.body.ops) b.Clone(op, source, map);
  std::vector<ValueId> results;
  for (ValueId id : source.body.results) results.push_back(map.at(id));
  EXPECT_EQ(b.Finish(results), source);
}

TEST(BuilderTest, CloneTwiceGivesDistinctValues) {
  const Function source = CountingLoop();
  FunctionBuilder b("main");
  absl::flat_hash_map<ValueId, ValueId> map;
  for (ValueId id : source.body.parameters) map[id] = b.AddParameter(source.TypeOf(id));
  b.Clone(source.body.ops[0], source, map);
  const ValueId first = map.at(source.body.results[0]);
  b.Clone(source.body.ops[0], source, map);
  const ValueId second = map.at(source.body.results[0]);
  EXPECT_NE(first, second);
  EXPECT_THAT(VerifyFunction(b.Finish({first, second})), IsOk());
}

TEST(ModuleTest, UnknownEntryListsThePublicFunctions) {
  Module module;
  module.functions.push_back(FunctionBuilder("shown").Finish({}));
  module.functions.push_back(FunctionBuilder("hidden", false).Finish({}));
  EXPECT_THAT(module.Entry("shown"), IsOk());
  EXPECT_THAT(module.Entry("main"),
              FailsWith(absl::StatusCode::kNotFound,
                        "no function 'main'; its public functions are: shown"));
}

}  // namespace
}  // namespace acceld::ir

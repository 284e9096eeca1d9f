#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "tests/unit/ir/interpreter/interpreter_test_util.h"

namespace acceld::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(InterpreterIndexing, DynamicSliceClampsAndReadsUnsignedStartsAsUnsigned) {
  const Literal x = Ints(DType::kI32, {5}, {0, 1, 2, 3, 4});
  const DynamicSliceAttributes sizes{.slice_sizes = {2}};
  const auto slice = [&](DType dtype, int64_t start) {
    return IntsOf(RunOp(OpKind::kDynamicSlice, {x, Ints(dtype, {}, {start})}, sizes));
  };
  EXPECT_THAT(slice(DType::kI32, -3), ElementsAre(0, 1));
  EXPECT_THAT(slice(DType::kI32, 4), ElementsAre(3, 4));
  EXPECT_THAT(slice(DType::kUI8, 200), ElementsAre(3, 4));
  EXPECT_THAT(slice(DType::kUI64, -1), ElementsAre(3, 4));
}

TEST(InterpreterIndexing, DynamicUpdateSliceClamps) {
  EXPECT_THAT(IntsOf(RunOp(OpKind::kDynamicUpdateSlice,
                           {Ints(DType::kI32, {4}, {0, 0, 0, 0}), Ints(DType::kI32, {2}, {7, 8}),
                            Ints(DType::kI32, {}, {3})})),
              ElementsAre(0, 0, 7, 8));
}

TEST(InterpreterIndexing, NegativeAndInteriorPadding) {
  EXPECT_THAT(
      IntsOf(
          RunOp(OpKind::kPad, {Ints(DType::kI32, {3}, {1, 2, 3}), Ints(DType::kI32, {}, {9})},
                PadAttributes{
                    .edge_padding_low = {-1}, .edge_padding_high = {2}, .interior_padding = {1}})),
      ElementsAre(9, 2, 9, 3, 9, 9));
}

TEST(InterpreterIndexing, BitcastPutsTheFirstElementLowest) {
  const Literal bytes = Ints(DType::kUI8, {2, 4}, {0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0});
  EXPECT_THAT(FloatsOf(RunOp(OpKind::kBitcastConvert, {bytes}, NoAttributes{},
                             {TensorType{DType::kF32, {2}}})),
              ElementsAre(1, -2));
  EXPECT_THAT(IntsOf(RunOp(OpKind::kBitcastConvert, {Ints(DType::kI8, {1}, {0x21})}, NoAttributes{},
                           {TensorType{DType::kUI4, {1, 2}}})),
              ElementsAre(1, 2));
}

TEST(InterpreterIndexing, GatherClampsStarts) {
  GatherAttributes attributes;
  attributes.dimension_numbers.collapsed_slice_dims = {0};
  attributes.dimension_numbers.start_index_map = {0};
  attributes.dimension_numbers.index_vector_dim = 1;
  attributes.slice_sizes = {1};
  EXPECT_THAT(IntsOf(RunOp(
                  OpKind::kGather,
                  {Ints(DType::kI32, {3}, {10, 11, 12}), Ints(DType::kI32, {4, 1}, {2, -7, 99, 1})},
                  attributes)),
              ElementsAre(12, 10, 12, 11));
}

std::vector<Literal> Reduce(OpKind kind, const Literal& x, const Literal& initial) {
  return RunProgram({x, initial},
                    [&](FunctionBuilder& b, const std::vector<ValueId>& p) {
                      std::vector<Region> regions;
                      regions.push_back(BinaryRegion(b, kind, x.type().dtype));
                      return b
                          .Add(OpKind::kReduce, {p[0], p[1]},
                               DimensionsAttributes{.dimensions = {0}}, std::move(regions))
                          .value();
                    })
      .value();
}

TEST(InterpreterReduce, NarrowFloatsAccumulateInSingle) {
  for (const DType dtype : {DType::kBF16, DType::kF16}) {
    const auto sum =
        Reduce(OpKind::kAdd, Literal::Filled({dtype, {4096}}, 1), Floats(dtype, {}, {0}));
    EXPECT_THAT(FloatsOf(sum[0]), ElementsAre(4096));
  }
}

TEST(InterpreterReduce, SinglesRoundAfterEachStep) {
  // 2^24 + 1 rounds back to 2^24 every time.
  const auto sum = Reduce(OpKind::kAdd, Floats(DType::kF32, {4}, {1, 1, 1, 1}),
                          Floats(DType::kF32, {}, {std::ldexp(1.0, 24)}));
  EXPECT_THAT(FloatsOf(sum[0]), ElementsAre(std::ldexp(1.0, 24)));
}

TEST(InterpreterReduce, EmptyDimensionGivesTheInitialValue) {
  const auto sum = Reduce(OpKind::kAdd, Ints(DType::kI32, {0, 2}, {}), Ints(DType::kI32, {}, {5}));
  EXPECT_THAT(IntsOf(sum[0]), ElementsAre(5, 5));
}

TEST(InterpreterReduceWindow, CellsOfPaddingAndDilationAreLeftOut) {
  const auto results = RunProgram({Ints(DType::kI32, {2}, {1, 2}), Ints(DType::kI32, {}, {10})},
                                  [&](FunctionBuilder& b, const std::vector<ValueId>& p) {
                                    std::vector<Region> regions;
                                    regions.push_back(BinaryRegion(b, OpKind::kAdd, DType::kI32));
                                    return b
                                        .Add(OpKind::kReduceWindow, {p[0], p[1]},
                                             WindowAttributes{.window_dimensions = {2},
                                                              .base_dilations = {3},
                                                              .padding = {.pairs = {{1, 0}}}},
                                             std::move(regions))
                                        .value();
                                  });
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(IntsOf((*results)[0]), ElementsAre(10 + 1, 10 + 1, 10, 10 + 2));
}

TEST(InterpreterScatter, LeavesOutWhatFallsOutside) {
  ScatterAttributes attributes;
  attributes.scatter_dimension_numbers.inserted_window_dims = {0};
  attributes.scatter_dimension_numbers.scatter_dims_to_operand_dims = {0};
  attributes.scatter_dimension_numbers.index_vector_dim = 1;
  const auto results =
      RunProgram({Ints(DType::kI32, {3}, {1, 2, 3}), Ints(DType::kUI32, {4, 1}, {1, -1, 3, 1}),
                  Ints(DType::kI32, {4}, {10, 20, 30, 40})},
                 [&](FunctionBuilder& b, const std::vector<ValueId>& p) {
                   std::vector<Region> regions;
                   regions.push_back(BinaryRegion(b, OpKind::kAdd, DType::kI32));
                   return b.Add(OpKind::kScatter, p, attributes, std::move(regions)).value();
                 });
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(IntsOf((*results)[0]), ElementsAre(1, 52, 3));
}

TEST(InterpreterSort, IsStableAndMovesAllOperands) {
  const Type f32 = ScalarType(DType::kF32);
  const auto results = RunProgram(
      {Floats(DType::kF32, {4}, {2, 1, 2, 1}), Ints(DType::kI32, {4}, {0, 1, 2, 3})},
      [&](FunctionBuilder& b, const std::vector<ValueId>& p) {
        std::vector<Region> regions;
        regions.push_back(MakeRegion(
            b, {f32, f32, ScalarType(DType::kI32), ScalarType(DType::kI32)},
            [&](const std::vector<ValueId>& q) {
              return std::vector<ValueId>{
                  b.AddOne(OpKind::kCompare, {q[0], q[1]},
                           CompareAttributes{.comparison_direction = ComparisonDirection::kGt})
                      .value()};
            }));
        return b
            .Add(OpKind::kSort, p, SortAttributes{.dimension = 0, .is_stable = true},
                 std::move(regions))
            .value();
      });
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(FloatsOf((*results)[0]), ElementsAre(2, 2, 1, 1));
  EXPECT_THAT(IntsOf((*results)[1]), ElementsAre(0, 2, 1, 3));
}

Literal Dot(const Literal& lhs, const Literal& rhs, DType result) {
  DotGeneralAttributes attributes;
  attributes.dot_dimension_numbers.lhs_contracting_dimensions = {0};
  attributes.dot_dimension_numbers.rhs_contracting_dimensions = {0};
  return RunOp(OpKind::kDotGeneral, {lhs, rhs}, attributes, {ScalarType(result)});
}

TEST(InterpreterDot, NarrowIntegersAreWidenedFirst) {
  const Literal x = Ints(DType::kI8, {2}, {100, 100});
  EXPECT_THAT(IntsOf(Dot(x, x, DType::kI32)), ElementsAre(20000));
  EXPECT_THAT(IntsOf(Dot(x, x, DType::kI8)), ElementsAre(32));
}

TEST(InterpreterDot, NarrowFloatsAccumulateInSingleAndRoundOnce) {
  const Literal ones = Literal::Filled({DType::kBF16, {600}}, 1);
  EXPECT_THAT(FloatsOf(Dot(ones, ones, DType::kBF16)), ElementsAre(600));
}

TEST(InterpreterDot, IntegersAreConvertedToAFloatResultFirst) {
  const Literal bytes = Ints(DType::kI8, {2}, {127, -128});
  EXPECT_THAT(FloatsOf(Dot(bytes, bytes, DType::kF32)), ElementsAre(127 * 127 + 128 * 128));
  // As an f32 each of these is 2^24: the operands are rounded, not the exact sum.
  const Literal lhs = Ints(DType::kI32, {2}, {(1 << 24) + 1, -(1 << 24)});
  const Literal ones = Ints(DType::kI32, {2}, {1, 1});
  EXPECT_THAT(FloatsOf(Dot(lhs, ones, DType::kF32)), ElementsAre(0));
  EXPECT_THAT(FloatsOf(Dot(lhs, ones, DType::kF64)), ElementsAre(1));
  const Literal bits = Ints(DType::kI1, {2}, {1, 1});
  EXPECT_THAT(FloatsOf(Dot(bits, bits, DType::kBF16)), ElementsAre(2));
  EXPECT_THAT(IntsOf(Dot(bits, bits, DType::kI8)), ElementsAre(2));
  const Literal factor = Floats(DType::kF32, {2}, {1.5, 2.5});
  EXPECT_THAT(FloatsOf(Dot(bits, factor, DType::kF32)), ElementsAre(4));
}

TEST(InterpreterDot, FloatsAreSummedAsFloatsForAnIntegerResult) {
  const Literal ones = Floats(DType::kF32, {2}, {1, 1});
  const auto sum = [&](double x, double y, DType result) {
    return IntsOf(Dot(Floats(DType::kF32, {2}, {x, y}), ones, result))[0];
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(sum(1.5, 1.5, DType::kI32), 3);
  EXPECT_EQ(sum(-1.5, -0.25, DType::kI32), -1);
  EXPECT_EQ(sum(200, 100, DType::kI8), 127);
  EXPECT_EQ(sum(-200, 100, DType::kUI8), 0);
  EXPECT_EQ(sum(kInfinity, 1, DType::kI32), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(sum(kInfinity, -kInfinity, DType::kI32), 0);
  EXPECT_EQ(sum(1, -1, DType::kI1), 0);
  EXPECT_EQ(sum(0.5, 0.25, DType::kI1), 1);
  EXPECT_EQ(sum(1 << 24, 1, DType::kI64), 1 << 24);
  // The sum is a value of the operands' type before it is one of the result's.
  const Literal halves = Floats(DType::kF16, {2}, {2048, 1});
  EXPECT_THAT(IntsOf(Dot(halves, Floats(DType::kF16, {2}, {1, 1}), DType::kI32)),
              ElementsAre(2048));
}

TEST(InterpreterDot, IntegersWrapInTheirTypeBeforeTheyAreTruthValues) {
  const Literal sixteen = Ints(DType::kI8, {1}, {16});
  EXPECT_THAT(IntsOf(Dot(sixteen, sixteen, DType::kI1)), ElementsAre(0));
  EXPECT_THAT(IntsOf(Dot(sixteen, Ints(DType::kI8, {1}, {3}), DType::kI1)), ElementsAre(1));
}

TEST(InterpreterDot, ComplexSumsKeepTheirRealPart) {
  const Literal x = Complexes(DType::kC64, {1}, {{1, 2}});
  const Literal y = Complexes(DType::kC64, {1}, {{3, 4}});
  EXPECT_THAT(FloatsOf(Dot(x, y, DType::kF32)), ElementsAre(-5));
  EXPECT_THAT(IntsOf(Dot(x, y, DType::kI32)), ElementsAre(-5));
}

TEST(InterpreterDot, EmptyContractionGivesZeros) {
  const Literal empty = Floats(DType::kF32, {0}, {});
  EXPECT_THAT(FloatsOf(Dot(empty, empty, DType::kF32)), ElementsAre(0));
}

TEST(InterpreterControl, CaseIndexOutOfRangeTakesTheLastBranch) {
  for (const int64_t index : {-1, 2, 7}) {
    const auto results = RunProgram(
        {Ints(DType::kI32, {}, {index})}, [&](FunctionBuilder& b, const std::vector<ValueId>& p) {
          std::vector<Region> branches;
          for (int64_t i = 0; i < 3; ++i) {
            b.BeginRegion({});
            branches.push_back(b.EndRegion({b.Constant(Ints(DType::kI32, {}, {i}))}));
          }
          return b.Add(OpKind::kCase, p, NoAttributes{}, std::move(branches)).value();
        });
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_THAT(IntsOf((*results)[0]), ElementsAre(2));
  }
}

// Counts up by `step` from the argument while less than ten. The body captures `step`.
std::vector<ValueId> CountToTen(FunctionBuilder& b, const std::vector<ValueId>& p, int64_t step) {
  const ValueId captured = b.Constant(Ints(DType::kI32, {}, {step}));
  std::vector<Region> regions;
  regions.push_back(MakeRegion(b, {ScalarType(DType::kI32)}, [&](const std::vector<ValueId>& q) {
    const ValueId ten = b.Constant(Ints(DType::kI32, {}, {10}));
    return std::vector<ValueId>{
        b.AddOne(OpKind::kCompare, {q[0], ten},
                 CompareAttributes{.comparison_direction = ComparisonDirection::kLt})
            .value()};
  }));
  regions.push_back(MakeRegion(b, {ScalarType(DType::kI32)}, [&](const std::vector<ValueId>& q) {
    return std::vector<ValueId>{b.AddOne(OpKind::kAdd, {q[0], captured}).value()};
  }));
  return b.Add(OpKind::kWhile, p, NoAttributes{}, std::move(regions)).value();
}

TEST(InterpreterControl, WhileRunsUntilItsConditionFailsAndSeesCapturedValues) {
  const auto results = RunProgram(
      {Ints(DType::kI32, {}, {1})},
      [](FunctionBuilder& b, const std::vector<ValueId>& p) { return CountToTen(b, p, 4); });
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(IntsOf((*results)[0]), ElementsAre(13));
}

TEST(InterpreterLimits, EndlessLoopsEnd) {
  const auto results = RunProgram(
      {Ints(DType::kI32, {}, {1})},
      [](FunctionBuilder& b, const std::vector<ValueId>& p) { return CountToTen(b, p, 0); },
      {.max_element_ops = 10'000});
  EXPECT_EQ(results.status().code(), absl::StatusCode::kResourceExhausted) << results.status();
}

TEST(InterpreterLimits, HugeResultsAreRefusedBeforeTheyAreMade) {
  const auto results = RunProgram(
      {Floats(DType::kF32, {2}, {1, 2})}, [](FunctionBuilder& b, const std::vector<ValueId>& p) {
        const Type huge = TensorType{DType::kF32, {int64_t{1} << 40, 2}};
        return b
            .Add(OpKind::kBroadcastInDim, p, BroadcastInDimAttributes{.broadcast_dimensions = {1}},
                 {}, {&huge, 1})
            .value();
      });
  EXPECT_EQ(results.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(results.status().message()), HasSubstr("stablehlo.broadcast_in_dim"));
}

TEST(InterpreterLimits, ArgumentsOfAnotherTypeAreRefused) {
  FunctionBuilder b("main");
  const ValueId x = b.AddParameter(ScalarType(DType::kI32));
  Module module{.name = "m", .functions = {}};
  module.functions.push_back(b.Finish({x}));
  const Literal argument = Floats(DType::kF32, {}, {1});
  const auto results = Interpret(module, "main", {&argument, 1});
  EXPECT_EQ(results.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(results.status().message()), HasSubstr("tensor<i32>"));
}

TEST(InterpretOp, RefusesRegionsThatCapture) {
  FunctionBuilder b("main");
  const ValueId x = b.AddParameter(ScalarType(DType::kI32));
  const std::vector<ValueId> results = CountToTen(b, {x}, 1);
  const Function function = b.Finish(results);
  const Literal argument = Ints(DType::kI32, {}, {1});
  EXPECT_EQ(InterpretOp(function, function.body.ops.back(), {&argument, 1}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace acceld::ir

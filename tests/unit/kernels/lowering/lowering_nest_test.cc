#include <algorithm>
#include <numeric>

#include "tests/unit/kernels/lowering/lowering_test_util.h"

namespace acceld::kernels {
namespace {

using ir::DType;
using ir::FunctionBuilder;
using ir::Literal;
using ir::OpKind;
using ir::Region;
using ir::ValueId;

using Values = std::vector<ValueId>;

constexpr ir::CheckRule kClose = {ir::Tolerance::kRelativeToMax, 1e-5, true};

// One op with regions.
void ExpectNestAgrees(OpKind kind, const std::vector<Literal>& operands,
                      const ir::OpAttributes& attributes,
                      const std::function<Region(FunctionBuilder&)>& region,
                      ir::CheckRule rule = kClose) {
  ExpectAgreement(
      operands,
      [&](FunctionBuilder& b, const Values& p) {
        std::vector<Region> regions;
        regions.push_back(region(b));
        const auto results = b.Add(kind, p, attributes, std::move(regions));
        EXPECT_TRUE(results.ok()) << results.status();
        return results.ok() ? *results : Values{};
      },
      rule);
}

// The reference rounds each step to the element type, kernels once at the end.
ir::CheckRule RuleForSumsOf(DType dtype) {
  if (!ir::IsFloat(dtype) || ir::BitsOf(dtype) > 16) return kClose;
  return {ir::Tolerance::kUlp, ir::BitsOf(dtype) < 8 ? 2.0 : 1.0, true};
}

void ExpectReduceAgrees(DType dtype, const ir::Dims& dims, const std::vector<int64_t>& dimensions,
                        OpKind kind = OpKind::kAdd) {
  SCOPED_TRACE(std::string(ir::DTypeName(dtype)) + " " + (ir::TensorType{dtype, dims}).ToString());
  ExpectNestAgrees(
      OpKind::kReduce, {RandomTensor(dtype, dims, 1), RandomTensor(dtype, {}, 2)},
      ir::DimensionsAttributes{dimensions},
      [&](FunctionBuilder& b) { return ir::BinaryRegion(b, kind, dtype); }, RuleForSumsOf(dtype));
}

// The larger of two, by a branch; and what the element, as a number of a branch, makes of the sum.
TEST(Reduce, ReducersMayBranch) {
  const auto scalar = [](DType dtype) { return ir::Type(ir::TensorType{dtype, {}}); };
  const auto branch = [](FunctionBuilder& b, OpKind kind, const Values& p) {
    b.BeginRegion({});
    return b.EndRegion(b.Add(kind, {p[0], p[1]}).value());
  };
  ExpectNestAgrees(
      OpKind::kReduce, {RandomTensor(DType::kF32, {4, 9}, 1), RandomTensor(DType::kF32, {}, 2)},
      ir::DimensionsAttributes{{1}}, [&](FunctionBuilder& b) {
        return ir::MakeRegion(b, {scalar(DType::kF32), scalar(DType::kF32)}, [&](const Values& p) {
          const ir::CompareAttributes greater{ir::ComparisonDirection::kGt};
          const ValueId condition = b.AddOne(OpKind::kCompare, p, greater).value();
          std::vector<Region> branches;
          branches.push_back(branch(b, OpKind::kSubtract, p));
          branches.push_back(branch(b, OpKind::kMultiply, p));
          return b.Add(OpKind::kIf, {condition}, ir::NoAttributes{}, std::move(branches)).value();
        });
      });
  ExpectNestAgrees(
      OpKind::kReduce, {RandomTensor(DType::kI32, {4, 9}, 1), RandomTensor(DType::kI32, {}, 2)},
      ir::DimensionsAttributes{{0}}, [&](FunctionBuilder& b) {
        return ir::MakeRegion(b, {scalar(DType::kI32), scalar(DType::kI32)}, [&](const Values& p) {
          std::vector<Region> branches;
          branches.push_back(branch(b, OpKind::kAdd, p));
          branches.push_back(branch(b, OpKind::kXor, p));
          branches.push_back(branch(b, OpKind::kSubtract, p));
          return b.Add(OpKind::kCase, {p[1]}, ir::NoAttributes{}, std::move(branches)).value();
        });
      });
}

// Two results from branches within branches, each level's from the one before: 2^24 ways through.
TEST(Reduce, NestedBranchesAreWrittenOnce) {
  const ir::Type scalar = ir::ScalarType(DType::kI32);
  ExpectNestAgrees(
      OpKind::kReduce, {RandomTensor(DType::kI32, {9}, 1), RandomTensor(DType::kI32, {}, 2)},
      ir::DimensionsAttributes{{0}}, [&](FunctionBuilder& b) {
        return ir::MakeRegion(b, {scalar, scalar}, [&](const Values& p) {
          const ir::CompareAttributes less{ir::ComparisonDirection::kLt};
          const std::function<Values(int, const Values&)> nest = [&](int depth, const Values& x) {
            const ValueId condition = b.AddOne(OpKind::kCompare, x, less).value();
            std::vector<Region> branches;
            b.BeginRegion({});
            const Values sum = {b.AddOne(OpKind::kAdd, x).value(), x[0]};
            branches.push_back(b.EndRegion(depth == 0 ? sum : nest(depth - 1, sum)));
            b.BeginRegion({});
            branches.push_back(b.EndRegion({x[1], b.AddOne(OpKind::kXor, x).value()}));
            return b.Add(OpKind::kIf, {condition}, ir::NoAttributes{}, std::move(branches)).value();
          };
          Values x = nest(24, p);
          for (int i = 0; i < 24; ++i) x = nest(0, x);
          return Values{x[0]};
        });
      });
}

// The sum of the numbers of times that each element can be halved, or doubled, before it passes
// one; carried with it, for complex types too, what is left of it.
TEST(Reduce, ReducersMayLoop) {
  for (DType dtype : {DType::kF32, DType::kBF16, DType::kF64, DType::kC64}) {
    SCOPED_TRACE(ir::DTypeName(dtype));
    const DType part = ir::IsComplex(dtype) ? DType::kF32 : dtype;
    const ir::Type count_type = ir::ScalarType(DType::kI32), type = ir::ScalarType(dtype);
    const ir::Type part_type = ir::ScalarType(part);
    const auto reducer = [&](FunctionBuilder& b) {
      return ir::MakeRegion(b, {count_type, type, count_type, type}, [&](const Values& p) {
        const auto filled = [&](const ir::Type& of, double value) {
          return b.Constant(Literal::Filled(of.tensor(), value));
        };
        std::vector<Region> regions;
        regions.push_back(ir::MakeRegion(b, {count_type, type}, [&](const Values& q) {
          const ValueId size = b.AddOne(OpKind::kAbs, {q[1]}).value();
          return Values{b.AddOne(OpKind::kCompare, {size, filled(part_type, 0.01)},
                                 ir::CompareAttributes{ir::ComparisonDirection::kGt})
                            .value()};
        }));
        regions.push_back(ir::MakeRegion(b, {count_type, type}, [&](const Values& q) {
          return Values{b.AddOne(OpKind::kAdd, {q[0], filled(count_type, 1)}).value(),
                        b.AddOne(OpKind::kMultiply, {q[1], filled(type, 0.5)}).value()};
        }));
        const Values ends =
            b.Add(OpKind::kWhile, {p[2], p[3]}, ir::NoAttributes{}, std::move(regions)).value();
        return Values{b.AddOne(OpKind::kAdd, {p[0], ends[0]}).value(),
                      b.AddOne(OpKind::kMaximum, {p[1], ends[1]}).value()};
      });
    };
    for (const int64_t dimension : {0, 1}) {
      ExpectNestAgrees(OpKind::kReduce,
                       {RandomTensor(DType::kI32, {20, 9}, 1), RandomTensor(dtype, {20, 9}, 2),
                        RandomTensor(DType::kI32, {}, 3), RandomTensor(dtype, {}, 4)},
                       ir::DimensionsAttributes{{dimension}}, reducer);
    }
  }
}

TEST(Reduce, SumsRowsColumnsAndEverything) {
  for (DType dtype : AllDTypes()) {
    // The reference rounds sums of 8-bit floats after each step, kernels round once.
    if (dtype == DType::kI1 || (ir::IsFloat(dtype) && ir::BitsOf(dtype) == 8)) continue;
    ExpectReduceAgrees(dtype, {4, 5}, {1});
    ExpectReduceAgrees(dtype, {5, 20}, {0});
    ExpectReduceAgrees(dtype, {4, 3}, {0, 1});
  }
  ExpectReduceAgrees(DType::kF32, {2, 3, 4, 5}, {1, 3});
  ExpectReduceAgrees(DType::kF32, {2, 3, 4, 5}, {0, 2});
  ExpectReduceAgrees(DType::kF32, {3, 2, 150}, {1});
  ExpectReduceAgrees(DType::kF32, {6, 1, 1}, {0});
  ExpectReduceAgrees(DType::kF32, {0, 5}, {0});
  ExpectReduceAgrees(DType::kF32, {5, 0}, {1});
  ExpectReduceAgrees(DType::kF32, {1, 7}, {0});
}

TEST(Reduce, TakesMinimaAndProducts) {
  for (DType dtype : {DType::kI1, DType::kI4, DType::kUI8, DType::kI64, DType::kF16, DType::kC64}) {
    ExpectReduceAgrees(dtype, {3, 4}, {1}, OpKind::kMinimum);
    ExpectReduceAgrees(dtype, {3, 4}, {0}, OpKind::kMaximum);
    ExpectReduceAgrees(dtype, {2, 4}, {0}, OpKind::kMultiply);
  }
}

TEST(Reduce, NarrowSumsAccumulateWide) {
  ExpectNestAgrees(
      OpKind::kReduce,
      {Literal::Filled({DType::kBF16, {400}}, 1),
       Literal::Filled(ir::ScalarType(DType::kBF16).tensor(), 0)},
      ir::DimensionsAttributes{{0}},
      [](FunctionBuilder& b) { return ir::BinaryRegion(b, OpKind::kAdd, DType::kBF16); },
      {ir::Tolerance::kExact});
}

// (value, index) of the largest value, the first one where there are several.
Region ArgMaxRegion(FunctionBuilder& b) {
  const ir::Type value = ir::ScalarType(DType::kF32), index = ir::ScalarType(DType::kI32);
  return ir::MakeRegion(b, {value, index, value, index}, [&](const Values& p) {
    const ValueId first =
        b.AddOne(OpKind::kCompare, {p[0], p[2]},
                 ir::CompareAttributes{.comparison_direction = ir::ComparisonDirection::kGe})
            .value();
    return Values{b.AddOne(OpKind::kSelect, {first, p[0], p[2]}).value(),
                  b.AddOne(OpKind::kSelect, {first, p[1], p[3]}).value()};
  });
}

TEST(Reduce, SeveralOperandsReduceTogether) {
  std::vector<int64_t> numbers(24);
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::vector<Literal> operands = {
      RandomTensor(DType::kF32, {4, 6}, 1), ir::Ints(DType::kI32, {4, 6}, numbers),
      Literal::Filled(ir::ScalarType(DType::kF32).tensor(), -1e30),
      Literal::Zeros({DType::kI32, {}})};
  ExpectNestAgrees(OpKind::kReduce, operands, ir::DimensionsAttributes{{1}}, ArgMaxRegion);
  ExpectNestAgrees(OpKind::kReduce, operands, ir::DimensionsAttributes{{0}}, ArgMaxRegion);
}

TEST(ReduceWindow, PaddingAndDilationsAreLeftOut) {
  ir::WindowAttributes window;
  window.window_strides = {1, 2};
  window.base_dilations = {2, 1};
  window.window_dilations = {1, 2};
  window.padding = {{{1, 0}, {2, 3}}};
  const auto sum_of_squares = [](FunctionBuilder& b, DType dtype) {
    const ir::Type scalar = ir::ScalarType(dtype);
    return ir::MakeRegion(b, {scalar, scalar}, [&](const Values& p) {
      const ValueId square = *b.AddOne(OpKind::kMultiply, {p[1], p[1]});
      return Values{*b.AddOne(OpKind::kAdd, {p[0], square})};
    });
  };
  for (const int64_t width : {3, 5}) {  // At most 8 elements are combined in order.
    window.window_dimensions = {2, width};
    for (DType dtype : AllDTypes()) {
      SCOPED_TRACE(ir::DTypeName(dtype));
      if (ir::IsFloat(dtype) && ir::BitsOf(dtype) <= 8)
        continue;  // The reference rounds more often.
      const std::vector<Literal> operands = {RandomTensor(dtype, {4, 9}, 1),
                                             RandomTensor(dtype, {}, 2)};
      for (OpKind kind : {OpKind::kAdd, OpKind::kMultiply, OpKind::kMaximum, OpKind::kMinimum,
                          OpKind::kAnd, OpKind::kOr, OpKind::kXor}) {
        const bool is_of_bits = kind == OpKind::kAnd || kind == OpKind::kOr || kind == OpKind::kXor;
        if (is_of_bits && (ir::IsFloat(dtype) || ir::IsComplex(dtype))) continue;
        ExpectNestAgrees(OpKind::kReduceWindow, operands, window,
                         [&](FunctionBuilder& b) { return ir::BinaryRegion(b, kind, dtype); });
      }
      ExpectNestAgrees(OpKind::kReduceWindow, operands, window,
                       [&](FunctionBuilder& b) { return sum_of_squares(b, dtype); });
    }
  }
}

TEST(ReduceWindow, CumulativeSumsRunAsScans) {
  for (const bool reverse : {false, true}) {
    ir::WindowAttributes window;
    window.window_dimensions = {1, 6};
    window.padding = {{{0, 0}, {reverse ? 0 : 5, reverse ? 5 : 0}}};
    for (double initial : {0.0, 1.0}) {  // 1 counts once for each result
      ExpectAgreement(
          {RandomTensor(DType::kF32, {3, 6}, 1)},
          [&](FunctionBuilder& b, const Values& p) {
            const ValueId init =
                b.Constant(Literal::Filled(ir::ScalarType(DType::kF32).tensor(), initial));
            std::vector<Region> regions;
            regions.push_back(ir::BinaryRegion(b, OpKind::kAdd, DType::kF32));
            return b.Add(OpKind::kReduceWindow, {p[0], init}, window, std::move(regions)).value();
          },
          kClose);
    }
  }
}

TEST(Scatter, AddsInOrderAndSkipsWhatIsOutside) {
  const Literal input = RandomTensor(DType::kF32, {5, 3}, 1);
  const Literal rows = ir::Ints(DType::kI32, {4, 1}, {1, 1, 7, -1});
  const Literal updates = RandomTensor(DType::kF32, {4, 3}, 2);
  const ir::ScatterAttributes attributes{
      .scatter_dimension_numbers = {.update_window_dims = {1},
                                    .inserted_window_dims = {0},
                                    .scatter_dims_to_operand_dims = {0},
                                    .index_vector_dim = 1}};
  ExpectNestAgrees(OpKind::kScatter, {input, rows, updates}, attributes, [](FunctionBuilder& b) {
    return ir::BinaryRegion(b, OpKind::kAdd, DType::kF32);
  });
  // The last of several updates of one element stays.
  ExpectNestAgrees(OpKind::kScatter, {input, rows, updates}, attributes, [](FunctionBuilder& b) {
    const ir::Type scalar = ir::ScalarType(DType::kF32);
    return ir::MakeRegion(b, {scalar, scalar}, [](const Values& p) { return Values{p[1]}; });
  });
}

TEST(Scatter, AddsInOrderWhereItIsSharedOutByWhereUpdatesGo) {
  const ir::ScatterAttributes rows{
      .scatter_dimension_numbers = {.update_window_dims = {1},
                                    .inserted_window_dims = {0},
                                    .scatter_dims_to_operand_dims = {0},
                                    .index_vector_dim = 1}};
  std::vector<int64_t> indices;
  for (int i = 0; i < 100; ++i) indices.push_back(i * 37 % 41 - 3);
  // More rows than one part has, a part without rows of its own, and indices outside.
  for (const int64_t size : {33, 70}) {
    ExpectNestAgrees(
        OpKind::kScatter,
        {RandomTensor(DType::kF32, {size, 260}, 1), ir::Ints(DType::kI32, {100, 1}, indices),
         RandomTensor(DType::kF32, {100, 260}, 2)},
        rows, [](FunctionBuilder& b) { return ir::BinaryRegion(b, OpKind::kAdd, DType::kF32); });
  }
}

TEST(Scatter, HandlesWindowsBatchingAndSeveralInputs) {
  const ir::ScatterAttributes batched{
      .scatter_dimension_numbers = {.update_window_dims = {2},
                                    .inserted_window_dims = {},
                                    .input_batching_dims = {0},
                                    .scatter_indices_batching_dims = {1},
                                    .scatter_dims_to_operand_dims = {1},
                                    .index_vector_dim = 2}};
  const Literal starts = ir::Ints(DType::kI64, {2, 3, 1}, {0, 2, 3, 4, -1, 1});
  ExpectNestAgrees(
      OpKind::kScatter,
      {RandomTensor(DType::kI32, {3, 5}, 1), starts, RandomTensor(DType::kI32, {2, 3, 2}, 2)},
      batched, [](FunctionBuilder& b) { return ir::BinaryRegion(b, OpKind::kAdd, DType::kI32); });
  const ir::ScatterAttributes points{
      .scatter_dimension_numbers = {
          .inserted_window_dims = {0}, .scatter_dims_to_operand_dims = {0}, .index_vector_dim = 1}};
  ExpectNestAgrees(OpKind::kScatter,
                   {RandomTensor(DType::kF32, {6}, 1), RandomTensor(DType::kI32, {6}, 2),
                    ir::Ints(DType::kI32, {3, 1}, {5, 0, 5}), RandomTensor(DType::kF32, {3}, 3),
                    RandomTensor(DType::kI32, {3}, 4)},
                   points, ArgMaxRegion);
}

Region LessRegion(FunctionBuilder& b, const std::vector<DType>& dtypes,
                  ir::ComparisonDirection direction) {
  std::vector<ir::Type> parameters;
  for (DType dtype : dtypes) parameters.insert(parameters.end(), 2, ir::ScalarType(dtype));
  return ir::MakeRegion(b, parameters, [&](const Values& p) {
    return Values{
        b.AddOne(OpKind::kCompare, {p[0], p[1]}, ir::CompareAttributes{direction}).value()};
  });
}

TEST(Sort, SortsStablyAlongAnyDimension) {
  for (int64_t length : {0, 1, 2, 3, 7, 8, 33}) {
    const Literal keys = RandomTensor(DType::kI4, {length, 3}, 5);
    const Literal values = RandomTensor(DType::kC64, {length, 3}, 6);
    for (int64_t dimension : {0, -1}) {
      for (const auto direction : {ir::ComparisonDirection::kLt, ir::ComparisonDirection::kGt}) {
        ExpectNestAgrees(
            OpKind::kSort, {keys, values}, ir::SortAttributes{dimension, true},
            [&](FunctionBuilder& b) { return LessRegion(b, {DType::kI4, DType::kC64}, direction); },
            {ir::Tolerance::kExact});
      }
    }
  }
}

TEST(DynamicUpdateSlice, WritesInsideItsClampedPlace) {
  for (int64_t start : {-7, 1, 50}) {
    const Literal at = ir::Ints(DType::kI32, {}, {start});
    ExpectOpAgrees(OpKind::kDynamicUpdateSlice, {RandomTensor(DType::kF16, {5, 6}, 1),
                                                 RandomTensor(DType::kF16, {2, 3}, 2), at, at});
  }
}

TEST(DynamicUpdateSlice, InPlaceTheUpdateAloneRemains) {
  FunctionBuilder b("main");
  const ir::TensorType vector{DType::kI32, {4}};
  const ValueId x = b.AddParameter(vector);
  const ValueId update = b.AddParameter(ir::TensorType{DType::kI32, {1}});
  const ValueId at = b.AddParameter(ir::ScalarType(DType::kI32));
  const ValueId y = b.AddOne(OpKind::kDynamicUpdateSlice, {x, update, at}).value();
  const ir::Function function = b.Finish({y});
  const auto lowered = Lower(function, function.body.ops[0], "k");
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  ASSERT_EQ(lowered->in_place_operand, absl::optional<int>(0));
  std::string data = ir::Ints(DType::kI32, {4}, {1, 2, 3, 4}).DenseBytes();
  std::string value = ir::Ints(DType::kI32, {1}, {9}).DenseBytes();
  std::string index = ir::Ints(DType::kI32, {}, {2}).DenseBytes();
  for (size_t i = 1; i < lowered->kernels.size(); ++i) {
    ASSERT_TRUE(RunKernel(lowered->kernels[i], {&data, &value, &index, &data}).ok());
  }
  EXPECT_EQ(data, ir::Ints(DType::kI32, {4}, {1, 2, 9, 4}).DenseBytes());
}

ir::DotGeneralAttributes Dot(std::vector<int64_t> lhs_batch, std::vector<int64_t> rhs_batch,
                             std::vector<int64_t> lhs_contract, std::vector<int64_t> rhs_contract) {
  ir::DotGeneralAttributes attributes;
  attributes.dot_dimension_numbers = {lhs_batch, rhs_batch, lhs_contract, rhs_contract};
  return attributes;
}

TEST(DotGeneral, ContractsInEveryType) {
  for (DType dtype : AllDTypes()) {
    SCOPED_TRACE(ir::DTypeName(dtype));
    const ir::CheckRule rule = ir::IsFloat(dtype) && ir::BitsOf(dtype) <= 16
                                   ? ir::CheckRule{ir::Tolerance::kUlp, 1, true}
                                   : kClose;
    ExpectOpAgrees(OpKind::kDotGeneral,
                   {RandomTensor(dtype, {3, 4}, 1), RandomTensor(dtype, {4, 9}, 2)},
                   Dot({}, {}, {1}, {0}), {ir::TensorType{dtype, {3, 9}}}, rule);
    ExpectOpAgrees(OpKind::kDotGeneral,
                   {RandomTensor(dtype, {3, 4}, 1), RandomTensor(dtype, {5, 4}, 2)},
                   Dot({}, {}, {1}, {1}), {ir::TensorType{dtype, {3, 5}}}, rule);
  }
}

TEST(DotGeneral, SumsAnyTypesInAnyType) {
  for (DType operand : AllDTypes()) {
    for (DType result : AllDTypes()) {
      SCOPED_TRACE(absl::StrCat(ir::DTypeName(operand), " into ", ir::DTypeName(result)));
      const ir::CheckRule rule = ir::IsFloat(result) && ir::BitsOf(result) <= 16
                                     ? ir::CheckRule{ir::Tolerance::kUlp, 1, true}
                                     : kClose;
      // Numbers whose products are exact, so that the order of a sum does not matter.
      const Literal lhs = SmallNumbers(operand, {3, 4}), rhs = SmallNumbers(operand, {4, 9});
      ExpectOpAgrees(OpKind::kDotGeneral, {lhs, rhs}, Dot({}, {}, {1}, {0}),
                     {ir::TensorType{result, {3, 9}}}, rule);
    }
  }
  for (DType result : {DType::kF32, DType::kI32, DType::kBF16}) {
    ExpectOpAgrees(OpKind::kDotGeneral,
                   {SmallNumbers(DType::kI8, {3, 4}), SmallNumbers(DType::kF32, {4, 9})},
                   Dot({}, {}, {1}, {0}), {ir::TensorType{result, {3, 9}}}, kClose);
  }
}

TEST(DotGeneral, BatchesAndContractsAnyDimensions) {
  ExpectOpAgrees(
      OpKind::kDotGeneral,
      {RandomTensor(DType::kF32, {4, 2, 3, 5}, 1), RandomTensor(DType::kF32, {5, 3, 70, 2}, 2)},
      Dot({1}, {3}, {3, 2}, {0, 1}), {ir::TensorType{DType::kF32, {2, 4, 70}}}, kClose);
  ExpectOpAgrees(
      OpKind::kDotGeneral,
      {RandomTensor(DType::kF32, {2, 3, 5}, 1), RandomTensor(DType::kF32, {2, 5, 70}, 2)},
      Dot({0}, {0}, {2}, {1}), {ir::TensorType{DType::kF32, {2, 3, 70}}}, kClose);
  ExpectOpAgrees(OpKind::kDotGeneral,
                 {RandomTensor(DType::kF32, {3}, 1), RandomTensor(DType::kF32, {9}, 2)},
                 Dot({}, {}, {}, {}), {ir::TensorType{DType::kF32, {3, 9}}}, kClose);
  ExpectOpAgrees(OpKind::kDotGeneral,
                 {RandomTensor(DType::kF32, {2, 0}, 1), RandomTensor(DType::kF32, {0, 9}, 2)},
                 Dot({}, {}, {1}, {0}), {ir::TensorType{DType::kF32, {2, 9}}}, kClose);
}

TEST(DotGeneral, WidensNarrowIntegersBeforeMultiplying) {
  ExpectOpAgrees(
      OpKind::kDotGeneral,
      {Literal::Filled({DType::kI8, {2, 50}}, 100), Literal::Filled({DType::kI8, {50, 3}}, 100)},
      Dot({}, {}, {1}, {0}), {ir::TensorType{DType::kI32, {2, 3}}});
}

}  // namespace
}  // namespace acceld::kernels

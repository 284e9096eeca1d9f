#include "gmock/gmock.h"
#include "tests/unit/kernels/lowering/lowering_test_util.h"

namespace acceld::kernels {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using ir::DType;
using ir::FunctionBuilder;
using ir::FusionKind;
using ir::Literal;
using ir::OpKind;
using ir::Region;
using ir::TensorType;
using ir::ValueId;

using Values = std::vector<ValueId>;

constexpr ir::CheckRule kClose = {ir::Tolerance::kRelativeToMax, 1e-5, true};

// A fusion whose operands are the function's parameters; `make` fills its region.
template <typename Make>
Values AddFusion(FunctionBuilder& b, const Values& operands, FusionKind kind, Make make) {
  std::vector<ir::Type> types;
  for (ValueId operand : operands) types.push_back(b.TypeOf(operand));
  std::vector<Region> regions;
  regions.push_back(ir::MakeRegion(b, types, make));
  const auto results =
      b.Add(OpKind::kFusion, operands, ir::FusionAttributes{kind}, std::move(regions));
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? *results : Values{};
}

template <typename Make>
void ExpectFusionAgrees(const std::vector<Literal>& arguments, FusionKind kind, Make make) {
  ExpectAgreement(
      arguments,
      [&](FunctionBuilder& b, const Values& p) {
        return AddFusion(b, p, kind, [&](const Values& inner) { return make(b, inner); });
      },
      kClose);
}

ValueId One(FunctionBuilder& b, OpKind kind, Values operands,
            ir::OpAttributes attributes = ir::NoAttributes{},
            const std::vector<ir::Type>& declared = {}) {
  const auto id = b.AddOne(kind, std::move(operands), std::move(attributes), declared);
  EXPECT_TRUE(id.ok()) << id.status();
  return id.ok() ? *id : 0;
}

ValueId Broadcast(FunctionBuilder& b, ValueId x, std::vector<int64_t> mapping,
                  const TensorType& to) {
  return One(b, OpKind::kBroadcastInDim, {x}, ir::BroadcastInDimAttributes{std::move(mapping)},
             {to});
}

ValueId Sum(FunctionBuilder& b, ValueId x, std::vector<int64_t> dimensions) {
  const DType dtype = b.TypeOf(x).tensor().dtype;
  const ValueId zero = b.Constant(Literal::Zeros(ir::ScalarType(dtype).tensor()));
  std::vector<Region> regions;
  regions.push_back(ir::BinaryRegion(b, OpKind::kAdd, dtype));
  return b
      .Add(OpKind::kReduce, {x, zero}, ir::DimensionsAttributes{std::move(dimensions)},
           std::move(regions))
      .value()[0];
}

TEST(LoopFusion, ChainsOfElementwiseOpsShareOneFlatLoop) {
  FunctionBuilder b("main");
  const TensorType type{DType::kF32, {3, 4, 5}};
  const Values p = {b.AddParameter(type), b.AddParameter(ir::ScalarType(DType::kF32))};
  const Values results = AddFusion(b, p, FusionKind::kLoop, [&](const Values& inner) {
    const ValueId scale = Broadcast(b, inner[1], {}, type);
    return Values{One(b, OpKind::kMultiply, {One(b, OpKind::kTanh, {inner[0]}), scale})};
  });
  const ir::Function function = b.Finish(results);
  const auto lowered = Lower(function, function.body.ops[0], "k");
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  ASSERT_EQ(lowered->kernels.size(), 1u);
  const std::string text = ToString(lowered->kernels[0]);
  EXPECT_THAT(text, HasSubstr("parallel %0 < 60 {"));
  EXPECT_THAT(text, Not(HasSubstr(" div ")));
}

TEST(LoopFusion, RowBroadcastsKeepTheOtherDimensionsInOneLoop) {
  FunctionBuilder b("main");
  const TensorType type{DType::kF32, {3, 4, 5}};
  const Values p = {b.AddParameter(type), b.AddParameter(TensorType{DType::kF32, {5}})};
  const Values results = AddFusion(b, p, FusionKind::kLoop, [&](const Values& inner) {
    return Values{One(b, OpKind::kAdd, {inner[0], Broadcast(b, inner[1], {2}, type)})};
  });
  const ir::Function function = b.Finish(results);
  const std::string text = ToString(Lower(function, function.body.ops[0], "k")->kernels[0]);
  EXPECT_THAT(text, HasSubstr("parallel %0 < 12 {"));
  EXPECT_THAT(text, HasSubstr("parallel %1 < 5 {"));
  EXPECT_THAT(text, Not(HasSubstr(" div ")));
}

TEST(LoopFusion, FoldsIndexingProducers) {
  const TensorType type{DType::kF32, {4, 6}};
  ExpectFusionAgrees(
      {RandomTensor(DType::kF32, {6, 4}, 1), RandomTensor(DType::kF32, {6}, 2),
       RandomTensor(DType::kF32, {2, 12}, 3), ir::Ints(DType::kI32, {}, {3})},
      FusionKind::kLoop, [&](FunctionBuilder& b, const Values& p) {
        const ValueId turned = One(b, OpKind::kTranspose, {p[0]}, ir::TransposeAttributes{{1, 0}});
        const ValueId row = Broadcast(b, One(b, OpKind::kExponential, {p[1]}), {1}, type);
        const ValueId reshaped = One(b, OpKind::kReshape, {p[2]}, ir::NoAttributes{}, {type});
        const ValueId iota = One(b, OpKind::kIota, {}, ir::IotaAttributes{0}, {type});
        const ValueId zero = b.Constant(Literal::Zeros(ir::ScalarType(DType::kI32).tensor()));
        const ValueId part =
            One(b, OpKind::kDynamicSlice, {turned, p[3], zero}, ir::DynamicSliceAttributes{{1, 6}});
        const ValueId spread = Broadcast(b, part, {0, 1}, type);
        ValueId sum = One(b, OpKind::kAdd, {turned, row});
        sum = One(b, OpKind::kAdd, {sum, reshaped});
        sum = One(b, OpKind::kMultiply, {sum, iota});
        return Values{One(b, OpKind::kSubtract, {sum, spread}), turned};
      });
}

TEST(LoopFusion, PadsAndConcatenatesComputedValues) {
  ExpectFusionAgrees({RandomTensor(DType::kBF16, {3, 4}, 1), RandomTensor(DType::kBF16, {2, 4}, 2)},
                     FusionKind::kLoop, [&](FunctionBuilder& b, const Values& p) {
                       const ValueId joined = One(b, OpKind::kConcatenate,
                                                  {One(b, OpKind::kNegate, {p[0]}), p[1], p[1]},
                                                  ir::DimensionAttributes{0});
                       const ValueId value =
                           b.Constant(Literal::Filled(ir::ScalarType(DType::kBF16).tensor(), 2));
                       return Values{One(b, OpKind::kPad, {joined, value},
                                         ir::PadAttributes{{1, -1}, {0, 2}, {0, 1}})};
                     });
}

TEST(LoopFusion, NarrowFloatsRoundAfterEveryOp) {
  ExpectAgreement({RandomTensor(DType::kBF16, {50}, 1), RandomTensor(DType::kBF16, {50}, 2)},
                  [](FunctionBuilder& b, const Values& p) {
                    return AddFusion(b, p, FusionKind::kLoop, [&](const Values& inner) {
                      ValueId x = inner[0];
                      for (int i = 0; i < 5; ++i) {
                        x = One(b, OpKind::kMultiply, {One(b, OpKind::kAdd, {x, inner[1]}), x});
                      }
                      return Values{x};
                    });
                  });
}

TEST(LoopFusion, SharedSubexpressionsComputeOnce) {
  // 2^200 ways through this graph: only remembering elements ends in time.
  ExpectFusionAgrees({RandomTensor(DType::kI32, {4}, 1)}, FusionKind::kLoop,
                     [](FunctionBuilder& b, const Values& p) {
                       ValueId x = p[0];
                       for (int i = 0; i < 200; ++i) x = One(b, OpKind::kAdd, {x, x});
                       return Values{x};
                     });
}

TEST(LoopFusion, LongChainsNeedNoDeepStack) {
  ExpectFusionAgrees({RandomTensor(DType::kI32, {2}, 1)}, FusionKind::kLoop,
                     [](FunctionBuilder& b, const Values& p) {
                       ValueId x = p[0];
                       for (int i = 0; i < 20000; ++i) x = One(b, OpKind::kNegate, {x});
                       return Values{x};
                     });
}

TEST(ReductionFusion, FoldsProducersAndElementwiseResults) {
  for (const std::vector<int64_t>& dimensions :
       {std::vector<int64_t>{1}, std::vector<int64_t>{0}, std::vector<int64_t>{0, 1}}) {
    const ir::Dims dims = {20, 30};
    ExpectFusionAgrees({RandomTensor(DType::kF32, dims, 1), RandomTensor(DType::kF32, {30}, 2)},
                       FusionKind::kReduction, [&](FunctionBuilder& b, const Values& p) {
                         const ValueId row = Broadcast(b, p[1], {1}, {DType::kF32, dims});
                         const ValueId x = One(b, OpKind::kSubtract, {p[0], row});
                         const ValueId sum = Sum(b, x, dimensions);
                         const ValueId squares =
                             Sum(b, One(b, OpKind::kMultiply, {x, x}), dimensions);
                         return Values{sum, One(b, OpKind::kSqrt, {squares}),
                                       One(b, OpKind::kDivide, {sum, squares})};
                       });
  }
}

TEST(ReductionFusion, RefusesReductionsOverDifferentDimensions) {
  FunctionBuilder b("main");
  const Values p = {b.AddParameter(TensorType{DType::kF32, {4, 4}})};
  const Values results = AddFusion(b, p, FusionKind::kReduction, [&](const Values& inner) {
    return Values{Sum(b, inner[0], {0}), Sum(b, inner[0], {1})};
  });
  const ir::Function function = b.Finish(results);
  EXPECT_EQ(Lower(function, function.body.ops[0], "k").status().code(),
            absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace acceld::kernels

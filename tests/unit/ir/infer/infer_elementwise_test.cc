#include "gtest/gtest.h"
#include "tests/unit/ir/infer/infer_helper.h"

namespace acceld::ir {
namespace {

TEST(InferElementwiseTest, ResultHasTheOperandsType) {
  EXPECT_THAT(Infer(OpKind::kAdd, {F32({2, 3}), F32({2, 3})}), Gives("tensor<2x3xf32>"));
  EXPECT_THAT(Infer(OpKind::kAdd, {F32({2, 3}), F32({3, 2})}),
              IsRefused("add: operands differ in shape: tensor<2x3xf32> and tensor<3x2xf32>"));
  EXPECT_THAT(Infer(OpKind::kAdd, {F32({2}), I32({2})}), IsRefused("differ in element type"));
  EXPECT_THAT(Infer(OpKind::kAdd, {F32({2})}), IsRefused("add: 1 operands where 2 are needed"));
}

TEST(InferElementwiseTest, DynamicSizesPropagateAndRefine) {
  const Type dynamic = F32({kDynamicDim, kDynamicDim});
  EXPECT_THAT(Infer(OpKind::kAbs, {dynamic}), Gives("tensor<?x?xf32>"));
  EXPECT_THAT(Infer(OpKind::kAdd, {dynamic, F32({2, kDynamicDim})}), Gives("tensor<2x?xf32>"));
}

TEST(InferElementwiseTest, ElementClassesAreThoseOfTheOp) {
  EXPECT_THAT(Infer(OpKind::kAnd, {F32({2}), F32({2})}),
              IsRefused("and: operand 0 is tensor<2xf32>, but floating-point elements are not"));
  EXPECT_THAT(Infer(OpKind::kAnd, {I1({2}), I1({2})}), Gives("tensor<2xi1>"));
  EXPECT_THAT(Infer(OpKind::kNot, {T(DType::kUI8, {2})}), Gives("tensor<2xui8>"));
  EXPECT_THAT(Infer(OpKind::kAbs, {T(DType::kUI8)}), IsRefused("unsigned integer elements"));
  EXPECT_THAT(Infer(OpKind::kFloor, {T(DType::kC64)}), IsRefused("complex elements"));
  EXPECT_THAT(Infer(OpKind::kAbs, {Type::Token()}), IsRefused("must be a tensor"));
}

TEST(InferElementwiseTest, ComplexNumbersHaveRealParts) {
  EXPECT_THAT(Infer(OpKind::kAbs, {T(DType::kC64, {2})}), Gives("tensor<2xf32>"));
  EXPECT_THAT(Infer(OpKind::kImag, {T(DType::kC128)}), Gives("tensor<f64>"));
  EXPECT_THAT(Infer(OpKind::kReal, {F32()}), Gives("tensor<f32>"));
  EXPECT_THAT(Infer(OpKind::kComplex, {F32({2}), F32({2})}), Gives("tensor<2xcomplex<f32>>"));
  EXPECT_THAT(Infer(OpKind::kComplex, {I32(), I32()}), IsRefused("signed integer elements"));
  EXPECT_THAT(Infer(OpKind::kComplex, {T(DType::kF16), T(DType::kF16)}),
              IsRefused("must be f32 or f64, not f16"));
  EXPECT_THAT(Infer(OpKind::kIsFinite, {F32({2})}), Gives("tensor<2xi1>"));
}

TEST(InferElementwiseTest, CompareGivesBooleans) {
  const auto compare = [](DType dtype, ComparisonDirection direction, ComparisonType type) {
    return Infer(OpKind::kCompare, {T(dtype, {2}), T(dtype, {2})},
                 CompareAttributes{direction, type});
  };
  using enum ComparisonDirection;
  EXPECT_THAT(compare(DType::kF32, kLt, ComparisonType::kFloat), Gives("tensor<2xi1>"));
  EXPECT_THAT(compare(DType::kF32, kLt, ComparisonType::kTotalOrder), Gives("tensor<2xi1>"));
  EXPECT_THAT(compare(DType::kI1, kGt, ComparisonType::kUnsigned), Gives("tensor<2xi1>"));
  EXPECT_THAT(compare(DType::kI8, kGe, ComparisonType::kNone), Gives("tensor<2xi1>"));
  EXPECT_THAT(compare(DType::kC64, kEq, ComparisonType::kFloat), Gives("tensor<2xi1>"));
  EXPECT_THAT(compare(DType::kC64, kLt, ComparisonType::kFloat),
              IsRefused("compare: direction LT on complex<f32>: complex numbers have no order"));
  EXPECT_THAT(compare(DType::kI8, kEq, ComparisonType::kUnsigned),
              IsRefused("compare_type UNSIGNED does not fit i8"));
  EXPECT_THAT(compare(DType::kI8, kEq, ComparisonType::kTotalOrder), IsRefused("TOTALORDER"));
}

TEST(InferElementwiseTest, SelectTakesAScalarPredicate) {
  EXPECT_THAT(Infer(OpKind::kSelect, {I1(), F32({2}), F32({2})}), Gives("tensor<2xf32>"));
  EXPECT_THAT(Infer(OpKind::kSelect, {I1({2}), F32({2}), F32({2})}), Gives("tensor<2xf32>"));
  EXPECT_THAT(Infer(OpKind::kSelect, {I1({3}), F32({2}), F32({2})}),
              IsRefused("the predicate tensor<3xi1> is neither a scalar nor of shape [2]"));
  EXPECT_THAT(Infer(OpKind::kSelect, {I32(), F32({2}), F32({2})}), IsRefused("must be i1"));
  EXPECT_THAT(Infer(OpKind::kSelect, {I1(), F32({2}), I32({2})}), IsRefused("element type"));
}

TEST(InferElementwiseTest, ClampTakesScalarBounds) {
  EXPECT_THAT(Infer(OpKind::kClamp, {F32(), F32({2}), F32({2})}), Gives("tensor<2xf32>"));
  EXPECT_THAT(Infer(OpKind::kClamp, {F32({3}), F32({2}), F32()}), IsRefused("the lower bound"));
  EXPECT_THAT(Infer(OpKind::kClamp, {F32(), F32({2}), I32()}), IsRefused("element type"));
}

TEST(InferElementwiseTest, ConvertNeedsADeclaredType) {
  EXPECT_THAT(Infer(OpKind::kConvert, {F32({2})}, NoAttributes{}, {.declared = {I32({2})}}),
              Gives("tensor<2xi32>"));
  EXPECT_THAT(Infer(OpKind::kConvert, {F32({2})}), IsRefused("must be declared"));
  EXPECT_THAT(Infer(OpKind::kConvert, {F32({2})}, NoAttributes{}, {.declared = {I32({3})}}),
              IsRefused("differ in shape"));
}

TEST(InferElementwiseTest, ReducePrecisionBoundsItsBits) {
  EXPECT_THAT(Infer(OpKind::kReducePrecision, {F32()}, ReducePrecisionAttributes{5, 0}),
              Gives("tensor<f32>"));
  EXPECT_THAT(Infer(OpKind::kReducePrecision, {F32()}, ReducePrecisionAttributes{0, 3}),
              IsRefused("exponent_bits is 0"));
  EXPECT_THAT(Infer(OpKind::kReducePrecision, {F32()}, ReducePrecisionAttributes{5, -1}),
              IsRefused("mantissa_bits is -1"));
}

}  // namespace
}  // namespace acceld::ir

#include <cmath>
#include <limits>
#include <numeric>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/unit/kernels/lowering/lowering_test_util.h"

namespace acceld::kernels {
namespace {

using ir::DType;
using ir::Literal;
using ir::OpKind;

struct ElementwiseOp {
  OpKind kind;
  int arity;
};

std::vector<ElementwiseOp> ElementwiseOps() {
  return {
#define ACCELD_ELEMENTWISE_OP(Kind, name, arity, Attributes, Infer, Operands) \
  {OpKind::k##Kind, arity},
#include "common/ir/ops.def"
  };
}

bool Accepts(OpKind kind, DType dtype) {
  const int classes = ir::InfoOf(kind).operand_classes;
  switch (ir::ClassOf(dtype)) {
    case ir::DTypeClass::kBool:
      return (classes & ir::kBool) != 0;
    case ir::DTypeClass::kSigned:
      return (classes & ir::kSigned) != 0;
    case ir::DTypeClass::kUnsigned:
      return (classes & ir::kUnsigned) != 0;
    case ir::DTypeClass::kFloat:
      return (classes & ir::kFloat) != 0;
    case ir::DTypeClass::kComplex:
      return (classes & ir::kComplex) != 0;
  }
  return false;
}

// Complex formulas differ in their last bits; cancellation inside them counts against the size of
// the value, not of the part.
ir::CheckRule RuleFor(DType dtype) {
  if (dtype == DType::kC64) return {ir::Tolerance::kRelative, 1e-6, true};
  if (dtype == DType::kC128) return {ir::Tolerance::kRelative, 1e-13, true};
  if (ir::IsFloat(dtype)) return {ir::Tolerance::kUlp, 1, true};
  return {ir::Tolerance::kExact, 0, true};
}

class EveryDType : public ::testing::TestWithParam<DType> {};

TEST_P(EveryDType, ElementwiseOpsAgreeWithTheReference) {
  const DType dtype = GetParam();
  for (const ElementwiseOp& op : ElementwiseOps()) {
    if (!Accepts(op.kind, dtype) || op.kind == OpKind::kSelect || op.kind == OpKind::kConvert) {
      continue;
    }
    if (op.kind == OpKind::kComplex && !ir::ComplexOf(dtype).has_value()) continue;
    SCOPED_TRACE(std::string(ir::NameOf(op.kind)) + " of " + std::string(ir::DTypeName(dtype)));
    std::vector<Literal> operands;
    for (int i = 0; i < op.arity; ++i) operands.push_back(RandomTensor(dtype, {4, 7}, 10 + i));
    ir::OpAttributes attributes = ir::InfoOf(op.kind).default_attributes;
    if (op.kind == OpKind::kReducePrecision) {
      attributes = ir::ReducePrecisionAttributes{.exponent_bits = 4, .mantissa_bits = 2};
    }
    ExpectOpAgrees(op.kind, operands, attributes, {}, RuleFor(dtype));
  }
}

TEST_P(EveryDType, ReducesPrecisionOfEveryValueToEveryFormat) {
  const DType dtype = GetParam();
  if (!ir::IsFloat(dtype) || ir::BitsOf(dtype) > 8) return;
  const int64_t count = int64_t{1} << ir::BitsOf(dtype);
  std::string bytes(count, '\0');
  std::iota(bytes.begin(), bytes.end(), 0);
  const Literal x = Literal::FromBytes({dtype, {count}}, bytes).value();
  for (int64_t exponent_bits = 1; exponent_bits <= 8; ++exponent_bits) {
    for (int64_t mantissa_bits = 0; mantissa_bits <= 4; ++mantissa_bits) {
      SCOPED_TRACE(absl::StrCat("e", exponent_bits, "m", mantissa_bits));
      ExpectOpAgrees(OpKind::kReducePrecision, {x},
                     ir::ReducePrecisionAttributes{exponent_bits, mantissa_bits});
    }
  }
}

TEST_P(EveryDType, ConvertsToEveryDType) {
  const DType from = GetParam();
  for (DType to : AllDTypes()) {
    SCOPED_TRACE(std::string(ir::DTypeName(from)) + " to " + std::string(ir::DTypeName(to)));
    const ir::TensorType result{to, {5, 5}};
    ExpectOpAgrees(OpKind::kConvert, {RandomTensor(from, {5, 5}, 3)}, ir::NoAttributes{}, {result});
  }
}

TEST_P(EveryDType, ComparesInEveryDirection) {
  for (const auto direction :
       {ir::ComparisonDirection::kEq, ir::ComparisonDirection::kNe, ir::ComparisonDirection::kGe,
        ir::ComparisonDirection::kGt, ir::ComparisonDirection::kLe, ir::ComparisonDirection::kLt}) {
    const DType dtype = GetParam();
    const bool is_equality =
        direction == ir::ComparisonDirection::kEq || direction == ir::ComparisonDirection::kNe;
    if (ir::IsComplex(dtype) && !is_equality) continue;
    ExpectOpAgrees(OpKind::kCompare, {RandomTensor(dtype, {60}, 1), RandomTensor(dtype, {60}, 2)},
                   ir::CompareAttributes{.comparison_direction = direction});
  }
}

TEST_P(EveryDType, SelectsAndCopiesElementsExactly) {
  const DType dtype = GetParam();
  const Literal x = RandomTensor(dtype, {3, 4}, 1);
  const Literal y = RandomTensor(dtype, {3, 4}, 2);
  ExpectOpAgrees(OpKind::kSelect, {RandomTensor(DType::kI1, {3, 4}, 5), x, y});
  ExpectOpAgrees(OpKind::kSelect, {RandomTensor(DType::kI1, {}, 5), x, y});
  ExpectOpAgrees(OpKind::kTranspose, {x}, ir::TransposeAttributes{{1, 0}});
}

INSTANTIATE_TEST_SUITE_P(All, EveryDType, ::testing::ValuesIn(AllDTypes()), [](const auto& info) {
  return std::string(ir::DTypeName(ir::RealPartOf(info.param))) +
         (ir::IsComplex(info.param) ? "_complex" : "");
});

TEST(Elementwise, SpecialFloatsAgreeWithTheReference) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::vector<double> values = {0.0,   -0.0, 1,     -1,   0.5,   -0.5, 2.5, kInf,
                                      -kInf, NAN,  1e-40, 1e30, -1e30, 1e10, 3e9, -1e-3};
  std::vector<double> left, right;
  for (double x : values) {
    for (double y : values) {
      left.push_back(x);
      right.push_back(y);
    }
  }
  for (DType dtype : {DType::kF32, DType::kF64, DType::kBF16, DType::kF16}) {
    const ir::Dims dims = {static_cast<int64_t>(left.size())};
    const Literal x = ir::Floats(dtype, dims, left);
    const Literal y = ir::Floats(dtype, dims, right);
    for (const ElementwiseOp& op : ElementwiseOps()) {
      if (!Accepts(op.kind, dtype) || op.kind == OpKind::kSelect || op.kind == OpKind::kClamp ||
          op.kind == OpKind::kConvert) {
        continue;
      }
      if (op.kind == OpKind::kComplex && !ir::ComplexOf(dtype).has_value()) continue;
      SCOPED_TRACE(std::string(ir::NameOf(op.kind)) + " of " + std::string(ir::DTypeName(dtype)));
      ExpectOpAgrees(op.kind, op.arity == 1 ? std::vector<Literal>{x} : std::vector<Literal>{x, y},
                     ir::InfoOf(op.kind).default_attributes, {}, {ir::Tolerance::kUlp, 1, true});
    }
    for (DType to : AllDTypes()) {
      SCOPED_TRACE(std::string(ir::DTypeName(dtype)) + " to " + std::string(ir::DTypeName(to)));
      ExpectOpAgrees(OpKind::kConvert, {x}, ir::NoAttributes{}, {ir::TensorType{to, dims}});
    }
    ExpectOpAgrees(
        OpKind::kCompare, {x, y},
        ir::CompareAttributes{ir::ComparisonDirection::kLt, ir::ComparisonType::kTotalOrder});
  }
}

TEST(Elementwise, TotalOrderOfSmallFloatsAgreesWithTheReference) {
  std::vector<uint8_t> left, right;
  for (int x = 0; x < 256; ++x) {
    for (int y : {0, 1, 0x38, 0x7C, 0x7E, 0x7F, 0x80, 0x81, 0xB8, 0xFC, 0xFE, 0xFF}) {
      left.push_back(static_cast<uint8_t>(x));
      right.push_back(static_cast<uint8_t>(y));
    }
  }
  const ir::Dims dims = {static_cast<int64_t>(left.size())};
  for (DType dtype : AllDTypes()) {
    if (!ir::IsFloat(dtype) || ir::BitsOf(dtype) != 8) continue;
    SCOPED_TRACE(std::string(ir::DTypeName(dtype)));
    const auto literal = [&](const std::vector<uint8_t>& bits) {
      return *Literal::FromBytes({dtype, dims}, std::string(bits.begin(), bits.end()));
    };
    ExpectOpAgrees(
        OpKind::kCompare, {literal(left), literal(right)},
        ir::CompareAttributes{ir::ComparisonDirection::kLt, ir::ComparisonType::kTotalOrder});
  }
}

TEST(Elementwise, SpecialComplexNumbersAgreeWithTheReference) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::vector<double> parts = {0.0, -0.0, 1, -1, 0.5, 3, kInf, -kInf, NAN};
  std::vector<ir::Complex> values, left, right;
  for (double re : parts) {
    for (double im : parts) values.emplace_back(re, im);
  }
  for (const ir::Complex& x : values) {
    for (const ir::Complex& y : values) {
      left.push_back(x);
      right.push_back(y);
    }
  }
  for (DType dtype : {DType::kC64, DType::kC128}) {
    const ir::Dims dims = {static_cast<int64_t>(left.size())};
    const Literal x = ir::Complexes(dtype, dims, left), y = ir::Complexes(dtype, dims, right);
    for (OpKind kind : {OpKind::kAdd, OpKind::kMultiply, OpKind::kDivide, OpKind::kPower}) {
      SCOPED_TRACE(std::string(ir::NameOf(kind)) + " of " + std::string(ir::DTypeName(dtype)));
      ExpectOpAgrees(kind, {x, y}, ir::NoAttributes{}, {}, RuleFor(dtype));
    }
  }
}

TEST(Elementwise, ComplexTangentsAgreeWithTheReferenceEverywhere) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  // Of zero and what has no angle C has a zero, where XLA and this have NaN.
  const std::vector<double> parts = {1, -0.5, 30, -1e30, kInf, -kInf, NAN};
  std::vector<ir::Complex> values;
  for (double re : parts) {
    for (double im : parts) values.emplace_back(re, im);
  }
  for (DType dtype : {DType::kC64, DType::kC128}) {
    const Literal x = ir::Complexes(dtype, {static_cast<int64_t>(values.size())}, values);
    for (OpKind kind : {OpKind::kTan, OpKind::kTanh}) {
      SCOPED_TRACE(std::string(ir::NameOf(kind)) + " of " + std::string(ir::DTypeName(dtype)));
      ExpectOpAgrees(kind, {x}, ir::InfoOf(kind).default_attributes, {}, RuleFor(dtype));
    }
  }
}

TEST(Elementwise, OnlyProductsOfRealNumbersMayBeRoundedWithTheirSums) {
  for (const DType dtype : {DType::kF32, DType::kF64, DType::kC64, DType::kC128, DType::kI32}) {
    ir::FunctionBuilder b("main");
    const ir::Type type = ir::TensorType{dtype, {5}};
    const ir::ValueId x = b.AddParameter(type), y = b.AddParameter(type);
    const ir::ValueId product =
        b.AddUnchecked(ir::OpKind::kMultiply, {x, y}, {}, {}, {&type, 1})[0];
    const ir::Function function = b.Finish({product});
    const auto lowered = Lower(function, function.body.ops[0], "k");
    ASSERT_TRUE(lowered.ok()) << lowered.status();
    // So that a number times its conjugate stays real.
    EXPECT_EQ(absl::StrContains(ToString(lowered->kernels[0]), " contract\n"), ir::IsFloat(dtype))
        << ir::DTypeName(dtype);
  }
}

TEST(Elementwise, IntegerExtremesNeverTrap) {
  for (DType dtype : AllDTypes()) {
    if (!ir::IsInteger(dtype)) continue;
    const int bits = ir::BitsOf(dtype);
    const int64_t lowest = int64_t{-1} << (bits - 1);
    const std::vector<int64_t> values = {0, 1, -1, 2, lowest, -(lowest + 1), 3, 5, -5};
    std::vector<int64_t> left, right;
    for (int64_t x : values) {
      for (int64_t y : values) {
        left.push_back(x);
        right.push_back(y);
      }
    }
    const Literal x = ir::Ints(dtype, {81}, left);
    const Literal y = ir::Ints(dtype, {81}, right);
    for (const OpKind kind :
         {OpKind::kDivide, OpKind::kRemainder, OpKind::kPower, OpKind::kShiftLeft,
          OpKind::kShiftRightArithmetic, OpKind::kShiftRightLogical, OpKind::kMultiply}) {
      SCOPED_TRACE(std::string(ir::NameOf(kind)) + " of " + std::string(ir::DTypeName(dtype)));
      ExpectOpAgrees(kind, {x, y});
    }
    for (DType to : AllDTypes()) {
      SCOPED_TRACE(std::string(ir::DTypeName(dtype)) + " to " + std::string(ir::DTypeName(to)));
      ExpectOpAgrees(OpKind::kConvert, {x}, ir::NoAttributes{}, {ir::TensorType{to, {81}}});
    }
  }
}

TEST(Elementwise, ALargeIntegerRoundsOnceOnItsWayToANarrowFloat) {
  // Just above a tie of bf16: through f64 it would become the tie and round down to even.
  const int64_t above_tie = (int64_t{1} << 62) + (int64_t{1} << 54) + 1;
  ExpectAgreement({ir::Ints(DType::kI64, {2}, {above_tie, -above_tie})},
                  [](ir::FunctionBuilder& b, const std::vector<ir::ValueId>& p) {
                    const std::vector<ir::Type> to = {ir::TensorType{DType::kBF16, {2}}};
                    const std::vector<ir::Type> back = {ir::TensorType{DType::kF64, {2}}};
                    const auto narrow =
                        b.AddOne(OpKind::kConvert, {p[0]}, ir::NoAttributes{}, to).value();
                    return std::vector<ir::ValueId>{
                        b.AddOne(OpKind::kConvert, {narrow}, ir::NoAttributes{}, back).value()};
                  });
}

}  // namespace
}  // namespace acceld::kernels

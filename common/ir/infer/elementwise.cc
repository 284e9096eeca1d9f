#include "common/ir/infer/rules.h"

// Rules of the elementwise ops.
namespace acceld::ir {
namespace {

// Returns the shape of operands [first, end), or an error if they differ.
absl::StatusOr<Dims> CommonShape(const InferContext& context, size_t first = 0) {
  Dims dims = context.operand(first).dims;
  for (size_t i = first + 1; i < context.operands.size(); ++i) {
    const Dims& other = context.operand(i).dims;
    if (!MayEqual(dims, other)) {
      return Refuse("operands differ in shape: ", context.operand(first).ToString(), " and ",
                    context.operand(i).ToString());
    }
    dims = Refined(dims, other);
  }
  return dims;
}

absl::Status CheckSameDType(const TensorType& a, const TensorType& b) {
  if (a.dtype == b.dtype) return absl::OkStatus();
  return Refuse("operands differ in element type: ", a.ToString(), " and ", b.ToString());
}

// Returns the shape of all operands, with another element type.
InferResult SameShapeAs(const InferContext& context, DType dtype) {
  for (size_t i = 1; i < context.operands.size(); ++i) {
    ACCELD_RETURN_IF_ERROR(CheckSameDType(context.operand(0), context.operand(i)));
  }
  ACCELD_ASSIGN_OR_RETURN(Dims dims, CommonShape(context));
  return std::vector<Type>{TensorType{dtype, std::move(dims)}};
}

// Checks that an operand is a scalar or has the shape of the others.
absl::Status CheckScalarOr(absl::string_view what, const TensorType& type, const Dims& dims) {
  if (type.rank() == 0 || MayEqual(type.dims, dims)) return absl::OkStatus();
  return Refuse(what, " ", type.ToString(), " is neither a scalar nor of shape ", DimsText(dims));
}

absl::Status CheckComparisonType(DType dtype, ComparisonType type) {
  switch (type) {
    case ComparisonType::kNone:
      return absl::OkStatus();
    case ComparisonType::kFloat:
      if (IsFloat(dtype) || IsComplex(dtype)) return absl::OkStatus();
      break;
    case ComparisonType::kTotalOrder:
      if (IsFloat(dtype)) return absl::OkStatus();
      break;
    case ComparisonType::kSigned:
      if (IsSigned(dtype)) return absl::OkStatus();
      break;
    case ComparisonType::kUnsigned:
      if (IsUnsigned(dtype) || dtype == DType::kI1) return absl::OkStatus();
      break;
  }
  return Refuse("compare_type ", EnumKeywords(type)[static_cast<int>(type)], " does not fit ",
                DTypeName(dtype));
}

}  // namespace

InferResult InferSameAsOperands(const InferContext& context) {
  return SameShapeAs(context, context.operand(0).dtype);
}

InferResult InferRealOfOperand(const InferContext& context) {
  return SameShapeAs(context, RealPartOf(context.operand(0).dtype));
}

InferResult InferPredicate(const InferContext& context) { return SameShapeAs(context, DType::kI1); }

InferResult InferCompare(const InferContext& context) {
  const auto& attributes = context.As<CompareAttributes>();
  const DType dtype = context.operand(0).dtype;
  ACCELD_RETURN_IF_ERROR(CheckComparisonType(dtype, attributes.compare_type));
  const ComparisonDirection direction = attributes.comparison_direction;
  if (IsComplex(dtype) && direction != ComparisonDirection::kEq &&
      direction != ComparisonDirection::kNe) {
    return Refuse("direction ", EnumKeywords(direction)[static_cast<int>(direction)], " on ",
                  DTypeName(dtype), ": complex numbers have no order");
  }
  return SameShapeAs(context, DType::kI1);
}

InferResult InferComplex(const InferContext& context) {
  const absl::optional<DType> dtype = ComplexOf(context.operand(0).dtype);
  if (!dtype.has_value()) {
    return Refuse("the parts must be f32 or f64, not ", DTypeName(context.operand(0).dtype));
  }
  return SameShapeAs(context, *dtype);
}

InferResult InferConvert(const InferContext& context) {
  ACCELD_ASSIGN_OR_RETURN(const TensorType declared, DeclaredTensor(context));
  if (!MayEqual(context.operand(0).dims, declared.dims)) {
    return Refuse("the operand ", context.operand(0).ToString(), " and the result ",
                  declared.ToString(), " differ in shape");
  }
  return std::vector<Type>{
      TensorType{declared.dtype, Refined(context.operand(0).dims, declared.dims)}};
}

InferResult InferReducePrecision(const InferContext& context) {
  // The specification has no upper bounds; the widest format has 11 and 52 bits.
  constexpr int64_t kMaxBits = 63;
  const auto& attributes = context.As<ReducePrecisionAttributes>();
  if (attributes.exponent_bits < 1 || attributes.exponent_bits > kMaxBits) {
    return Refuse("exponent_bits is ", attributes.exponent_bits, ", outside [1, ", kMaxBits, "]");
  }
  if (attributes.mantissa_bits < 0 || attributes.mantissa_bits > kMaxBits) {
    return Refuse("mantissa_bits is ", attributes.mantissa_bits, ", outside [0, ", kMaxBits, "]");
  }
  return InferSameAsOperands(context);
}

InferResult InferSelect(const InferContext& context) {
  const TensorType& pred = context.operand(0);
  if (pred.dtype != DType::kI1) return Refuse("the predicate must be i1, not ", pred.ToString());
  ACCELD_RETURN_IF_ERROR(CheckSameDType(context.operand(1), context.operand(2)));
  ACCELD_ASSIGN_OR_RETURN(Dims dims, CommonShape(context, 1));
  ACCELD_RETURN_IF_ERROR(CheckScalarOr("the predicate", pred, dims));
  if (pred.rank() != 0) dims = Refined(dims, pred.dims);
  return std::vector<Type>{TensorType{context.operand(1).dtype, std::move(dims)}};
}

InferResult InferClamp(const InferContext& context) {
  const TensorType& min = context.operand(0);
  const TensorType& operand = context.operand(1);
  const TensorType& max = context.operand(2);
  ACCELD_RETURN_IF_ERROR(CheckSameDType(min, operand));
  ACCELD_RETURN_IF_ERROR(CheckSameDType(max, operand));
  ACCELD_RETURN_IF_ERROR(CheckScalarOr("the lower bound", min, operand.dims));
  ACCELD_RETURN_IF_ERROR(CheckScalarOr("the upper bound", max, operand.dims));
  return std::vector<Type>{operand};
}

}  // namespace acceld::ir

#include "common/ir/chlo/chlo.h"

#include "absl/strings/str_cat.h"
#include "common/ir/chlo/expressions.h"

namespace acceld::ir {
namespace {

using Expansion = absl::StatusOr<ValueId>;

absl::Status NoExpansion(absl::string_view name, const Type& type) {
  return absl::UnimplementedError(
      absl::StrCat("op '", name, "' is not supported on ", type.ToString()));
}

// A real formula in f32 or f64: narrower floats are computed in f32 and rounded once.
using RealFormula = ValueId (*)(Expressions&, ValueId);

Expansion InWideEnoughFloat(FunctionBuilder& builder, ValueId x, RealFormula formula,
                            Location location) {
  const TensorType type = builder.TypeOf(x).tensor();
  const bool narrow = BitsOf(type.dtype) < 32;
  const TensorType wide{narrow ? DType::kF32 : type.dtype, type.dims};
  Expressions e(builder, wide, location);
  if (!narrow) return formula(e, x);
  const Type to[] = {wide}, back[] = {type};
  ACCELD_ASSIGN_OR_RETURN(x, builder.AddOne(OpKind::kConvert, {x}, NoAttributes{}, to, location));
  return builder.AddOne(OpKind::kConvert, {formula(e, x)}, NoAttributes{}, back, location);
}

Expansion Square(FunctionBuilder& builder, ValueId x, Location location) {
  return builder.AddOne(OpKind::kMultiply, {x, x}, NoAttributes{}, {}, location);
}

Expansion Tan(FunctionBuilder& builder, ValueId x, Location location) {
  return builder.AddOne(OpKind::kTan, {x}, NoAttributes{}, {}, location);
}

Expansion Conj(FunctionBuilder& builder, ValueId x, Location location) {
  if (!IsComplex(builder.TypeOf(x).tensor().dtype)) return x;
  ACCELD_ASSIGN_OR_RETURN(const ValueId re,
                          builder.AddOne(OpKind::kReal, {x}, NoAttributes{}, {}, location));
  ACCELD_ASSIGN_OR_RETURN(ValueId im,
                          builder.AddOne(OpKind::kImag, {x}, NoAttributes{}, {}, location));
  ACCELD_ASSIGN_OR_RETURN(im, builder.AddOne(OpKind::kNegate, {im}, NoAttributes{}, {}, location));
  return builder.AddOne(OpKind::kComplex, {re, im}, NoAttributes{}, {}, location);
}

// A formula for real operands; `kWidest` bits at most.
template <RealFormula kFormula, int kWidest = 64>
Expansion Real(FunctionBuilder& builder, ValueId x, Location location) {
  const DType dtype = builder.TypeOf(x).tensor().dtype;
  if (!IsFloat(dtype) || BitsOf(dtype) > kWidest) return absl::UnimplementedError("");
  return InWideEnoughFloat(builder, x, kFormula, location);
}

// All expansions so far take one operand and give one result. UNIMPLEMENTED from one stands for
// "not on this type".
struct Entry {
  absl::string_view name;
  Expansion (*expand)(FunctionBuilder&, ValueId, Location);
};

constexpr Entry kEntries[] = {
    {"chlo.acos", Real<ExpandAcos>},
    {"chlo.acosh", Real<ExpandAcosh>},
    {"chlo.asin", Real<ExpandAsin>},
    {"chlo.asinh", Real<ExpandAsinh>},
    {"chlo.atan", Real<ExpandAtan>},
    {"chlo.atanh", Real<ExpandAtanh>},
    {"chlo.conj", Conj},
    {"chlo.cosh", Real<ExpandCosh>},
    {"chlo.erf", Real<ExpandErf, 32>},
    {"chlo.erf_inv", Real<ExpandErfInv>},
    {"chlo.erfc", Real<ExpandErfc, 32>},
    {"chlo.sinh", Real<ExpandSinh>},
    {"chlo.square", Square},
    {"chlo.tan", Tan},
};

const Entry* Find(absl::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace

bool IsChloOp(absl::string_view name) { return Find(name) != nullptr; }

absl::StatusOr<std::vector<ValueId>> ExpandChlo(FunctionBuilder& builder, absl::string_view name,
                                                absl::Span<const ValueId> operands,
                                                Location location) {
  const Entry* entry = Find(name);
  if (entry == nullptr) {
    return absl::UnimplementedError(absl::StrCat("op '", name, "' is not supported"));
  }
  if (operands.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " takes 1 operand, it has ", operands.size()));
  }
  const Type& type = builder.TypeOf(operands[0]);
  if (!type.IsTensor() || !type.tensor().IsStatic()) return NoExpansion(name, type);
  const absl::StatusOr<ValueId> result = entry->expand(builder, operands[0], location);
  if (absl::IsUnimplemented(result.status())) return NoExpansion(name, type);
  ACCELD_RETURN_IF_ERROR(result.status());
  return std::vector<ValueId>{*result};
}

}  // namespace acceld::ir

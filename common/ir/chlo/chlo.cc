#include "common/ir/chlo/chlo.h"

#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/attributes/attribute_read.h"
#include "common/ir/chlo/expansions.h"
#include "common/ir/chlo/formulas.h"

namespace acceld::ir {
namespace {

using Unary = ValueId (*)(Expressions&, ValueId);
using Binary = ValueId (*)(Expressions&, ValueId, ValueId);

DType DTypeOf(const FunctionBuilder& builder, const ImportedOp& op) {
  return builder.TypeOf(op.operands[0]).tensor().dtype;
}

Expansion NotOnThisType() { return absl::UnimplementedError(""); }

absl::Status CheckAlike(const FunctionBuilder& builder, const ImportedOp& op) {
  if (builder.TypeOf(op.operands[0]) == builder.TypeOf(op.operands[1])) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      op.name, " of different types: ", ToString(builder.function().TypesOf(op.operands))));
}

// Floats narrower than f32 are computed in f32 and rounded once.
DType WideEnough(DType dtype) { return BitsOf(dtype) < 32 ? DType::kF32 : dtype; }

// Expands an op with one operand by its formula for real operands, or the one for complex operands
// if there is one.
template <Unary kReal, Unary... kComplex>
Expansion Formula(FunctionBuilder& builder, const ImportedOp& op) {
  ACCELD_RETURN_IF_ERROR(CheckTensorOperands(builder, op, 1));
  const DType dtype = DTypeOf(builder, op);
  Expressions e(builder, op.operands[0], dtype, op.location);
  if constexpr (sizeof...(kComplex) == 1) {
    if (ir::IsComplex(dtype)) return std::vector<ValueId>{kComplex(e, op.operands[0])...};
  }
  if (!IsFloat(dtype)) return NotOnThisType();
  Expressions wide = e.With(WideEnough(dtype));
  if (wide.dtype() == dtype) return std::vector<ValueId>{kReal(e, op.operands[0])};
  return std::vector<ValueId>{e.Convert(kReal(wide, wide.Convert(op.operands[0])))};
}

// Expands an op with two real operands by its formula.
template <Binary kReal>
Expansion Formula2(FunctionBuilder& builder, const ImportedOp& op) {
  ACCELD_RETURN_IF_ERROR(CheckTensorOperands(builder, op, 2));
  ACCELD_RETURN_IF_ERROR(CheckAlike(builder, op));
  const DType dtype = DTypeOf(builder, op);
  if (!IsFloat(dtype)) return NotOnThisType();
  Expressions e(builder, op.operands[0], dtype, op.location);
  Expressions wide = e.With(WideEnough(dtype));
  if (wide.dtype() == dtype) {
    return std::vector<ValueId>{kReal(e, op.operands[0], op.operands[1])};
  }
  return std::vector<ValueId>{
      e.Convert(kReal(wide, wide.Convert(op.operands[0]), wide.Convert(op.operands[1])))};
}

Expansion Conj(FunctionBuilder& builder, const ImportedOp& op) {
  ACCELD_RETURN_IF_ERROR(CheckTensorOperands(builder, op, 1));
  if (!IsComplex(DTypeOf(builder, op))) return op.operands;
  Expressions e(builder, op.operands[0], DTypeOf(builder, op), op.location);
  Expressions real = e.With(RealPartOf(e.dtype()));
  return std::vector<ValueId>{
      e.Complex(real.Real(op.operands[0]), real.Neg(real.Imag(op.operands[0])))};
}

Expansion Square(FunctionBuilder& builder, const ImportedOp& op) {
  ACCELD_RETURN_IF_ERROR(CheckTensorOperands(builder, op, 1));
  const ValueId x = op.operands[0];
  Expressions e(builder, x, DTypeOf(builder, op), op.location);
  return std::vector<ValueId>{IsComplex(e.dtype()) ? ExpandComplexSquare(e, x) : e.Mul(x, x)};
}

Expansion Tan(FunctionBuilder& builder, const ImportedOp& op) {
  return builder.Add(OpKind::kTan, op.operands, NoAttributes{}, {}, {}, op.location);
}

Expansion NextAfter(FunctionBuilder& builder, const ImportedOp& op) {
  ACCELD_RETURN_IF_ERROR(CheckTensorOperands(builder, op, 2));
  ACCELD_RETURN_IF_ERROR(CheckAlike(builder, op));
  Expressions e(builder, op.operands[0], DTypeOf(builder, op), op.location);
  if (!IsFloat(e.dtype()) || BitsOf(e.dtype()) < 16) return NotOnThisType();
  return std::vector<ValueId>{ExpandNextAfter(e, op.operands[0], op.operands[1])};
}

Expansion Mulhi(FunctionBuilder& builder, const ImportedOp& op) {
  ACCELD_RETURN_IF_ERROR(CheckTensorOperands(builder, op, 2));
  ACCELD_RETURN_IF_ERROR(CheckAlike(builder, op));
  Expressions e(builder, op.operands[0], DTypeOf(builder, op), op.location);
  if (!IsInteger(e.dtype())) return NotOnThisType();
  return std::vector<ValueId>{ExpandMulhi(e, op.operands[0], op.operands[1])};
}

// Whether |x|, x or -x is infinite, for kSign 0, 1 or -1.
template <int kSign>
Expansion IsInfinite(FunctionBuilder& builder, const ImportedOp& op) {
  ACCELD_RETURN_IF_ERROR(CheckTensorOperands(builder, op, 1));
  Expressions e(builder, op.operands[0], DTypeOf(builder, op), op.location);
  if (!IsFloat(e.dtype())) return NotOnThisType();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const ValueId x = kSign == 0 ? e.Abs(op.operands[0]) : op.operands[0];
  const ValueId infinity = e.Constant(kSign < 0 ? -kInfinity : kInfinity);
  return std::vector<ValueId>{e.Compare(ComparisonDirection::kEq, x, infinity)};
}

// A tensor with the attribute `value` in every element.
Expansion ConstantLike(FunctionBuilder& builder, const ImportedOp& op) {
  ACCELD_RETURN_IF_ERROR(CheckTensorOperands(builder, op, 1));
  Expressions e(builder, op.operands[0], DTypeOf(builder, op), op.location);
  const auto value = op.attributes.find("value");
  if (value != op.attributes.end()) {
    if (const auto* number = std::get_if<FloatAttribute>(&value->second.value)) {
      return std::vector<ValueId>{e.Constant(number->value)};
    }
    if (const auto* number = std::get_if<IntegerAttribute>(&value->second.value)) {
      std::string bytes(StorageBytesOf(e.dtype()), '\0');
      if (IsFloat(e.dtype()) || IsComplex(e.dtype())) {
        return std::vector<ValueId>{e.Constant(static_cast<double>(number->value))};
      }
      WriteInt(e.dtype(), bytes.data(), 0, number->value);
      ACCELD_ASSIGN_OR_RETURN(const Literal scalar,
                              Literal::FromBytes({e.dtype(), {}}, std::move(bytes)));
      return std::vector<ValueId>{e.Constant(scalar)};
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(op.name, " needs a number as its value"));
}

Expansion Constant(FunctionBuilder& builder, const ImportedOp& op) {
  ACCELD_RETURN_IF_ERROR(CheckTensorOperands(builder, op, 0));
  const auto value = op.attributes.find("value");
  if (value == op.attributes.end()) {
    return absl::InvalidArgumentError(absl::StrCat(op.name, " needs a value"));
  }
  Literal literal;
  ACCELD_RETURN_IF_ERROR(ReadField(value->second, literal));
  return std::vector<ValueId>{builder.Constant(std::move(literal))};
}

struct Entry {
  absl::string_view name;
  Expansion (*expand)(FunctionBuilder&, const ImportedOp&);
};

// A handler returns UNIMPLEMENTED without a message for types that it does not support.
constexpr Entry kEntries[] = {
    {"chlo.acos", Formula<ExpandAcos, ExpandComplexAcos>},
    {"chlo.acosh", Formula<ExpandAcosh, ExpandComplexAcosh>},
    {"chlo.asin", Formula<ExpandAsin, ExpandComplexAsin>},
    {"chlo.asinh", Formula<ExpandAsinh, ExpandComplexAsinh>},
    {"chlo.atan", Formula<ExpandAtan, ExpandComplexAtan>},
    {"chlo.atanh", Formula<ExpandAtanh, ExpandComplexAtanh>},
    {"chlo.bessel_i1e", Formula<ExpandBesselI1e>},
    {"chlo.broadcast_add", ExpandBroadcast},
    {"chlo.broadcast_and", ExpandBroadcast},
    {"chlo.broadcast_atan2", ExpandBroadcast},
    {"chlo.broadcast_compare", ExpandBroadcast},
    {"chlo.broadcast_complex", ExpandBroadcast},
    {"chlo.broadcast_divide", ExpandBroadcast},
    {"chlo.broadcast_maximum", ExpandBroadcast},
    {"chlo.broadcast_minimum", ExpandBroadcast},
    {"chlo.broadcast_multiply", ExpandBroadcast},
    {"chlo.broadcast_next_after", ExpandBroadcast},
    {"chlo.broadcast_or", ExpandBroadcast},
    {"chlo.broadcast_polygamma", ExpandBroadcast},
    {"chlo.broadcast_power", ExpandBroadcast},
    {"chlo.broadcast_remainder", ExpandBroadcast},
    {"chlo.broadcast_select", ExpandBroadcast},
    {"chlo.broadcast_shift_left", ExpandBroadcast},
    {"chlo.broadcast_shift_right_arithmetic", ExpandBroadcast},
    {"chlo.broadcast_shift_right_logical", ExpandBroadcast},
    {"chlo.broadcast_subtract", ExpandBroadcast},
    {"chlo.broadcast_xor", ExpandBroadcast},
    {"chlo.broadcast_zeta", ExpandBroadcast},
    {"chlo.conj", Conj},
    {"chlo.constant", Constant},
    {"chlo.constant_like", ConstantLike},
    {"chlo.cosh", Formula<ExpandCosh, ExpandCosh>},
    {"chlo.digamma", Formula<ExpandDigamma>},
    {"chlo.erf", Formula<ExpandErf>},
    {"chlo.erf_inv", Formula<ExpandErfInv>},
    {"chlo.erfc", Formula<ExpandErfc>},
    {"chlo.is_inf", IsInfinite<0>},
    {"chlo.is_neg_inf", IsInfinite<-1>},
    {"chlo.is_pos_inf", IsInfinite<1>},
    {"chlo.lgamma", Formula<ExpandLgamma>},
    {"chlo.mulhi", Mulhi},
    {"chlo.next_after", NextAfter},
    {"chlo.polygamma", Formula2<ExpandPolygamma>},
    {"chlo.sinh", Formula<ExpandSinh, ExpandSinh>},
    {"chlo.square", Square},
    {"chlo.tan", Tan},
    {"chlo.top_k", ExpandTopK},
    {"chlo.zeta", Formula2<ExpandZeta>},
};

const Entry* Find(absl::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace

absl::Status CheckTensorOperands(const FunctionBuilder& builder, const ImportedOp& op,
                                 size_t count) {
  if (op.operands.size() != count) {
    return absl::InvalidArgumentError(absl::StrCat(op.name, " takes ", count,
                                                   count == 1 ? " operand" : " operands",
                                                   ", it has ", op.operands.size()));
  }
  for (ValueId id : op.operands) {
    if (!builder.TypeOf(id).IsTensor()) {
      return absl::InvalidArgumentError(
          absl::StrCat(op.name, " of a ", builder.TypeOf(id).ToString()));
    }
  }
  return absl::OkStatus();
}

bool IsChloOp(absl::string_view name) { return Find(name) != nullptr; }

std::vector<absl::string_view> ChloOps() {
  std::vector<absl::string_view> names;
  for (const Entry& entry : kEntries) names.push_back(entry.name);
  return names;
}

absl::StatusOr<std::vector<ValueId>> ExpandChlo(FunctionBuilder& builder, const ImportedOp& op) {
  const Entry* entry = Find(op.name);
  if (entry == nullptr) {
    return absl::UnimplementedError(absl::StrCat("op '", op.name, "' is not supported"));
  }
  Expansion results = entry->expand(builder, op);
  if (!absl::IsUnimplemented(results.status()) || !results.status().message().empty()) {
    return results;
  }
  return absl::UnimplementedError(absl::StrCat("op '", op.name, "' is not supported on ",
                                               ToString(builder.function().TypesOf(op.operands))));
}

}  // namespace acceld::ir

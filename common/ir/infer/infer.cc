#include "common/ir/infer/infer.h"

#include "absl/strings/strip.h"
#include "common/ir/infer/rules.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir {
namespace {

using Rule = InferResult (*)(const InferContext&);

constexpr Rule kRules[] = {
#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, rule, Family) \
  &Infer##rule,
#include "common/ir/ops.def"
};

absl::string_view ShortName(OpKind kind) { return absl::StripPrefix(NameOf(kind), "stablehlo."); }

absl::string_view ClassName(DTypeClass dtype_class) {
  switch (dtype_class) {
    case DTypeClass::kBool:
      return "boolean";
    case DTypeClass::kSigned:
      return "signed integer";
    case DTypeClass::kUnsigned:
      return "unsigned integer";
    case DTypeClass::kFloat:
      return "floating-point";
    case DTypeClass::kComplex:
      return "complex";
  }
  return "";
}

OperandClasses ClassBit(DTypeClass dtype_class) {
  switch (dtype_class) {
    case DTypeClass::kBool:
      return kBool;
    case DTypeClass::kSigned:
      return kSigned;
    case DTypeClass::kUnsigned:
      return kUnsigned;
    case DTypeClass::kFloat:
      return kFloat;
    case DTypeClass::kComplex:
      return kComplex;
  }
  return kAny;
}

// Checks everything that ops.def says about the op.
absl::Status CheckSignature(const InferContext& context) {
  const OpInfo& info = InfoOf(context.kind);
  const auto operands = static_cast<int64_t>(context.operands.size());
  if (operands < info.min_operands ||
      (info.max_operands != kVariadic && operands > info.max_operands)) {
    return Refuse(operands, " operands where ", info.min_operands,
                  info.max_operands == info.min_operands ? ""
                  : info.max_operands == kVariadic       ? " or more"
                                                         : absl::StrCat(" to ", info.max_operands),
                  " are needed");
  }
  if (operands > limits::kMaxOperands) {
    return Refuse(operands, " operands, above the limit of ", limits::kMaxOperands);
  }
  const auto regions = static_cast<int64_t>(context.regions.size());
  if (info.num_regions == kVariadic ? regions < 1 : regions != info.num_regions) {
    return Refuse(regions, " regions where ",
                  info.num_regions == kVariadic ? "1 or more" : absl::StrCat(info.num_regions),
                  " are needed");
  }
  if (context.attributes.index() != info.default_attributes.index()) {
    return Refuse("the attributes are those of another op");
  }
  const bool takes_any_type =
      info.family == OpFamily::kStructure || context.kind == OpKind::kManualComputation;
  if (takes_any_type) return absl::OkStatus();
  for (int64_t i = 0; i < operands; ++i) {
    if (!context.operands[i].IsTensor()) {
      return Refuse("operand ", i, " must be a tensor, not ", context.operands[i].ToString());
    }
    const DTypeClass dtype_class = ClassOf(context.operand(i).dtype);
    if ((info.operand_classes & ClassBit(dtype_class)) == 0) {
      return Refuse("operand ", i, " is ", context.operand(i).ToString(), ", but ",
                    ClassName(dtype_class), " elements are not accepted");
    }
  }
  return absl::OkStatus();
}

InferResult Infer(const InferContext& context) {
  ACCELD_RETURN_IF_ERROR(CheckSignature(context));
  ACCELD_ASSIGN_OR_RETURN(std::vector<Type> types, kRules[static_cast<int>(context.kind)](context));
  for (const Type& type : types) ACCELD_RETURN_IF_ERROR(ValidateType(type));
  return types;
}

}  // namespace

absl::StatusOr<std::vector<Type>> InferResultTypes(const InferContext& context) {
  InferResult types = Infer(context);
  if (!types.ok()) return Annotate(types.status(), ShortName(context.kind));
  return types;
}

absl::Status CheckDeclaredTypes(OpKind kind, absl::Span<const Type> declared,
                                absl::Span<const Type> inferred) {
  if (declared.size() != inferred.size()) {
    return Refuse(ShortName(kind), ": ", declared.size(), " results declared, but the op has ",
                  inferred.size());
  }
  for (size_t i = 0; i < declared.size(); ++i) {
    if (!IsCompatible(declared[i], inferred[i])) {
      return Refuse(ShortName(kind), ": result ", i, " is declared ", declared[i].ToString(),
                    ", but is ", inferred[i].ToString());
    }
    ACCELD_RETURN_IF_ERROR(Annotate(ValidateType(declared[i]), ShortName(kind)));
  }
  return absl::OkStatus();
}

}  // namespace acceld::ir

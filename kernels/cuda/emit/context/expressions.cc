#include "kernels/cuda/emit/context/expressions.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "kernels/cuda/emit/analysis/narrow_indices.h"
#include "kernels/cuda/emit/scalar_text.h"

namespace acceld::kernels::cuda {
namespace {

// The most buffers for which a kernel keeps all addresses in registers, two for each.
constexpr size_t kMaxBuffersInRegisters = 8;

}  // namespace

std::string VariableName(Var var) { return absl::StrCat("v", var); }

KernelExpressions::KernelExpressions(const Kernel& kernel)
    : kernel_(kernel),
      is_narrow_(FindNarrowIndices(kernel)),
      contraction_(kernel),
      resolves_at_use_(kernel.buffers.size() > kMaxBuffersInRegisters) {}

std::string KernelExpressions::Definition(Var var) const {
  return absl::StrCat("const ", RegisterType(ComputedType(var)), " ", VariableName(var));
}

std::string KernelExpressions::InIrType(Var var) const {
  return is_narrow_[var] ? absl::StrCat("i64(", VariableName(var), ")") : VariableName(var);
}

std::string KernelExpressions::ResultOf(const ScalarStatement& scalar) const {
  if (const Contraction::Parts parts = contraction_.PartsOf(scalar); parts.product != nullptr) {
    const DType dtype = kernel_.TypeOf(scalar.result);
    const std::vector<Var>& factors = parts.product->operands;
    return ScalarText(ScalarOp::kFma, dtype, dtype,
                      {absl::StrCat(parts.negates_product ? "-" : "", VariableName(factors[0])),
                       VariableName(factors[1]),
                       absl::StrCat(parts.negates_addend ? "-" : "", VariableName(parts.addend))});
  }
  const Var typed = scalar.operands[scalar.op == ScalarOp::kSelect ? 1 : 0];
  const auto is_wide = [this](Var var) {
    return kernel_.TypeOf(var) == DType::kI64 && !is_narrow_[var];
  };
  std::vector<std::string> operands;
  if (IsExactIn32Bits(scalar.op) && !is_wide(scalar.result) &&
      std::none_of(scalar.operands.begin(), scalar.operands.end(), is_wide)) {
    for (const Var operand : scalar.operands) operands.push_back(VariableName(operand));
    return ScalarText(scalar.op, ComputedType(typed), ComputedType(scalar.result), operands);
  }
  for (const Var operand : scalar.operands) operands.push_back(InIrType(operand));
  const std::string text =
      ScalarText(scalar.op, kernel_.TypeOf(typed), kernel_.TypeOf(scalar.result), operands);
  return is_narrow_[scalar.result] ? absl::StrCat("i32(", text, ")") : text;
}

std::string KernelExpressions::Element(uint32_t buffer, Var index) const {
  return absl::StrCat(BufferAddress(buffer), "[", VariableName(index), "]");
}

std::string KernelExpressions::ElementAddress(uint32_t buffer, Var index) const {
  return absl::StrCat(BufferAddress(buffer), " + ", VariableName(index));
}

std::string KernelExpressions::BufferAddress(uint32_t buffer) const {
  const std::string& name = kernel_.Buffer(buffer).name;
  const bool is_parameter = buffer < kernel_.buffers.size();
  return resolves_at_use_ && is_parameter ? absl::StrCat("ResolvePointerVolatile(", name, ")")
                                          : name;
}

}  // namespace acceld::kernels::cuda

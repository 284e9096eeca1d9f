#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/cuda/emit/contraction.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// The name of the C++ variable that holds a value: v and the value's number.
std::string VariableName(Var var);

// The C++ expressions for the values and the buffer elements of a kernel. The kernel must outlive
// the object and must not change. Thread-compatible.
class KernelExpressions {
 public:
  // The time is linear in the size of the kernel.
  explicit KernelExpressions(const Kernel& kernel);

  // The type in which a value is computed: i32 for i64 values that always fit it
  // (FindNarrowIndices), otherwise the type that it has in kernel IR.
  DType ComputedType(Var var) const { return is_narrow_[var] ? DType::kI32 : kernel_.TypeOf(var); }
  // The beginning of the definition of a value's variable: "const TYPE NAME".
  std::string Definition(Var var) const;
  // A value in the type that it has in kernel IR.
  std::string InIrType(Var var) const;
  // The result of a scalar operation, in its computed type.
  std::string ResultOf(const ScalarStatement& scalar) const;

  // The element of a buffer or scratch array at `index`, and its address.
  std::string Element(uint32_t buffer, Var index) const;
  std::string ElementAddress(uint32_t buffer, Var index) const;
  // Whether these expressions resolve tagged pointers (device/tagged_pointers.cuh) at each use. If
  // not, the function must resolve each parameter once, at its start.
  bool resolves_at_use() const { return resolves_at_use_; }

 private:
  // The address of the first element.
  std::string BufferAddress(uint32_t buffer) const;

  const Kernel& kernel_;
  const std::vector<bool> is_narrow_;
  const Contraction contraction_;
  const bool resolves_at_use_;
};

}  // namespace acceld::kernels::cuda

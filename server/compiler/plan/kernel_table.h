#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/ir/module.h"
#include "common/status.h"
#include "kernels/ir/kernel.h"
#include "kernels/lowering/lower.h"

namespace acceld::compiler {

// The kernels of a plan. Ops that compute the same on operands of the same types share kernels. Not
// thread-safe.
class KernelTable {
 public:
  // The kernels of one op.
  struct Entry {
    std::vector<uint32_t> kernels;  // numbers of kernels, to run in this order
    // See kernels::LoweredOp.
    std::vector<kernels::OperandRange> operands;
    absl::optional<int> in_place_operand;
  };
  // Lowers an op to kernels, or finds the kernels of an equal op. `constants` has one element for
  // each value of the function: its literal if it is a known constant, else nullptr. The entry is
  // valid until the next call. Returns the errors of kernels::Lower, and UNIMPLEMENTED if a region
  // of the op uses a value from outside that is not an operand.
  absl::StatusOr<const Entry*> Lower(const ir::Function& function, const ir::Op& op,
                                     absl::Span<const ir::Literal* const> constants);

  const kernels::Kernel& kernel(uint32_t number) const { return kernels_[number]; }
  // Returns all kernels, by number; call it once, at the end.
  std::vector<kernels::Kernel> Take() { return std::move(kernels_); }

 private:
  // An op that was lowered.
  struct Known {
    ir::Function function;  // a function that consists of the op alone
    Entry entry;
  };
  std::vector<kernels::Kernel> kernels_;
  absl::flat_hash_map<size_t, std::vector<Known>> known_;
  int next_name_ = 0;
};

}  // namespace acceld::compiler

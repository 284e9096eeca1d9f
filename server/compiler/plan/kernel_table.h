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

namespace acceld::compiler {

// Kernels of a plan; ops that compute the same on the same types share theirs. One thread.
class KernelTable {
 public:
  struct Entry {
    std::vector<uint32_t> kernels;         // to run in order
    absl::optional<int> in_place_operand;  // see kernels::LoweredOp
  };
  // `constants` has the literal of each value of the function that is a known constant, nullptr for
  // the others. The entry is valid until the next call. Errors are the lowering's, with the op's
  // line.
  absl::StatusOr<const Entry*> Lower(const ir::Function& function, const ir::Op& op,
                                     absl::Span<const ir::Literal* const> constants);

  const kernels::Kernel& kernel(uint32_t number) const { return kernels_[number]; }
  std::vector<kernels::Kernel> Take() { return std::move(kernels_); }

 private:
  struct Known {
    ir::Function function;  // of the op alone
    Entry entry;
  };
  std::vector<kernels::Kernel> kernels_;
  absl::flat_hash_map<size_t, std::vector<Known>> known_;
  int next_name_ = 0;
};

}  // namespace acceld::compiler

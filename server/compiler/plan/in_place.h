#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/ir/module.h"
#include "kernels/ir/kernel.h"

namespace acceld::compiler {

// The results of an op that may overwrite one operand while the op runs: to compute an element of
// such a result, the op reads no other element of the operand than that at the same position. The
// types have elements of the same size.
struct Overwriters {
  uint32_t results = 0;  // a bit mask of result numbers, of which only the first 32 are considered
  // Whether several results read the operand. Then one of them may overwrite it only if the kernel
  // loads everything that it needs of an element before it stores there (LoadsBeforeStores).
  bool has_other_readers = false;

  bool Contains(size_t result) const { return result < 32 && (results >> result & 1) != 0; }
};

// Returns the results that may overwrite each operand of the op.
std::vector<Overwriters> FindOverwriters(const ir::Function& function, const ir::Op& op);

// Whether each iteration of the kernel's outer parallel loops executes all its loads from the
// buffer `loaded` before its first store to the buffer `stored`. Buffers are given by their
// parameter numbers. A kernel without such loops counts as one iteration.
bool LoadsBeforeStores(const kernels::Kernel& kernel, uint32_t loaded, uint32_t stored);

}  // namespace acceld::compiler

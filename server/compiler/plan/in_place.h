#pragma once

#include <cstdint>
#include <vector>

#include "common/ir/module.h"
#include "kernels/ir/kernel.h"

namespace acceld::compiler {

// Which results of an op may be written over an operand while the op runs, because the operand is
// read only at the element that they write. Bits are numbers of results.
struct Overwriters {
  uint32_t results = 0;
  // Several results read the operand: one of them may be written over it only if the kernel loads
  // all that it needs of an element before it stores there (LoadsBeforeItStores).
  bool have_company = false;
};

// By operand. Element sizes are equal.
std::vector<Overwriters> FindOverwriters(const ir::Function& function, const ir::Op& op);

// Whether each iteration of the kernel's parallel loops has loaded all that it needs of one buffer
// when it first stores to another.
bool LoadsBeforeItStores(const kernels::Kernel& kernel, uint32_t loaded, uint32_t stored);

}  // namespace acceld::compiler

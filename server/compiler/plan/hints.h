#pragma once

#include <vector>

#include "common/ir/module.h"
#include "server/compiler/plan/buffers.h"

namespace acceld::compiler {

// Whether the op's result has the same bytes as its operand, only with another type: a reshape, or
// a bitcast between types without padding bits.
bool IsAlias(const ir::Function& function, const ir::Op& op);

// Records in `hints` in which buffer each value should be computed, given the buffers `wanted` in
// which the results of `region` are needed. A hint for a value is passed on to the value that it is
// an alias of, from the result of a loop to its initial value, and from the result of a
// dynamic_update_slice or scatter to the operand that it updates. `hints` has one element for each
// value of the function, kNoBuffer where there is no hint; an existing hint is not replaced.
void PropagateHints(const ir::Function& function, const ir::Region& region,
                    const std::vector<BufferId>& wanted, std::vector<BufferId>& hints);

}  // namespace acceld::compiler

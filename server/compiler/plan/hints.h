#pragma once

#include <vector>

#include "common/ir/module.h"
#include "server/compiler/plan/buffers.h"

namespace acceld::compiler {

// Whether the op's result is the same bytes as its operand under another type: reshapes, and
// bitcasts between types without padding bits.
bool IsAlias(const ir::Function& function, const ir::Op& op);

// Where the results of `region` are wanted, carried back to the values from which they come without
// a computation: through aliases, and from the result of a loop to its initial value. `hints` is by
// value, kNoBuffer where there is none; the first wish for a value wins.
void PropagateHints(const ir::Function& function, const ir::Region& region,
                    const std::vector<BufferId>& wanted, std::vector<BufferId>& hints);

}  // namespace acceld::compiler

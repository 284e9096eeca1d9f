#pragma once

#include <vector>

#include "common/ir/module.h"

namespace acceld::compiler::spmd {

// Returns the attributes of an op for operands and results that are shards: sizes that are those of
// a whole dimension become those of the shard. `op` has been divided by its factor rule.
ir::OpAttributes LocalAttributes(const ir::Function& function, const ir::Op& op,
                                 const std::vector<ir::TensorType>& operands,
                                 const std::vector<ir::TensorType>& results);

}  // namespace acceld::compiler::spmd

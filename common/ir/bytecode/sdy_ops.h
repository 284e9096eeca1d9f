#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "common/ir/bytecode/stored_op.h"
#include "common/status.h"

// The ops of Shardy's dialect sdy by name, from sdy_ops.def.
namespace acceld::ir::bytecode {

struct ShardyOp : StoredOp {
  uint64_t num_regions = 0;
};

// Returns the op with a name like "reshard". UNIMPLEMENTED, with the name, for an op that the table
// lacks.
absl::StatusOr<const ShardyOp*> FindShardyOp(absl::string_view name);

}  // namespace acceld::ir::bytecode

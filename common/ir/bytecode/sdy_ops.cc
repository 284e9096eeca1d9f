#include "common/ir/bytecode/sdy_ops.h"

#include <vector>

#include "absl/strings/str_cat.h"

namespace acceld::ir::bytecode {
namespace {

constexpr absl::string_view kDialect = "sdy.";

const std::vector<ShardyOp>& TheTable() {
  static const auto& table = *new std::vector<ShardyOp>({
#define ACCELD_SDY_OP(name, num_regions, attributes) \
  {{"sdy." name, ParseStoredAttributes(attributes)}, num_regions},
#include "common/ir/bytecode/sdy_ops.def"
  });
  return table;
}

}  // namespace

absl::StatusOr<const ShardyOp*> FindShardyOp(absl::string_view name) {
  for (const ShardyOp& op : TheTable()) {
    if (op.op.substr(kDialect.size()) == name) return &op;
  }
  return absl::UnimplementedError(
      absl::StrCat("op '", kDialect, name.substr(0, 100), "' is not supported"));
}

}  // namespace acceld::ir::bytecode

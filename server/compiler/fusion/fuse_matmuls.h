#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// Makes a matrix product and the elementwise work directly behind it that the target's library does
// before it stores the product (matmul_chain.h) one acceld.fusion of kind matmul. Only where that
// leaves no loop for the work: where the next op is a loop anyway, the work is as cheap in it.
// Before fuse, which would put the work into loops.
absl::StatusOr<ir::Module> FuseMatmuls(const ir::Module& module, const codegen::Target& target);

}  // namespace acceld::compiler

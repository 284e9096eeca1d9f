#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// A pass that fuses a matrix product with the elementwise ops directly after it that the target's
// library computes before it stores the product (its epilogue, matmul_chain.h) into one
// acceld.fusion of kind matmul. It does so only if that saves a loop: where the next op after these
// becomes a loop anyway, the elementwise ops are as cheap within that loop. It runs before fuse,
// which would put the elementwise ops into loops.
absl::StatusOr<ir::Module> FuseMatmuls(const ir::Module& module, const codegen::Target& target);

}  // namespace acceld::compiler

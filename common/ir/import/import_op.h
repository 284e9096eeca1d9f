#pragma once

#include <string>
#include <vector>

#include "common/ir/attributes/attribute.h"
#include "common/ir/builder.h"
#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::ir {

// An op as a reader read it, independent of the form of the program.
struct ImportedOp {
  std::string name;  // "stablehlo.add"
  std::vector<ValueId> operands;
  AttributeDictionary attributes;  // under the names of the specification
  std::vector<Region> regions;
  std::vector<Type> result_types;
  Location location;
};

// Checks an op against its inference rule, appends it to the builder's open region with its
// declared result types, and returns its results. Ops without a kind in ops.def that programs may
// contain (CHLO, also as custom calls @mhlo.name, and sharding constraints) are replaced by other
// ops; ops that JAX writes as custom calls get their own form. The contents of `op` are moved.
// UNIMPLEMENTED for an unknown op: "op 'stablehlo.foo' is not supported"; other errors contain the
// op and the values. The verifier checks the callee of a call.
absl::StatusOr<std::vector<ValueId>> ImportOp(FunctionBuilder& builder, ImportedOp& op);

}  // namespace acceld::ir

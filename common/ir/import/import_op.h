#pragma once

#include <string>
#include <vector>

#include "common/ir/attributes/attribute.h"
#include "common/ir/builder.h"
#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::ir {

// One op as a reader found it, whatever form the program came in.
struct ImportedOp {
  std::string name;  // "stablehlo.add"
  std::vector<ValueId> operands;
  AttributeDictionary attributes;  // under the names of the specification
  std::vector<Region> regions;
  std::vector<Type> result_types;
  Location location;
};

// Checks an op against its inference rule and appends it to the builder's open region with the
// result types it declares; gives its results. Ops that exist in programs only (CHLO, also
// as custom calls @mhlo.name, and sharding constraints) are replaced, and those that JAX writes as
// custom calls get their own form. The op's parts are taken.
// UNIMPLEMENTED for an op outside ops.def: "op 'stablehlo.foo' is not supported"; other errors name
// op and values. The callee of a call is left to the verifier.
absl::StatusOr<std::vector<ValueId>> ImportOp(FunctionBuilder& builder, ImportedOp& op);

}  // namespace acceld::ir

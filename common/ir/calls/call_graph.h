#pragma once

#include <string>
#include <vector>

#include "common/ir/module.h"
#include "common/status.h"

// Who calls whom: func.call, and composites through their decomposition.
namespace acceld::ir {

// The name of the function that the op calls, nullptr for ops that call none.
const std::string* CalleeOf(const Op& op);

// The names that the ops of the region call, regions within it included, in order of the ops, once
// each. Recurses as deep as the regions nest, which the verifier bounds.
std::vector<std::string> CalleesOf(const Region& region);

// Refuses recursion, naming the cycle, and chains of calls longer than limits::kMaxCallDepth. Calls
// must resolve and regions be of bounded depth.
absl::Status CheckCallGraph(const Module& module);

}  // namespace acceld::ir

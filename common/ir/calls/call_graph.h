#pragma once

#include <string>
#include <vector>

#include "common/ir/module.h"
#include "common/status.h"

// The graph of calls between functions: by func.call, and by composites, which call their
// decomposition.
namespace acceld::ir {

// Returns the name of the function that the op calls, or nullptr for ops that call none.
const std::string* CalleeOf(const Op& op);

// Returns the names of the functions that the ops of the region and of its nested regions call,
// each once, in the order of the first calls. Recurses as deep as the regions nest, which the
// verifier bounds.
std::vector<std::string> CalleesOf(const Region& region);

// Removes the functions that `entry`, which must exist, does not reach by calls.
void DropUnreachable(Module& module, absl::string_view entry);

// Returns an error for recursion, with the cycle, and for chains of calls longer than
// limits::kMaxCallDepth. All callees must exist, and the depth of regions must be bounded.
absl::Status CheckCallGraph(const Module& module);

}  // namespace acceld::ir

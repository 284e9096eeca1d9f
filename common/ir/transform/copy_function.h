#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "common/ir/builder.h"
#include "common/ir/module.h"

// Copies of functions and regions into other functions, of which transformations are made.
namespace acceld::ir {

// Appends the ops of `callee` to the innermost open region of `builder`, with `arguments` in place
// of its parameters. Returns the values of its results. The arguments must fit the parameters.
std::vector<ValueId> CopyBody(FunctionBuilder& builder, const Function& callee,
                              absl::Span<const ValueId> arguments);

// Returns the values of the function around them that the regions use, each once, in the order of
// their first uses. Recurses as deep as regions nest, which the verifier bounds.
std::vector<ValueId> CapturesOf(absl::Span<const Region> regions);

// Returns a region of `source` as a function of its own. Its parameters are `captures`, which must
// include all values that the region captures, followed by the parameters of the region.
Function FunctionOf(const Function& source, const Region& region,
                    absl::Span<const ValueId> captures);

// Adds a private function to `module`; returns its name, which begins with `name` and was not
// taken.
std::string AddFunction(Module& module, Function function, const std::string& name);
// Replaces the private function of that name, which must exist.
void ReplaceFunction(Module& module, const std::string& name, Function function);

}  // namespace acceld::ir

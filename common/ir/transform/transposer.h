#pragma once

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/ir/transform/differentiate.h"

// Transposes of linear functions.
//
// A function that is linear in some of its arguments is a matrix for each value of the others; its
// transpose maps cotangents of its results to cotangents of those arguments. Complex numbers are
// not conjugated, as in JAX.
namespace acceld::ir {

// Transposes functions of one module, and adds to it what they call. Not thread-safe.
class Transposer {
 public:
  // The differentiator's module has what the functions call.
  explicit Transposer(Differentiator& differentiator) : differentiator_(differentiator) {}

  // Returns a function from the arguments that are not in `linear`, followed by the cotangents of
  // all results, to the cotangents of the arguments in `linear`. INVALID_ARGUMENT, with the op, if
  // the function is not linear in these arguments.
  absl::StatusOr<Function> Transpose(const Function& source, const Mask& linear);
  // The same for a function of the module: the transpose is added to it; returns its name.
  absl::StatusOr<std::string> TransposeOf(const std::string& callee, const Mask& linear);

  Differentiator& differentiator() { return differentiator_; }

 private:
  Differentiator& differentiator_;
  absl::flat_hash_map<std::pair<std::string, Mask>, std::string> transposes_;
};

}  // namespace acceld::ir

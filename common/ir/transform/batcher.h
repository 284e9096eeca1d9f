#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/ir/transform/differentiate.h"

// Batches of functions (JAX's vmap): one function that does for many examples at once what another
// does for one. A batched value has the examples along a new first dimension; what all examples
// have in common is not batched.
namespace acceld::ir {

// A function that computes a batch.
struct BatchedFunction {
  // The arguments and results of the source; those that are batched have one dimension more.
  Function function;
  Mask batched_results;
};

// Batches functions of one module, and adds to it what they call. Not thread-safe.
class Batcher {
 public:
  // `module` must be verified and static, and outlive this object. `size` is the number of
  // examples.
  Batcher(Module& module, int64_t size) : module_(module), size_(size) {}

  int64_t size() const { return size_; }
  Module& module() { return module_; }

  // `batched` has an entry for each argument of `source`, which need not be a function of the
  // module.
  absl::StatusOr<BatchedFunction> Batch(const Function& source, const Mask& batched);
  // The same for a function of the module: the batched one is added to it.
  struct Callee {
    std::string name;
    Mask batched_results;
  };
  absl::StatusOr<Callee> BatchOf(const std::string& callee, const Mask& batched);
  // Batched composites with rules (composites/custom_rules.h), by their decomposition and by which
  // operands are batched. They are known before their rules are batched, which may use them.
  absl::flat_hash_map<std::pair<std::string, Mask>, CompositeAttributes>& rules() { return rules_; }

 private:
  Module& module_;
  const int64_t size_;
  absl::flat_hash_map<std::pair<std::string, Mask>, Callee> callees_;
  absl::flat_hash_map<std::pair<std::string, Mask>, CompositeAttributes> rules_;
};

}  // namespace acceld::ir

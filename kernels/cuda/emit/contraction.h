#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// Which products are rounded together with the sum or difference that takes them, as one operation:
// those that allow it (ScalarStatement::may_contract) and are used once. NVRTC itself contracts
// nothing, so that formulas which count on each rounding keep them. Borrows the kernel.
class Contraction {
 public:
  explicit Contraction(const Kernel& kernel);

  // If `sum` is a sum or difference that takes such a product: a * b + c. Otherwise empty.
  struct Parts {
    const ScalarStatement* product = nullptr;  // null: none
    Var addend = 0;
    bool negates_product = false;
    bool negates_addend = false;
  };
  Parts PartsOf(const ScalarStatement& sum) const;

 private:
  void Visit(const Block& block);

  const std::vector<int> uses_;
  absl::flat_hash_map<Var, const ScalarStatement*> products_;
};

}  // namespace acceld::kernels::cuda

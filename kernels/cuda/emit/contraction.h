#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// Finds the floating-point contractions of a kernel: additions and subtractions that are to be
// printed together with a product as one fused multiply-add. A product is contracted if it allows
// that (ScalarStatement::may_contract) and has a single use. NVRTC is told not to contract anything
// itself, because some formulas rely on the rounding of each operation. Thread-compatible; the
// kernel must outlive the object.
class Contraction {
 public:
  explicit Contraction(const Kernel& kernel);

  // The operands of a fused multiply-add: (+/-) product (+/-) addend.
  struct Parts {
    const ScalarStatement* product = nullptr;  // nullptr if there is no contraction
    Var addend = 0;
    bool negates_product = false;
    bool negates_addend = false;
  };
  // The parts of an addition or subtraction that is to be contracted; else no parts.
  Parts PartsOf(const ScalarStatement& sum) const;

 private:
  void Visit(const Block& block);

  const std::vector<int> uses_;                                // the number of uses of each value
  absl::flat_hash_map<Var, const ScalarStatement*> products_;  // those to contract, by result
};

}  // namespace acceld::kernels::cuda

#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "common/ir/module.h"

namespace acceld::ir {

// Finds the op that defines each value of a function, in any region. The function must outlive this
// object.
class Definitions {
 public:
  explicit Definitions(const Function& function);
  // Returns nullptr for parameters.
  const Op* Of(ValueId id) const { return ops_[id]; }

 private:
  void Add(const Region& region);

  std::vector<const Op*> ops_;  // by ValueId
};

// Returns how often the body of a while op runs, if the loop counts: a carried integer starts at a
// constant, changes by a constant and is compared with a constant, as in the loops of JAX with a
// fixed number of iterations. nullopt for other loops, and for loops that would never end.
absl::optional<int64_t> TripCountOf(const Definitions& definitions, const Op& loop);

}  // namespace acceld::ir

#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "common/ir/module.h"

namespace acceld::ir {

// The op that makes each value of a function, in whatever region. The function outlives it.
class Definitions {
 public:
  explicit Definitions(const Function& function);
  // nullptr for parameters.
  const Op* Of(ValueId id) const { return ops_[id]; }

 private:
  void Add(const Region& region);

  std::vector<const Op*> ops_;  // by ValueId
};

// How often the body of a while op of the function runs, where a carried integer starts at a
// constant, changes by a constant and is compared with a constant, as the loops of JAX do that run
// a fixed number of times. nullopt for others, and for loops that would never end.
absl::optional<int64_t> TripCountOf(const Definitions& definitions, const Op& loop);

}  // namespace acceld::ir

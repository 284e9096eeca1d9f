#pragma once

#include <cstddef>
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

// A loop that counts: a carried integer starts at a constant, changes by a constant and is compared
// with a constant, as in the loops of JAX with a fixed number of iterations.
struct LoopCounter {
  size_t carried = 0;  // the number of the carried value
  int64_t first = 0, step = 0;
  int64_t trip_count = 0;  // how often the body runs
};
// nullopt for loops that do not count, and for loops that would never end.
absl::optional<LoopCounter> CounterOf(const Definitions& definitions, const Op& loop);
// Returns how often the body of a while op runs, if the loop counts.
absl::optional<int64_t> TripCountOf(const Definitions& definitions, const Op& loop);

}  // namespace acceld::ir

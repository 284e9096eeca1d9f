#pragma once

#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "kernels/ir/build/kernel_builder.h"

namespace acceld::kernels {

// A sequential loop in which most iterations change nothing: that of an argmax, or of the k
// largest. Vectors find out whether any iteration of a block would change something if it came
// next; a block without one is passed over, exactly as if each had been taken in turn.
struct SelectiveLoop {
  using Values = absl::Span<const Var>;

  // Whether iteration `i` changes anything, given the values carried so far: an i1 without effects.
  std::function<Var(Var i, Values carried)> changes;
  // Iteration `i`; returns the carried values after it.
  std::function<std::vector<Var>(Var i, Values carried)> step;
  // Iterations before this one change something; nobody asks.
  int64_t first_selected = 0;

  // Whether a loop of so many iterations gains by it.
  static bool Pays(int64_t count);

  // Iterations 0, ..., count - 1; returns the carried values after them.
  std::vector<Var> Build(KernelBuilder& b, int64_t count, Values initial) const;
};

}  // namespace acceld::kernels

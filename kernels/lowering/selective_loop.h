#pragma once

#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "kernels/ir/build/kernel_builder.h"

namespace acceld::kernels {

// Builds a sequential loop in which most iterations change nothing, such as the loop of an argmax
// or of a selection of the k largest elements. The loop is divided into blocks of iterations. A
// vectorizable test finds out whether any iteration of a block would change something if it were
// executed next; if none would, the whole block is skipped. The result is the same as without
// skipping.
struct SelectiveLoop {
  using Values = absl::Span<const Var>;

  // Emits an i1 that tells whether iteration `i` would change anything, given the carried values.
  // Must emit no stores.
  std::function<Var(Var i, Values carried)> changes;
  // Emits iteration `i`; returns the carried values after it.
  std::function<std::vector<Var>(Var i, Values carried)> step;
  // Blocks that begin before this iteration are executed without the test, because most of their
  // iterations change something.
  int64_t first_selected = 0;

  // Whether a loop of `count` iterations is long enough to gain from skipping.
  static bool Pays(int64_t count);

  // Appends iterations 0 to count - 1; returns the carried values after them.
  std::vector<Var> Build(KernelBuilder& b, int64_t count, Values initial) const;
};

}  // namespace acceld::kernels

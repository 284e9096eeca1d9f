#pragma once

#include <vector>

#include "absl/types/span.h"
#include "common/ir/cost/trip_count.h"
#include "common/ir/emitter.h"

namespace acceld::ir {

// The values of a loop's body that follow from the number of the iteration, such as the part of an
// array that each iteration of a scan reads. Another loop computes them again more cheaply than it
// reads them from a stack: only views and arithmetic of scalar integers count. Not thread-safe.
class IterationValues {
 public:
  // `body` is the body as a function, and must outlive this object. Its arguments in `invariant`
  // are the same in each iteration, and argument `counter_argument` counts.
  IterationValues(const Function& body, std::vector<bool> invariant, size_t counter_argument,
                  const LoopCounter& counter);

  bool Has(ValueId id) const { return has_[id]; }
  // The invariant arguments of which these values, which Has knows, are made.
  std::vector<bool> ArgumentsOf(absl::Span<const ValueId> ids) const;
  // Appends the ops of these values to the loop that `e` and `builder` build. `iteration` counts
  // from 0. `arguments`, by argument of the body, has values for those of ArgumentsOf.
  std::vector<ValueId> Emit(Emitter& e, FunctionBuilder& builder, ValueId iteration,
                            absl::Span<const ValueId> arguments,
                            absl::Span<const ValueId> ids) const;

 private:
  // By value of the body: whether one of `ids` is made of it.
  std::vector<bool> NeededFor(absl::Span<const ValueId> ids) const;

  const Function& body_;
  const std::vector<bool> invariant_;  // by argument
  const size_t counter_argument_;
  const LoopCounter counter_;
  std::vector<bool> has_;  // by value
};

}  // namespace acceld::ir

#pragma once

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "common/ir/interpreter/elements/elementwise.h"
#include "common/ir/interpreter/machine.h"

namespace acceld::ir::interpreter {

// A region of elementwise ops on scalars, prepared for running many times without tensors.
class ScalarProgram {
 public:
  // Prepares a region. Returns nullopt when it contains anything but elementwise ops, constants and
  // sharding constraints on scalar tensors. Values that it captures from `frame` are read once, by
  // this call. With `accumulate_wide`, f16 and bf16 values are f32 throughout, so that a sum is
  // rounded once, when its result is stored.
  static std::optional<ScalarProgram> Make(const Frame& frame, const Region& region,
                                           bool accumulate_wide);

  // Returns the results, which are valid until the next call.
  absl::Span<const Scalar> Run(absl::Span<const Scalar> arguments);
  // How many computed elements a run counts as.
  int64_t cost() const { return static_cast<int64_t>(steps_.size()) + 1; }

 private:
  struct Step {
    ElementFunction function;
    ElementContext context;
    std::vector<int> operands;
    int result;
  };
  std::vector<Step> steps_;
  std::vector<Scalar> slots_;  // The values of the region, its parameters first.
  std::vector<int> result_slots_;
  std::vector<Scalar> results_;
};

// The region of a reduce, sort, scatter or similar op, as a function from scalars to scalars. Uses
// a ScalarProgram where that is possible, and the machine otherwise.
class Body {
 public:
  // `context` and `region` must outlive the body.
  Body(EvalContext& context, const Region& region, bool accumulate_wide);

  // Returns the results, which are valid until the next call.
  absl::StatusOr<absl::Span<const Scalar>> Run(absl::Span<const Scalar> arguments);

 private:
  EvalContext& context_;
  const Region& region_;
  std::optional<ScalarProgram> program_;
  std::vector<Scalar> results_;
};

}  // namespace acceld::ir::interpreter

#pragma once

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "common/ir/interpreter/elements/elementwise.h"
#include "common/ir/interpreter/machine.h"

namespace acceld::ir::interpreter {

// A region of elementwise ops on scalars, ready to be run many times without tensors.
class ScalarProgram {
 public:
  // nullopt when the region holds anything but elementwise ops and constants on scalar tensors.
  // Values captured from `frame` are read once, here. With `accumulate_wide`, f16 and bf16 values
  // are kept as f32 throughout, so that a sum is rounded once, where its result is stored.
  static std::optional<ScalarProgram> Make(const Frame& frame, const Region& region,
                                           bool accumulate_wide);

  // The result stays valid until the next call.
  absl::Span<const Scalar> Run(absl::Span<const Scalar> arguments);
  int64_t cost() const { return static_cast<int64_t>(steps_.size()) + 1; }

 private:
  struct Step {
    ElementFunction function;
    ElementContext context;
    std::vector<int> operands;
    int result;
  };
  std::vector<Step> steps_;
  std::vector<Scalar> slots_;  // parameters first
  std::vector<int> result_slots_;
  std::vector<Scalar> results_;
};

// The region of a reduce, sort, scatter or the like: a function from scalars to scalars.
class Body {
 public:
  // The context outlives the body.
  Body(EvalContext& context, const Region& region, bool accumulate_wide);

  // The result stays valid until the next call.
  absl::StatusOr<absl::Span<const Scalar>> Run(absl::Span<const Scalar> arguments);

 private:
  EvalContext& context_;
  const Region& region_;
  std::optional<ScalarProgram> program_;
  std::vector<Scalar> results_;
};

}  // namespace acceld::ir::interpreter

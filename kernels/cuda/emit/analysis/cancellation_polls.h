#pragma once

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// Kernels with at least this many iterations poll for cancellation. A large GPU needs some ten
// milliseconds for so many.
inline constexpr double kMinPolledIterations = int64_t{1} << 38;

// Decides which loops of a kernel poll for cancellation, and how often. Small kernels need not; but
// values that are not stored need no memory, so even a small program can need any number of
// iterations. The kernel must outlive the object and must not change. Thread-compatible.
class CancellationPolls {
 public:
  // The time is linear in the size of the kernel.
  explicit CancellationPolls(const Kernel& kernel);

  // For a loop of `num_iterations` iterations, each of which executes `body` once: returns the
  // condition, a C++ expression, under which an iteration polls. `iteration` is a C++ expression
  // for the number of the iteration, from 0. The result is empty if the loop need not poll, and
  // "true" if it polls in each iteration. `body` is the body of a ForStatement of the kernel.
  std::string PollCondition(absl::string_view iteration, double num_iterations,
                            const Block& body) const;

 private:
  // The number of iterations of innermost loops in a run of `block`.
  double IterationsIn(const Block& block);

  absl::flat_hash_map<const Block*, double> iterations_;  // IterationsIn each loop's body
  bool is_long_;                                          // whether the kernel polls at all
};

}  // namespace acceld::kernels::cuda

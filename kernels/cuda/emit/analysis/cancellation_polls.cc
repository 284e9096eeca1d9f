#include "kernels/cuda/emit/analysis/cancellation_polls.h"

#include <algorithm>
#include <cstdint>
#include <variant>

#include "absl/strings/str_cat.h"

namespace acceld::kernels::cuda {
namespace {

// The number of iterations of a thread between two polls, each of which reads host memory.
constexpr double kIterationsBetweenPolls = 65'536;

}  // namespace

CancellationPolls::CancellationPolls(const Kernel& kernel)
    : is_long_(IterationsIn(kernel.body) >= kMinPolledIterations) {}

double CancellationPolls::IterationsIn(const Block& block) {
  double sum = 1;
  for (const Statement& statement : block) {
    if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
      const double inside = iterations_[&loop->body] = IterationsIn(loop->body);
      sum += static_cast<double>(loop->extent) * inside;
    } else if (const auto* loop = std::get_if<WhileStatement>(&statement.value)) {
      // Counts one iteration: while loops poll before each of theirs.
      sum += IterationsIn(loop->condition_body) + IterationsIn(loop->body);
    } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      sum += std::max(IterationsIn(branch->then_body), IterationsIn(branch->else_body));
    }
  }
  return sum;
}

std::string CancellationPolls::PollCondition(absl::string_view iteration, double num_iterations,
                                             const Block& body) const {
  if (!is_long_) return "";
  const double inside = iterations_.at(&body);
  if (num_iterations * inside < kIterationsBetweenPolls) return "";
  int64_t every = 1;
  while (static_cast<double>(every) * inside < kIterationsBetweenPolls) every *= 2;
  return every == 1 ? "true" : absl::StrCat(iteration, " % ", every, " == 0");
}

}  // namespace acceld::kernels::cuda

#include "kernels/ir/analysis/plan_work.h"

#include <algorithm>
#include <limits>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"

namespace acceld::kernels {
namespace {

double IterationsOf(const Block& block) {
  double work = 1;
  for (const Statement& statement : block) {
    if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
      work += static_cast<double>(loop->extent) * IterationsOf(loop->body);
    } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      work += std::min(IterationsOf(branch->then_body), IterationsOf(branch->else_body));
    }
  }
  return work;
}

double Product(std::initializer_list<int64_t> factors) {
  double product = 1;
  for (const int64_t factor : factors) product *= static_cast<double>(factor);
  return product;
}

// Counts the work of each function of a plan once, callees before callers.
class Counter {
 public:
  explicit Counter(const Plan& plan) : plan_(plan), work_(plan.functions.size(), kUnknown) {
    for (const Kernel& kernel : plan.kernels) kernels_.push_back(IterationsOf(kernel.body));
  }

  double Count() {
    // Uses an explicit stack: a chain of calls may be as long as the plan has functions, too deep
    // for recursion.
    std::vector<uint32_t> pending = {0};
    while (!pending.empty()) {
      const uint32_t function = pending.back();
      missing_ = kNone;
      const double work = WorkOf(plan_.functions[function].steps);
      if (missing_ != kNone) {
        pending.push_back(missing_);
        continue;
      }
      work_[function] = work;
      pending.pop_back();
    }
    return work_[0];
  }

 private:
  static constexpr double kUnknown = -1;
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  double WorkOf(const Steps& steps) {
    double work = 0;
    for (const Step& step : steps) {
      work += std::visit([this](const auto& value) { return Work(value); }, step.value);
    }
    return work;
  }

  double Work(const LaunchStep& step) const { return kernels_[step.kernel]; }
  double Work(const MatmulStep& step) const {
    return Product({step.groups, step.batch, step.m, step.n, step.k});
  }
  double Work(const ConvolutionStep& step) const {
    return static_cast<double>(step.out.size_bytes);
  }
  double Work(const AttentionStep& step) const { return static_cast<double>(step.out.size_bytes); }
  double Work(const RoutineStep&) const { return 1; }
  double Work(const HostCallStep&) const { return 1; }
  double Work(const CollectiveStep&) const { return 1; }
  double Work(const CopyStep& step) const { return static_cast<double>(step.from.size_bytes); }
  double Work(const WhileStep& step) { return WorkOf(step.condition); }
  double Work(const SwitchStep& step) {
    double least = std::numeric_limits<double>::infinity();
    for (const Steps& branch : step.branches) least = std::min(least, WorkOf(branch));
    return step.branches.empty() ? 0 : least;
  }
  double Work(const CallStep& step) {
    if (work_[step.function] == kUnknown) missing_ = step.function;
    return 1 + work_[step.function];
  }

  const Plan& plan_;
  std::vector<double> kernels_;  // the work of each kernel
  std::vector<double> work_;     // the work of each function, or kUnknown
  uint32_t missing_ = kNone;     // a callee that WorkOf found not yet counted
};

}  // namespace

double CountWork(const Plan& plan) { return Counter(plan).Count(); }

absl::Status CheckWork(const Plan& plan) {
  const double work = CountWork(plan);
  if (work <= kMaxWorkSteps) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the program takes ", work, " steps, more than the limit of ", kMaxWorkSteps,
      ": it would not end in a year; functions that call others several times multiply them"));
}

}  // namespace acceld::kernels

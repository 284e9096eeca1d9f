#include "kernels/cpu/emit/plan_split.h"

#include <algorithm>
#include <numeric>
#include <variant>

namespace acceld::kernels::cpu {
namespace {

// What a loop takes beside its statements: LLVM's loop passes.
constexpr size_t kLoopSize = 8;
// Translating so much takes several times as long as setting up another part.
constexpr size_t kMinPartSize = 48;
constexpr size_t kMaxParts = 32;

size_t SizeOf(const Block& block);

size_t SizeOf(const Statement& statement) {
  if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
    return kLoopSize + SizeOf(loop->body);
  }
  if (const auto* loop = std::get_if<WhileStatement>(&statement.value)) {
    return kLoopSize + SizeOf(loop->condition_body) + SizeOf(loop->body);
  }
  if (const auto* choice = std::get_if<IfStatement>(&statement.value)) {
    return 1 + SizeOf(choice->then_body) + SizeOf(choice->else_body);
  }
  return 1;
}

size_t SizeOf(const Block& block) {
  return std::transform_reduce(block.begin(), block.end(), size_t{0}, std::plus<>(),
                               [](const Statement& statement) { return SizeOf(statement); });
}

}  // namespace

PlanSplit SplitPlan(const Plan& plan) {
  PlanSplit split;
  split.part_of_kernel.assign(plan.kernels.size(), 0);
  std::vector<size_t> sizes;
  for (const Kernel& kernel : plan.kernels) sizes.push_back(SizeOf(kernel.body));
  const size_t total = std::accumulate(sizes.begin(), sizes.end(), size_t{0});
  split.num_parts = std::clamp<size_t>(total / kMinPartSize, 1,
                                       std::clamp<size_t>(plan.kernels.size(), 1, kMaxParts));
  // The largest first, each to the part that has least.
  std::vector<size_t> order(plan.kernels.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sizes[a] > sizes[b]; });
  std::vector<size_t> filled(split.num_parts);
  for (const size_t kernel : order) {
    const auto least = std::min_element(filled.begin(), filled.end());
    *least += sizes[kernel];
    split.part_of_kernel[kernel] = static_cast<size_t>(least - filled.begin());
  }
  return split;
}

}  // namespace acceld::kernels::cpu

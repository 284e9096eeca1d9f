#include "kernels/cpu/emit/plan_split.h"

#include <algorithm>
#include <numeric>
#include <variant>

namespace acceld::kernels::cpu {
namespace {

// The size of a loop without its statements, for the time that LLVM's loop passes take.
constexpr size_t kLoopSize = 8;
// The least size of a part: compiling it takes several times as long as setting up another part.
constexpr size_t kMinPartSize = 48;
// The least size of each part if there are only two: a second core is idle more often than several
// are.
constexpr size_t kMinHalf = 20;
constexpr size_t kMaxParts = 32;

struct Sizes {
  size_t usual = 0;
  size_t rare = 0;  // of branches that can have a separate part

  size_t total() const { return usual + rare; }
  Sizes& operator+=(const Sizes& other) {
    usual += other.usual;
    rare += other.rare;
    return *this;
  }
};

Sizes SizesOf(const Block& block);

Sizes SizesOf(const Statement& statement) {
  Sizes sizes{.usual = 1};
  if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
    sizes.usual = kLoopSize;
    sizes += SizesOf(loop->body);
  } else if (const auto* loop = std::get_if<WhileStatement>(&statement.value)) {
    sizes.usual = kLoopSize;
    sizes += SizesOf(loop->condition_body);
    sizes += SizesOf(loop->body);
  } else if (const auto* choice = std::get_if<IfStatement>(&statement.value)) {
    if (CanBeOutlined(*choice)) {
      sizes.rare += SizesOf(choice->then_body).total();
    } else {
      sizes += SizesOf(choice->then_body);
    }
    sizes += SizesOf(choice->else_body);
  }
  return sizes;
}

Sizes SizesOf(const Block& block) {
  Sizes sizes;
  for (const Statement& statement : block) sizes += SizesOf(statement);
  return sizes;
}

// Distributes items of these sizes over bins: the largest first, each to the bin that is least
// full. Returns the number of the bin for each item.
std::vector<size_t> DistributeToBins(const std::vector<size_t>& sizes, size_t num_bins) {
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sizes[a] > sizes[b]; });
  std::vector<size_t> filled(num_bins), bins(sizes.size());
  for (const size_t i : order) {
    const auto least = std::min_element(filled.begin(), filled.end());
    *least += sizes[i];
    bins[i] = static_cast<size_t>(least - filled.begin());
  }
  return bins;
}

size_t NumParts(const std::vector<size_t>& sizes) {
  const size_t total = std::accumulate(sizes.begin(), sizes.end(), size_t{0});
  const size_t worthwhile = std::max(total / kMinPartSize, std::min<size_t>(total / kMinHalf, 2));
  return std::min({worthwhile, sizes.size(), kMaxParts});
}

}  // namespace

bool CanBeOutlined(const IfStatement& branch) {
  return branch.is_rare && branch.results.empty() && !branch.then_body.empty();
}

PlanSplit SplitPlan(const Plan& plan) {
  std::vector<size_t> usual;  // by kernel
  std::vector<size_t> rare;   // of `rare_kernels`
  std::vector<size_t> rare_kernels;
  for (size_t k = 0; k < plan.kernels.size(); ++k) {
    const Sizes sizes = SizesOf(plan.kernels[k].body);
    const bool is_separate = sizes.rare >= kMinPartSize;
    usual.push_back(is_separate ? sizes.usual : sizes.total());
    if (!is_separate) continue;
    rare.push_back(sizes.rare);
    rare_kernels.push_back(k);
  }
  PlanSplit split;
  const size_t num_usual = std::max<size_t>(1, NumParts(usual));
  split.part_of_kernel = DistributeToBins(usual, num_usual);
  split.part_of_rare = split.part_of_kernel;
  split.num_parts = num_usual + NumParts(rare);
  const std::vector<size_t> rare_bins = DistributeToBins(rare, NumParts(rare));
  for (size_t i = 0; i < rare.size(); ++i) {
    split.part_of_rare[rare_kernels[i]] = num_usual + rare_bins[i];
  }
  return split;
}

}  // namespace acceld::kernels::cpu

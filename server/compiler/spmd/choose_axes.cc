#include "server/compiler/spmd/choose_axes.h"

#include <algorithm>

namespace acceld::compiler::spmd {
namespace {

using ir::OpKind;

class Chooser {
 public:
  explicit Chooser(const AxesProblem& problem)
      : problem_(problem),
        rule_(problem.rule),
        mesh_(problem.mesh),
        chosen_(rule_.factors.size()),
        is_used_(static_cast<size_t>(mesh_.num_axes())) {
    for (const int axis : problem.parts) is_used_[static_cast<size_t>(axis)] = true;
  }

  FactorAxes Run() {
    // Where all operands are divided along a reduction, each process has what it combines. That
    // comes before the layout of the result, into which the combination can be scattered.
    const FactorAxes shared = SharedReductions();
    for (size_t i = 0; i < shared.size(); ++i) {
      if (PaysToCombine(i, shared[i])) Choose(i, shared[i]);
    }
    for (size_t i = 0; i < problem_.results.size(); ++i) {
      ChooseFrom(problem_.results[i], rule_.results[i], /*of_reductions=*/false);
    }
    for (size_t i = 0; i < problem_.operands.size(); ++i) {
      ChooseFrom(problem_.operands[i], rule_.operands[i], /*of_reductions=*/true);
    }
    // An operand that is divided more than the results shall be: dividing the work and putting the
    // results together takes no more communication than putting the operand together first.
    for (size_t i = 0; i < problem_.operands.size(); ++i) {
      if (problem_.results.size() != 1 || ElementsOfResult() > ElementsOfOperand(i)) continue;
      ChooseFrom(problem_.operands[i], rule_.operands[i], /*of_reductions=*/false);
    }
    MoveBlocked();
    RemoveScattered(rule_, mesh_, chosen_);
    return std::move(chosen_);
  }

 private:
  int64_t ElementsOfOperand(size_t i) const {
    return problem_.function.TensorOf(problem_.op.operands[i]).num_elements();
  }
  int64_t ElementsOfResult() const {
    return problem_.function.TensorOf(problem_.op.results[0]).num_elements();
  }

  // Returns, for each reduction, the axes along which all operands that have it are divided alike.
  FactorAxes SharedReductions() const {
    FactorAxes shared(rule_.factors.size());
    std::vector<bool> is_seen(rule_.factors.size());
    for (size_t i = 0; i < problem_.operands.size(); ++i) {
      FactorAxes projected;
      Project(problem_.operands[i], rule_.operands[i], rule_, mesh_, projected);
      for (const std::vector<int>& factors : rule_.operands[i]) {
        for (const int number : factors) {
          const auto factor = static_cast<size_t>(number);
          if (!rule_.factors[factor].is_reduction) continue;
          const Axes& axes = projected[factor];
          Axes& common = shared[factor];
          if (!is_seen[factor]) common = axes;
          is_seen[factor] = true;
          common.erase(std::mismatch(common.begin(), common.end(), axes.begin(), axes.end()).first,
                       common.end());
        }
      }
    }
    return shared;
  }

  // Whether combining results along the axes moves less than putting operands together. Only ops
  // that move elements ask: of the others, the work itself shall be divided.
  bool PaysToCombine(size_t factor, const Axes& axes) const {
    if (problem_.op.kind != OpKind::kGather && problem_.op.kind != OpKind::kScatter) return true;
    if (!rule_.factors[factor].is_reduction || StaysInParts(axes)) return true;
    int64_t operands = 0;
    for (size_t i = 0; i < rule_.operands.size(); ++i) {
      if (IsOf(rule_.operands[i], static_cast<int>(factor))) operands += ElementsOfOperand(i);
    }
    int64_t result = ElementsOfResult();
    for (const Axes& divided : problem_.results[0].dimensions) {
      for (const int axis : divided) {
        if (std::find(axes.begin(), axes.end(), axis) == axes.end()) result /= mesh_.SizeOf(axis);
      }
    }
    return result <= operands;
  }

  // Whether the result is wanted in parts along the axes, so that nothing is combined.
  bool StaysInParts(const Axes& axes) const {
    const Axes& parts = problem_.results[0].unreduced;
    return std::all_of(axes.begin(), axes.end(), [&](int axis) {
      return std::binary_search(parts.begin(), parts.end(), axis);
    });
  }

  // Takes the axes for a factor that nothing else uses, up to the first that is used.
  void Choose(size_t factor, const Axes& axes) {
    Axes& to = chosen_[factor];
    if (to.size() >= axes.size() || !std::equal(to.begin(), to.end(), axes.begin())) return;
    for (size_t i = to.size(); i < axes.size(); ++i) {
      const auto axis = static_cast<size_t>(axes[i]);
      if (is_used_[axis]) return;
      is_used_[axis] = true;
      to.push_back(axes[i]);
    }
  }

  void ChooseFrom(const Layout& layout, const DimensionFactors& dimensions, bool of_reductions) {
    FactorAxes projected;
    Project(layout, dimensions, rule_, mesh_, projected);
    for (size_t i = 0; i < projected.size(); ++i) {
      if (rule_.factors[i].is_reduction != of_reductions) continue;
      if (of_reductions && !PaysToCombine(i, projected[i])) continue;
      Choose(i, projected[i]);
    }
  }

  // Returns the axes along which dimensions without factors are divided.
  static Axes Blocked(const Layout& layout, const DimensionFactors& dimensions) {
    Axes axes;
    for (size_t i = 0; i < dimensions.size(); ++i) {
      if (!dimensions[i].empty()) continue;
      axes.insert(axes.end(), layout.dimensions[i].begin(), layout.dimensions[i].end());
    }
    return axes;
  }

  // Where both an operand and a result are divided along a dimension that the op cannot divide, as
  // sort cannot the one that it sorts, another dimension is divided instead: two all_to_all move
  // less than one all_gather, and the work is divided.
  void MoveBlocked() {
    if (problem_.operands.empty() || problem_.results.empty()) return;
    const Axes of_operand = Blocked(problem_.operands[0], rule_.operands[0]);
    const Axes of_result = Blocked(problem_.results[0], rule_.results[0]);
    for (const int axis : of_operand) {
      const bool is_of_both =
          std::find(of_result.begin(), of_result.end(), axis) != of_result.end();
      if (!is_of_both || is_used_[static_cast<size_t>(axis)]) continue;
      for (const std::vector<int>& factors : rule_.results[0]) {
        if (factors.size() != 1) continue;
        const auto factor = static_cast<size_t>(factors[0]);
        const int64_t shards = mesh_.SizeOf(chosen_[factor]) * mesh_.SizeOf(axis);
        const bool fits = IsOf(rule_.operands[0], factors[0]) &&
                          !rule_.factors[factor].is_indexed &&
                          rule_.factors[factor].size % shards == 0;
        if (!fits) continue;
        chosen_[factor].push_back(axis);
        is_used_[static_cast<size_t>(axis)] = true;
        break;
      }
    }
  }

  static bool IsOf(const DimensionFactors& dimensions, int factor) {
    return std::any_of(dimensions.begin(), dimensions.end(), [&](const std::vector<int>& factors) {
      return std::find(factors.begin(), factors.end(), factor) != factors.end();
    });
  }

  const AxesProblem& problem_;
  const FactorRule& rule_;
  const CanonicalMesh& mesh_;
  FactorAxes chosen_;
  std::vector<bool> is_used_;  // by axis
};

}  // namespace

FactorAxes ChooseAxes(const AxesProblem& problem) { return Chooser(problem).Run(); }

}  // namespace acceld::compiler::spmd

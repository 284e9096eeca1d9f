#include "server/compiler/spmd/factor_axes.h"

namespace acceld::compiler::spmd {

void Project(const Layout& layout, const DimensionFactors& dimensions, const FactorRule& rule,
             const CanonicalMesh& mesh, FactorAxes& projected) {
  projected.resize(rule.factors.size());
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const Axes& axes = layout.dimensions[i];
    size_t next = 0;
    for (const int factor : dimensions[i]) {
      Axes& to = projected[static_cast<size_t>(factor)];
      to.clear();
      int64_t left = rule.factors[static_cast<size_t>(factor)].size;
      while (next < axes.size() && left % mesh.SizeOf(axes[next]) == 0) {
        left /= mesh.SizeOf(axes[next]);
        to.push_back(axes[next++]);
      }
      if (left != 1) break;
    }
  }
}

Layout LayoutFor(const DimensionFactors& dimensions, const FactorAxes& axes, const FactorRule& rule,
                 const CanonicalMesh& mesh) {
  Layout layout;
  for (const std::vector<int>& factors : dimensions) {
    Axes& of_dimension = layout.dimensions.emplace_back();
    for (const int factor : factors) {
      const Axes& more = axes[static_cast<size_t>(factor)];
      of_dimension.insert(of_dimension.end(), more.begin(), more.end());
      if (mesh.SizeOf(more) != rule.factors[static_cast<size_t>(factor)].size) break;
    }
  }
  return layout;
}

void RemoveScattered(const FactorRule& rule, const CanonicalMesh& mesh, FactorAxes& axes) {
  bool has_changed = true;
  const auto remove = [&](const DimensionFactors& dimensions) {
    for (const std::vector<int>& factors : dimensions) {
      bool is_contiguous = true;
      for (const int number : factors) {
        const auto factor = static_cast<size_t>(number);
        if (!is_contiguous && !axes[factor].empty()) {
          axes[factor].clear();
          has_changed = true;
        }
        if (mesh.SizeOf(axes[factor]) != rule.factors[factor].size) is_contiguous = false;
      }
    }
  };
  while (has_changed) {
    has_changed = false;
    for (const DimensionFactors& operand : rule.operands) remove(operand);
    for (const DimensionFactors& result : rule.results) remove(result);
  }
}

}  // namespace acceld::compiler::spmd

#include "kernels/cuda/emit/analysis/disjoint_stores.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "kernels/cuda/emit/analysis/effects.h"
#include "kernels/ir/analysis/index_range.h"

namespace acceld::kernels::cuda {
namespace {

// Indices with more terms are not analyzed.
constexpr size_t kMaxTerms = 8;
// Larger constants and coefficients are not analyzed. No index comes near this limit.
constexpr int64_t kMaxIndex = int64_t{1} << 50;

// A store: the number of the statement of the kernel's body that contains it, and the index as a
// linear combination of induction variables.
struct StoreIndex {
  size_t statement;
  LinearForm index;
};

// Finds all stores, and the extents of all loops.
class StoreFinder {
 public:
  explicit StoreFinder(const Constants& constants) : constants_(constants) {}

  void Visit(const Block& block) {
    for (const Statement& statement : block) {
      if (&block == outermost_) ++statement_;
      std::visit([this](const auto& one) { Visit(one); }, statement.value);
    }
  }
  void VisitKernel(const Kernel& kernel) {
    outermost_ = &kernel.body;
    Visit(kernel.body);
  }

  // Nullopt for what is stored at other indices than sums.
  absl::flat_hash_map<uint32_t, absl::optional<std::vector<StoreIndex>>> stores;
  absl::flat_hash_map<Var, int64_t> extents;

 private:
  void Visit(const ConstantStatement&) {}
  void Visit(const LoadStatement&) {}
  void Visit(const ScalarStatement& scalar) {
    const bool adds = scalar.op == ScalarOp::kAdd;
    if (!adds && scalar.op != ScalarOp::kMultiply) return;
    const absl::optional<LinearForm> a = FormOf(scalar.operands[0]);
    const absl::optional<LinearForm> b = FormOf(scalar.operands[1]);
    if (!a.has_value() || !b.has_value()) return;
    LinearForm form = *a;
    if (adds) {
      form.constant += b->constant;
      form.terms.insert(form.terms.end(), b->terms.begin(), b->terms.end());
    } else {
      if (!a->terms.empty() && !b->terms.empty()) return;
      const LinearForm& varying = a->terms.empty() ? *b : *a;
      const int64_t factor = (a->terms.empty() ? *a : *b).constant;
      if (std::abs(factor) >= kMaxIndex) return;
      form = varying;
      if (__builtin_mul_overflow(form.constant, factor, &form.constant)) return;
      for (LinearForm::Term& term : form.terms) {
        if (__builtin_mul_overflow(term.coefficient, factor, &term.coefficient)) return;
      }
    }
    const bool is_large = std::any_of(form.terms.begin(), form.terms.end(), [](const auto& term) {
      return std::abs(term.coefficient) >= kMaxIndex;
    });
    if (form.terms.size() > kMaxTerms || std::abs(form.constant) >= kMaxIndex || is_large) return;
    forms_[scalar.result] = std::move(form);
  }
  void Visit(const StoreStatement& store) {
    auto& found = stores.try_emplace(store.buffer, std::vector<StoreIndex>()).first->second;
    absl::optional<LinearForm> form = FormOf(store.index);
    if (!form.has_value()) {
      found = absl::nullopt;
    } else if (found.has_value()) {
      found->push_back({statement_, *std::move(form)});
    }
  }
  void Visit(const ForStatement& loop) {
    extents[loop.induction] = loop.extent;
    Visit(loop.body);
  }
  void Visit(const WhileStatement& loop) {
    Visit(loop.condition_body);
    Visit(loop.body);
  }
  void Visit(const IfStatement& branch) {
    Visit(branch.then_body);
    Visit(branch.else_body);
  }

  absl::optional<LinearForm> FormOf(Var var) const {
    if (const auto found = constants_.find(var); found != constants_.end()) {
      return LinearForm{.constant = found->second, .terms = {}};
    }
    if (extents.contains(var)) return LinearForm{.constant = 0, .terms = {{1, var}}};
    const auto found = forms_.find(var);
    if (found == forms_.end()) return absl::nullopt;
    return found->second;
  }

  const Constants& constants_;
  const Block* outermost_ = nullptr;
  size_t statement_ = 0;
  absl::flat_hash_map<Var, LinearForm> forms_;
};

// The range of index % modulus, if the part of the index that is no multiple of `modulus` stays
// within [0, modulus); else nullopt.
absl::optional<IndexRange> RemainderRangeOf(const LinearForm& index, int64_t modulus,
                                            const absl::flat_hash_map<Var, int64_t>& extents) {
  IndexRange rest = IndexRange::Of(index.constant % modulus);
  for (const LinearForm::Term& term : index.terms) {
    if (term.coefficient % modulus == 0) continue;
    const int64_t last = std::max<int64_t>(extents.at(term.var), 1) - 1;
    rest = RangeOf(
        ScalarOp::kAdd, rest,
        RangeOf(ScalarOp::kMultiply, IndexRange{0, last}, IndexRange::Of(term.coefficient)));
  }
  if (!rest.known() || rest.low < 0 || rest.high >= modulus) return absl::nullopt;
  return rest;
}

// Whether the rests by `modulus` of different statements have nothing in common.
bool AreDisjoint(const std::vector<StoreIndex>& stores, int64_t modulus,
                 const absl::flat_hash_map<Var, int64_t>& extents) {
  absl::flat_hash_map<size_t, IndexRange> of_statements;
  for (const StoreIndex& store : stores) {
    const absl::optional<IndexRange> rest = RemainderRangeOf(store.index, modulus, extents);
    if (!rest.has_value()) return false;
    IndexRange& range = of_statements.try_emplace(store.statement, *rest).first->second;
    range = {std::min(range.low, rest->low), std::max(range.high, rest->high)};
  }
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (const auto& [statement, range] : of_statements) ranges.emplace_back(range.low, range.high);
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].first <= ranges[i - 1].second) return false;
  }
  return true;
}

}  // namespace

absl::flat_hash_set<uint32_t> BuffersWithDisjointStores(const Kernel& kernel,
                                                        const Constants& constants) {
  StoreFinder finder(constants);
  finder.VisitKernel(kernel);
  Effects effects;
  effects.Add(kernel.body);
  absl::flat_hash_set<uint32_t> disjoint;
  for (const auto& [buffer, stores] : finder.stores) {
    if (!stores.has_value() || effects.Loads(buffer)) continue;
    // One after the other in memory, or in each row.
    std::vector<int64_t> moduli = {kMaxIndex};
    for (const LinearForm::Term& term : stores->front().index.terms) {
      if (term.coefficient > 1) moduli.push_back(term.coefficient);
    }
    if (std::any_of(moduli.begin(), moduli.end(), [&stores = *stores, &finder](int64_t modulus) {
          return AreDisjoint(stores, modulus, finder.extents);
        })) {
      disjoint.insert(buffer);
    }
  }
  return disjoint;
}

}  // namespace acceld::kernels::cuda

#include "server/compiler/passes/sorts/sort_keys.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;

// The most ops of a comparator that is analyzed; bounds the time and the depth of recursion.
constexpr size_t kMaxOps = 64;

class KeyFinder {
 public:
  KeyFinder(const ir::Function& function, const ir::Region& region) : function_(function) {
    for (size_t i = 0; i < region.parameters.size(); ++i) {
      parameters_[region.parameters[i]] = static_cast<int>(i);
    }
    for (const ir::Op& op : region.ops) {
      for (ir::ValueId id : op.results) definitions_[id] = &op;
    }
  }

  // Appends the keys of the comparison that gives `id` to those found already. Returns false if the
  // comparison is not of the required form.
  bool Find(ir::ValueId id) {
    const ir::Op* op = DefinitionOf(id);
    if (op == nullptr) return false;
    if (op->kind == OpKind::kCompare) return AddKey(*op);
    // The form (first <) || ((first ==) && (others <)), with operands in any order.
    if (op->kind == OpKind::kOr) {
      return FindFirst(op->operands[0], op->operands[1]) ||
             FindFirst(op->operands[1], op->operands[0]);
    }
    // The form (first ==) ? (others <) : (first <).
    if (op->kind == OpKind::kSelect) {
      return FindBoth(op->operands[2], op->operands[0], op->operands[1]);
    }
    return false;
  }

  std::vector<SortKey> Take() { return std::move(keys_); }

 private:
  const ir::Op* DefinitionOf(ir::ValueId id) const {
    const auto found = definitions_.find(id);
    return found == definitions_.end() ? nullptr : found->second;
  }

  bool FindFirst(ir::ValueId first, ir::ValueId others) {
    const ir::Op* both = DefinitionOf(others);
    if (both == nullptr || both->kind != OpKind::kAnd) return false;
    return FindBoth(first, both->operands[0], both->operands[1]) ||
           FindBoth(first, both->operands[1], both->operands[0]);
  }

  bool FindBoth(ir::ValueId less, ir::ValueId equal, ir::ValueId others) {
    const ir::Op* first = DefinitionOf(less);
    const ir::Op* equals = DefinitionOf(equal);
    if (first == nullptr || first->kind != OpKind::kCompare) return false;
    if (equals == nullptr || equals->kind != OpKind::kCompare) return false;
    const auto& by = first->As<ir::CompareAttributes>();
    const auto& also = equals->As<ir::CompareAttributes>();
    if (also.comparison_direction != ir::ComparisonDirection::kEq) return false;
    if (also.compare_type != by.compare_type) return false;
    const bool same_order = equals->operands == first->operands;
    const bool other_order =
        equals->operands[0] == first->operands[1] && equals->operands[1] == first->operands[0];
    if (!same_order && !other_order) return false;
    const std::vector<SortKey> before = keys_;
    if (AddKey(*first)) {
      keys_.back().comparisons.push_back(equal);
      if (Find(others)) return true;
    }
    keys_ = before;
    return false;
  }

  bool AddKey(const ir::Op& compare) {
    const auto& attributes = compare.As<ir::CompareAttributes>();
    const bool is_less = attributes.comparison_direction == ir::ComparisonDirection::kLt;
    if (!is_less && attributes.comparison_direction != ir::ComparisonDirection::kGt) return false;
    const ir::ValueId a = compare.operands[0], b = compare.operands[1];
    const ir::DType dtype = function_.TensorOf(a).dtype;
    if (ir::IsComplex(dtype)) return false;
    const bool by_value =
        ir::IsFloat(dtype) && attributes.compare_type != ir::ComparisonType::kTotalOrder;
    if (AreCorresponding(a, b)) {
      keys_.push_back({a, !is_less, by_value, {compare.results[0]}});
    } else if (AreCorresponding(b, a)) {
      keys_.push_back({b, is_less, by_value, {compare.results[0]}});
    } else {
      return false;
    }
    return true;
  }

  // Whether `of_first` is computed from the first element in the same way as `of_second` from the
  // second one.
  bool AreCorresponding(ir::ValueId of_first, ir::ValueId of_second) {
    if (corresponding_.contains({of_first, of_second})) return true;
    const auto first = parameters_.find(of_first), second = parameters_.find(of_second);
    if (first != parameters_.end() || second != parameters_.end()) {
      return first != parameters_.end() && second != parameters_.end() && first->second % 2 == 0 &&
             second->second == first->second + 1;
    }
    const ir::Op* a = DefinitionOf(of_first);
    const ir::Op* b = DefinitionOf(of_second);
    if (a == nullptr || b == nullptr) return of_first == of_second;
    if (a->kind != b->kind || a->attributes != b->attributes ||
        function_.TypeOf(of_first) != function_.TypeOf(of_second)) {
      return false;
    }
    if (a->kind != OpKind::kConstant && ir::FamilyOf(a->kind) != ir::OpFamily::kElementwise) {
      return false;
    }
    for (size_t i = 0; i < a->operands.size(); ++i) {
      if (!AreCorresponding(a->operands[i], b->operands[i])) return false;
    }
    corresponding_.insert({of_first, of_second});
    return true;
  }

  const ir::Function& function_;
  absl::flat_hash_map<ir::ValueId, int> parameters_;  // by value: its number
  absl::flat_hash_map<ir::ValueId, const ir::Op*> definitions_;
  absl::flat_hash_set<std::pair<ir::ValueId, ir::ValueId>> corresponding_;
  std::vector<SortKey> keys_;
};

}  // namespace

absl::optional<std::vector<SortKey>> FindSortKeys(const ir::Function& function,
                                                  const ir::Region& comparator) {
  if (comparator.ops.size() > kMaxOps) return absl::nullopt;
  KeyFinder finder(function, comparator);
  if (!finder.Find(comparator.results[0])) return absl::nullopt;
  return finder.Take();
}

}  // namespace acceld::compiler

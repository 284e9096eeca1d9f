#include "kernels/cuda/emit/analysis/shared_scan.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "kernels/cuda/emit/analysis/effects.h"
#include "kernels/ir/analysis/uses.h"

namespace acceld::kernels::cuda {
namespace {

// Scans of up to this many iterations are not compensated: their rounding errors do not matter.
constexpr int64_t kShortScan = 16;

std::vector<Var> UsesOf(const Statement& statement) {
  std::vector<Var> used;
  ForEachUse(statement, [&used](Var var) { used.push_back(var); });
  return used;
}

std::vector<Var> ResultsOf(const Statement& statement) {
  std::vector<Var> results;
  const auto add = [&](const std::vector<CarriedValue>& carried) {
    for (const CarriedValue& value : carried) results.push_back(value.result);
  };
  if (const auto* constant = std::get_if<ConstantStatement>(&statement.value)) {
    results = {constant->result};
  } else if (const auto* scalar = std::get_if<ScalarStatement>(&statement.value)) {
    results = {scalar->result};
  } else if (const auto* load = std::get_if<LoadStatement>(&statement.value)) {
    results = {load->result};
  } else if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
    add(loop->carried);
  } else if (const auto* loop = std::get_if<WhileStatement>(&statement.value)) {
    add(loop->carried);
  } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
    results = branch->results;
  }
  return results;
}

bool IsCheap(const Statement& statement) {
  return std::holds_alternative<ConstantStatement>(statement.value) ||
         std::holds_alternative<ScalarStatement>(statement.value);
}

class ScanFinder {
 public:
  ScanFinder(const Kernel& kernel, const ForStatement& loop) : kernel_(kernel), loop_(loop) {}

  absl::optional<SharedScan> Find() {
    Effects effects;
    effects.Add(loop_.body);
    if (effects.TouchesFrom(kernel_.buffers.size())) return absl::nullopt;
    for (const uint32_t buffer : effects.BuffersFrom(0)) {
      if (effects.Loads(buffer) && effects.Stores(buffer)) return absl::nullopt;
    }
    for (const Statement& statement : loop_.body) {
      for (const Var result : ResultsOf(statement)) definitions_[result] = &statement;
    }
    SharedScan scan{.loop = &loop_};
    for (const CarriedValue& carried : loop_.carried) nexts_.insert(carried.next);
    for (const CarriedValue& carried : loop_.carried) {
      absl::optional<SharedScan::Combination> combination = CombinationOf(carried);
      if (!combination.has_value()) return absl::nullopt;
      combined_.insert(combination->statements.begin(), combination->statements.end());
      AddSlice(combination->element, scan.elements);
      scan.combinations.push_back(*std::move(combination));
    }
    if (!FindOutputs(scan)) return absl::nullopt;
    // Elements must not depend on earlier iterations.
    for (const Statement* statement : scan.elements) {
      if (UsesCarried(*statement)) return absl::nullopt;
    }
    return scan;
  }

 private:
  bool IsCarried(Var var) const {
    return nexts_.contains(var) ||
           std::any_of(loop_.carried.begin(), loop_.carried.end(),
                       [var](const CarriedValue& value) { return value.current == var; });
  }

  bool UsesCarried(const Statement& statement) const {
    const std::vector<Var> used = UsesOf(statement);
    return std::any_of(used.begin(), used.end(), [this](Var var) { return IsCarried(var); });
  }

  // Follows the computation of `next` back to `current`, through scalar operations only. These must
  // have exactly one other input that varies, the element.
  absl::optional<SharedScan::Combination> CombinationOf(const CarriedValue& carried) const {
    const absl::flat_hash_set<Var> dependent = DependentOn(carried.current);
    if (!dependent.contains(carried.next)) return absl::nullopt;
    SharedScan::Combination combination{};
    absl::optional<Var> element;
    std::vector<Var> open = {carried.next};
    while (!open.empty()) {
      const Statement* statement = definitions_.at(open.back());
      open.pop_back();
      if (!combination.statements.insert(statement).second) continue;
      const auto* scalar = std::get_if<ScalarStatement>(&statement->value);
      if (scalar == nullptr) return absl::nullopt;
      for (const Var operand : scalar->operands) {
        if (operand == carried.current) continue;
        if (dependent.contains(operand)) {
          open.push_back(operand);
          continue;
        }
        if (element.has_value() && *element != operand) return absl::nullopt;
        element = operand;
      }
    }
    if (!element.has_value() || IsCarried(*element) ||
        kernel_.TypeOf(*element) != kernel_.TypeOf(carried.current)) {
      return absl::nullopt;
    }
    combination.element = *element;
    const auto& step = std::get<ScalarStatement>(definitions_.at(carried.next)->value);
    combination.is_sum = loop_.extent > kShortScan && combination.statements.size() == 1 &&
                         IsFloatSum(step.op, kernel_.TypeOf(carried.next));
    return combination;
  }

  // The values of the body that depend on `current`.
  absl::flat_hash_set<Var> DependentOn(Var current) const {
    absl::flat_hash_set<Var> dependent = {current};
    for (const Statement& statement : loop_.body) {
      const std::vector<Var> used = UsesOf(statement);
      const auto is_dependent = [&](Var var) { return dependent.contains(var); };
      if (!std::any_of(used.begin(), used.end(), is_dependent)) continue;
      const std::vector<Var> results = ResultsOf(statement);
      dependent.insert(results.begin(), results.end());
    }
    dependent.erase(current);
    return dependent;
  }

  // Adds to `slice` the statements of the body on which a value depends. Stops at
  // CarriedValue::next.
  void AddSlice(Var value, absl::flat_hash_set<const Statement*>& slice) const {
    std::vector<Var> open = {value};
    while (!open.empty()) {
      const Var var = open.back();
      open.pop_back();
      const auto found = definitions_.find(var);
      if (nexts_.contains(var) || found == definitions_.end()) continue;
      if (!slice.insert(found->second).second) continue;
      const std::vector<Var> used = UsesOf(*found->second);
      open.insert(open.end(), used.begin(), used.end());
    }
  }

  // Finds the stores and the statements that compute what they store. Returns false if these
  // include other statements than scalar operations, which would be executed twice, or depend on
  // values that exist only during a combination.
  bool FindOutputs(SharedScan& scan) const {
    for (const Statement& statement : loop_.body) {
      Effects effects;
      effects.Add(statement);
      if (!effects.has_stores()) continue;
      const auto* store = std::get_if<StoreStatement>(&statement.value);
      if (store == nullptr) return false;
      scan.outputs.insert(&statement);
      AddSlice(store->index, scan.outputs);
      AddSlice(store->value, scan.outputs);
    }
    for (const Statement* statement : scan.outputs) {
      if (!std::holds_alternative<StoreStatement>(statement->value) && !IsCheap(*statement)) {
        return false;
      }
      if (combined_.contains(statement)) return false;
      const std::vector<Var> used = UsesOf(*statement);
      if (std::any_of(used.begin(), used.end(),
                      [this](Var var) { return IsCarried(var) && !nexts_.contains(var); })) {
        return false;
      }
    }
    return !scan.outputs.empty();
  }

  const Kernel& kernel_;
  const ForStatement& loop_;
  absl::flat_hash_map<Var, const Statement*> definitions_;  // statements directly in the body
  absl::flat_hash_set<Var> nexts_;                          // CarriedValue::next of all values
  absl::flat_hash_set<const Statement*> combined_;          // statements of all combinations
};

}  // namespace

absl::optional<SharedScan> FindSharedScan(const Kernel& kernel, const ForStatement& loop) {
  if (loop.kind != ForStatement::Kind::kScan || loop.carried.empty()) return absl::nullopt;
  return ScanFinder(kernel, loop).Find();
}

}  // namespace acceld::kernels::cuda

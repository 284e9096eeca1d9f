#include "server/compiler/passes/cleanup/cse.h"

#include <deque>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/compiler/passes/cleanup/effects.h"
#include "server/compiler/passes/cleanup/op_equality.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

// The ops before the current one whose results it may use: those of the current region and, where
// its ops may use outside values, of the enclosing regions.
class Table {
 public:
  void Enter(const ir::Op* owner) {
    scopes_.push_back({entries_.size(), visible_from_});
    if (owner != nullptr && !IsControlFlow(owner->kind)) visible_from_ = entries_.size();
  }

  void Leave() {
    const Scope scope = scopes_.back();
    scopes_.pop_back();
    while (entries_.size() > scope.size) {
      auto& bucket = buckets_[entries_.back().hash];
      bucket.pop_back();
      entries_.pop_back();
    }
    visible_from_ = scope.visible_from;
  }

  // Returns an equal op from the table. If there is none, adds `op` and returns nullptr.
  const ir::Op* FindOrAdd(const ir::Function& function, const ir::Op& op) {
    const size_t hash = HashComputation(function, op);
    std::vector<size_t>& bucket = buckets_[hash];
    for (size_t index : bucket) {
      if (index >= visible_from_ && SameComputation(function, entries_[index].op, op)) {
        return &entries_[index].op;
      }
    }
    bucket.push_back(entries_.size());
    entries_.push_back({hash, op});
    return nullptr;
  }

 private:
  struct Scope {
    size_t size, visible_from;
  };
  struct Entry {
    size_t hash;
    ir::Op op;
  };
  std::vector<Scope> scopes_;
  std::deque<Entry> entries_;
  absl::flat_hash_map<size_t, std::vector<size_t>> buckets_;
  size_t visible_from_ = 0;
};

bool MayMerge(const ir::Op& op, const Effects& effects) {
  // Loops and branches are rarely equal and costly to compare.
  return !IsControlFlow(op.kind) && !effects.Has(op);
}

}  // namespace

absl::StatusOr<ir::Module> EliminateCommonSubexpressions(const ir::Module& module) {
  ir::Module out = module.WithoutFunctions();
  const Effects effects(module);
  for (const ir::Function& function : module.functions) {
    Table table;
    const Rewriter::ScopeListener scopes{[&](const ir::Op* owner) { table.Enter(owner); },
                                         [&](const ir::Op*) { table.Leave(); }};
    const auto visit = [&](Rewriter& rewriter, ir::Op& op) -> absl::StatusOr<bool> {
      if (!MayMerge(op, effects)) return false;
      const ir::Op* same = table.FindOrAdd(rewriter.function(), op);
      if (same == nullptr) return false;
      rewriter.Replace(op.results, same->results);
      return true;
    };
    ACCELD_ASSIGN_OR_RETURN(ir::Function rewritten, Rewriter::Run(function, visit, scopes));
    out.functions.push_back(std::move(rewritten));
  }
  return out;
}

}  // namespace acceld::compiler

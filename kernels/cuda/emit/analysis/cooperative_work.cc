#include "kernels/cuda/emit/analysis/cooperative_work.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/types/optional.h"
#include "kernels/ir/build/combining.h"

namespace acceld::kernels::cuda {
namespace {

using Kind = ForStatement::Kind;

// Counts the uses of each value, and finds the scalar statement that is its last user.
class Uses {
 public:
  explicit Uses(const Kernel& kernel) : uses_(kernel.var_types.size()) { Visit(kernel.body); }

  int CountOf(Var var) const { return uses_[var].count; }
  // The last scalar statement that uses the value, if it is directly in `block`; else nullptr.
  const ScalarStatement* LastUserIn(const Block& block, Var var) const {
    return uses_[var].block == &block ? uses_[var].user : nullptr;
  }

 private:
  struct Use {
    int count = 0;
    const Block* block = nullptr;
    const ScalarStatement* user = nullptr;
  };

  void Visit(const Block& block) {
    for (const Statement& statement : block) {
      if (const auto* scalar = std::get_if<ScalarStatement>(&statement.value)) {
        for (const Var operand : scalar->operands) {
          ++uses_[operand].count;
          uses_[operand].block = &block;
          uses_[operand].user = scalar;
        }
      } else {
        std::visit([this](const auto& one) { Visit(one); }, statement.value);
      }
    }
  }
  void Visit(Var var) { ++uses_[var].count; }
  void Visit(const std::vector<CarriedValue>& carried) {
    for (const CarriedValue& value : carried) {
      Visit(value.initial);
      Visit(value.next);
    }
  }
  void Visit(const ConstantStatement&) {}
  void Visit(const ScalarStatement&) {}  // Visit(const Block&) handles these.
  void Visit(const LoadStatement& load) { Visit(load.index); }
  void Visit(const StoreStatement& store) {
    Visit(store.index);
    Visit(store.value);
  }
  void Visit(const ForStatement& loop) {
    Visit(loop.carried);
    Visit(loop.body);
  }
  void Visit(const WhileStatement& loop) {
    Visit(loop.carried);
    Visit(loop.condition_body);
    Visit(loop.condition);
    Visit(loop.body);
  }
  void Visit(const IfStatement& branch) {
    Visit(branch.condition);
    Visit(branch.then_body);
    Visit(branch.else_body);
    for (const Var var : branch.then_values) Visit(var);
    for (const Var var : branch.else_values) Visit(var);
  }

  std::vector<Use> uses_;  // by Var
};

// The operation by which `body` combines a carried value with values that it computes; nullopt if
// there is none. All statements on the way from `current` to `next` must apply this operation, and
// the values on the way must have no other uses.
absl::optional<ScalarOp> CombiningOf(const Uses& uses, const Block& body,
                                     const CarriedValue& carried) {
  absl::optional<ScalarOp> op;
  Var at = carried.current;
  while (at != carried.next) {
    const ScalarStatement* user = uses.LastUserIn(body, at);
    if (uses.CountOf(at) != 1 || user == nullptr || !IsCombining(user->op)) return absl::nullopt;
    if (op.has_value() && *op != user->op) return absl::nullopt;
    op = user->op;
    at = user->result;
  }
  // The only use of `next` must be by the loop itself.
  if (uses.CountOf(carried.next) != 1) return absl::nullopt;
  return op;
}

// The reduction loop that is the whole body of `loop` and updates all its carried values; nullptr
// if there is none.
const ForStatement* ReductionWithin(const ForStatement& loop) {
  const ForStatement* inner = OnlyLoop(loop.body);
  if (inner == nullptr || inner->kind != Kind::kReduction ||
      inner->carried.size() != loop.carried.size()) {
    return nullptr;
  }
  for (size_t i = 0; i < loop.carried.size(); ++i) {
    if (inner->carried[i].initial != loop.carried[i].current ||
        inner->carried[i].result != loop.carried[i].next) {
      return nullptr;
    }
  }
  return inner;
}

}  // namespace

// Fills a CooperativeWork; visits inner statements before outer ones.
class CooperativeWorkFinder {
 public:
  CooperativeWorkFinder(const Kernel& kernel, CooperativeWork& out)
      : kernel_(kernel), uses_(kernel), out_(out) {
    Visit(kernel.body);
  }

 private:
  using Facts = CooperativeWork::BlockFacts;

  Facts Visit(const Block& block) {
    Facts facts;
    for (const Statement& statement : block) {
      const Facts one =
          std::visit([this](const auto& value) { return this->Visit(value); }, statement.value);
      facts.has_stores |= one.has_stores;
      facts.can_execute_together &= one.can_execute_together;
      facts.work = std::max(facts.work, one.work);
    }
    out_.facts_[&block] = facts;
    return facts;
  }
  static Facts Visit(const ConstantStatement&) { return {}; }
  static Facts Visit(const ScalarStatement&) { return {}; }
  static Facts Visit(const LoadStatement&) { return {}; }
  static Facts Visit(const StoreStatement&) { return {.has_stores = true}; }
  Facts Visit(const ForStatement& loop) {
    const Facts body = Visit(loop.body);
    Facts facts{.has_stores = body.has_stores};
    if (loop.kind == Kind::kParallel) {
      // The threads share the iterations of the nest, so loops inside its body do not count.
      const ForStatement* inner = OnlyLoop(loop.body);
      const bool goes_on = inner != nullptr && inner->kind == Kind::kParallel;
      facts.work = loop.extent * (goes_on ? body.work : 1);
      return facts;
    }
    if (loop.kind == Kind::kReduction && !body.has_stores) {
      SharedReduction shared = Share(loop);
      if (!shared.loops.empty()) {
        facts.work = shared.iterations;
        out_.reductions_.emplace(&loop, std::move(shared));
        return facts;
      }
    }
    const bool gives_results =
        std::any_of(loop.carried.begin(), loop.carried.end(),
                    [this](const CarriedValue& value) { return uses_.CountOf(value.result) > 0; });
    if (!gives_results) {
      if (absl::optional<SharedScan> scan = FindSharedScan(kernel_, loop)) {
        facts.work = loop.extent;
        out_.scans_.emplace(&loop, *std::move(scan));
        return facts;
      }
    }
    facts.work = body.work;
    facts.can_execute_together =
        !body.has_stores || (body.work > 1 ? body.can_execute_together : loop.carried.empty());
    return facts;
  }
  Facts Visit(const WhileStatement& loop) {
    const Facts condition = Visit(loop.condition_body), body = Visit(loop.body);
    const bool has_stores = condition.has_stores || body.has_stores;
    return {.has_stores = has_stores, .can_execute_together = !has_stores};
  }
  Facts Visit(const IfStatement& branch) {
    const Facts yes = Visit(branch.then_body), no = Visit(branch.else_body);
    Facts facts{.has_stores = yes.has_stores || no.has_stores};
    facts.can_execute_together =
        !facts.has_stores ||
        (branch.results.empty() && yes.can_execute_together && no.can_execute_together);
    facts.work = std::max(yes.work, no.work);
    return facts;
  }

  // Returns the reduction nest that begins with `loop`; without loops if threads cannot share it.
  SharedReduction Share(const ForStatement& loop) {
    SharedReduction shared;
    if (const ForStatement* inner = ReductionWithin(loop)) {
      const auto found = out_.reductions_.find(inner);
      if (found == out_.reductions_.end()) return shared;
      shared = found->second;
    } else {
      for (const CarriedValue& carried : loop.carried) {
        const absl::optional<ScalarOp> op = CombiningOf(uses_, loop.body, carried);
        if (!op.has_value()) return shared;
        shared.combine.push_back(*op);
      }
    }
    shared.loops.insert(shared.loops.begin(), &loop);
    shared.iterations *= loop.extent;
    return shared;
  }

  const Kernel& kernel_;
  const Uses uses_;
  CooperativeWork& out_;
};

CooperativeWork::CooperativeWork(const Kernel& kernel) { CooperativeWorkFinder(kernel, *this); }

const SharedReduction* CooperativeWork::ReductionOf(const ForStatement& loop) const {
  const auto found = reductions_.find(&loop);
  return found == reductions_.end() ? nullptr : &found->second;
}

const SharedScan* CooperativeWork::ScanOf(const ForStatement& loop) const {
  const auto found = scans_.find(&loop);
  return found == scans_.end() ? nullptr : &found->second;
}

bool CooperativeWork::HasScan(const Block& block) const {
  return std::any_of(block.begin(), block.end(), [this](const Statement& statement) {
    const auto* loop = std::get_if<ForStatement>(&statement.value);
    return loop != nullptr && ScanOf(*loop) != nullptr;
  });
}

}  // namespace acceld::kernels::cuda

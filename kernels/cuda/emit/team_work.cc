#include "kernels/cuda/emit/team_work.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "common/check.h"
#include "common/ir/float_formats.h"

namespace acceld::kernels::cuda {
namespace {

using Kind = ForStatement::Kind;

const ForStatement* OnlyLoop(const Block& block) {
  return block.size() == 1 ? std::get_if<ForStatement>(&block[0].value) : nullptr;
}

bool IsCombining(ScalarOp op) {
  return op == ScalarOp::kAdd || op == ScalarOp::kMultiply || op == ScalarOp::kMax ||
         op == ScalarOp::kMin || op == ScalarOp::kAnd || op == ScalarOp::kOr ||
         op == ScalarOp::kXor;
}

// How often `block`, with all that is in it, reads `var`.
int UsesIn(const Block& block, Var var);

int UsesIn(const std::vector<Var>& vars, Var var) {
  return static_cast<int>(std::count(vars.begin(), vars.end(), var));
}

int UsesOf(const std::vector<CarriedValue>& carried, Var var) {
  int uses = 0;
  for (const CarriedValue& value : carried) uses += (value.initial == var) + (value.next == var);
  return uses;
}

struct UseCounter {
  Var var;

  int operator()(const ConstantStatement&) const { return 0; }
  int operator()(const ScalarStatement& scalar) const { return UsesIn(scalar.operands, var); }
  int operator()(const LoadStatement& load) const { return load.index == var; }
  int operator()(const StoreStatement& store) const {
    return (store.index == var) + (store.value == var);
  }
  int operator()(const ForStatement& loop) const {
    return UsesOf(loop.carried, var) + UsesIn(loop.body, var);
  }
  int operator()(const WhileStatement& loop) const {
    return UsesOf(loop.carried, var) + UsesIn(loop.condition_body, var) + (loop.condition == var) +
           UsesIn(loop.body, var);
  }
  int operator()(const IfStatement& branch) const {
    return (branch.condition == var) + UsesIn(branch.then_body, var) +
           UsesIn(branch.else_body, var) + UsesIn(branch.then_values, var) +
           UsesIn(branch.else_values, var);
  }
};

int UsesIn(const Block& block, Var var) {
  int uses = 0;
  for (const Statement& statement : block) uses += std::visit(UseCounter{var}, statement.value);
  return uses;
}

// The operation by which `body` combines what is carried with what it computes: from `next` back to
// `current` there is nothing else, and `current` goes nowhere else.
absl::optional<ScalarOp> CombiningOf(const Block& body, const CarriedValue& carried) {
  absl::flat_hash_map<Var, const ScalarStatement*> definitions;
  for (const Statement& statement : body) {
    if (const auto* scalar = std::get_if<ScalarStatement>(&statement.value)) {
      definitions.emplace(scalar->result, scalar);
    }
  }
  absl::optional<ScalarOp> op;
  Var at = carried.current;
  while (at != carried.next) {
    // Who uses it, alone?
    if (UsesIn(body, at) != 1) return absl::nullopt;
    const auto user = std::find_if(definitions.begin(), definitions.end(), [at](const auto& entry) {
      return UsesIn(entry.second->operands, at) == 1;
    });
    if (user == definitions.end() || !IsCombining(user->second->op)) return absl::nullopt;
    if (op.has_value() && *op != user->second->op) return absl::nullopt;
    op = user->second->op;
    at = user->first;
  }
  if (UsesIn(body, carried.next) != 0) return absl::nullopt;
  return op;
}

// The loop inside, when each carried value only passes through it.
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

bool HasStores(const Block& block) {
  return std::any_of(block.begin(), block.end(), [](const Statement& statement) {
    if (std::holds_alternative<StoreStatement>(statement.value)) return true;
    if (const auto* loop = std::get_if<ForStatement>(&statement.value))
      return HasStores(loop->body);
    if (const auto* loop = std::get_if<WhileStatement>(&statement.value)) {
      return HasStores(loop->condition_body) || HasStores(loop->body);
    }
    if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      return HasStores(branch->then_body) || HasStores(branch->else_body);
    }
    return false;
  });
}

}  // namespace

ParallelNest NestOf(const ForStatement& loop) {
  ParallelNest nest;
  for (const ForStatement* at = &loop; at != nullptr && at->kind == Kind::kParallel;
       at = OnlyLoop(at->body)) {
    nest.loops.push_back(at);
    nest.iterations *= at->extent;
  }
  return nest;
}

SharedReduction SharedReductionOf(const ForStatement& loop) {
  SharedReduction reduction;
  if (loop.kind != Kind::kReduction || HasStores(loop.body)) return reduction;
  for (const ForStatement* at = &loop; at != nullptr; at = ReductionWithin(*at)) {
    reduction.loops.push_back(at);
    reduction.iterations *= at->extent;
  }
  for (const CarriedValue& carried : reduction.loops.back()->carried) {
    const absl::optional<ScalarOp> op = CombiningOf(reduction.body(), carried);
    if (!op.has_value()) return {};
    reduction.combine.push_back(*op);
  }
  return reduction;
}

uint64_t IdentityOf(ScalarOp combine, DType dtype) {
  const int bits = ir::BitsOf(dtype);
  const uint64_t ones = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  const uint64_t sign = uint64_t{1} << (bits - 1);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool is_float = ir::IsFloat(dtype);
  switch (combine) {
    case ScalarOp::kAdd:
      return is_float ? sign : 0;  // -0 changes no value, not even -0.
    case ScalarOp::kMultiply:
      return is_float ? ir::EncodeFloat(dtype, 1) : 1;
    case ScalarOp::kMax:
      if (is_float) return ir::EncodeFloat(dtype, -kInfinity);
      return ir::IsSigned(dtype) ? sign : 0;
    case ScalarOp::kMin:
      if (is_float) return ir::EncodeFloat(dtype, kInfinity);
      return ir::IsSigned(dtype) ? sign - 1 : ones;
    case ScalarOp::kAnd:
      return ones;
    case ScalarOp::kOr:
    case ScalarOp::kXor:
      return 0;
    default:
      ACCELD_CHECK(IsCombining(combine));
      return 0;
  }
}

int64_t WorkForTeam(const Block& block) {
  int64_t most = 1;
  for (const Statement& statement : block) {
    if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
      if (loop->kind == Kind::kParallel) {
        most = std::max(most, NestOf(*loop).iterations);
      } else if (const SharedReduction shared = SharedReductionOf(*loop); !shared.loops.empty()) {
        most = std::max(most, shared.iterations);
      } else {
        most = std::max(most, WorkForTeam(loop->body));
      }
    } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      most = std::max({most, WorkForTeam(branch->then_body), WorkForTeam(branch->else_body)});
    }
  }
  return most;
}

bool SuitsTeam(const Block& block) {
  return std::all_of(block.begin(), block.end(), [](const Statement& statement) {
    if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
      if (loop->kind == Kind::kParallel || !HasStores(loop->body)) return true;
      if (WorkForTeam(loop->body) > 1) return SuitsTeam(loop->body);
      return loop->carried.empty();
    }
    if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      if (!HasStores(branch->then_body) && !HasStores(branch->else_body)) return true;
      return branch->results.empty() && SuitsTeam(branch->then_body) &&
             SuitsTeam(branch->else_body);
    }
    if (const auto* loop = std::get_if<WhileStatement>(&statement.value)) {
      return !HasStores(loop->condition_body) && !HasStores(loop->body);
    }
    return true;
  });
}

}  // namespace acceld::kernels::cuda

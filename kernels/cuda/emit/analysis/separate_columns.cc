#include "kernels/cuda/emit/analysis/separate_columns.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "kernels/cuda/emit/analysis/cooperative_work.h"
#include "kernels/cuda/emit/analysis/effects.h"

namespace acceld::kernels::cuda {
namespace {

using Kind = ForStatement::Kind;

// Rewrites the body of one nest of parallel loops as the computation of one column.
class Separation {
 public:
  explicit Separation(Kernel& kernel) : kernel_(kernel), column_(NewVar(DType::kI64)) {}

  // Returns a parallel loop over all columns that replaces `body`; nullopt if the body is not a
  // computation of independent columns.
  absl::optional<ForStatement> Run(const Block& body) {
    Effects effects;
    effects.Add(body);
    for (const uint32_t buffer : effects.BuffersFrom(0)) {
      // Otherwise columns, which are computed in order in `body`, could depend on each other.
      const bool is_scratch = buffer >= kernel_.buffers.size();
      if (!is_scratch && effects.Loads(buffer) && effects.Stores(buffer)) return absl::nullopt;
    }
    ForStatement loop{.kind = Kind::kParallel, .induction = column_};
    if (!VisitBlock(body, loop.body) || extent_ == 0) return absl::nullopt;
    loop.extent = extent_;
    return loop;
  }

 private:
  // Each of these functions appends to `out` what a part of the body computes for one column, and
  // returns false if that cannot be separated.
  bool VisitBlock(const Block& block, Block& out) {
    return std::all_of(block.begin(), block.end(), [&](const Statement& statement) {
      return std::visit([&](const auto& one) { return Visit(one, out); }, statement.value);
    });
  }

  bool Visit(const ConstantStatement& constant, Block& out) {
    out.push_back({constant});
    return true;
  }

  bool Visit(const ScalarStatement& scalar, Block& out) {
    ScalarStatement copy = scalar;
    for (Var& operand : copy.operands) operand = Now(operand);
    out.push_back({std::move(copy)});
    return true;
  }

  bool Visit(const LoadStatement& load, Block& out) {
    if (!IsScratch(load.buffer)) {
      out.push_back({LoadStatement{load.result, load.buffer, Now(load.index)}});
      return true;
    }
    const auto kept = kept_.find(load.buffer);
    if (!IsOwn(load.index) || kept == kept_.end()) return false;
    now_[load.result] = kept->second;
    return true;
  }

  bool Visit(const StoreStatement& store, Block& out) {
    if (!walked_.has_value()) return false;
    if (!IsScratch(store.buffer)) {
      out.push_back({StoreStatement{store.buffer, Now(store.index), Now(store.value)}});
      return true;
    }
    if (!IsOwn(store.index)) return false;
    kept_[store.buffer] = Now(store.value);
    return true;
  }

  bool Visit(const ForStatement& loop, Block& out) {
    if (!walked_.has_value() && WalksColumns(loop)) {
      if (extent_ != 0 && extent_ != loop.extent) return false;
      extent_ = loop.extent;
      walked_ = loop.induction;
      now_[loop.induction] = column_;
      const bool done = VisitBlock(loop.body, out);
      walked_ = absl::nullopt;
      return done;
    }
    Effects effects;
    effects.Add(loop.body);
    ForStatement copy{.kind = loop.kind, .induction = loop.induction, .extent = loop.extent};
    copy.carried = Begin(loop.carried);
    // The loop also carries the values for the scratch elements that it changes.
    std::vector<uint32_t> changed;
    for (const uint32_t buffer : effects.BuffersFrom(kernel_.buffers.size())) {
      if (!effects.Stores(buffer)) continue;
      const auto kept = kept_.find(buffer);
      if (kept == kept_.end() || loop.kind == Kind::kParallel) return false;
      changed.push_back(buffer);
      const DType dtype = kernel_.Buffer(buffer).dtype;
      copy.carried.push_back({kept->second, NewVar(dtype), 0, NewVar(dtype)});
      kept->second = copy.carried.back().current;
    }
    if (!VisitBlock(loop.body, copy.body)) return false;
    End(copy.carried, loop.carried.size());
    for (size_t i = 0; i < changed.size(); ++i) {
      CarriedValue& value = copy.carried[loop.carried.size() + i];
      value.next = kept_[changed[i]];
      kept_[changed[i]] = value.result;
    }
    out.push_back({std::move(copy)});
    return true;
  }

  bool Visit(const WhileStatement& loop, Block& out) {
    if (TouchesScratchOrStores({loop.condition_body, loop.body})) return false;
    WhileStatement copy;
    copy.carried = Begin(loop.carried);
    if (!VisitBlock(loop.condition_body, copy.condition_body)) return false;
    copy.condition = Now(loop.condition);
    if (!VisitBlock(loop.body, copy.body)) return false;
    End(copy.carried, loop.carried.size());
    out.push_back({std::move(copy)});
    return true;
  }

  bool Visit(const IfStatement& branch, Block& out) {
    if (TouchesScratchOrStores({branch.then_body, branch.else_body})) return false;
    IfStatement copy{
        .condition = Now(branch.condition), .is_rare = branch.is_rare, .results = branch.results};
    if (!VisitBlock(branch.then_body, copy.then_body)) return false;
    if (!VisitBlock(branch.else_body, copy.else_body)) return false;
    for (const Var value : branch.then_values) copy.then_values.push_back(Now(value));
    for (const Var value : branch.else_values) copy.else_values.push_back(Now(value));
    out.push_back({std::move(copy)});
    return true;
  }

  std::vector<CarriedValue> Begin(const std::vector<CarriedValue>& carried) {
    std::vector<CarriedValue> copies = carried;
    for (CarriedValue& value : copies) value.initial = Now(value.initial);
    return copies;
  }
  void End(std::vector<CarriedValue>& copies, size_t count) {
    for (size_t i = 0; i < count; ++i) copies[i].next = Now(copies[i].next);
  }

  // Whether the loop iterates over columns: a statement directly in its body accesses scratch at
  // the loop's induction variable, which is then the number of a column.
  bool WalksColumns(const ForStatement& loop) const {
    if (loop.kind != Kind::kSequential || !loop.carried.empty()) return false;
    return std::any_of(loop.body.begin(), loop.body.end(), [&](const Statement& statement) {
      const auto* load = std::get_if<LoadStatement>(&statement.value);
      const auto* store = std::get_if<StoreStatement>(&statement.value);
      return (load != nullptr && IsScratch(load->buffer) && load->index == loop.induction) ||
             (store != nullptr && IsScratch(store->buffer) && store->index == loop.induction);
    });
  }

  bool TouchesScratchOrStores(std::initializer_list<std::reference_wrapper<const Block>> blocks) {
    Effects effects;
    for (const Block& block : blocks) effects.Add(block);
    return effects.has_stores() || effects.TouchesFrom(kernel_.buffers.size());
  }

  bool IsScratch(uint32_t buffer) const { return buffer >= kernel_.buffers.size(); }
  bool IsOwn(Var index) const { return walked_.has_value() && index == *walked_; }
  Var Now(Var var) const {
    const auto found = now_.find(var);
    return found == now_.end() ? var : found->second;
  }
  Var NewVar(DType dtype) {
    kernel_.var_types.push_back(dtype);
    return static_cast<Var>(kernel_.var_types.size() - 1);
  }

  Kernel& kernel_;
  const Var column_;
  int64_t extent_ = 0;                       // the number of columns; 0 if not known yet
  absl::optional<Var> walked_;               // the induction variable of the open loop over columns
  absl::flat_hash_map<uint32_t, Var> kept_;  // the column's value in each scratch array
  absl::flat_hash_map<Var, Var> now_;        // replacements of values of the original body
};

// The loops of the nest around another body.
Statement NestAround(const ParallelNest& nest, Block body) {
  for (auto loop = nest.loops.rbegin(); loop != nest.loops.rend(); ++loop) {
    ForStatement copy{
        .kind = Kind::kParallel, .induction = (*loop)->induction, .extent = (*loop)->extent};
    copy.body = std::move(body);
    body.clear();
    body.push_back({std::move(copy)});
  }
  return std::move(body[0]);
}

bool TouchesScratch(const Kernel& kernel, const Statement& statement) {
  Effects effects;
  effects.Add(statement);
  return effects.TouchesFrom(kernel.buffers.size());
}

bool IsParallel(const Statement& statement) {
  const auto* loop = std::get_if<ForStatement>(&statement.value);
  return loop != nullptr && loop->kind == Kind::kParallel;
}

// The computation of a single tile has no loop around it: its statements are directly in the
// kernel's body. Separates the statements of `body` from number `begin` on that are such a
// computation. Appends to `out` those that later statements may use too, and then the loop over all
// columns. Returns the number of the first statement after them, or `begin` if there are none.
size_t SeparateLoneTile(Kernel& kernel, const Block& body, size_t begin, Block& out) {
  size_t end = begin;
  for (size_t i = begin; i < body.size() && !IsParallel(body[i]); ++i) {
    if (TouchesScratch(kernel, body[i])) end = i + 1;
  }
  Block shared, own;
  for (size_t i = begin; i < end; ++i) {
    const auto* loop = std::get_if<ForStatement>(&body[i].value);
    if (std::holds_alternative<ConstantStatement>(body[i].value) ||
        std::holds_alternative<ScalarStatement>(body[i].value)) {
      // The loops here define no values, so these statements do not depend on them.
      shared.push_back(body[i]);
    } else if (loop != nullptr && loop->carried.empty()) {
      own.push_back(body[i]);
    } else {
      return begin;
    }
  }
  absl::optional<ForStatement> columns;
  if (end != begin) columns = Separation(kernel).Run(own);
  if (!columns.has_value()) return begin;
  out.insert(out.end(), shared.begin(), shared.end());
  out.push_back({*std::move(columns)});
  return end;
}

}  // namespace

Kernel SeparateColumns(const Kernel& kernel) {
  Kernel separated = kernel;
  if (kernel.scratch.empty()) return separated;
  separated.body.clear();
  for (size_t i = 0; i < kernel.body.size(); ++i) {
    const Statement& statement = kernel.body[i];
    if (IsParallel(statement)) {
      const ParallelNest nest = NestOf(std::get<ForStatement>(statement.value));
      absl::optional<ForStatement> columns = Separation(separated).Run(nest.body());
      Block body(1);
      if (columns.has_value()) body[0].value = *std::move(columns);
      separated.body.push_back(columns.has_value() ? NestAround(nest, std::move(body)) : statement);
    } else if (TouchesScratch(kernel, statement)) {
      const size_t end = SeparateLoneTile(separated, kernel.body, i, separated.body);
      if (end == i) return kernel;
      i = end - 1;
    } else {
      separated.body.push_back(statement);
    }
  }
  Effects effects;
  effects.Add(separated.body);
  if (!effects.TouchesFrom(kernel.buffers.size())) separated.scratch.clear();
  return separated;
}

}  // namespace acceld::kernels::cuda

#include "kernels/cpu/emit/tile_nest.h"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/emit/work_estimate.h"

namespace acceld::kernels::cpu {
namespace {

// Enough tiles for many threads to share evenly.
constexpr int64_t kEnoughIterations = 64;
// Where there are more, they are larger instead: each begins with what nobody has prefetched.
constexpr int64_t kManyTiles = 256;
constexpr double kMaxTileWork = 8 * kTileWork;
// Runs of an innermost loop are whole numbers of vectors and cache lines.
constexpr int64_t kRunMultiple = 64;

const ForStatement* AsLoop(const Statement& statement) {
  return std::get_if<ForStatement>(&statement.value);
}

// The parallel loop that is all `loop` does, but for computing values; null if there is none.
const ForStatement* OnlyInnerLoop(const ForStatement& loop) {
  const ForStatement* inner = nullptr;
  for (const Statement& statement : loop.body) {
    if (std::holds_alternative<StoreStatement>(statement.value) ||
        std::holds_alternative<WhileStatement>(statement.value) ||
        std::holds_alternative<IfStatement>(statement.value)) {
      return nullptr;
    }
    if (const ForStatement* found = AsLoop(statement)) {
      if (inner != nullptr || found->kind != ForStatement::Kind::kParallel) return nullptr;
      inner = found;
    }
  }
  return inner;
}

bool HasInnerLoop(const ForStatement& loop) {
  return std::any_of(loop.body.begin(), loop.body.end(),
                     [](const Statement& s) { return AsLoop(s) != nullptr; });
}

class FreeVarFinder {
 public:
  explicit FreeVarFinder(const Kernel& kernel) : state_(kernel.var_types.size(), State::kUnseen) {}

  void Visit(const Block& block) {
    for (const Statement& statement : block) {
      std::visit([this](const auto& value) { Visit(value); }, statement.value);
    }
  }
  void Visit(const ForStatement& loop) {
    for (const CarriedValue& carried : loop.carried) {
      Use(carried.initial);
      Define(carried.current);
    }
    Define(loop.induction);
    Visit(loop.body);
    for (const CarriedValue& carried : loop.carried) {
      Use(carried.next);
      Define(carried.result);
    }
  }
  std::vector<Var> Take() { return std::move(free_); }

 private:
  enum class State : uint8_t { kUnseen, kInside, kFree };

  void Define(Var var) { state_[var] = State::kInside; }
  void Use(Var var) {
    if (state_[var] != State::kUnseen) return;
    state_[var] = State::kFree;
    free_.push_back(var);
  }
  void Visit(const ConstantStatement& s) { Define(s.result); }
  void Visit(const ScalarStatement& s) {
    for (Var operand : s.operands) Use(operand);
    Define(s.result);
  }
  void Visit(const LoadStatement& s) {
    Use(s.index);
    Define(s.result);
  }
  void Visit(const StoreStatement& s) {
    Use(s.index);
    Use(s.value);
  }
  void Visit(const WhileStatement& loop) {
    for (const CarriedValue& carried : loop.carried) {
      Use(carried.initial);
      Define(carried.current);
    }
    Visit(loop.condition_body);
    Use(loop.condition);
    Visit(loop.body);
    for (const CarriedValue& carried : loop.carried) {
      Use(carried.next);
      Define(carried.result);
    }
  }
  void Visit(const IfStatement& s) {
    Use(s.condition);
    Visit(s.then_body);
    Visit(s.else_body);
    for (Var var : s.then_values) Use(var);
    for (Var var : s.else_values) Use(var);
    for (Var var : s.results) Define(var);
  }

  std::vector<State> state_;
  std::vector<Var> free_;
};

}  // namespace

absl::optional<TileNest> FindTileNest(const Kernel& kernel, const ForStatement& outermost) {
  const double total = static_cast<double>(outermost.extent) * EstimateWork(kernel, outermost.body);
  if (total < kMinParallelWork) return absl::nullopt;

  TileNest nest;
  nest.loops.push_back(&outermost);
  int64_t iterations = outermost.extent;
  while (iterations < kEnoughIterations) {
    const ForStatement* inner = OnlyInnerLoop(*nest.loops.back());
    if (inner == nullptr || inner->extent == 0) break;
    nest.loops.push_back(inner);
    iterations *= inner->extent;
  }

  const ForStatement& last = *nest.loops.back();
  const double work = std::max(1.0, EstimateWork(kernel, last.body));
  const double tile_work = std::clamp(total / kManyTiles, kTileWork, kMaxTileWork);
  int64_t extent = std::max<int64_t>(1, std::llround(tile_work / work));
  if (!HasInnerLoop(last)) extent = (extent + kRunMultiple - 1) / kRunMultiple * kRunMultiple;
  nest.tile_extent = std::min(extent, last.extent);
  nest.tiles_of_last = (last.extent + nest.tile_extent - 1) / nest.tile_extent;
  nest.num_tiles = iterations / last.extent * nest.tiles_of_last;
  if (nest.num_tiles < 2) return absl::nullopt;
  return nest;
}

std::vector<Var> FreeVars(const Kernel& kernel, const ForStatement& loop) {
  FreeVarFinder finder(kernel);
  finder.Visit(loop);
  return finder.Take();
}

}  // namespace acceld::kernels::cpu

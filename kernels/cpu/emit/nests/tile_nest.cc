#include "kernels/cpu/emit/nests/tile_nest.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "common/ceil_divide.h"
#include "kernels/cpu/emit/nests/work_estimate.h"

namespace acceld::kernels::cpu {
namespace {

// With this many iterations, outer loops alone give enough tiles for many threads to share evenly.
constexpr int64_t kEnoughIterations = 64;
// About the most tiles. If there is more work, tiles are larger, up to a limit: at the beginning of
// each tile nothing has been prefetched.
constexpr int64_t kManyTiles = 256;
constexpr double kMaxTileWork = 8 * kTileWork;
// The extent of a tile of an innermost loop is a multiple of the first of these numbers that suits
// the loop: several vectors, or at least a cache line of 32-bit elements.
constexpr std::array<int64_t, 3> kRunMultiples = {64, 32, 16};

const ForStatement* AsLoop(const Statement& statement) {
  return std::get_if<ForStatement>(&statement.value);
}

// Returns the only inner loop of `loop`, if that is parallel and `loop` otherwise only computes
// values; null if not.
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

// Returns a divisor of `extent` that is a multiple of `step` and about `wanted`, or nullopt if
// there is none near it.
absl::optional<int64_t> EvenTile(int64_t extent, int64_t wanted, int64_t step) {
  if (extent % step != 0) return absl::nullopt;
  const int64_t middle = RoundUp(wanted, step);
  for (int64_t off = 0; 2 * off <= wanted; off += step) {
    if (extent % (middle + off) == 0) return middle + off;
    if (off < middle && extent % (middle - off) == 0) return middle - off;
  }
  return absl::nullopt;
}

// Returns the extent of a tile: about `wanted` iterations. If all tiles have the same extent, no
// code for a remainder is needed. Tiles of an innermost loop are whole numbers of vectors and cache
// lines.
int64_t TileExtent(const ForStatement& loop, int64_t wanted) {
  if (wanted >= loop.extent) return loop.extent;
  if (HasInnerLoop(loop)) return EvenTile(loop.extent, wanted, 1).value_or(wanted);
  for (const int64_t step : kRunMultiples) {
    if (const auto even = EvenTile(loop.extent, wanted, step)) return *even;
  }
  const int64_t step = kRunMultiples.front();
  return std::min(loop.extent, RoundUp(wanted, step));
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
  if (!IsWorthThreads(kernel, outermost)) return absl::nullopt;
  const double total = static_cast<double>(outermost.extent) * EstimateWork(kernel, outermost.body);

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
  nest.tile_extent = TileExtent(last, std::max<int64_t>(1, std::llround(tile_work / work)));
  nest.tiles_of_last = CeilDivide(last.extent, nest.tile_extent);
  nest.num_tiles = iterations / last.extent * nest.tiles_of_last;
  if (nest.num_tiles < 2) return absl::nullopt;
  return nest;
}

std::vector<Var> FreeVars(const Kernel& kernel, const ForStatement& loop) {
  FreeVarFinder finder(kernel);
  finder.Visit(loop);
  return finder.Take();
}

std::vector<Var> FreeVars(const Kernel& kernel, const Block& block) {
  FreeVarFinder finder(kernel);
  finder.Visit(block);
  return finder.Take();
}

}  // namespace acceld::kernels::cpu

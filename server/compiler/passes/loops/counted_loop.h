#pragma once

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {

// An integer that changes by the same amount in every turn of a loop: first, first + step, ...
struct Progression {
  int64_t first = 0, step = 0;
};

// Row `index` of an array from outside a loop, which has all other dimensions of the array.
struct LoopRow {
  ir::ValueId array, index;
  Progression rows;  // the index in the turns
};

// A while loop whose counter starts at a constant, grows by one and is compared with a constant:
// what scans of JAX are. For visitors of Rewriter that look at a while op, whose regions have been
// rewritten then; valid until the op changes.
class CountedLoop {
 public:
  // nullopt if the loop is none, or runs no turn.
  static absl::optional<CountedLoop> Match(const Rewriter& rewriter, const ir::Op& loop);
  // How many turns such a loop runs, which may be none.
  static absl::optional<int64_t> TurnsOf(const Rewriter& rewriter, const ir::Op& loop);

  int64_t turns() const { return turns_; }
  size_t counter() const { return counter_; }  // which of the carried values

  // Whether the value is from outside the loop, and so the same in all turns.
  bool IsInvariant(ir::ValueId id) const;
  // How often ops and results of the condition and the body read the value.
  int ReadsOf(ir::ValueId id) const;
  // The op of the loop's body, or of before the loop as Rewriter knows it; else nullptr.
  const ir::Op* DefinitionOf(ir::ValueId id) const;
  // What a scalar integer of the body is in the turns: sums and differences of the counter and of
  // constants, and negative indices that are moved up where they are never negative.
  absl::optional<Progression> ProgressionOf(ir::ValueId id) const;
  // Whether the progression is each of 0 to size - 1 exactly once, in this order or the other one.
  bool Covers(const Progression& progression, int64_t size) const;
  // The row that the value of the body is, where the turns see all rows of the array once.
  absl::optional<LoopRow> RowOf(ir::ValueId value) const;

 private:
  CountedLoop(const Rewriter& rewriter, const ir::Op& loop);
  void CountReads(const ir::Region& region);
  bool MatchCondition();
  bool MatchCounter();
  absl::optional<int64_t> ConstantOf(ir::ValueId id) const;
  absl::optional<Progression> ProgressionOf(ir::ValueId id, int depth) const;
  absl::optional<Progression> SelectedOf(const ir::Op& select, int depth) const;

  const Rewriter* rewriter_;
  const ir::Op* loop_;
  absl::flat_hash_map<ir::ValueId, const ir::Op*> inside_;  // nullptr: no op but a parameter
  absl::flat_hash_map<ir::ValueId, int> reads_;
  int64_t first_ = 0, limit_ = 0, turns_ = 0;
  size_t counter_ = 0;
};

}  // namespace acceld::compiler

#pragma once

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {

// The values of an integer in the iterations of a loop, if it changes by the same amount in each:
// first, first + step, first + 2 * step, ...
struct Progression {
  int64_t first = 0, step = 0;
};

// A row of an array that is defined outside a loop: the slice at `index`, a value of the loop's
// body, along the array's first dimension, without that dimension.
struct LoopRow {
  ir::ValueId array, index;
  Progression rows;  // the values of `index`
};

// Analyzes a while loop whose counter starts at a constant, grows by one in each iteration and is
// compared with a constant, like the scans of JAX.
//
// For visitors of Rewriter that visit a while op; the regions of the op have been rewritten by
// then. Keeps pointers to the rewriter and the op, and must not be used after the op was changed.
// Thread-compatible.
class CountedLoop {
 public:
  // Returns nullopt if the loop is not of this kind, or if it runs no iteration.
  static absl::optional<CountedLoop> Match(const Rewriter& rewriter, const ir::Op& loop);
  // Returns the number of iterations (0 or more) of a loop of this kind; nullopt for other loops.
  static absl::optional<int64_t> NumIterationsOf(const Rewriter& rewriter, const ir::Op& loop);

  // The number of iterations, at least 1.
  int64_t num_iterations() const { return num_iterations_; }
  // The position of the counter among the carried values.
  size_t counter() const { return counter_; }

  // Whether the value is defined outside the loop, so that it is the same in all iterations.
  bool IsInvariant(ir::ValueId id) const;
  // Returns how many operands of ops and results of regions in the loop are the value.
  int ReadsOf(ir::ValueId id) const;
  // Returns the op that defines the value, if it is an op of the loop's condition or body, or an op
  // before the loop that Rewriter::DefinitionOf knows. Returns nullptr otherwise, in particular for
  // carried values.
  const ir::Op* DefinitionOf(ir::ValueId id) const;
  // Returns the values of a scalar integer of the body in the iterations, or nullopt if they are
  // unknown. Analyzes sums and differences of the counter and constants, and also the selection of
  // x unless x < 0 (by which JAX supports negative indices), if x is never negative.
  absl::optional<Progression> ProgressionOf(ir::ValueId id) const;
  // Whether the progression takes each value from 0 to size - 1 exactly once, in ascending or
  // descending order.
  bool Covers(const Progression& progression, int64_t size) const;
  // If the value of the body is a row of an array, and the iterations together read each row of the
  // array exactly once, returns that row. Returns nullopt otherwise.
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
  // The values that the condition and the body define, with the op; nullptr for a parameter.
  absl::flat_hash_map<ir::ValueId, const ir::Op*> inside_;
  absl::flat_hash_map<ir::ValueId, int> reads_;
  int64_t first_ = 0, limit_ = 0, num_iterations_ = 0;
  size_t counter_ = 0;
};

}  // namespace acceld::compiler

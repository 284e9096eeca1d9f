#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/compiler/passes/rewriter.h"
#include "server/compiler/passes/sorts/sort_keys.h"

namespace acceld::compiler {

// Emits the ops that replace one sort or partial sort. They work on the operands as matrices [rows,
// elements], of which each row is sorted. The caller emits one or more steps (SortRuns, MergeRuns,
// SortByDigits, Select...), each of which works on the result of the previous one, and then calls
// Finish. Keeps references to the rewriter and the op. Thread-compatible.
class SortRows {
 public:
  // `dimension` is the dimension of the op's operands along which they are sorted.
  SortRows(Rewriter& rewriter, const ir::Op& op, int64_t dimension);

  int64_t rows() const { return rows_; }
  // The length of a row after the steps that were emitted.
  int64_t length() const { return length_; }
  // The bytes of one element of every value that the steps move, together.
  int64_t element_bytes() const;

  // Makes the following steps move the position of each element in its row instead of the operands
  // that the comparator does not read, if these are larger than a position; Finish then gathers
  // them. Call it before the first step.
  void SortPayloadsIndirectly();
  // Sorts each run of `run` elements and keeps the first `keep` of each (SortRunsAttributes).
  void SortRuns(int64_t run, int64_t piece, int64_t keep);
  // Merges neighbouring sorted runs of `run` elements in pairs (MergeRunsAttributes).
  void MergeRuns(int64_t run, int64_t piece);
  // Sorts the rows by the given keys with a radix sort (DigitSortAttributes). CanSortByDigits(keys)
  // must be true, and this must be the only step.
  void SortByDigits(const std::vector<SortKey>& keys, int64_t tile);
  // Keeps the first `limit` elements of each `block` elements, sorted. Elements after the last
  // whole block stay as they are.
  void SelectFromBlocks(int64_t block, int64_t limit);
  // Keeps the first `limit` elements of each row, sorted.
  void SelectFirst(int64_t limit);
  // Replaces the results of the op by those of the last step.
  void Finish();

  // Whether SortByDigits supports the keys: they have types that it can map to unsigned integers in
  // the same order, and have at most 64 bits together.
  static bool CanSortByDigits(const ir::Function& function, const std::vector<SortKey>& keys);

 private:
  using Ids = std::vector<ir::ValueId>;

  ir::ValueId Emit(ir::OpKind kind, Ids operands, ir::OpAttributes attributes, ir::TensorType type);
  const ir::TensorType& TypeOf(ir::ValueId id) const { return rewriter_.TensorOf(id); }
  // Initializes operands_ and values_. The steps call it first; only the first call does anything.
  void TakeOperands();
  // Brings a tensor of the op's operand shape into the form [rows, elements].
  ir::ValueId ToRows(ir::ValueId id);
  // Brings rows into the given type, a result type of the op.
  ir::ValueId FromRows(ir::ValueId id, const ir::TensorType& type);
  ir::ValueId Reshape(ir::ValueId id, ir::Dims dims);
  // Elements [begin, end) of each row.
  ir::ValueId Slice(ir::ValueId id, int64_t begin, int64_t end);
  // Emits an op of this kind on `operands` with the comparator as its region.
  Ids EmitWithComparator(ir::OpKind kind, ir::OpAttributes attributes, const Ids& operands,
                         const ir::Dims& result_dims);
  // Returns a copy of the comparator with parameters for values_.
  ir::Region Comparator();
  // The position of each element in its row, as ui32.
  ir::ValueId Numbers();
  // The elements of each row at the positions `numbers`.
  ir::ValueId Gather(ir::ValueId id, ir::ValueId numbers);

  // Emits the ops that compute a value of the comparator's region for all elements of the rows.
  ir::ValueId Computed(ir::ValueId id);
  // Maps the key of all elements to unsigned integers that have the same order.
  ir::ValueId OrderedBits(const SortKey& key);
  // The inverse of OrderedBits, for a key that is an operand itself and not by value.
  ir::ValueId FromOrderedBits(ir::ValueId bits, const SortKey& key);
  // A tensor of rows in which every element has these bits.
  ir::ValueId Constant(ir::DType dtype, uint64_t bits);
  ir::ValueId Compare(ir::ValueId a, ir::ComparisonDirection direction, ir::ValueId b);

  Rewriter& rewriter_;
  const ir::Op& op_;
  const int64_t dimension_;
  int64_t rows_ = 1, length_ = 0;
  Ids operands_;  // the op's operands as rows, before the first step
  Ids values_;    // the rows after the last step; the positions, if any, are the last one
  // For each operand whether positions are moved instead of it; then it is not in values_.
  std::vector<bool> is_indirect_;
  absl::flat_hash_map<ir::ValueId, ir::ValueId> computed_;  // by value of the region
};

}  // namespace acceld::compiler

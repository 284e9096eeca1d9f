#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/compiler/passes/rewriter.h"
#include "server/compiler/passes/sorts/sort_keys.h"

namespace acceld::compiler {

// Emits what a sort or a partial sort becomes, on operands that are rows: [slices, elements]. One
// op; the caller hands the results back with Finish.
class SortRows {
 public:
  // `dimension`: the sorted one.
  SortRows(Rewriter& rewriter, const ir::Op& op, int64_t dimension);

  int64_t rows() const { return rows_; }
  int64_t length() const { return length_; }
  // Of an element of each operand, together.
  int64_t element_bytes() const;

  // Operands that the comparator does not look at give way to the numbers of the elements, when
  // that is less to move; Finish gathers them.
  void NumberPayloads();
  // Sorts runs of `run` elements and keeps the first `keep` of each (op_attributes.h).
  void SortRuns(int64_t run, int64_t piece, int64_t keep);
  void MergeRuns(int64_t run, int64_t piece);
  // Sorts by these keys, a digit after the other, by tiles of `tile` elements.
  void SortByDigits(const std::vector<SortKey>& keys, int64_t tile);
  // Keeps the first `limit` of each `block` elements, in order; the rest behind the last block
  // stays as it is.
  void SelectFromBlocks(int64_t block, int64_t limit);
  void SelectFirst(int64_t limit);
  // Replaces the results of the op, whose sizes but for the rows' lengths are those of its
  // operands.
  void Finish();

  // Whether SortByDigits serves them: of real types whose bits it can order, 64 of them at most.
  static bool CanSortByDigits(const ir::Function& function, const std::vector<SortKey>& keys);

 private:
  using Ids = std::vector<ir::ValueId>;

  ir::ValueId Emit(ir::OpKind kind, Ids operands, ir::OpAttributes attributes, ir::TensorType type);
  const ir::TensorType& TypeOf(ir::ValueId id) const { return rewriter_.TensorOf(id); }
  // Before the first part is emitted.
  void TakeOperands();
  ir::ValueId ToRows(ir::ValueId id);
  ir::ValueId FromRows(ir::ValueId id, const ir::TensorType& type);
  ir::ValueId Reshape(ir::ValueId id, ir::Dims dims);
  // Elements [begin, end) of each row.
  ir::ValueId Slice(ir::ValueId id, int64_t begin, int64_t end);
  // An op with the comparator over `operands`; its results' rows have `length` elements.
  Ids EmitNest(ir::OpKind kind, ir::OpAttributes attributes, const Ids& operands,
               const ir::Dims& result_dims);
  ir::Region Comparator();
  // The number of each element in its row, as ui32.
  ir::ValueId Numbers();
  // The elements of rows that have these numbers.
  ir::ValueId Gather(ir::ValueId id, ir::ValueId numbers);

  // A value of the comparator's region, for all elements of the rows.
  ir::ValueId Computed(ir::ValueId id);
  // Unsigned integers in the order of the key.
  ir::ValueId OrderedBits(const SortKey& key);
  // The other way, for a key that is an operand itself.
  ir::ValueId FromOrderedBits(ir::ValueId bits, const SortKey& key);
  ir::ValueId Constant(ir::DType dtype, uint64_t bits);
  ir::ValueId Compare(ir::ValueId a, ir::ComparisonDirection direction, ir::ValueId b);

  Rewriter& rewriter_;
  const ir::Op& op_;
  const int64_t dimension_;
  int64_t rows_ = 1, length_ = 0;
  Ids operands_;                   // as rows, at first
  Ids values_;                     // what is left of them
  std::vector<bool> is_numbered_;  // by operand: not among `values_`, whose last are the numbers
  absl::flat_hash_map<ir::ValueId, ir::ValueId> computed_;  // by value of the region
};

}  // namespace acceld::compiler

#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "common/ir/module.h"

namespace acceld::compiler {

// A shape seen as rows: the first num_row_dims dimensions number the rows, and the others are the
// columns of a row.
struct RowSpace {
  ir::Dims dims;
  size_t num_row_dims = 0;

  int64_t rows() const;
  int64_t columns() const;
  friend bool operator==(const RowSpace&, const RowSpace&) = default;
};

// If the op is a reduction of the trailing dimensions by associative and commutative operations
// (ir::IsSimpleReducer), returns the shape of its operand with these dimensions as columns. Returns
// nullopt for other ops.
absl::optional<RowSpace> RowSpaceOf(const ir::Function& function, const ir::Op& op);

// Checks whether ops can be one row fusion (fuse_rows.h), which computes all of them for one row
// after the other. For that, results of reductions and values that one part of the fusion passes to
// another must be read only in the row to which they belong.
//
// A row fusion may also contain reductions that combine the rows of each block of rows (all blocks
// have the same size) to one result per column. These results are complete only after the last row
// of a block, so only ops outside the fusion may read them.
//
// The caller passes the ops of each part to AddOp, producers before users, and the results of each
// part to AddPartResult. Thread-compatible.
class RowAlignment {
 public:
  // Keeps a reference to `function`.
  RowAlignment(const ir::Function& function, const RowSpace& space)
      : function_(function), space_(space) {}

  // Adds an op. Returns false if the op cannot be in the row fusion, for instance because it reads
  // a value in another row. `operands` are the ids of the op's operands under which this object
  // knows them: a fusion's parameter is known by the id of the operand that it stands for.
  bool AddOp(const ir::Op& op, const std::vector<ir::ValueId>& operands);
  // Records that `id` is a result of a part, which other parts may read. Returns false if the value
  // has neither one element for each element of the space nor one for each row or block column.
  bool AddPartResult(ir::ValueId id);

 private:
  // What each element of a value belongs to.
  enum class Kind {
    kElement,       // one element of the space
    kRow,           // one row
    kBlockElement,  // one element of the space; the value has the shape of blocks of rows
    kBlockColumn,   // one column of a block of rows
  };

  // Returns the kind of a value that must be read in its own row, or nullopt for other values.
  absl::optional<Kind> KindOf(ir::ValueId id) const;
  bool FollowReduce(const ir::Op& op, const std::vector<ir::ValueId>& operands);
  bool FollowBroadcast(const ir::Op& op, Kind operand);
  // Whether `dims` is the space with its rows split into equal blocks: {blocks, rows of a block,
  // column dimensions...}. All reductions of one row fusion must have the same blocks.
  bool IsInBlocks(const ir::Dims& dims) const;
  // Whether the op combines the rows of each such block.
  bool ReducesBlocks(const ir::Op& op) const;
  // Whether the value has the row dimensions of the space as its shape, not counting dimensions of
  // size 1.
  bool HasRowShape(ir::ValueId id) const;

  const ir::Function& function_;
  const RowSpace space_;
  absl::flat_hash_map<ir::ValueId, Kind> kinds_;
  absl::optional<ir::Dims> blocks_;  // the shape of the blocks that are reduced, if any
  int64_t block_sums_ = 0;           // the number of accumulators of one block
};

}  // namespace acceld::compiler

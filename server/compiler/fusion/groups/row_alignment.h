#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "common/ir/module.h"

namespace acceld::compiler {

// A shape whose trailing dimensions are the columns of rows.
struct RowSpace {
  ir::Dims dims;
  size_t num_row_dims = 0;

  int64_t rows() const;
  int64_t columns() const;
  friend bool operator==(const RowSpace&, const RowSpace&) = default;
};

// The space of a reduction of all columns of rows, by operations that may be regrouped; nothing for
// other ops.
absl::optional<RowSpace> RowSpaceOf(const ir::Function& function, const ir::Op& op);

// Follows values through the ops of a row fusion: what comes of its reductions, and what its parts
// pass to each other, must be read in the row that it belongs to. The columns of equal blocks of
// rows may be reduced too, for others to read. Ops are shown operands first.
class RowAlignment {
 public:
  RowAlignment(const ir::Function& function, const RowSpace& space)
      : function_(function), space_(space) {}

  // False if the op reads such a value elsewhere than in its own row, or cannot be part of a row
  // fusion at all. `operands` name what the op's operands are.
  bool Follow(const ir::Op& op, const std::vector<ir::ValueId>& operands);
  // The value is given to other parts; false if it is neither an element nor a row of the space.
  bool Give(ir::ValueId id);

 private:
  // What a value has one element for.
  enum class Kind {
    kElement,
    kRow,
    kBlockElement,  // an element too, in the shape of blocks of rows
    kBlockColumn,
  };

  absl::optional<Kind> KindOf(ir::ValueId id) const;
  bool FollowReduce(const ir::Op& op, const std::vector<ir::ValueId>& operands);
  bool FollowBroadcast(const ir::Op& op, Kind operand);
  // Whether these are the rows of the space in blocks, the same for all that is reduced.
  bool IsInBlocks(const ir::Dims& dims) const;
  bool ReducesBlocks(const ir::Op& op) const;
  // Whether the value has the shape of the rows, perhaps with dimensions of size 1.
  bool HasRowShape(ir::ValueId id) const;

  const ir::Function& function_;
  const RowSpace space_;
  absl::flat_hash_map<ir::ValueId, Kind> kinds_;
  absl::optional<ir::Dims> blocks_;  // once any are reduced
  int64_t block_sums_ = 0;           // of one block
};

}  // namespace acceld::compiler

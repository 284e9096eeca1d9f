#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/ir/bytecode/container.h"
#include "common/status.h"

// What stands in the IR section before the regions of an op, by numbers.
namespace acceld::ir::bytecode {

struct OpHeader {
  const OpName* name = nullptr;
  uint64_t location = 0;               // the number of its location attribute
  std::optional<uint64_t> dictionary;  // the number of a dictionary attribute
  std::optional<Cursor> properties;    // as the op's dialect writes them
  std::vector<uint64_t> result_types;
  std::vector<uint64_t> operands;
  uint64_t num_regions = 0;
  bool is_isolated = false;  // its regions see no values from around them and number their own

  // "vhlo.add_v1".
  std::string FullName() const;
};

absl::StatusOr<OpHeader> ReadOpHeader(const Container& container, Cursor& in);

struct BlockHeader {
  uint64_t num_ops = 0;
  std::vector<uint64_t> parameter_types;
};

// The header of a region's first block; locations and orders of uses are skipped.
absl::StatusOr<BlockHeader> ReadBlockHeader(const Container& container, Cursor& in);

// The header of a region, which must have exactly one block, and of that block. `num_values` is how
// many values the region defines.
absl::StatusOr<BlockHeader> ReadRegionHeader(const Container& container, Cursor& in,
                                             uint64_t& num_values);

// Whether the op's regions stand in a section of their own behind the header.
bool IsSection(const Container& container, const OpHeader& op);
absl::StatusOr<Cursor> ReadRegionSection(Cursor& in);

}  // namespace acceld::ir::bytecode

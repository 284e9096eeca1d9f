#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/ir/bytecode/container.h"
#include "common/status.h"

// The headers of ops, blocks and regions in the IR section of a bytecode file. They refer to the
// tables by number.
namespace acceld::ir::bytecode {

// The header of an op, which precedes its regions.
struct OpHeader {
  const OpName* name = nullptr;
  uint64_t location = 0;               // the number of its location attribute
  std::optional<uint64_t> dictionary;  // the number of a dictionary attribute
  std::optional<Cursor> properties;    // in the encoding of the op's dialect
  std::vector<uint64_t> result_types;
  std::vector<uint64_t> operands;
  uint64_t num_regions = 0;
  bool is_isolated = false;  // its regions use no outer values and number their own

  // Returns the name with its dialect: "vhlo.add_v1".
  std::string FullName() const;
};

absl::StatusOr<OpHeader> ReadOpHeader(const Container& container, Cursor& in);

// The header of a block, which precedes its ops.
struct BlockHeader {
  uint64_t num_ops = 0;
  std::vector<uint64_t> parameter_types;
};

// Reads the header of a region's first block. Locations and orders of uses are skipped.
absl::StatusOr<BlockHeader> ReadBlockHeader(const Container& container, Cursor& in);

// Reads the headers of a region, which must have exactly one block, and of that block. `num_values`
// is set to how many values the region defines.
absl::StatusOr<BlockHeader> ReadRegionHeader(const Container& container, Cursor& in,
                                             uint64_t& num_values);

// Whether the op's regions are in a section of their own behind the header.
bool IsSection(const Container& container, const OpHeader& op);
// Returns the contents of that section and skips it.
absl::StatusOr<Cursor> ReadRegionSection(Cursor& in);

}  // namespace acceld::ir::bytecode

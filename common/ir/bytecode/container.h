#pragma once

#include <string>
#include <vector>

#include "common/ir/bytecode/cursor.h"
#include "common/ir/verify/memory_budget.h"
#include "common/status.h"

// The tables of a bytecode file, to which its other parts refer by index. Source: MLIR, "MLIR
// Bytecode Format". Views point into the bytes of the file.
namespace acceld::ir::bytecode {

// The versions of the format from which on these features exist.
inline constexpr uint64_t kDialectVersions = 1;
inline constexpr uint64_t kIsolatedRegionSections = 2;
inline constexpr uint64_t kUseListOrders = 3;
inline constexpr uint64_t kElidedLocations = 4;
inline constexpr uint64_t kProperties = 5;
inline constexpr uint64_t kNewestVersion = 6;

// An entry of the table of op names.
struct OpName {
  absl::string_view dialect;
  absl::string_view name;
  // Whether the producer had this op registered, in which case the op's properties are encoded by
  // the op's dialect and not as one dictionary.
  bool registered = true;
};

// An attribute or type, not decoded.
struct Entry {
  absl::string_view dialect;
  // Whether `data` is in the dialect's own binary encoding; otherwise it is text.
  bool has_encoding = false;
  Cursor data;
};

// An entry of the resource table, which dense_resource attributes refer to by its key.
struct Resource {
  absl::string_view key;
  bool is_blob = false;
  absl::string_view bytes;
};

// A bytecode file whose tables are decoded. The attributes, types, properties and ops to which they
// refer are not decoded yet.
struct Container {
  uint64_t version = 0;
  absl::string_view producer;  // "StableHLO_v1.15.0"
  std::vector<absl::string_view> strings;
  std::vector<OpName> op_names;
  std::vector<Entry> attributes;
  std::vector<Entry> types;
  std::vector<Cursor> properties;
  std::vector<Resource> resources;
  Cursor ir;
};

// The memory of one decoded type or attribute. It is reserved when the tables are read.
inline constexpr size_t kDecodedBytes = 256;

// Reads the tables of a file. `bytes` must outlive the result. The memory of the tables is charged
// to `budget`, and the least that decoding their entries will take.
absl::StatusOr<Container> ReadContainer(absl::string_view bytes, MemoryBudget& budget);

}  // namespace acceld::ir::bytecode

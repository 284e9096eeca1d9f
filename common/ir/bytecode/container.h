#pragma once

#include <string>
#include <vector>

#include "common/ir/bytecode/cursor.h"
#include "common/ir/verify/memory_budget.h"
#include "common/status.h"

// The parts of a bytecode file that everything else refers to by number. Source: MLIR, "MLIR
// Bytecode Format". Views point into the file's bytes.
namespace acceld::ir::bytecode {

// Versions of the format that change how a file is read.
inline constexpr uint64_t kDialectVersions = 1;
inline constexpr uint64_t kIsolatedRegionSections = 2;
inline constexpr uint64_t kUseListOrders = 3;
inline constexpr uint64_t kElidedLocations = 4;
inline constexpr uint64_t kProperties = 5;
inline constexpr uint64_t kNewestVersion = 6;

struct OpName {
  absl::string_view dialect;
  absl::string_view name;
  // Whether the producer knew the op: then its properties have a form of their own.
  bool registered = true;
};

// An attribute or type, not decoded.
struct Entry {
  absl::string_view dialect;
  // In the dialect's own encoding; else its text.
  bool has_encoding = false;
  Cursor data;
};

// Bytes that a dense_resource attribute names.
struct Resource {
  absl::string_view key;
  bool is_blob = false;
  absl::string_view bytes;
};

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

// What a type or attribute takes once it is decoded, which has its place from the start.
inline constexpr size_t kDecodedBytes = 256;

// Reads everything but the ops. `bytes` must outlive the result. The tables are charged to
// `budget`, with what decoding their entries takes at least.
absl::StatusOr<Container> ReadContainer(absl::string_view bytes, MemoryBudget& budget);

}  // namespace acceld::ir::bytecode

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/ir/module.h"

// Numbers of the ops of a program. The client that made a program and the daemon that compiles it
// use them to refer to the same op, so that the client need not tell the daemon where the op is in
// its source.
namespace acceld::ir {

// The source locations of the ops of a program.
struct OpLocations {
  // [n - 1] is for the op with number n: its index in `source_locations`, plus 1; 0: unknown.
  std::vector<uint32_t> location_of_op;
  std::vector<std::string> source_locations;

  // Returns the source location of the op with this number; empty if it is unknown.
  absl::string_view LocationOf(uint32_t op) const;
  // Returns the memory that this object takes.
  int64_t MemoryBytes() const;
};

// Sets Location::op of all ops of `entry` and of the functions that it calls, from 1 on, in the
// order in which Fingerprint visits them: programs with equal fingerprints have equal numbers.
// Moves the source locations out of the module and returns them. The depth of regions must be
// bounded, as in a verified module.
OpLocations NumberOps(Module& module, absl::string_view entry);

}  // namespace acceld::ir

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/ir/module.h"

// Numbers by which the client that made a program and the daemon that compiles it mean the same op,
// without telling each other where it stands in somebody's source.
namespace acceld::ir {

// Where the ops of a program were made, by their numbers.
struct OpPlaces {
  std::vector<uint32_t>
      place_of_op;  // Of op n at n - 1: its number in `places`, from 1; 0: unknown.
  std::vector<std::string> places;

  // Empty: unknown.
  absl::string_view PlaceOf(uint32_t op) const;
  int64_t MemoryBytes() const;
};

// Sets Location::op of all ops of the entry and of the functions that it calls, from 1, in the
// order in which Fingerprint meets them: programs with equal fingerprints have equal numbers.
// Regions are of bounded depth, as in a verified module. Takes what the module says of places out
// of it.
OpPlaces NumberOps(Module& module, absl::string_view entry);

}  // namespace acceld::ir

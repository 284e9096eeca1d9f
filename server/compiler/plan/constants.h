#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/ir/types/literal.h"
#include "kernels/ir/plan.h"

namespace acceld::compiler {

// Collects the constants of a plan in one block of bytes. Equal contents are stored once. The block
// is made at the end, at its size: until then the literals share their bytes with the program. Not
// thread-safe.
class ConstantBlock {
 public:
  // Adds all elements of `value` (also of a splat), at an offset that is a multiple of
  // kernels::kBufferAlignment, and returns where they are in the block.
  kernels::Slice Add(const ir::Literal& value);
  // Returns the block; call it once, at the end.
  std::string Take();

 private:
  struct Placed {
    ir::Literal value;
    int64_t offset_bytes;
  };
  std::vector<Placed> placed_;  // by offset
  int64_t size_bytes_ = 0;
  absl::flat_hash_map<std::string, int64_t> offsets_;  // by digest of the content
};

}  // namespace acceld::compiler

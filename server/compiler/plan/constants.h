#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/ir/types/literal.h"
#include "kernels/ir/plan.h"

namespace acceld::compiler {

// Collects the constants of a plan in one block of bytes. Equal contents are stored once. Not
// thread-safe.
class ConstantBlock {
 public:
  // Adds all elements of `value` (also of a splat), at an offset that is a multiple of
  // kernels::kBufferAlignment, and returns where they are in the block.
  kernels::Slice Add(const ir::Literal& value);
  // Returns the block; call it once, at the end.
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
  absl::flat_hash_map<std::string, int64_t> offsets_;  // by digest of the content
};

}  // namespace acceld::compiler

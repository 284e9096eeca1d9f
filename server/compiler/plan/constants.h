#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/ir/types/literal.h"
#include "kernels/ir/plan.h"

namespace acceld::compiler {

// The constant block of a plan: equal contents are stored once. One thread.
class ConstantBlock {
 public:
  kernels::Slice Add(const ir::Literal& value);
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
  absl::flat_hash_map<std::string, int64_t> offsets_;  // by digest of the content
};

}  // namespace acceld::compiler

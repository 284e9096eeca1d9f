#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/ir/module.h"

// Lists of values and of dimensions, as the rules need them.
namespace acceld::ir {

inline std::vector<ValueId> Joined(absl::Span<const ValueId> a, absl::Span<const ValueId> b) {
  std::vector<ValueId> joined(a.begin(), a.end());
  joined.insert(joined.end(), b.begin(), b.end());
  return joined;
}

// Numbers of dimensions after one was inserted before all of them.
inline std::vector<int64_t> Shifted(std::vector<int64_t> dimensions) {
  for (int64_t& dimension : dimensions) ++dimension;
  return dimensions;
}

inline std::vector<int64_t> WithFirst(int64_t first, std::vector<int64_t> rest) {
  rest.insert(rest.begin(), first);
  return rest;
}

// A size with `dilation` - 1 holes between neighbours.
inline int64_t Dilated(int64_t size, int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

}  // namespace acceld::ir

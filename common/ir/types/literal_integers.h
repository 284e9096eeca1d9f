#pragma once

#include <vector>

#include "common/ir/types/element.h"
#include "common/ir/types/literal.h"

namespace acceld::ir {

// Returns all elements of a literal of integers or booleans, in order. The caller must bound their
// number.
inline std::vector<int64_t> IntegersOf(const Literal& literal) {
  std::vector<int64_t> values(literal.type().num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = ReadInt(literal.type().dtype, literal.bytes().data(), literal.is_splat() ? 0 : i);
  }
  return values;
}

}  // namespace acceld::ir

#pragma once

#include <cstdint>
#include <vector>

#include "common/ir/types/type.h"

namespace acceld::kernels::cpu {

// Appends a list of types to an array of integers, in which form generated code passes it to the
// run-time support: the length of the list, then the dtype, the rank and the dimensions of each
// type.
inline void AppendTypes(const std::vector<ir::TensorType>& types, std::vector<int64_t>& fields) {
  fields.push_back(static_cast<int64_t>(types.size()));
  for (const ir::TensorType& type : types) {
    fields.push_back(static_cast<int64_t>(type.dtype));
    fields.push_back(type.rank());
    fields.insert(fields.end(), type.dims.begin(), type.dims.end());
  }
}

// Decodes a list that AppendTypes has appended, and moves `fields` to behind it. The array is not
// checked.
inline std::vector<ir::TensorType> ReadTypes(const int64_t*& fields) {
  std::vector<ir::TensorType> types(static_cast<size_t>(*fields++));
  for (ir::TensorType& type : types) {
    type.dtype = static_cast<ir::DType>(*fields++);
    const int64_t rank = *fields++;
    type.dims.assign(fields, fields + rank);
    fields += rank;
  }
  return types;
}

}  // namespace acceld::kernels::cpu

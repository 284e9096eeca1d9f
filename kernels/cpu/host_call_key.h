#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ir/host_call.h"

namespace acceld::kernels::cpu {

// Encodes a host call as an array of integers, in which form generated code passes it to the
// run-time support (HostCallFunction in support_abi.h): the number of the callback, then the types
// of the operands, then the types of the results. Each list of types is preceded by its length. A
// type is its dtype, its rank and its dimensions.
inline std::vector<int64_t> HostCallKeyOf(const HostCall& call) {
  std::vector<int64_t> fields = {call.callback};
  for (const std::vector<ir::TensorType>* types : {&call.operands, &call.results}) {
    fields.push_back(static_cast<int64_t>(types->size()));
    for (const ir::TensorType& type : *types) {
      fields.push_back(static_cast<int64_t>(type.dtype));
      fields.push_back(type.rank());
      fields.insert(fields.end(), type.dims.begin(), type.dims.end());
    }
  }
  return fields;
}

// Decodes an array that HostCallKeyOf has made. The array is not checked.
inline HostCall ReadHostCall(const int64_t* fields) {
  HostCall call{.callback = *fields++};
  for (std::vector<ir::TensorType>* types : {&call.operands, &call.results}) {
    types->resize(static_cast<size_t>(*fields++));
    for (ir::TensorType& type : *types) {
      type.dtype = static_cast<ir::DType>(*fields++);
      const int64_t rank = *fields++;
      type.dims.assign(fields, fields + rank);
      fields += rank;
    }
  }
  return call;
}

}  // namespace acceld::kernels::cpu

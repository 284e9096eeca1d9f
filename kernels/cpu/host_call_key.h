#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ir/host_call.h"

namespace acceld::kernels::cpu {

// A host call as generated code hands it to the run-time support: the callback's number, then the
// types of operands and of results; each list behind its length.
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

// Reads what HostCallKeyOf wrote.
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

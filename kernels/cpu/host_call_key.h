#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/type_fields.h"
#include "kernels/ir/host_call.h"

namespace acceld::kernels::cpu {

// Encodes a host call as an array of integers, in which form generated code passes it to the
// run-time support (HostCallFunction in support_abi.h): the number of the callback, then the types
// of the operands, then the types of the results (type_fields.h).
inline std::vector<int64_t> HostCallKeyOf(const HostCall& call) {
  std::vector<int64_t> fields = {call.callback};
  AppendTypes(call.operands, fields);
  AppendTypes(call.results, fields);
  return fields;
}

// Decodes an array that HostCallKeyOf has made. The array is not checked.
inline HostCall ReadHostCall(const int64_t* fields) {
  HostCall call{.callback = *fields++};
  call.operands = ReadTypes(fields);
  call.results = ReadTypes(fields);
  return call;
}

}  // namespace acceld::kernels::cpu

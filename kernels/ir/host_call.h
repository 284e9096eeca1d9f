#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/ir/types/type.h"

namespace acceld::kernels {

// A call of a host callback (common/ir/calls/host_callback.h): a running program sends the operands
// to the client that requested the execution, and goes on with the results that the client's
// callback returns. This struct has the types only, no buffers, and is independent of the target.
// Types are static and valid. Plain value.
struct HostCall {
  int64_t callback = 0;  // the index in ExecuteOptions::callbacks of the client
  std::vector<ir::TensorType> operands, results;
  friend bool operator==(const HostCall&, const HostCall&) = default;
};

// For example "host callback 0 (tensor<2xf32>) -> (tensor<2xf32>)".
std::string ToString(const HostCall& call);

}  // namespace acceld::kernels

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/ir/types/type.h"

namespace acceld::kernels {

// A call by which a running program asks its host program (common/ir/calls/host_callback.h),
// without places and without a target. Types are static and valid. Plain value.
struct HostCall {
  int64_t callback = 0;
  std::vector<ir::TensorType> operands, results;
  friend bool operator==(const HostCall&, const HostCall&) = default;
};

// "host callback 0 (tensor<2xf32>) -> (tensor<2xf32>)".
std::string ToString(const HostCall& call);

}  // namespace acceld::kernels

#pragma once

#include "common/status.h"
#include "kernels/ir/host_call.h"

namespace acceld::kernels::cpu {

// Whom a running plan asks for what its host calls give.
class HostCaller {
 public:
  // Asks for the results that belong to the bytes at `operands`, and puts them to `results`: dense,
  // row-major, in the order of the call. Blocks until they are there, or the run is to end. Called
  // by the thread that runs the plan, which fails with the error.
  virtual absl::Status Call(const HostCall& call, const void* const* operands,
                            void* const* results) = 0;

 protected:
  ~HostCaller() = default;
};

}  // namespace acceld::kernels::cpu

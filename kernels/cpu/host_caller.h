#pragma once

#include "common/status.h"
#include "kernels/ir/host_call.h"

namespace acceld::kernels::cpu {

// The interface through which a running plan executes its host calls, that is, calls functions of
// the client program that launched it (common/ir/calls/host_callback.h). The caller of
// CpuModule::Run implements it.
class HostCaller {
 public:
  // Executes `call` and blocks until its results have been written or the run has to end.
  // `operands` and `results` are the addresses of the buffers in the order of the call; elements
  // are dense and row-major. The thread that runs the plan calls this function. After an error the
  // run fails with the returned status.
  virtual absl::Status Call(const HostCall& call, const void* const* operands,
                            void* const* results) = 0;

 protected:
  ~HostCaller() = default;
};

}  // namespace acceld::kernels::cpu

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/memory/shared_bytes.h"
#include "common/status.h"
#include "kernels/ir/host_call.h"

namespace acceld::hal {

class Buffer;

// One result of a host call.
struct HostValue {
  SharedBytes bytes;               // dense and row-major, if there is no buffer
  std::shared_ptr<Buffer> buffer;  // of the run's device, with all of the bytes
};

// Whom the run of one launch asks for what its host calls give (kernels/ir/plan.h). Called by one
// thread at a time, which is one of the stream's.
class HostCalls {
 public:
  virtual ~HostCalls() = default;
  // Memory of the host for a copy of operands; it counts as of whoever is asked, until it goes.
  // RESOURCE_EXHAUSTED.
  virtual absl::StatusOr<std::shared_ptr<char>> Allocate(int64_t size_bytes) = 0;
  // Asks, and blocks until the answer is there and the run has the device again: others have it
  // meanwhile. The results have the sizes that the call says. What goes wrong is the run's error;
  // CANCELLED at once when it is told to end.
  virtual absl::StatusOr<std::vector<HostValue>> Call(const kernels::HostCall& call,
                                                      std::vector<SharedBytes> operands) = 0;
};

}  // namespace acceld::hal

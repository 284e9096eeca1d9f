#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/memory/shared_bytes.h"
#include "common/status.h"
#include "kernels/ir/host_call.h"

namespace acceld::hal {

class Buffer;

// One result of a host call, either in host memory or in a buffer on the run's device.
struct HostValue {
  SharedBytes bytes;               // dense and row-major; used if `buffer` is nullptr
  std::shared_ptr<Buffer> buffer;  // holds all bytes of the result
};

// Answers the host calls of one launch, steps in which a program asks its client for values
// (kernels::HostCallStep), by sending them to the client. Only one thread of the launch's stream
// calls it at a time.
class HostCalls {
 public:
  virtual ~HostCalls() = default;
  // Allocates host memory for a copy of operands. The memory is charged to the client that is asked
  // until it is freed. Returns RESOURCE_EXHAUSTED when the client may not use so much memory, or
  // the system has none.
  virtual absl::StatusOr<std::shared_ptr<char>> Allocate(int64_t size_bytes) = 0;
  // Sends a call to the client, and blocks until the answer has arrived and the run may use the
  // device again; other runs use the device meanwhile. Returns one value of the declared size for
  // each result of `call`. An error becomes the error of the run. Returns CANCELLED without delay
  // when the run is cancelled.
  virtual absl::StatusOr<std::vector<HostValue>> Call(const kernels::HostCall& call,
                                                      std::vector<SharedBytes> operands) = 0;
};

}  // namespace acceld::hal

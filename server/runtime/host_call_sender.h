#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "common/memory/shared_bytes.h"
#include "common/status.h"
#include "kernels/ir/host_call.h"
#include "server/hal/host_calls.h"

namespace acceld::runtime {

// Delivers the host calls of one execution to its client. Thread-safe; no function blocks.
class HostCallSender {
 public:
  using Answer = std::function<void(absl::StatusOr<std::vector<hal::HostValue>>)>;

  virtual ~HostCallSender() = default;
  // Allocates memory for a copy of operands: see hal::HostCalls::Allocate.
  virtual absl::StatusOr<std::shared_ptr<char>> Allocate(int64_t size_bytes) = 0;
  // Sends a call to the client and returns its id. `answer` is called once, by any thread, maybe
  // before Ask returns; not if the call is withdrawn before. The values passed to it have the
  // call's result types, and arrays are on the device of the execution. RESOURCE_EXHAUSTED;
  // CANCELLED when the client is gone.
  virtual absl::StatusOr<uint64_t> Ask(const kernels::HostCall& call,
                                       std::vector<SharedBytes> operands, Answer answer) = 0;
  // Withdraws a call: its answer is not needed any more.
  virtual void Withdraw(uint64_t call_id) = 0;
  // Reports the end of the execution, or that it will not write to any of its outputs any more.
  // Called once.
  virtual void OnEnd(const absl::Status& status) = 0;
};

}  // namespace acceld::runtime

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

// Who brings the host calls of one execution to its client. Thread-safe; nothing blocks.
class HostAsker {
 public:
  using Answer = std::function<void(absl::StatusOr<std::vector<hal::HostValue>>)>;

  virtual ~HostAsker() = default;
  // As hal::HostCalls::Allocate.
  virtual absl::StatusOr<std::shared_ptr<char>> Allocate(int64_t size_bytes) = 0;
  // The number of the call. `answer` is called once, by any thread, maybe before this returns; not
  // when the call is withdrawn before. Its values are of the call's result types, arrays on the
  // execution's device. RESOURCE_EXHAUSTED; CANCELLED when the client is gone.
  virtual absl::StatusOr<uint64_t> Ask(const kernels::HostCall& call,
                                       std::vector<SharedBytes> operands, Answer answer) = 0;
  // Nobody waits for the answer any more.
  virtual void Withdraw(uint64_t call_id) = 0;
  // The execution has ended so, or will write to none of its outputs any more. Called once.
  virtual void OnEnd(const absl::Status& status) = 0;
};

}  // namespace acceld::runtime

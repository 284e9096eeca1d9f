#include "kernels/cpu/support/host_call.h"

#include <new>
#include <utility>

#include "kernels/cpu/host_call_key.h"
#include "kernels/cpu/run_state.h"

namespace acceld::kernels::cpu {

int32_t CallHost(const LaunchContext* context, const int64_t* descriptor, void* const* addresses) {
  absl::Status status;
  try {
    const HostCall call = ReadHostCall(descriptor);
    status = context->host == nullptr
                 ? absl::FailedPreconditionError(ToString(call) + ": there is nobody to ask")
                 : context->host->Call(call, addresses, addresses + call.operands.size());
  } catch (const std::bad_alloc&) {
    status = absl::ResourceExhaustedError("no memory for a host call");
  }
  if (status.ok()) return static_cast<int32_t>(CodeStatus::kOk);
  // CANCELLED is recorded as well, as it may be the error of the callback itself.
  RunState::Of(context).Fail(std::move(status));
  return static_cast<int32_t>(CodeStatus::kFailed);
}

}  // namespace acceld::kernels::cpu

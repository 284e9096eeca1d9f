#include "server/hal/cuda/driver/context.h"

#include "absl/strings/str_cat.h"

namespace acceld::hal::cuda {
namespace {

// Sticky errors: every later call on the context fails with them. Source: CUDA Driver API,
// CUresult.
bool IsSticky(Driver::Result result) {
  switch (result) {
    case 46:   // DEVICE_UNAVAILABLE
    case 214:  // ECC_UNCORRECTABLE
    case 220:  // NVLINK_UNCORRECTABLE
    case 226:  // CONTAINED
    case 700:  // ILLEGAL_ADDRESS
    case 702:  // LAUNCH_TIMEOUT
    case 709:  // CONTEXT_IS_DESTROYED
    case 710:  // ASSERT
    case 714:  // HARDWARE_STACK_ERROR
    case 715:  // ILLEGAL_INSTRUCTION
    case 716:  // MISALIGNED_ADDRESS
    case 717:  // INVALID_ADDRESS_SPACE
    case 718:  // INVALID_PC
    case 719:  // LAUNCH_FAILED
    case 721:  // TENSOR_MEMORY_LEAK
    case 810:  // MPS_CLIENT_TERMINATED
    case 911:  // EXTERNAL_DEVICE
    case 999:  // UNKNOWN
      return true;
    default:
      return false;
  }
}

}  // namespace

absl::StatusOr<std::shared_ptr<Context>> Context::Open(const Driver& driver,
                                                       const CudaDevice& device) {
  std::shared_ptr<Context> context(new Context(driver, device));
  ACCELD_RETURN_IF_ERROR(
      driver.Check(driver.cuDevicePrimaryCtxRetain(&context->context_, device.handle),
                   "cuDevicePrimaryCtxRetain"));
  return context;
}

Context::~Context() {
  if (context_ != nullptr) driver_.cuDevicePrimaryCtxRelease_v2(device_.handle);
}

absl::Status Context::Enter() {
  ACCELD_RETURN_IF_ERROR(lost());
  return Check(driver_.cuCtxSetCurrent(context_), "cuCtxSetCurrent");
}

absl::Status Context::Check(Driver::Result result, absl::string_view what) {
  if (result == 0) return absl::OkStatus();
  const absl::Status status = driver_.Check(result, what);
  if (!IsSticky(result)) return status;
  MutexLock lock(mutex_);
  if (lost_.ok()) {
    lost_ = absl::UnavailableError(absl::StrCat("the device ", device_.ordinal, " (", device_.name,
                                                ") is lost: ", status.message()));
  }
  return lost_;
}

absl::Status Context::lost() const {
  MutexLock lock(mutex_);
  return lost_;
}

}  // namespace acceld::hal::cuda

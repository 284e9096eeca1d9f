#include "server/hal/cuda/driver/peers.h"

#include "absl/strings/str_cat.h"

namespace acceld::hal::cuda {

absl::Status Peers::Copy(Context& target, CuPointer to, CuPointer from, int64_t size_bytes,
                         CuStream stream) const {
  if (size_bytes == 0) return absl::OkStatus();
  const Driver& driver = target.driver();
  const auto size = static_cast<size_t>(size_bytes);
  ACCELD_ASSIGN_OR_RETURN(const std::shared_ptr<Context> source, OwnerOf(target, from));
  if (source.get() == &target) {
    return target.Check(driver.cuMemcpyAsync(to, from, size, stream), "cuMemcpyAsync");
  }
  return target.Check(
      driver.cuMemcpyPeerAsync(to, target.handle(), from, source->handle(), size, stream),
      "cuMemcpyPeerAsync");
}

absl::StatusOr<std::shared_ptr<Context>> Peers::OwnerOf(Context& caller, CuPointer address) const {
  constexpr int kDeviceOrdinal = 9;  // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
  int device = -1;
  ACCELD_RETURN_IF_ERROR(
      caller.Check(caller.driver().cuPointerGetAttribute(&device, kDeviceOrdinal, address),
                   "cuPointerGetAttribute"));
  MutexLock lock(mutex_);
  for (const std::shared_ptr<Context>& context : contexts_) {
    if (context->device().handle == device) return context;
  }
  return absl::InternalError(absl::StrCat("memory of device ", device, ", which is not open"));
}

}  // namespace acceld::hal::cuda

#pragma once

#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "common/ir/types/dtype.h"
#include "common/status.h"
#include "server/runtime/device_executor.h"
#include "server/runtime/memory/meter.h"

namespace acceld::engine {

// Memory in which the bytes of an upload are gathered before they are copied to a device.
struct Staging {
  char* bytes = nullptr;
  std::shared_ptr<const void> owner;  // counted by the account until its destruction
  // The device memory that contains the bytes, if it is the device's own.
  std::shared_ptr<hal::Buffer> buffer;
};

// Allocates `size_bytes` of staging memory, uninitialized: the device's own memory if host code can
// write to it and there is plenty, otherwise host memory. RESOURCE_EXHAUSTED when the account or
// the system refuses.
absl::StatusOr<Staging> AllocateStaging(int64_t size_bytes,
                                        const std::shared_ptr<runtime::Meter>& account,
                                        runtime::DeviceExecutor& executor);

// Checks that elements have valid values, as kernels rely on i1 being 0 or 1 and on narrow integers
// being in range. INVALID_ARGUMENT otherwise. Reads every byte if the type is narrower than 8 bits,
// otherwise none.
absl::Status CheckElements(ir::DType dtype, absl::string_view bytes);

}  // namespace acceld::engine

#pragma once

#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "common/ir/types/dtype.h"
#include "common/status.h"
#include "server/runtime/device_executor.h"
#include "server/runtime/memory/meter.h"

namespace acceld::engine {

// Where bytes wait on their way to a device.
struct Staging {
  char* bytes = nullptr;
  std::shared_ptr<const void> owner;    // Counted by the account until it goes.
  std::shared_ptr<hal::Buffer> buffer;  // What they lie in, when it is the device's own memory.
};

// Memory for `size_bytes`: the device's own if host code can fill it and it has some to spare, else
// the host's. RESOURCE_EXHAUSTED when the account or the system refuses. Contents are undefined.
absl::StatusOr<Staging> AllocateStaging(int64_t size_bytes,
                                        const std::shared_ptr<runtime::Meter>& account,
                                        runtime::DeviceExecutor& executor);

// Kernels rely on i1 being 0 or 1 and on narrow integers being within range; INVALID_ARGUMENT for
// bytes that break this. Looks at every byte of these types and at none of the others.
absl::Status CheckElements(ir::DType dtype, absl::string_view bytes);

}  // namespace acceld::engine

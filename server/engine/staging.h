#pragma once

#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "common/ir/dtype.h"
#include "common/status.h"
#include "server/runtime/memory_account.h"

namespace acceld::engine {

// Host memory for `size_bytes` on their way to a device, counted by `account` until it is freed.
// RESOURCE_EXHAUSTED when the account or the system refuses. Contents are undefined.
absl::StatusOr<std::shared_ptr<char[]>> AllocateStaging(
    int64_t size_bytes, const std::shared_ptr<runtime::MemoryAccount>& account);

// Kernels rely on i1 being 0 or 1 and on narrow integers being within range; INVALID_ARGUMENT for
// bytes that break this. Looks at every byte of these types and at none of the others.
absl::Status CheckElements(ir::DType dtype, absl::string_view bytes);

}  // namespace acceld::engine

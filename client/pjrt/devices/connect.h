#pragma once

#include <memory>

#include "absl/types/span.h"
#include "client/client.h"
#include "client/pjrt/abi/abi.h"
#include "common/status.h"

namespace acceld::pjrt {

// Opens a session as specified by the environment (ACCELD_ADDRESS, ACCELD_DEVICE, ...) and by the
// options with which the plugin was registered. If no daemon is named and none is running, starts
// one (client/embedded/connect_or_start.h). INVALID_ARGUMENT names an unknown option; otherwise the
// errors of ConnectOrStart.
absl::StatusOr<std::shared_ptr<client::Client>> Connect(absl::Span<const PJRT_NamedValue> options);

}  // namespace acceld::pjrt

#pragma once

#include <memory>

#include "absl/types/span.h"
#include "client/client.h"
#include "client/pjrt/abi/abi.h"
#include "common/status.h"

namespace acceld::pjrt {

// Opens a session as the environment says (ACCELD_ADDRESS, ACCELD_DEVICE, ...) and as the options
// that the plugin was registered with say. Where no daemon is named, and there is none, it starts
// the one beside the plugin (client/embedded/connect_or_start.h). INVALID_ARGUMENT names an option
// that is not known; otherwise the errors of ConnectOrStart.
absl::StatusOr<std::shared_ptr<client::Client>> Connect(absl::Span<const PJRT_NamedValue> options);

}  // namespace acceld::pjrt

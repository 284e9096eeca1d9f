#pragma once

#include <string>

#include "server/observability/status_page/status.h"

namespace acceld::observability {

// Returns the contents of the status page as one JSON object. Existing keys do not change; new ones
// may be added. Units are part of the keys; times are UTC (RFC 3339).
std::string RenderJson(const DaemonStatus& status);

}  // namespace acceld::observability

#pragma once

#include <string>

#include "server/observability/status_page/status.h"

namespace acceld::observability {

// What the page says, as one object of JSON. Keys stay; new ones may come. Units are in the keys;
// times are UTC (RFC 3339).
std::string RenderJson(const DaemonStatus& status);

}  // namespace acceld::observability

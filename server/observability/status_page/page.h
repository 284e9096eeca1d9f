#pragma once

#include <string>

#include "server/observability/status_page/status.h"

namespace acceld::observability {

// Returns the status page: one self-contained HTML document that works without scripts and
// refreshes itself every few seconds. The result depends on `status` only.
std::string RenderPage(const DaemonStatus& status);

// Returns the Content-Security-Policy for the page: it allows the page's own style and script, and
// requests to its own address.
const std::string& PagePolicy();

}  // namespace acceld::observability

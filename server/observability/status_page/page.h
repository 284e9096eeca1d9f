#pragma once

#include <string>

#include "server/observability/status_page/status.h"

namespace acceld::observability {

// The status page: one document of HTML that needs nothing else, says everything without scripts,
// and renews itself every few seconds. The same status gives the same page.
std::string RenderPage(const DaemonStatus& status);

// The Content-Security-Policy to serve it with: its own style and script, and itself again.
const std::string& PagePolicy();

}  // namespace acceld::observability

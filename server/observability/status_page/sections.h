#pragma once

#include "server/observability/status_page/html.h"
#include "server/observability/status_page/status.h"

// The parts of the status page below its head, in their order.
namespace acceld::observability {

void WriteSummary(const DaemonStatus& status, Html& html);
void WriteDevices(const DaemonStatus& status, Html& html);
void WriteQueues(const DaemonStatus& status, Html& html);
void WriteSessions(const DaemonStatus& status, Html& html);
void WriteCache(const DaemonStatus& status, Html& html);
void WriteTrouble(const DaemonStatus& status, Html& html);

}  // namespace acceld::observability

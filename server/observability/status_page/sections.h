#pragma once

#include "server/observability/status_page/html.h"
#include "server/observability/status_page/status.h"

// The sections of the status page below its header, in order.
namespace acceld::observability {

void WriteSummary(const DaemonStatus& status, Html& html);
void WriteDevices(const DaemonStatus& status, Html& html);
void WriteQueues(const DaemonStatus& status, Html& html);
void WriteSessions(const DaemonStatus& status, Html& html);
void WriteCache(const DaemonStatus& status, Html& html);
void WriteTrouble(const DaemonStatus& status, Html& html);

}  // namespace acceld::observability

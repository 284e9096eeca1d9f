#pragma once

#include "absl/types/span.h"
#include "client/server_info.h"
#include "client/tools/accelctl/views/table.h"

// Tables about the sessions of a daemon, as `accelctl sessions` and `accelctl top` show them.
namespace acceld::tools {

Table SessionTable(absl::Span<const client::SessionInfo> sessions);
// The executions that occupy devices.
Table RunningTable(absl::Span<const client::RunningExecution> running);
// Who it was, how long it lasted, how many executions it had, why it ended and how long ago.
Table EndedSessionTable(absl::Span<const client::EndedSessionInfo> sessions);

}  // namespace acceld::tools

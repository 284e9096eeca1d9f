#pragma once

#include "acceld/v1/acceld.pb.h"
#include "common/api/cache_info.h"
#include "common/api/devices.h"
#include "common/api/executions.h"
#include "common/api/priority.h"
#include "common/api/sessions.h"
#include "common/api/stats.h"
#include "common/api/trace_span.h"

// The values of common/api as the messages of proto/acceld/v1 and back: the one place where the two
// are converted. A daemon and a client may be of different versions. So FromProto never fails: a
// value that this version does not know becomes "unknown" or the default. ToProto escapes text that
// is not UTF-8, as messages may hold no other. Pure functions.
namespace acceld {

v1::Priority ToProto(Priority priority);
v1::CacheVerdict ToProto(CacheVerdict verdict);
v1::ExecutionInfo ToProto(const ExecutionInfo& info);
v1::ExecutableMemory ToProto(const ExecutableMemory& memory);
v1::RunningExecution ToProto(const RunningExecution& running);
v1::DeviceInfo ToProto(const DeviceInfo& info);
v1::MissingDevices ToProto(const MissingDevices& missing);
v1::SessionInfo ToProto(const SessionInfo& info);
v1::EndedSession ToProto(const EndedSessionInfo& info);
v1::NamedArray ToProto(const NamedArrayInfo& info);
v1::CacheEntry ToProto(const CacheEntryInfo& info);
v1::CacheExplanation ToProto(const CacheExplanation& explanation);
v1::IdentityCacheStats ToProto(const IdentityCacheStats& stats);
// Counters and the remote cache; the other fields of the message are the caller's.
v1::Stats ToProto(const EngineStats& stats);
v1::TraceSpan ToProto(const TraceSpan& span);

Priority FromProto(v1::Priority proto);
CacheVerdict FromProto(v1::CacheVerdict proto);
ExecutionInfo FromProto(const v1::ExecutionInfo& proto);
ExecutableMemory FromProto(const v1::ExecutableMemory& proto);
RunningExecution FromProto(const v1::RunningExecution& proto);
DeviceInfo FromProto(const v1::DeviceInfo& proto);
MissingDevices FromProto(const v1::MissingDevices& proto);
SessionInfo FromProto(const v1::SessionInfo& proto);
EndedSessionInfo FromProto(const v1::EndedSession& proto);
CacheEntryInfo FromProto(const v1::CacheEntry& proto);
CacheExplanation FromProto(const v1::CacheExplanation& proto);
IdentityCacheStats FromProto(const v1::IdentityCacheStats& proto);
ServerStats FromProto(const v1::Stats& proto);
TraceSpan FromProto(const v1::TraceSpan& proto);

}  // namespace acceld

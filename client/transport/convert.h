#pragma once

#include "acceld/v1/acceld.pb.h"
#include "client/server_info.h"

// Conversions between the daemon's protobuf messages and the client library's own types.
namespace acceld::client {

v1::Priority ToProto(Priority priority);
Priority FromProto(v1::Priority proto);
ExecutionInfo FromProto(const v1::ExecutionInfo& proto);
DeviceInfo FromProto(const v1::DeviceInfo& proto);
MissingDevices FromProto(const v1::MissingDevices& proto);
ServerStats FromProto(const v1::Stats& proto);
SessionInfo FromProto(const v1::SessionInfo& proto);
RunningExecution FromProto(const v1::RunningExecution& proto);
CacheEntry FromProto(const v1::CacheEntry& proto);
CacheExplanation FromProto(const v1::CacheExplanation& proto);
ExecutableMemory FromProto(const v1::ExecutableMemory& proto);
TraceSpan FromProto(const v1::TraceSpan& proto);

}  // namespace acceld::client

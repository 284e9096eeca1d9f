#pragma once

#include "common/api/cache_info.h"
#include "common/api/cache_verdict.h"
#include "common/api/devices.h"
#include "common/api/executions.h"
#include "common/api/priority.h"
#include "common/api/sessions.h"
#include "common/api/stats.h"
#include "common/api/trace_span.h"

// What a daemon says of itself, under the names that users of the client library know. Plain
// values.
namespace acceld::client {

using acceld::CacheCheck;
using acceld::CacheEntryInfo;
using acceld::CacheExplanation;
using acceld::CacheRemoved;
using acceld::CacheVerdict;
using acceld::CacheVerdictName;
using acceld::CompileInfo;
using acceld::Counters;
using acceld::DeviceInfo;
using acceld::EndedSessionInfo;
using acceld::ExecutableMemory;
using acceld::ExecutionInfo;
using acceld::IdentityCacheStats;
using acceld::KeyComponent;
using acceld::MissingDevices;
using acceld::NamedArrayInfo;
using acceld::Priority;
using acceld::PriorityName;
using acceld::RemoteCacheStats;
using acceld::RunningExecution;
using acceld::ServerStats;
using acceld::SessionInfo;
using acceld::SpanKind;
using acceld::TraceSpan;

}  // namespace acceld::client

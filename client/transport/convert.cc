#include "client/transport/convert.h"

namespace acceld::client {
namespace {

CacheVerdict FromProto(v1::CacheVerdict verdict) {
  switch (verdict) {
    case v1::CACHE_VERDICT_MEMORY:
      return CacheVerdict::kMemory;
    case v1::CACHE_VERDICT_DISK:
      return CacheVerdict::kDisk;
    case v1::CACHE_VERDICT_REMOTE:
      return CacheVerdict::kRemote;
    case v1::CACHE_VERDICT_INFLIGHT:
      return CacheVerdict::kInflight;
    case v1::CACHE_VERDICT_MISS:
      return CacheVerdict::kMiss;
    default:  // Later protocols may have other values.
      return CacheVerdict::kUnknown;
  }
}

TraceSpan::Kind FromProto(v1::TraceSpan::Kind kind) {
  switch (kind) {
    case v1::TraceSpan::EXECUTION:
      return TraceSpan::Kind::kExecution;
    case v1::TraceSpan::UPLOAD:
      return TraceSpan::Kind::kUpload;
    case v1::TraceSpan::DOWNLOAD:
      return TraceSpan::Kind::kDownload;
    case v1::TraceSpan::COMPILE:
      return TraceSpan::Kind::kCompile;
    case v1::TraceSpan::COMPILE_STEP:
      return TraceSpan::Kind::kCompileStep;
    default:  // Later protocols may have other values.
      return TraceSpan::Kind::kUnknown;
  }
}

}  // namespace

ExecutionInfo FromProto(const v1::ExecutionInfo& proto) {
  return {.fingerprint = proto.fingerprint(),
          .cache_key = proto.cache_key(),
          .verdict = FromProto(proto.verdict()),
          .compile_ms = proto.compile_ms(),
          .execute_us = proto.execute_us()};
}

DeviceInfo FromProto(const v1::DeviceInfo& proto) {
  return {.id = proto.id(),
          .kind = proto.kind(),
          .name = proto.name(),
          .architecture = proto.architecture(),
          .memory_limit_bytes = proto.memory_limit_bytes(),
          .memory_used_bytes = proto.memory_used_bytes(),
          .memory_peak_bytes = proto.memory_peak_bytes(),
          .executions = proto.executions(),
          .queued = proto.queued(),
          .error = proto.error()};
}

MissingDevices FromProto(const v1::MissingDevices& proto) {
  return {.kind = proto.kind(), .reason = proto.reason(), .library = proto.library()};
}

RemoteCacheStats FromProto(const v1::RemoteCacheStats& proto) {
  RemoteCacheStats stats{.url = proto.url(),
                         .read_only = proto.read_only(),
                         .up = proto.up(),
                         .bytes_read = proto.bytes_read(),
                         .bytes_written = proto.bytes_written()};
  for (const v1::NamedCount& entry : proto.counts()) {
    stats.counts.emplace_back(entry.name(), entry.count());
  }
  return stats;
}

ServerStats FromProto(const v1::Stats& proto) {
  std::vector<IdentityCacheStats> identities;
  for (const v1::IdentityCacheStats& identity : proto.identities()) {
    identities.push_back({.identity = identity.identity(),
                          .hits_memory = identity.hits_memory(),
                          .hits_disk = identity.hits_disk(),
                          .hits_remote = identity.hits_remote(),
                          .hits_inflight = identity.hits_inflight(),
                          .misses = identity.misses()});
  }
  return {.compiles = proto.compiles(),
          .compile_failures = proto.compile_failures(),
          .executions = proto.executions(),
          .execution_failures = proto.execution_failures(),
          .compiles_queued = proto.compiles_queued(),
          .compiles_dropped = proto.compiles_dropped(),
          .compiles_stopped = proto.compiles_stopped(),
          .cache_hits_memory = proto.cache_hits_memory(),
          .cache_hits_disk = proto.cache_hits_disk(),
          .cache_hits_remote = proto.cache_hits_remote(),
          .cache_hits_inflight = proto.cache_hits_inflight(),
          .cache_misses = proto.cache_misses(),
          .cache_dropped = proto.cache_dropped(),
          .cache_memory_bytes = proto.cache_memory_bytes(),
          .cache_disk_bytes = proto.cache_disk_bytes(),
          .cache_memory_entries = proto.cache_memory_entries(),
          .cache_disk_entries = proto.cache_disk_entries(),
          .sessions = proto.sessions(),
          .sessions_total = proto.sessions_total(),
          .arrays = proto.arrays(),
          .array_bytes = proto.array_bytes(),
          .programs = proto.programs(),
          .spills = proto.spills(),
          .restores = proto.restores(),
          .spilled_bytes = proto.spilled_bytes(),
          .executable_unloads = proto.executable_unloads(),
          .remote_cache = proto.has_remote_cache()
                              ? absl::make_optional(FromProto(proto.remote_cache()))
                              : absl::nullopt,
          .identities = std::move(identities),
          .uptime_s = proto.uptime_s(),
          .version = proto.version(),
          .incarnation = proto.incarnation(),
          .draining = proto.draining(),
          .ends_when_idle = proto.ends_when_idle()};
}

v1::Priority ToProto(Priority priority) {
  switch (priority) {
    case Priority::kBatch:
      return v1::PRIORITY_BATCH;
    case Priority::kNormal:
      return v1::PRIORITY_NORMAL;
    case Priority::kInteractive:
      return v1::PRIORITY_INTERACTIVE;
  }
  return v1::PRIORITY_NORMAL;
}

Priority FromProto(v1::Priority proto) {
  switch (proto) {
    case v1::PRIORITY_BATCH:
      return Priority::kBatch;
    case v1::PRIORITY_INTERACTIVE:
      return Priority::kInteractive;
    default:  // Includes values of later protocols.
      return Priority::kNormal;
  }
}

RunningExecution FromProto(const v1::RunningExecution& proto) {
  const char* state = "runs";
  if (proto.state() == v1::RunningExecution::SUSPENDED) state = "suspended";
  if (proto.state() == v1::RunningExecution::ENDING) state = "ending";
  if (proto.state() == v1::RunningExecution::ASKS) state = "asks";
  return {.device = proto.device(),
          .session = proto.session(),
          .identity = proto.identity(),
          .program = proto.program(),
          .age_s = proto.age_s(),
          .on_device_s = proto.on_device_s(),
          .state = state};
}

SessionInfo FromProto(const v1::SessionInfo& proto) {
  return {.id = proto.id(),
          .client_name = proto.client_name(),
          .identity = proto.identity(),
          .priority = FromProto(proto.priority()),
          .age_s = proto.age_s(),
          .arrays = proto.arrays(),
          .array_bytes = proto.array_bytes(),
          .executions = proto.executions(),
          .programs = proto.programs(),
          .queued = proto.queued()};
}

CacheEntry FromProto(const v1::CacheEntry& proto) {
  return {.key = proto.key(),
          .fingerprint = proto.fingerprint(),
          .program_name = proto.program_name(),
          .signature = proto.signature(),
          .architecture = proto.architecture(),
          .size_bytes = proto.size_bytes(),
          .in_memory = proto.in_memory(),
          .on_disk = proto.on_disk(),
          .compile_ms = proto.compile_ms(),
          .age_s = proto.age_s(),
          .producer = proto.producer(),
          .remote = proto.remote()};
}

CacheExplanation FromProto(const v1::CacheExplanation& proto) {
  CacheExplanation explanation{.tier = proto.tier()};
  for (const v1::KeyComponent& component : proto.components()) {
    explanation.components.push_back(
        {.name = component.name(), .wanted = component.wanted(), .nearest = component.nearest()});
  }
  if (proto.has_nearest()) explanation.nearest = FromProto(proto.nearest());
  return explanation;
}

ExecutableMemory FromProto(const v1::ExecutableMemory& proto) {
  return {.code_bytes = proto.code_bytes(),
          .constants_bytes = proto.constants_bytes(),
          .arena_bytes = proto.arena_bytes(),
          .alias_bytes = proto.alias_bytes()};
}

TraceSpan FromProto(const v1::TraceSpan& proto) {
  return {.kind = FromProto(proto.kind()),
          .code = proto.code(),
          .track = proto.track(),
          .session = proto.session(),
          .submitted_ns = proto.submitted_ns(),
          .begin_ns = proto.begin_ns(),
          .end_ns = proto.end_ns(),
          .name = proto.name(),
          .express = proto.express()};
}

}  // namespace acceld::client

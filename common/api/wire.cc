#include "common/api/wire.h"

#include <string>

#include "common/ir/wire/wire.h"
#include "common/utf8.h"

namespace acceld {
namespace {

v1::RunningExecution::State ToProto(RunningExecution::State value) {
  switch (value) {
    case RunningExecution::State::kRuns:
      return v1::RunningExecution::RUNS;
    case RunningExecution::State::kSuspended:
      return v1::RunningExecution::SUSPENDED;
    case RunningExecution::State::kEnding:
      return v1::RunningExecution::ENDING;
    case RunningExecution::State::kAwaitsHost:
      return v1::RunningExecution::ASKS;
  }
  return v1::RunningExecution::RUNS;
}

v1::TraceSpan::Kind ToProto(SpanKind value) {
  switch (value) {
    case SpanKind::kUnknown:
      return v1::TraceSpan::KIND_UNKNOWN;
    case SpanKind::kExecution:
      return v1::TraceSpan::EXECUTION;
    case SpanKind::kUpload:
      return v1::TraceSpan::UPLOAD;
    case SpanKind::kDownload:
      return v1::TraceSpan::DOWNLOAD;
    case SpanKind::kCompile:
      return v1::TraceSpan::COMPILE;
    case SpanKind::kCompileStep:
      return v1::TraceSpan::COMPILE_STEP;
    case SpanKind::kCollective:
      return v1::TraceSpan::COLLECTIVE;
  }
  return v1::TraceSpan::KIND_UNKNOWN;
}

RunningExecution::State FromProto(v1::RunningExecution::State proto) {
  switch (proto) {
    case v1::RunningExecution::SUSPENDED:
      return RunningExecution::State::kSuspended;
    case v1::RunningExecution::ENDING:
      return RunningExecution::State::kEnding;
    case v1::RunningExecution::ASKS:
      return RunningExecution::State::kAwaitsHost;
    default:  // The enum is open on the wire.
      return RunningExecution::State::kRuns;
  }
}

SpanKind FromProto(v1::TraceSpan::Kind proto) {
  switch (proto) {
    case v1::TraceSpan::EXECUTION:
      return SpanKind::kExecution;
    case v1::TraceSpan::UPLOAD:
      return SpanKind::kUpload;
    case v1::TraceSpan::DOWNLOAD:
      return SpanKind::kDownload;
    case v1::TraceSpan::COMPILE:
      return SpanKind::kCompile;
    case v1::TraceSpan::COMPILE_STEP:
      return SpanKind::kCompileStep;
    case v1::TraceSpan::COLLECTIVE:
      return SpanKind::kCollective;
    default:  // The enum is open on the wire.
      return SpanKind::kUnknown;
  }
}

}  // namespace

v1::Priority ToProto(Priority value) {
  switch (value) {
    case Priority::kBatch:
      return v1::PRIORITY_BATCH;
    case Priority::kNormal:
      return v1::PRIORITY_NORMAL;
    case Priority::kInteractive:
      return v1::PRIORITY_INTERACTIVE;
  }
  return v1::PRIORITY_NORMAL;
}

v1::CacheVerdict ToProto(CacheVerdict value) {
  switch (value) {
    case CacheVerdict::kUnknown:
      return v1::CACHE_VERDICT_UNKNOWN;
    case CacheVerdict::kMemory:
      return v1::CACHE_VERDICT_MEMORY;
    case CacheVerdict::kDisk:
      return v1::CACHE_VERDICT_DISK;
    case CacheVerdict::kRemote:
      return v1::CACHE_VERDICT_REMOTE;
    case CacheVerdict::kInflight:
      return v1::CACHE_VERDICT_INFLIGHT;
    case CacheVerdict::kMiss:
      return v1::CACHE_VERDICT_MISS;
  }
  return v1::CACHE_VERDICT_UNKNOWN;
}

Priority FromProto(v1::Priority proto) {
  switch (proto) {
    case v1::PRIORITY_BATCH:
      return Priority::kBatch;
    case v1::PRIORITY_INTERACTIVE:
      return Priority::kInteractive;
    default:  // The enum is open on the wire.
      return Priority::kNormal;
  }
}

CacheVerdict FromProto(v1::CacheVerdict proto) {
  switch (proto) {
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
    default:  // The enum is open on the wire.
      return CacheVerdict::kUnknown;
  }
}

v1::ExecutionInfo ToProto(const ExecutionInfo& info) {
  v1::ExecutionInfo proto;
  proto.set_fingerprint(info.fingerprint);
  proto.set_cache_key(info.cache_key);
  proto.set_verdict(ToProto(info.verdict));
  proto.set_compile_ms(info.compile_ms);
  proto.set_execute_us(info.execute_us);
  return proto;
}

ExecutionInfo FromProto(const v1::ExecutionInfo& proto) {
  return {.fingerprint = proto.fingerprint(),
          .cache_key = proto.cache_key(),
          .verdict = FromProto(proto.verdict()),
          .compile_ms = proto.compile_ms(),
          .execute_us = proto.execute_us()};
}

v1::ExecutableMemory ToProto(const ExecutableMemory& info) {
  v1::ExecutableMemory proto;
  proto.set_code_bytes(info.code_bytes);
  proto.set_constants_bytes(info.constants_bytes);
  proto.set_arena_bytes(info.arena_bytes);
  proto.set_alias_bytes(info.alias_bytes);
  return proto;
}

ExecutableMemory FromProto(const v1::ExecutableMemory& proto) {
  return {.code_bytes = proto.code_bytes(),
          .constants_bytes = proto.constants_bytes(),
          .arena_bytes = proto.arena_bytes(),
          .alias_bytes = proto.alias_bytes()};
}

v1::RunningExecution ToProto(const RunningExecution& info) {
  v1::RunningExecution proto;
  proto.set_device(info.device);
  proto.set_session(info.session);
  proto.set_identity(EscapeNonUtf8(info.identity));
  proto.set_program(EscapeNonUtf8(info.program));
  proto.set_age_s(info.age_s);
  proto.set_on_device_s(info.on_device_s);
  proto.set_state(ToProto(info.state));
  return proto;
}

RunningExecution FromProto(const v1::RunningExecution& proto) {
  return {.device = proto.device(),
          .session = proto.session(),
          .identity = proto.identity(),
          .program = proto.program(),
          .age_s = proto.age_s(),
          .on_device_s = proto.on_device_s(),
          .state = FromProto(proto.state())};
}

v1::DeviceInfo ToProto(const DeviceInfo& info) {
  v1::DeviceInfo proto;
  proto.set_id(info.id);
  proto.set_kind(info.kind);
  proto.set_name(EscapeNonUtf8(info.name));
  proto.set_architecture(info.architecture);
  proto.set_memory_limit_bytes(info.memory_limit_bytes);
  proto.set_memory_used_bytes(info.memory_used_bytes);
  proto.set_memory_peak_bytes(info.memory_peak_bytes);
  proto.set_executions(info.executions);
  proto.set_queued(info.queued);
  proto.set_gangs(info.gangs);
  proto.set_error(EscapeNonUtf8(info.error));
  return proto;
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
          .gangs = proto.gangs(),
          .error = proto.error()};
}

v1::MissingDevices ToProto(const MissingDevices& info) {
  v1::MissingDevices proto;
  proto.set_kind(info.kind);
  proto.set_reason(EscapeNonUtf8(info.reason));
  proto.set_library(info.library);
  return proto;
}

MissingDevices FromProto(const v1::MissingDevices& proto) {
  return {.kind = proto.kind(), .reason = proto.reason(), .library = proto.library()};
}

v1::SessionInfo ToProto(const SessionInfo& info) {
  v1::SessionInfo proto;
  proto.set_id(info.id);
  proto.set_client_name(EscapeNonUtf8(info.client_name));
  proto.set_identity(EscapeNonUtf8(info.identity));
  proto.set_priority(ToProto(info.priority));
  proto.set_age_s(info.age_s);
  proto.set_arrays(info.arrays);
  proto.set_array_bytes(info.array_bytes);
  proto.set_executions(info.executions);
  proto.set_programs(info.programs);
  proto.set_queued(info.queued);
  proto.set_handles(info.handles);
  return proto;
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
          .queued = proto.queued(),
          .handles = proto.handles()};
}

v1::EndedSession ToProto(const EndedSessionInfo& info) {
  v1::EndedSession proto;
  proto.set_id(info.id);
  proto.set_client_name(EscapeNonUtf8(info.client_name));
  proto.set_identity(EscapeNonUtf8(info.identity));
  proto.set_lasted_s(info.lasted_s);
  proto.set_age_s(info.age_s);
  proto.set_executions(info.executions);
  proto.set_reason(EscapeNonUtf8(info.reason));
  return proto;
}

EndedSessionInfo FromProto(const v1::EndedSession& proto) {
  return {.id = proto.id(),
          .client_name = proto.client_name(),
          .identity = proto.identity(),
          .lasted_s = proto.lasted_s(),
          .age_s = proto.age_s(),
          .executions = proto.executions(),
          .reason = proto.reason()};
}

v1::CacheEntry ToProto(const CacheEntryInfo& info) {
  v1::CacheEntry proto;
  proto.set_key(info.key);
  proto.set_fingerprint(info.fingerprint);
  proto.set_program_name(EscapeNonUtf8(info.program_name));
  proto.set_signature(EscapeNonUtf8(info.signature));
  proto.set_architecture(info.architecture);
  proto.set_size_bytes(info.size_bytes);
  proto.set_in_memory(info.in_memory);
  proto.set_on_disk(info.on_disk);
  proto.set_compile_ms(info.compile_ms);
  proto.set_age_s(info.age_s);
  proto.set_producer(EscapeNonUtf8(info.producer));
  proto.set_remote(info.remote);
  return proto;
}

CacheEntryInfo FromProto(const v1::CacheEntry& proto) {
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

v1::TraceSpan ToProto(const TraceSpan& info) {
  v1::TraceSpan proto;
  proto.set_kind(ToProto(info.kind));
  proto.set_express(info.express);
  proto.set_code(info.code);
  proto.set_track(info.track);
  proto.set_session(info.session);
  proto.set_submitted_ns(info.submitted_ns);
  proto.set_begin_ns(info.begin_ns);
  proto.set_end_ns(info.end_ns);
  proto.set_wait_ns(info.wait_ns);
  proto.set_bytes(info.bytes);
  proto.set_gang(info.gang);
  proto.set_participant(info.participant);
  proto.set_name(EscapeNonUtf8(info.name));
  return proto;
}

TraceSpan FromProto(const v1::TraceSpan& proto) {
  return {.kind = FromProto(proto.kind()),
          .express = proto.express(),
          .code = static_cast<uint8_t>(proto.code()),
          .track = proto.track(),
          .session = proto.session(),
          .submitted_ns = proto.submitted_ns(),
          .begin_ns = proto.begin_ns(),
          .end_ns = proto.end_ns(),
          .wait_ns = proto.wait_ns(),
          .bytes = proto.bytes(),
          .gang = proto.gang(),
          .participant = proto.participant(),
          .name = proto.name()};
}

v1::NamedArray ToProto(const NamedArrayInfo& info) {
  v1::NamedArray proto;
  proto.set_name(info.name);
  proto.set_owner(EscapeNonUtf8(info.owner));
  *proto.mutable_type() = ir::ToProto(info.type);
  proto.set_device(info.device);
  proto.set_for_everyone(info.for_everyone);
  proto.set_age_s(info.age_s);
  return proto;
}

v1::CacheExplanation ToProto(const CacheExplanation& explanation) {
  v1::CacheExplanation proto;
  proto.set_tier(explanation.tier);
  for (const KeyComponent& component : explanation.components) {
    v1::KeyComponent& entry = *proto.add_components();
    entry.set_name(component.name);
    entry.set_wanted(EscapeNonUtf8(component.wanted));
    entry.set_nearest(EscapeNonUtf8(component.nearest));
  }
  if (explanation.nearest.has_value()) *proto.mutable_nearest() = ToProto(*explanation.nearest);
  return proto;
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

v1::IdentityCacheStats ToProto(const IdentityCacheStats& stats) {
  const auto count = [&](CacheVerdict verdict) {
    return stats.lookups[static_cast<size_t>(verdict)];
  };
  v1::IdentityCacheStats proto;
  proto.set_identity(EscapeNonUtf8(stats.identity));
  proto.set_hits_memory(count(CacheVerdict::kMemory));
  proto.set_hits_disk(count(CacheVerdict::kDisk));
  proto.set_hits_remote(count(CacheVerdict::kRemote));
  proto.set_hits_inflight(count(CacheVerdict::kInflight));
  proto.set_misses(count(CacheVerdict::kMiss));
  return proto;
}

IdentityCacheStats FromProto(const v1::IdentityCacheStats& proto) {
  IdentityCacheStats stats{.identity = proto.identity()};
  const auto set = [&](CacheVerdict verdict, uint64_t count) {
    stats.lookups[static_cast<size_t>(verdict)] = count;
  };
  set(CacheVerdict::kMemory, proto.hits_memory());
  set(CacheVerdict::kDisk, proto.hits_disk());
  set(CacheVerdict::kRemote, proto.hits_remote());
  set(CacheVerdict::kInflight, proto.hits_inflight());
  set(CacheVerdict::kMiss, proto.misses());
  return stats;
}

v1::Stats ToProto(const EngineStats& stats) {
  v1::Stats proto;
  for (const CounterInfo& counter : CounterInfos()) {
    (*proto.mutable_counters())[std::string(counter.name)] = stats.*counter.field;
  }
  if (!stats.remote_cache.has_value()) return proto;
  v1::RemoteCacheStats& remote = *proto.mutable_remote_cache();
  remote.set_url(EscapeNonUtf8(stats.remote_cache->url));
  remote.set_read_only(stats.remote_cache->read_only);
  remote.set_up(stats.remote_cache->up);
  remote.set_bytes_read(stats.remote_cache->bytes_read);
  remote.set_bytes_written(stats.remote_cache->bytes_written);
  for (const auto& [name, count] : stats.remote_cache->counts) {
    v1::NamedCount& entry = *remote.add_counts();
    entry.set_name(name);
    entry.set_count(count);
  }
  return proto;
}

ServerStats FromProto(const v1::Stats& proto) {
  ServerStats stats;
  for (const CounterInfo& counter : CounterInfos()) {
    const auto it = proto.counters().find(std::string(counter.name));
    if (it != proto.counters().end()) stats.*counter.field = it->second;
  }
  if (proto.has_remote_cache()) {
    const v1::RemoteCacheStats& remote = proto.remote_cache();
    stats.remote_cache = RemoteCacheStats{.url = remote.url(),
                                          .read_only = remote.read_only(),
                                          .up = remote.up(),
                                          .bytes_read = remote.bytes_read(),
                                          .bytes_written = remote.bytes_written()};
    for (const v1::NamedCount& entry : remote.counts()) {
      stats.remote_cache->counts.emplace_back(entry.name(), entry.count());
    }
  }
  for (const v1::IdentityCacheStats& identity : proto.identities()) {
    stats.identities.push_back(FromProto(identity));
  }
  stats.uptime_s = proto.uptime_s();
  stats.version = proto.version();
  stats.incarnation = proto.incarnation();
  stats.draining = proto.draining();
  stats.ends_when_idle = proto.ends_when_idle();
  return stats;
}

}  // namespace acceld

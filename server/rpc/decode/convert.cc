#include "server/rpc/decode/convert.h"

#include "common/ir/program.h"
#include "common/ir/verify/limits.h"
#include "common/ir/verify/verifier.h"
#include "common/ir/wire/wire.h"
#include "common/utf8.h"

namespace acceld::rpc {
namespace {

v1::CacheVerdict ToProto(engine::CacheVerdict verdict) {
  switch (verdict) {
    case engine::CacheVerdict::kUnknown:
      return v1::CACHE_VERDICT_UNKNOWN;
    case engine::CacheVerdict::kMemory:
      return v1::CACHE_VERDICT_MEMORY;
    case engine::CacheVerdict::kDisk:
      return v1::CACHE_VERDICT_DISK;
    case engine::CacheVerdict::kRemote:
      return v1::CACHE_VERDICT_REMOTE;
    case engine::CacheVerdict::kInflight:
      return v1::CACHE_VERDICT_INFLIGHT;
    case engine::CacheVerdict::kMiss:
      return v1::CACHE_VERDICT_MISS;
  }
  return v1::CACHE_VERDICT_UNKNOWN;
}

}  // namespace

v1::ExecutionInfo ToProto(const engine::ExecutionInfo& info) {
  v1::ExecutionInfo proto;
  proto.set_fingerprint(info.fingerprint);
  proto.set_cache_key(info.cache_key);
  proto.set_verdict(ToProto(info.verdict));
  proto.set_compile_ms(info.compile_ms);
  proto.set_execute_us(info.execute_us);
  return proto;
}

v1::DeviceInfo ToProto(const engine::DeviceInfo& info) {
  v1::DeviceInfo proto;
  proto.set_id(info.id);
  proto.set_kind(info.kind);
  proto.set_name(info.name);
  proto.set_architecture(info.architecture);
  proto.set_memory_limit_bytes(info.memory_limit_bytes);
  proto.set_memory_used_bytes(info.memory_used_bytes);
  proto.set_memory_peak_bytes(info.memory_peak_bytes);
  proto.set_executions(info.executions);
  proto.set_queued(info.queued);
  proto.set_error(std::string(info.health.message()));
  return proto;
}

v1::Stats ToProto(const engine::EngineStats& stats) {
  v1::Stats proto;
  proto.set_compiles(stats.compiles);
  proto.set_compile_failures(stats.compile_failures);
  proto.set_compiles_queued(stats.compiles_queued);
  proto.set_compiles_dropped(stats.compiles_dropped);
  proto.set_compiles_stopped(stats.compiles_stopped);
  proto.set_executions(stats.executions);
  proto.set_execution_failures(stats.execution_failures);
  proto.set_cache_hits_memory(stats.cache_hits_memory);
  proto.set_cache_hits_disk(stats.cache_hits_disk);
  proto.set_cache_hits_remote(stats.cache_hits_remote);
  proto.set_cache_hits_inflight(stats.cache_hits_inflight);
  proto.set_cache_misses(stats.cache_misses);
  proto.set_cache_dropped(stats.cache_dropped);
  proto.set_cache_memory_bytes(stats.cache_memory_bytes);
  proto.set_cache_disk_bytes(stats.cache_disk_bytes);
  proto.set_cache_memory_entries(stats.cache_memory_entries);
  proto.set_cache_disk_entries(stats.cache_disk_entries);
  proto.set_sessions(stats.sessions);
  proto.set_sessions_total(stats.sessions_total);
  proto.set_arrays(stats.arrays);
  proto.set_array_bytes(stats.array_bytes);
  proto.set_programs(stats.programs);
  proto.set_spills(stats.spills);
  proto.set_restores(stats.restores);
  proto.set_spilled_bytes(stats.spilled_bytes);
  proto.set_executable_unloads(stats.executable_unloads);
  if (stats.remote_cache.has_value()) {
    v1::RemoteCacheStats& remote = *proto.mutable_remote_cache();
    remote.set_url(stats.remote_cache->url);
    remote.set_read_only(stats.remote_cache->read_only);
    remote.set_up(stats.remote_cache->up);
    remote.set_bytes_read(stats.remote_cache->bytes_read);
    remote.set_bytes_written(stats.remote_cache->bytes_written);
    for (const auto& [name, count] : stats.remote_cache->counts) {
      v1::NamedCount& entry = *remote.add_counts();
      entry.set_name(std::string(name));
      entry.set_count(count);
    }
  }
  return proto;
}

engine::Priority FromProto(v1::Priority priority) {
  switch (priority) {
    case v1::PRIORITY_BATCH:
      return engine::Priority::kBatch;
    case v1::PRIORITY_INTERACTIVE:
      return engine::Priority::kInteractive;
    default:  // including a priority that only later versions of the protocol have
      return engine::Priority::kNormal;
  }
}

v1::Priority ToProto(engine::Priority priority) {
  switch (priority) {
    case engine::Priority::kBatch:
      return v1::PRIORITY_BATCH;
    case engine::Priority::kNormal:
      return v1::PRIORITY_NORMAL;
    case engine::Priority::kInteractive:
      return v1::PRIORITY_INTERACTIVE;
  }
  return v1::PRIORITY_NORMAL;
}

v1::SessionInfo ToProto(const engine::SessionInfo& info) {
  v1::SessionInfo proto;
  proto.set_id(info.id);
  proto.set_client_name(info.client_name);
  proto.set_age_s(info.age_s);
  proto.set_arrays(info.arrays);
  proto.set_array_bytes(info.array_bytes);
  proto.set_executions(info.executions);
  proto.set_programs(info.programs);
  proto.set_queued(info.queued);
  proto.set_identity(info.identity);
  proto.set_priority(ToProto(info.priority));
  return proto;
}

v1::RunningExecution ToProto(const engine::RunningExecution& info) {
  v1::RunningExecution proto;
  proto.set_device(info.device);
  proto.set_session(info.session);
  proto.set_identity(info.identity);
  proto.set_program(info.program);
  proto.set_age_s(info.age_s);
  proto.set_on_device_s(info.on_device_s);
  switch (info.state) {
    case engine::RunningExecution::State::kRuns:
      proto.set_state(v1::RunningExecution::RUNS);
      break;
    case engine::RunningExecution::State::kSuspended:
      proto.set_state(v1::RunningExecution::SUSPENDED);
      break;
    case engine::RunningExecution::State::kEnding:
      proto.set_state(v1::RunningExecution::ENDING);
      break;
    case engine::RunningExecution::State::kAsks:
      proto.set_state(v1::RunningExecution::ASKS);
      break;
  }
  return proto;
}

v1::NamedArray ToProto(const engine::NamedArrayInfo& info) {
  v1::NamedArray proto;
  proto.set_name(info.name);
  proto.set_owner(info.owner);
  *proto.mutable_type() = ir::ToProto(info.type);
  proto.set_device(info.device);
  proto.set_for_everyone(info.for_everyone);
  proto.set_age_s(info.age_s);
  return proto;
}

v1::CacheEntry ToProto(const engine::CacheEntryInfo& info) {
  v1::CacheEntry proto;
  proto.set_key(info.key);
  proto.set_fingerprint(info.fingerprint);
  // A record cuts a name to a length in bytes, so the name may end within a character.
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

v1::IdentityCacheStats ToProto(const engine::IdentityInfo& info) {
  const auto count = [&](engine::CacheVerdict verdict) {
    return info.cache_lookups[static_cast<size_t>(verdict)];
  };
  v1::IdentityCacheStats proto;
  proto.set_identity(EscapeNonUtf8(info.identity));
  proto.set_hits_memory(count(engine::CacheVerdict::kMemory));
  proto.set_hits_disk(count(engine::CacheVerdict::kDisk));
  proto.set_hits_remote(count(engine::CacheVerdict::kRemote));
  proto.set_hits_inflight(count(engine::CacheVerdict::kInflight));
  proto.set_misses(count(engine::CacheVerdict::kMiss));
  return proto;
}

v1::CacheExplanation ToProto(const engine::CacheExplanation& explanation) {
  v1::CacheExplanation proto;
  proto.set_tier(explanation.tier);
  for (const engine::KeyComponent& component : explanation.components) {
    v1::KeyComponent& entry = *proto.add_components();
    entry.set_name(component.name);
    entry.set_wanted(EscapeNonUtf8(component.wanted));
    entry.set_nearest(EscapeNonUtf8(component.nearest));
  }
  if (explanation.nearest.has_value()) *proto.mutable_nearest() = ToProto(*explanation.nearest);
  return proto;
}

v1::ExecutableMemory ToProto(const engine::ExecutableMemory& memory) {
  v1::ExecutableMemory proto;
  proto.set_code_bytes(memory.code_bytes);
  proto.set_constants_bytes(memory.constants_bytes);
  proto.set_arena_bytes(memory.arena_bytes);
  proto.set_alias_bytes(memory.alias_bytes);
  return proto;
}

absl::StatusOr<ir::Module> DecodeProgram(const v1::Program& program) {
  switch (program.form_case()) {
    case v1::Program::kModule:
      return ir::FromProto(program.module());
    case v1::Program::kText: {
      const std::string& name = program.file_name();
      if (name.size() > static_cast<size_t>(ir::limits::kMaxNameBytes)) {
        return absl::InvalidArgumentError("the program's file name is too long");
      }
      ACCELD_ASSIGN_OR_RETURN(
          ir::Module module,
          ir::ReadProgram(program.text(), name.empty() ? "<program>" : name.c_str()));
      ACCELD_RETURN_IF_ERROR(ir::RefuseInternalOps(module));
      return module;
    }
    case v1::Program::FORM_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("the program has neither a module nor text");
}

std::string EntryOf(const v1::Program& program) {
  return program.entry().empty() ? "main" : program.entry();
}

}  // namespace acceld::rpc

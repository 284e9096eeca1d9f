#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/threads/fair_pool.h"
#include "common/threads/mutex.h"
#include "common/threads/timer_queue.h"
#include "server/cache/executable_cache.h"
#include "server/engine/cache/compile_targets.h"
#include "server/engine/engine.h"
#include "server/engine/engine_parts.h"
#include "server/engine/program.h"
#include "server/engine/session/ended_sessions.h"
#include "server/engine/session/session_impl.h"
#include "server/engine/sharing/content_table.h"
#include "server/engine/sharing/identity_account.h"
#include "server/engine/sharing/named_arrays.h"
#include "server/engine/sharing/placement.h"
#include "server/engine/sharing/pools.h"
#include "server/runtime/device_executor.h"
#include "server/runtime/gang/gang_scheduler.h"
#include "server/runtime/memory/host_memory.h"

namespace acceld::engine {

// The implementation of Engine. Owns devices, executors, cache, programs and the list of open
// sessions. The destructor closes the sessions and waits for running kernels.
class EngineImpl final : public Engine {
 public:
  EngineImpl(const EngineOptions& options, EngineParts parts);
  ~EngineImpl() override;

  absl::StatusOr<std::shared_ptr<Session>> OpenSession(SessionOptions options) override;
  absl::StatusOr<Digest> AddProgram(ir::Module module, std::string entry,
                                    int64_t size_bytes) override;
  std::vector<DeviceInfo> Devices() const override;
  std::vector<MissingDevices> Missing() const override { return parts_.missing_devices; }
  EngineStats Stats() const override;
  std::vector<SessionInfo> Sessions() const override;
  std::vector<EndedSessionInfo> EndedSessions() const override { return ended_sessions_.List(); }
  std::vector<RunningExecution> Running() const override;
  absl::Status CloseSession(uint64_t id, absl::string_view reason) override;
  EngineMetrics Metrics() const override;
  void ReadActivity(EngineActivity& activity) const override;
  absl::StatusOr<std::vector<TraceSpan>> Trace(std::chrono::nanoseconds last) const override;
  absl::StatusOr<std::vector<TraceSpan>> SessionTrace(uint64_t session,
                                                      int64_t since_ns) const override;
  bool KnowsCacheEntries() const override;
  std::vector<CacheEntryInfo> CacheEntries(size_t offset, size_t limit) const override;
  absl::StatusOr<RemoteCachePage> RemoteCacheEntries(absl::string_view from, size_t limit) override;
  absl::StatusOr<std::vector<CacheCheck>> VerifyCache(bool remote) override;
  absl::StatusOr<CacheRemoved> PurgeCache(const std::vector<std::string>& keys,
                                          bool remote) override;
  absl::StatusOr<std::string> ExportCacheEntry(const std::string& key) override;
  absl::StatusOr<std::unique_ptr<CacheImport>> BeginCacheImport() override;
  absl::Status ReloadTeamKeys() override;
  std::vector<NamedArrayInfo> NamedArrays(const Identity& reader) const override {
    return named_arrays_.List(reader);
  }
  uint64_t incarnation() const override { return incarnation_; }
  std::shared_ptr<Allowance> AllowanceOf(const Identity& identity, QuotaId quota) override {
    return identities_.Of(identity)->allowance(quota);
  }
  std::vector<IdentityInfo> Identities() const override;
  void SetQuotas(Quotas quotas) override { identities_.SetQuotas(std::move(quotas)); }
  void Shutdown(std::chrono::milliseconds grace) override;

  // For sessions. The objects returned are constant or thread-safe.
  const EngineOptions& options() const { return options_; }
  const EngineParts& parts() const { return parts_; }
  size_t num_devices() const { return executors_.size(); }
  runtime::DeviceExecutor& executor(uint32_t device) { return *executors_[device]; }
  CompileTargets& targets() { return targets_; }
  cache::ExecutableCache& executables() { return *cache_; }
  ProgramRegistry& programs() { return programs_; }
  engine::NamedArrays& named_arrays() { return named_arrays_; }
  // Shared with uploads that end after their session.
  const std::shared_ptr<ContentTable>& contents() const { return contents_; }
  TimerQueue& timers() { return timers_; }
  runtime::GangScheduler& gangs() { return gangs_; }
  // Returns an array on the device with the number of a process, for programs of several processes.
  // It is made at the first call; its memory is the engine's.
  std::shared_ptr<runtime::Array> ProcessNumber(uint32_t device, uint32_t number);
  // A pool for work that allocates much memory, to keep it off the threads of streams.
  FairPool& transfers() { return *transfers_; }
  observability::TraceRing& trace() { return trace_; }
  // The limit in bytes for the unfinished uploads of one session.
  int64_t staging_limit() const;
  // Counts an execution or array that failed when its command was received.
  void CountRefusal(const absl::Status& error) { refusals_.Add(error.code()); }
  // Moves a closed session from the list of open sessions to that of ended ones.
  void Forget(EndedSession session);

 private:
  std::vector<std::shared_ptr<SessionImpl>> OpenSessions() const;
  // Returns FAILED_PRECONDITION when no trace is kept.
  absl::Status CheckTraced() const;
  // Returns the load of each device, without the number of its sessions.
  std::vector<DeviceLoad> Loads() const;
  // Both release what is unused, and schedule themselves again.
  void ReleaseUnused();
  void ReleaseUnusedStreams();
  void WarmUp();

  const EngineOptions options_;
  const EngineParts parts_;
  const uint64_t incarnation_;
  const std::shared_ptr<runtime::MemoryAccount> total_;  // the parent of the identities' accounts
  const std::shared_ptr<runtime::MemoryAccount> own_;    // of arrays that no client has made
  IdentityAccounts identities_;
  // Shared with the arrays that are stored there.
  const std::shared_ptr<runtime::HostMemory> host_memory_;
  CompileTargets targets_;
  ProgramRegistry programs_;
  engine::NamedArrays named_arrays_;
  const std::shared_ptr<ContentTable> contents_ = std::make_shared<ContentTable>();
  engine::EndedSessions ended_sessions_;
  observability::StatusCounter refusals_;
  observability::TraceRing trace_;
  runtime::GangScheduler gangs_;  // used by the executors
  std::vector<std::unique_ptr<runtime::DeviceExecutor>> executors_;
  std::unique_ptr<FairPool> transfers_;
  std::unique_ptr<cache::ExecutableCache> cache_;

  TimerQueue timers_;  // callbacks use the executors
  TimerQueue housekeeping_{"housekeeping", 2};
  std::thread warm_up_;

  Mutex process_numbers_mutex_;
  // By device and number.
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, std::shared_ptr<runtime::Array>>
      process_numbers_ ABSL_GUARDED_BY(process_numbers_mutex_);
  Mutex team_keys_mutex_;  // held while the keys are read and replaced
  mutable Mutex mutex_;
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t sessions_total_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<uint64_t, std::shared_ptr<SessionImpl>> sessions_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::engine

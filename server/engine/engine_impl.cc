#include "server/engine/engine_impl.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/crypto/random_bytes.h"
#include "common/log/log.h"
#include "common/percent.h"
#include "server/engine/cache/explain.h"

namespace acceld::engine {
namespace {

constexpr size_t kTokenBytes = 16;
// How long Shutdown waits for kernels that were told to stop.
constexpr std::chrono::milliseconds kCancelGrace{1'000};
// Memory that has been unused for one to two intervals is returned to the system.
constexpr std::chrono::seconds kReleaseInterval{60};
// The same for streams of suspended executions, with their threads.
constexpr std::chrono::seconds kStreamsInterval{5};

uint64_t RandomNumber() {
  uint64_t number = 0;
  std::memcpy(&number, RandomBytes(sizeof(number)).data(), sizeof(number));
  return number;
}

std::string HostName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// Returns nullopt when there is no remote tier.
absl::optional<RemoteCacheStats> ToPublic(const absl::optional<cache::RemoteTier::Options>& options,
                                          const absl::optional<cache::RemoteTier::Stats>& stats) {
  if (!options.has_value() || !stats.has_value()) return absl::nullopt;
  return RemoteCacheStats{.url = cache::redis::ToString(options->redis.url),
                          .read_only = options->entries.read_only,
                          .up = !stats->redis.breaker_is_open,
                          .bytes_read = stats->entries.bytes_read,
                          .bytes_written = stats->entries.bytes_written,
                          .counts = {{"hits", stats->hits},
                                     {"misses", stats->misses},
                                     {"refused", stats->entries.refused},
                                     {"lost_blobs", stats->entries.lost_blobs},
                                     {"saved", stats->entries.saved},
                                     {"others_were_first", stats->entries.others_were_first},
                                     {"uploads_failed", stats->uploads_failed},
                                     {"uploads_dropped", stats->uploads_dropped},
                                     {"leases", stats->leases},
                                     {"leases_lost", stats->leases_lost},
                                     {"waits", stats->waits},
                                     {"waits_given_up", stats->waits_given_up},
                                     {"calls", stats->redis.calls},
                                     {"calls_failed", stats->redis.failures},
                                     {"breaker_openings", stats->redis.breaker_openings}}};
}

}  // namespace

int CompileThreads(const EngineOptions& options) {
  return options.compile_threads > 0
             ? options.compile_threads
             : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

std::unique_ptr<Engine> MakeEngine(const EngineOptions& options, EngineParts parts) {
  return std::make_unique<EngineImpl>(options, std::move(parts));
}

EngineImpl::EngineImpl(const EngineOptions& options, EngineParts parts)
    : options_(options),
      parts_(std::move(parts)),
      incarnation_(RandomNumber()),
      total_(std::make_shared<runtime::MemoryAccount>(INT64_MAX)),
      own_(std::make_shared<runtime::MemoryAccount>(INT64_MAX)),
      identities_(options_.quotas, std::make_shared<const Pools>(options_), total_),
      host_memory_(std::make_shared<runtime::HostMemory>(
          options_.host_memory_bytes,
          // As much as the share of one identity; nothing when the shares are too large for that.
          PercentOf(options_.host_memory_bytes, std::min(options_.identity_share_percent,
                                                         100 - options_.identity_share_percent)))),
      targets_(parts_.devices, parts_.make_generator),
      programs_(parts_, options_.program_bytes),
      named_arrays_(static_cast<size_t>(options_.max_named_arrays)),
      trace_(options_.trace_spans),
      transfers_(std::make_unique<FairPool>("transfer", 1,
                                            static_cast<size_t>(options_.max_queued_copies),
                                            options_.identity_share_percent)),
      timers_("timers", static_cast<size_t>(options.max_deadlines)) {
  std::vector<hal::Device*> devices;
  for (const codegen::TargetDevice& part : parts_.devices) {
    hal::Device* const device = part.device.get();
    devices.push_back(device);
    const size_t index = executors_.size();
    executors_.push_back(std::make_unique<runtime::DeviceExecutor>(
        *device, static_cast<int>(index),
        runtime::DeviceExecutor::Options{
            .max_in_flight = parts_.max_in_flight,
            .trace = &trace_,
            .memory = {.host = host_memory_,
                       .unload_executables =
                           [this, index](int64_t bytes) { return cache_->Unload(index, bytes); },
                       .share_percent = options_.identity_share_percent},
            .stall_timeout = options_.stall_timeout}));
  }
  ACCELD_CHECK(!devices.empty());
  cache_ = std::make_unique<cache::ExecutableCache>(
      cache::ExecutableCache::Options{.folder = options_.cache_dir,
                                      .disk_bytes = options_.cache_disk_bytes,
                                      .memory_bytes = options_.cache_memory_bytes,
                                      .share_percent = options_.identity_share_percent,
                                      .compile_threads = CompileThreads(options_),
                                      .max_compile_bytes = options_.max_compile_bytes > 0
                                                               ? options_.max_compile_bytes
                                                               : WorkBounds::kUnbounded,
                                      .remote = parts_.remote_cache,
                                      .bundle_keys = parts_.bundle_keys,
                                      .producer = HostName(),
                                      .compile_options = parts_.compile_options},
      std::move(devices), parts_.build_id);
  ReleaseUnused();
  ReleaseUnusedStreams();
  if (parts_.warm_up) warm_up_ = std::thread([this] { WarmUp(); });
}

std::shared_ptr<runtime::Array> EngineImpl::ProcessNumber(uint32_t device, uint32_t number) {
  const MutexLock lock(process_numbers_mutex_);
  std::shared_ptr<runtime::Array>& array = process_numbers_[{device, number}];
  if (array != nullptr && array->state() != runtime::Array::State::kFailed) return array;
  runtime::DeviceExecutor& executor = *executors_[device];
  array = std::make_shared<runtime::Array>(ir::TensorType{ir::DType::kUI32, {}},
                                           static_cast<int>(device), own_);
  const auto value = std::make_shared<const uint32_t>(number);
  const std::shared_ptr<runtime::Task> task = runtime::Task::Create(runtime::Upload{
      .data = value.get(), .size_bytes = sizeof(*value), .keep_alive = value, .buffer = nullptr});
  task->outputs.push_back(array);
  executor.Submit(executor.OpenQueue(own_, Priority::kInteractive), task,
                  /*executable_ready=*/true);
  return array;
}

void EngineImpl::WarmUp() {
  absl::flat_hash_set<std::string> warm;
  for (const codegen::TargetDevice& part : parts_.devices) {
    if (!warm.insert(part.generator->architecture()).second) continue;
    const absl::Status status = parts_.warm_up(*part.generator);
    if (!status.ok()) LogWarning("cannot warm up ", part.device->name(), ": ", status.ToString());
  }
}

void EngineImpl::ReleaseUnused() {
  for (const codegen::TargetDevice& part : parts_.devices) part.device->ReleaseUnusedMemory();
  (void)housekeeping_.At(std::chrono::steady_clock::now() + kReleaseInterval,
                         [this] { ReleaseUnused(); });
}

void EngineImpl::ReleaseUnusedStreams() {
  for (const auto& executor : executors_) executor->ReleaseUnusedStreams();
  (void)housekeeping_.At(std::chrono::steady_clock::now() + kStreamsInterval,
                         [this] { ReleaseUnusedStreams(); });
}

EngineImpl::~EngineImpl() {
  if (warm_up_.joinable()) warm_up_.join();
  Shutdown(std::chrono::milliseconds(0));
  // The executors use the cache until they are idle, and the cache calls them until it is
  // destroyed.
  for (const auto& executor : executors_) {
    executor->WaitUntilIdle(std::chrono::steady_clock::time_point::max());
  }
  cache_.reset();
  transfers_.reset();
}

int64_t EngineImpl::staging_limit() const {
  if (options_.max_session_bytes > 0) return options_.max_session_bytes;
  int64_t bytes = 0;
  for (const codegen::TargetDevice& part : parts_.devices) {
    bytes += part.device->memory().limit_bytes;
  }
  return bytes;
}

absl::StatusOr<std::shared_ptr<Session>> EngineImpl::OpenSession(SessionOptions options) {
  std::vector<DeviceLoad> loads;
  if (options.device_kind.has_value()) loads = Loads();
  MutexLock lock(mutex_);
  if (draining_) return absl::UnavailableError("the daemon is shutting down");
  if (static_cast<int64_t>(sessions_.size()) >= options_.max_sessions) {
    return absl::ResourceExhaustedError(
        absl::StrCat(sessions_.size(), " of ", options_.max_sessions, " sessions are open"));
  }
  absl::optional<uint32_t> device;
  if (options.device_kind.has_value()) {
    for (uint32_t i = 0; i < loads.size(); ++i) {
      loads[i].sessions = static_cast<uint64_t>(
          std::count_if(sessions_.begin(), sessions_.end(),
                        [i](const auto& session) { return session.second->IsAssigned(i); }));
    }
    ACCELD_ASSIGN_OR_RETURN(device, LeastUsed(loads, *options.device_kind));
  }
  std::shared_ptr<IdentityAccount> identity = identities_.Of(options.identity);
  ACCELD_ASSIGN_OR_RETURN(runtime::Charge charge, identity->Take(QuotaId::kSessions, 1));
  const uint64_t id = ++sessions_total_;
  auto session =
      std::make_shared<SessionImpl>(*this, id, RandomBytes(kTokenBytes), std::move(options), device,
                                    std::move(identity), std::move(charge));
  sessions_.emplace(id, session);
  return session;
}

absl::StatusOr<Digest> EngineImpl::AddProgram(ir::Module module, std::string entry,
                                              int64_t size_bytes) {
  ACCELD_ASSIGN_OR_RETURN(const std::shared_ptr<const Program> program,
                          programs_.Intern(std::move(module), std::move(entry)));
  programs_.Keep(program, size_bytes);
  return program->fingerprint();
}

void EngineImpl::Forget(EndedSession session) {
  const uint64_t session_id = session.id;
  ended_sessions_.Add(std::move(session));
  // Declared before the lock, to be destroyed after the unlock.
  std::shared_ptr<SessionImpl> dropped;
  MutexLock lock(mutex_);
  const auto it = sessions_.find(session_id);
  if (it == sessions_.end()) return;
  dropped = std::move(it->second);
  sessions_.erase(it);
}

std::vector<std::shared_ptr<SessionImpl>> EngineImpl::OpenSessions() const {
  MutexLock lock(mutex_);
  std::vector<std::shared_ptr<SessionImpl>> sessions;
  for (const auto& [id, session] : sessions_) sessions.push_back(session);
  return sessions;
}

std::vector<DeviceInfo> EngineImpl::Devices() const {
  std::vector<DeviceInfo> infos;
  for (size_t i = 0; i < executors_.size(); ++i) {
    const hal::Device& device = *parts_.devices[i].device;
    const hal::MemoryStats memory = device.memory();
    const runtime::DeviceExecutor::Counters counters = executors_[i]->counters();
    infos.push_back({.id = static_cast<uint32_t>(i),
                     .kind = device.kind(),
                     .name = device.name(),
                     .architecture = targets_.OfDevice(i)->architecture,
                     .memory_limit_bytes = static_cast<uint64_t>(memory.limit_bytes),
                     .memory_used_bytes = static_cast<uint64_t>(memory.used_bytes),
                     .memory_peak_bytes = static_cast<uint64_t>(memory.peak_bytes),
                     .executions = counters.executions,
                     .queued = counters.queued,
                     .gangs = static_cast<uint64_t>(gangs_.RunningOn(static_cast<int>(i))),
                     .error = std::string(device.health().message())});
  }
  return infos;
}

std::vector<DeviceLoad> EngineImpl::Loads() const {
  std::vector<DeviceLoad> loads;
  for (size_t i = 0; i < executors_.size(); ++i) {
    loads.push_back({.kind = parts_.devices[i].device->kind(),
                     .health = parts_.devices[i].device->health(),
                     .queued = executors_[i]->counters().queued});
  }
  return loads;
}

EngineStats EngineImpl::Stats() const {
  const cache::ExecutableCache::Stats cache = cache_->stats();
  EngineStats stats;
  stats.compiles = cache.compiles;
  stats.compile_failures = cache.compile_failures;
  stats.compiles_queued = cache.pool.queued;
  stats.compiles_dropped = cache.pool.dropped;
  stats.compiles_stopped = cache.compiles_stopped;
  stats.cache_hits_memory = cache.hits_memory;
  stats.cache_hits_disk = cache.hits_disk;
  stats.cache_hits_remote = cache.hits_remote;
  stats.cache_hits_inflight = cache.hits_inflight;
  stats.cache_misses = cache.misses;
  stats.cache_dropped = cache.disk.dropped;
  stats.cache_memory_bytes = cache.memory.bytes;
  stats.cache_disk_bytes = cache.disk.bytes;
  stats.cache_memory_entries = cache.memory.entries;
  stats.cache_disk_entries = cache.disk.entries;
  stats.arrays = static_cast<uint64_t>(total_->arrays());
  stats.array_bytes = static_cast<uint64_t>(total_->bytes());
  stats.programs = programs_.size();
  stats.spilled_bytes = static_cast<uint64_t>(host_memory_->used_bytes());
  stats.host_memory_bytes = static_cast<uint64_t>(host_memory_->limit_bytes());
  stats.executable_unloads = cache.memory.unloads;
  const runtime::GangScheduler::Counters gangs = gangs_.counters();
  stats.gangs = gangs.begun;
  stats.gangs_running = static_cast<uint64_t>(gangs.running);
  stats.gangs_waiting = static_cast<uint64_t>(gangs.waiting);
  stats.collectives = static_cast<uint64_t>(gangs.exchanged.collectives);
  stats.collective_bytes = static_cast<uint64_t>(gangs.exchanged.bytes);
  stats.collective_wait_ms = static_cast<uint64_t>(gangs.exchanged.wait_ns / 1'000'000);
  stats.remote_cache = ToPublic(parts_.remote_cache, cache.remote);
  for (const auto& executor : executors_) {
    const runtime::DeviceExecutor::Counters counters = executor->counters();
    stats.executions += counters.executions;
    stats.execution_failures += counters.failures;
    const runtime::DeviceMemory::Stats memory = executor->memory_stats();
    stats.spills += memory.spills;
    stats.restores += memory.restores;
  }
  MutexLock lock(mutex_);
  stats.sessions = sessions_.size();
  stats.sessions_total = sessions_total_;
  return stats;
}

std::vector<SessionInfo> EngineImpl::Sessions() const {
  std::vector<SessionInfo> infos;
  for (const auto& session : OpenSessions()) infos.push_back(session->info());
  std::sort(infos.begin(), infos.end(),
            [](const SessionInfo& a, const SessionInfo& b) { return a.id < b.id; });
  return infos;
}

std::vector<RunningExecution> EngineImpl::Running() const {
  using runtime::DeviceExecutor;
  const auto state_of = [](DeviceExecutor::Running::State state) {
    switch (state) {
      case DeviceExecutor::Running::State::kRuns:
        return RunningExecution::State::kRuns;
      case DeviceExecutor::Running::State::kSuspended:
        return RunningExecution::State::kSuspended;
      case DeviceExecutor::Running::State::kAwaitsHost:
        return RunningExecution::State::kAwaitsHost;
      case DeviceExecutor::Running::State::kEnding:
        break;
    }
    return RunningExecution::State::kEnding;
  };
  std::vector<RunningExecution> infos;
  for (uint32_t device = 0; device < executors_.size(); ++device) {
    for (DeviceExecutor::Running& running : executors_[device]->RunningNow()) {
      infos.push_back({.device = device,
                       .session = running.session,
                       .identity = std::move(running.owner),
                       .program = std::move(running.program),
                       .age_s = std::chrono::duration<double>(running.since_submitted).count(),
                       .on_device_s = std::chrono::duration<double>(running.on_device).count(),
                       .state = state_of(running.state)});
    }
  }
  return infos;
}

std::vector<IdentityInfo> EngineImpl::Identities() const {
  std::vector<IdentityInfo> infos;
  for (const auto& account : identities_.List()) {
    infos.push_back({account->identity(), account->Uses(), account->lookups()});
  }
  return infos;
}

absl::Status EngineImpl::CloseSession(uint64_t id, absl::string_view reason) {
  std::shared_ptr<SessionImpl> session;
  {
    MutexLock lock(mutex_);
    const auto it = sessions_.find(id);
    if (it != sessions_.end()) session = it->second;
  }
  if (session != nullptr) {
    session->Close(reason);
    return absl::OkStatus();
  }
  int running = 0;
  for (const auto& executor : executors_) {
    running += executor->CancelRunning(id, absl::CancelledError(reason));
  }
  if (running > 0) return absl::OkStatus();
  return absl::NotFoundError(
      absl::StrCat("session ", id, " is not open, and has left nothing on a device"));
}

EngineMetrics EngineImpl::Metrics() const {
  const cache::ExecutableCache::Stats cache = cache_->stats();
  EngineMetrics metrics{.compile_time = cache_->compile_time(),
                        .refusals = refusals_.Read(),
                        .cache_memory_evictions = cache.memory.evictions,
                        .cache_disk_evictions = cache.disk.evictions,
                        .deduplicated_bytes = static_cast<uint64_t>(contents_->saved_bytes())};
  for (size_t i = 0; i < executors_.size(); ++i) {
    const auto& executor = executors_[i];
    const observability::ExecutionInstruments& instruments = executor->instruments();
    const runtime::DeviceExecutor::Counters counters = executor->counters();
    metrics.devices.push_back({.queue_time = instruments.queue_time.Read(),
                               .device_time = instruments.device_time.Read(),
                               .host_call_time = instruments.host_call_time.Read(),
                               .executions = instruments.ended.Read(),
                               .spills = executor->memory_stats().spills,
                               .restores = executor->memory_stats().restores,
                               .donated_bytes = instruments.donated_bytes.value(),
                               .suspensions = counters.suspensions,
                               .busy = counters.busy,
                               .launches = parts_.devices[i].device->launches()});
  }
  for (const auto& session : OpenSessions()) {
    for (uint32_t device = 0; device < metrics.devices.size(); ++device) {
      auto& queued = metrics.devices[device].queued_by_priority;
      for (size_t i = 0; i < queued.size(); ++i) {
        queued[i] += static_cast<uint64_t>(session->QueuedOn(device, static_cast<Priority>(i)));
      }
    }
  }
  return metrics;
}

void EngineImpl::ReadActivity(EngineActivity& activity) const {
  activity.devices.resize(executors_.size());
  for (size_t i = 0; i < executors_.size(); ++i) {
    const runtime::DeviceExecutor::Counters counters = executors_[i]->counters();
    activity.devices[i] = {
        .busy = counters.busy,
        .executions = counters.executions,
        .queued = counters.queued,
        .memory_used_bytes = static_cast<uint64_t>(parts_.devices[i].device->memory().used_bytes)};
  }
  const cache::ExecutableCache::Stats cache = cache_->stats();
  activity.cache = {
      .hits = cache.hits_memory + cache.hits_disk + cache.hits_remote + cache.hits_inflight,
      .misses = cache.misses};
}

absl::Status EngineImpl::CheckTraced() const {
  if (trace_.enabled()) return absl::OkStatus();
  return absl::FailedPreconditionError("the daemon keeps no trace; see its setting trace-spans");
}

absl::StatusOr<std::vector<TraceSpan>> EngineImpl::SessionTrace(uint64_t session,
                                                                int64_t since_ns) const {
  ACCELD_RETURN_IF_ERROR(CheckTraced());
  return trace_.Read(since_ns, session);
}

absl::StatusOr<std::vector<TraceSpan>> EngineImpl::Trace(std::chrono::nanoseconds last) const {
  ACCELD_RETURN_IF_ERROR(CheckTraced());
  const int64_t now_ns = std::chrono::steady_clock::now().time_since_epoch().count();
  return trace_.Read(last.count() >= now_ns ? 0 : now_ns - last.count());
}

bool EngineImpl::KnowsCacheEntries() const { return cache_->HasIndex(); }

std::vector<CacheEntryInfo> EngineImpl::CacheEntries(size_t offset, size_t limit) const {
  cache_->WaitForIndex();
  const std::vector<cache::ExecutableCache::EntryInfo> entries = cache_->List();
  std::vector<CacheEntryInfo> infos;
  for (size_t i = offset; i < entries.size() && infos.size() < limit; ++i) {
    const cache::ExecutableCache::EntryInfo& entry = entries[i];
    CacheEntryInfo info = ToPublic(entry.header);
    info.size_bytes = entry.size_bytes;
    info.in_memory = entry.in_memory;
    info.on_disk = entry.on_disk;
    info.age_s = entry.age_s;
    infos.push_back(std::move(info));
  }
  return infos;
}

void EngineImpl::Shutdown(std::chrono::milliseconds grace) {
  {
    MutexLock lock(mutex_);
    draining_ = true;
  }
  const auto deadline = std::chrono::steady_clock::now() + grace;
  for (const auto& executor : executors_) executor->WaitUntilIdle(deadline);
  for (const auto& session : OpenSessions()) session->Close("the daemon is shutting down");
  const auto cancel_deadline = std::chrono::steady_clock::now() + kCancelGrace;
  for (const auto& executor : executors_) executor->WaitUntilIdle(cancel_deadline);
}

}  // namespace acceld::engine

#include "server/cache/executable_cache.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "common/log/log.h"
#include "common/memory/allocation.h"
#include "server/cache/similarity.h"

namespace acceld::cache {
namespace {

int64_t UnixNowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

absl::Status Abandoned() {
  return absl::CancelledError("nobody waits for the executable any more");
}

// The most entries of the remote cache that Locate inspects.
constexpr size_t kMaxRemoteEntries = 10'000;

// Never negative, even when the clock has been set back since.
double AgeSeconds(int64_t now_unix_ns, int64_t since_unix_s) {
  return static_cast<double>(std::max<int64_t>(0, now_unix_ns / 1'000'000'000 - since_unix_s));
}

// The owner, in the tiers, of what is made for the request.
std::string OwnerOf(const Request& request) {
  return request.requester.has_share ? request.requester.identity : "";
}

}  // namespace

// All members are guarded by the cache's mutex.
struct ExecutableCache::CodeFlight {
  Promise<Code> promise;
  Future<Code> future = promise.future();
  // The flights that wait for the code, the leader first; `wanted` counts those that a request
  // waits for.
  std::vector<std::weak_ptr<Flight>> flights;
  int wanted = 0;
  // Set when `wanted` becomes 0. Thread-safe.
  StopFlag stop;
};

struct ExecutableCache::Flight {
  struct Waiter {
    uint64_t id;
    RequestPtr request;
  };

  Flight(LoadKey of, ExecutableCache* in) : key(std::move(of)), cache(in) {}

  const LoadKey key;
  Promise<Result> promise;  // set by the thread that ends the flight
  const Future<Result> future = promise.future();
  // Guarded by the cache's mutex.
  std::vector<Waiter> waiters;
  // The job that is queued, or was.
  std::shared_ptr<CompileJob> job;
  std::shared_ptr<CodeFlight> code;  // the search for the code that the flight waits for or leads
  bool leads = false;
  // Held while a request leaves. A request may leave late, and the cache may be destroyed once its
  // last flight has ended.
  Mutex mutex;
  ExecutableCache* cache ABSL_GUARDED_BY(mutex);  // nullptr: the flight has ended
};

void ExecutableCache::Interest::Withdraw() {
  const FlightPtr flight = flight_.lock();
  if (flight == nullptr) return;
  {
    MutexLock lock(flight->mutex);
    if (flight->cache == nullptr || !flight->cache->Withdraw(flight, waiter_)) return;
    flight->cache = nullptr;
  }
  flight->promise.Set(Abandoned());
}

ExecutableCache::ExecutableCache(const Options& options, std::vector<hal::Device*> devices,
                                 std::string build_id)
    : devices_(std::move(devices)),
      build_id_(std::move(build_id)),
      producer_(options.producer),
      compile_options_(options.compile_options),
      max_compile_bytes_(options.max_compile_bytes),
      memory_({options.memory_bytes, options.share_percent}),
      pool_(static_cast<size_t>(std::max(1, options.compile_threads)),
            options.max_queued_compiles) {
  if (options.remote.has_value()) remote_ = std::make_unique<RemoteTier>(*options.remote);
  if (!options.folder.empty() && options.disk_bytes > 0) {
    absl::StatusOr<std::unique_ptr<DiskTier>> disk =
        DiskTier::Open(options.folder, {options.disk_bytes, options.share_percent});
    if (disk.ok()) {
      disk_ = *std::move(disk);
    } else {
      LogWarning("no executable cache on disk: ", disk.status().ToString());
    }
  }
  tools_ = std::make_unique<Tools>(memory_, disk_.get(), remote_.get(), options.bundle_keys);
}

ExecutableCache::~ExecutableCache() {
  stopping_.store(true);
  {
    MutexLock lock(mutex_);
    for (const auto& [key, flight] : code_flights_) flight->stop.Stop();
  }
  // The order matters: first searches that wait for other daemons end, then compiles, which use
  // leases and uploads of the remote tier.
  if (remote_ != nullptr) remote_->Stop();
  pool_.Stop();
  remote_.reset();
}

std::shared_ptr<const hal::LoadedExecutable> ExecutableCache::FindLoaded(const Request& request) {
  return request.device.has_value() ? memory_.FindLoaded(request.key, *request.device) : nullptr;
}

ExecutableCache::Ticket ExecutableCache::Get(Request request) {
  if (auto loaded = FindLoaded(request); loaded != nullptr) {
    Count(CacheVerdict::kMemory);
    return {Future<Result>(Result{std::move(loaded), CacheVerdict::kMemory})};
  }
  auto shared = std::make_shared<const Request>(std::move(request));
  FlightPtr flight;
  uint64_t waiter = 0;
  bool joined = false;
  {
    MutexLock lock(mutex_);
    const LoadKey key(shared->key, shared->device);
    FlightPtr& found = flights_[key];
    joined = found != nullptr;
    if (!joined) {
      found = std::make_shared<Flight>(key, this);
    }
    flight = found;
    waiter = ++last_waiter_;
    flight->waiters.push_back({waiter, shared});
    if (flight->job != nullptr) pool_.AddRequester(flight->job, shared->requester);
  }
  Ticket ticket{flight->future, joined, std::make_shared<Interest>(flight, waiter)};
  if (joined) {
    Count(CacheVerdict::kInflight);
    return ticket;
  }
  Submit(flight, [this, flight](const absl::Status& status) {
    if (!status.ok()) return AnswerFlight(flight, status);
    BeginSearch(flight);
  });
  return ticket;
}

void ExecutableCache::Submit(const FlightPtr& flight, std::function<void(absl::Status)> work) {
  auto job = std::make_shared<CompileJob>([this, work] {
    work(stopping_.load() ? absl::CancelledError("the daemon is shutting down") : absl::OkStatus());
  });
  absl::Status status;
  {
    MutexLock lock(mutex_);
    // The leader of a search works for the requests of all its flights.
    std::vector<FlightPtr> flights = {flight};
    if (flight->leads) {
      for (const auto& other : flight->code->flights) flights.push_back(other.lock());
    }
    std::vector<Requester> requesters;
    for (const FlightPtr& one : flights) {
      if (one == nullptr || (one == flight && &one != &flights.front())) continue;
      for (const Flight::Waiter& waiter : one->waiters)
        requesters.push_back(waiter.request->requester);
    }
    if (requesters.empty()) {
      status = Abandoned();
    } else {
      status = pool_.Submit(job, requesters);
    }
    if (status.ok()) flight->job = std::move(job);
  }
  if (!status.ok()) work(status);
}

ExecutableCache::RequestPtr ExecutableCache::RequestOf(const Flight& flight) const {
  MutexLock lock(mutex_);
  return flight.waiters.empty() ? nullptr : flight.waiters.front().request;
}

bool ExecutableCache::Withdraw(const FlightPtr& flight, uint64_t waiter) {
  MutexLock lock(mutex_);
  const auto found = std::find_if(flight->waiters.begin(), flight->waiters.end(),
                                  [&](const Flight::Waiter& one) { return one.id == waiter; });
  if (found == flight->waiters.end()) return false;
  // Once the flight leads or follows a search for the code, its job cannot be dropped here, as
  // others may wait for the same code; the job itself checks whether it is still wanted.
  const bool is_dropped = flight->job != nullptr && flight->code == nullptr &&
                          pool_.RemoveRequester(flight->job, found->request->requester);
  flight->waiters.erase(found);
  if (!flight->waiters.empty()) return false;
  if (const auto it = flights_.find(flight->key); it != flights_.end() && it->second == flight) {
    flights_.erase(it);
  }
  if (is_dropped) {
    flight->job = nullptr;
    return true;
  }
  CodeFlight* const code = flight->code.get();
  if (code == nullptr || --code->wanted > 0) return false;
  code->stop.Stop();
  const auto it = code_flights_.find(flight->key.first);
  if (it != code_flights_.end() && it->second.get() == code) code_flights_.erase(it);
  return false;
}

void ExecutableCache::BeginSearch(const FlightPtr& flight) {
  const RequestPtr request = RequestOf(*flight);
  if (request == nullptr) return AnswerFlight(flight, Abandoned());
  // An earlier flight may have ended between the check of the memory tier in Get and this one.
  if (auto loaded = FindLoaded(*request); loaded != nullptr) {
    return AnswerFlight(flight, Result{std::move(loaded), CacheVerdict::kMemory});
  }
  if (auto executable = memory_.FindExecutable(request->key); executable != nullptr) {
    absl::StatusOr<Code> code = Code{std::move(executable), CacheVerdict::kMemory};
    return LoadAndAnswer(flight, *request, code);
  }
  bool leads = false, is_wanted = false;
  {
    MutexLock lock(mutex_);
    is_wanted = !flight->waiters.empty();
    if (is_wanted) {
      std::shared_ptr<CodeFlight>& code = code_flights_[request->key];
      leads = code == nullptr;
      if (leads) code = std::make_shared<CodeFlight>();
      ++code->wanted;
      code->flights.push_back(flight);
      flight->code = code;
      flight->leads = leads;
    }
  }
  if (!is_wanted) return AnswerFlight(flight, Abandoned());
  if (leads) return Search(flight, request);
  // The search of another device. This callback runs on its thread, so the loading is queued as a
  // separate job.
  flight->code->future.OnReady([this, flight, request](const absl::StatusOr<Code>& code) {
    Submit(flight, [this, flight, request, code = code](const absl::Status& status) mutable {
      if (!status.ok()) return AnswerFlight(flight, status);
      if (code.ok()) code = Code{code->executable, CacheVerdict::kInflight};
      LoadAndAnswer(flight, *request, code);
    });
  });
}

void ExecutableCache::Search(const FlightPtr& flight, const RequestPtr& request) {
  if (auto executable = memory_.FindExecutable(request->key); executable != nullptr) {
    return EndCodeSearch(flight, *request, Code{std::move(executable), CacheVerdict::kMemory});
  }
  if (auto executable = LoadFromDisk(*request); executable.ok()) {
    return EndCodeSearch(flight, *request, Code{*std::move(executable), CacheVerdict::kDisk});
  }
  if (remote_ == nullptr) return EndSearch(flight, request, {});
  remote_->Find(HeaderOf(*request), [this, flight, request](RemoteTier::Outcome outcome) {
    auto shared = std::make_shared<RemoteTier::Outcome>(std::move(outcome));
    Submit(flight, [this, flight, request, shared](const absl::Status& status) {
      if (!status.ok()) return EndCodeSearch(flight, *request, status);
      EndSearch(flight, request, std::move(*shared));
    });
  });
}

void ExecutableCache::EndSearch(const FlightPtr& flight, const RequestPtr& request,
                                RemoteTier::Outcome outcome) {
  if (outcome.entry.has_value()) {
    absl::StatusOr<ExecutablePtr> executable = Decode(*request, outcome.entry->payload);
    if (executable.ok()) {
      return EndCodeSearch(
          flight, *request,
          Code{*std::move(executable), CacheVerdict::kRemote, std::move(outcome.entry->header)});
    }
    // A lack of memory does not mean that the entry is bad.
    if (!absl::IsResourceExhausted(executable.status())) {
      remote_->Refuse(request->key, executable.status());
    }
  }
  absl::StatusOr<ExecutablePtr> executable = Compile(*request, flight->code->stop);
  EndCodeSearch(flight, *request,
                executable.ok()
                    ? absl::StatusOr<Code>(Code{*std::move(executable), CacheVerdict::kMiss})
                    : executable.status(),
                std::move(outcome.lease));
}

void ExecutableCache::AnswerCodeFlight(const Digest& key, CodeFlight& flight,
                                       const absl::StatusOr<Code>& code) {
  {
    MutexLock lock(mutex_);
    const auto it = code_flights_.find(key);
    if (it != code_flights_.end() && it->second.get() == &flight) code_flights_.erase(it);
  }
  flight.promise.Set(code);
}

void ExecutableCache::EndCodeSearch(const FlightPtr& flight, const Request& request,
                                    absl::StatusOr<Code> code,
                                    std::shared_ptr<RemoteTier::Lease> lease) {
  const std::shared_ptr<CodeFlight> its_code = flight->code;
  if (!code.ok()) {
    // Removed first: a request that arrives after the answer must start a new search.
    AnswerCodeFlight(request.key, *its_code, code);
    return LoadAndAnswer(flight, request, code);
  }
  // A request that arrives after the search has been removed must find the executable: in memory,
  // where Finish puts it, or, when memory keeps nothing, on disk.
  const bool is_kept = memory_.enabled() && request.device.has_value();
  if (!is_kept) Store(request, *code, std::move(lease));
  const CacheVerdict found = code->verdict;
  LoadAndAnswer(flight, request, code);
  AnswerCodeFlight(request.key, *its_code, code);
  // Last, so that no request waits for the disk.
  if (code.ok() && (is_kept || code->verdict != found)) Store(request, *code, std::move(lease));
}

void ExecutableCache::Store(const Request& request, const Code& code,
                            std::shared_ptr<RemoteTier::Lease> lease) {
  const bool on_disk = disk_ != nullptr && (code.verdict == CacheVerdict::kMiss ||
                                            code.verdict == CacheVerdict::kRemote);
  const bool for_remote = remote_ != nullptr && code.verdict == CacheVerdict::kMiss;
  if (!on_disk && !for_remote) return;
  EntryHeader header = code.origin.has_value() ? *code.origin : HeaderOf(request);
  if (!code.origin.has_value()) {
    header.program_name = code.executable->program_name;
    header.signature = code.executable->Signature();
    header.compile_ms = code.executable->compile_ms;
    header.created_unix_s = UnixNowNs() / 1'000'000'000;
    header.producer = producer_;
  }
  const absl::StatusOr<std::string> serialized = ContainAllocationFailure(
      "cache", [&]() -> absl::StatusOr<std::string> { return hal::Serialize(*code.executable); });
  if (!serialized.ok()) {
    LogWarning(serialized.status().message());
    return;
  }
  const std::string& payload = *serialized;
  if (payload.empty()) {
    LogWarning("cache: ", code.executable->Signature(), " is larger than a file of it may be");
    return;
  }
  // Published first because other daemons may wait for it; then stored on disk.
  if (for_remote) remote_->Publish(header, payload, std::move(lease));
  if (on_disk) disk_->Store(header, payload, OwnerOf(request));
}

absl::StatusOr<ExecutableCache::ExecutablePtr> ExecutableCache::Compile(const Request& request,
                                                                        const StopFlag& stop) {
  ACCELD_RETURN_IF_ERROR(stop.Check());
  compiles_.fetch_add(1, std::memory_order_relaxed);
  const auto begin = std::chrono::steady_clock::now();
  absl::StatusOr<hal::Executable> executable = ContainAllocationFailure(
      "compiling a program", {.memory_bytes = max_compile_bytes_, .stop = &stop},
      [&] { return request.compile(stop); });
  compile_time_.Observe(std::chrono::steady_clock::now() - begin);
  if (!executable.ok()) {
    const bool is_stopped = stop.stopped() && absl::IsCancelled(executable.status());
    (is_stopped ? compiles_stopped_ : compile_failures_).fetch_add(1, std::memory_order_relaxed);
    return executable.status();
  }
  return std::make_shared<const hal::Executable>(*std::move(executable));
}

EntryHeader ExecutableCache::HeaderOf(const Request& request) const {
  return {.key = request.key,
          .fingerprint = request.fingerprint,
          .build_id = build_id_,
          .architecture = request.architecture,
          .options = compile_options_};
}

absl::StatusOr<ExecutableCache::ExecutablePtr> ExecutableCache::LoadFromDisk(
    const Request& request) {
  if (disk_ == nullptr) return absl::NotFoundError("no disk tier");
  ACCELD_ASSIGN_OR_RETURN(const std::string payload,
                          ContainAllocationFailure("reading a cache entry",
                                                   [&] { return disk_->Load(HeaderOf(request)); }));
  absl::StatusOr<ExecutablePtr> executable = Decode(request, payload);
  // A lack of memory does not mean that the entry is bad.
  if (!executable.ok() && !absl::IsResourceExhausted(executable.status())) {
    disk_->Drop(request.key, executable.status());
  }
  return executable;
}

absl::StatusOr<ExecutableCache::ExecutablePtr> ExecutableCache::Decode(
    const Request& request, absl::string_view payload) const {
  ACCELD_ASSIGN_OR_RETURN(
      hal::Executable executable,
      ContainAllocationFailure("reading a cache entry", [&] { return hal::Deserialize(payload); }));
  if (executable.arguments != request.arguments ||
      executable.architecture != request.architecture) {
    return absl::DataLossError(
        absl::StrCat("cache entry: ", executable.Signature(), " is not what its key says"));
  }
  return std::make_shared<const hal::Executable>(std::move(executable));
}

absl::StatusOr<std::shared_ptr<const hal::LoadedExecutable>> ExecutableCache::LoadOnDevice(
    const Request& request, std::shared_ptr<const hal::Executable> executable) {
  std::shared_ptr<const hal::Module> module;
  auto load = [&]() -> absl::Status {
    return ContainAllocationFailure("loading a program", [&]() -> absl::Status {
      ACCELD_ASSIGN_OR_RETURN(module, devices_[*request.device]->Load(*executable));
      return absl::OkStatus();
    });
  };
  const auto size_bytes = static_cast<int64_t>(executable->constants.size());
  ACCELD_RETURN_IF_ERROR(request.with_room ? request.with_room(size_bytes, load) : load());
  auto loaded =
      std::make_shared<const hal::LoadedExecutable>(std::move(executable), std::move(module));
  memory_.Add(request.key, request.fingerprint, *request.device, loaded, OwnerOf(request));
  return loaded;
}

void ExecutableCache::LoadAndAnswer(const FlightPtr& flight, const Request& request,
                                    absl::StatusOr<Code>& code) {
  if (!code.ok()) return AnswerFlight(flight, code.status());
  if (!request.device.has_value()) return AnswerFlight(flight, Result{nullptr, code->verdict});
  auto loaded = LoadOnDevice(request, code->executable);
  // A lack of device memory does not mean that the code is bad.
  if (!loaded.ok() && !absl::IsResourceExhausted(loaded.status()) &&
      (code->verdict == CacheVerdict::kDisk || code->verdict == CacheVerdict::kRemote)) {
    // Signed and whole, yet it does not link: made by a toolchain whose change its key missed.
    if (disk_ != nullptr) disk_->Drop(request.key, loaded.status());
    if (remote_ != nullptr) remote_->Refuse(request.key, loaded.status());
    absl::StatusOr<ExecutablePtr> fresh = Compile(request, flight->code->stop);
    code = fresh.ok() ? absl::StatusOr<Code>(Code{*std::move(fresh), CacheVerdict::kMiss})
                      : fresh.status();
    if (!code.ok()) return AnswerFlight(flight, code.status());
    loaded = LoadOnDevice(request, code->executable);
  }
  if (!loaded.ok()) return AnswerFlight(flight, loaded.status());
  AnswerFlight(flight, Result{*std::move(loaded), code->verdict});
}

void ExecutableCache::AnswerFlight(const FlightPtr& flight, absl::StatusOr<Result> result) {
  Count(result.ok() ? result->verdict : CacheVerdict::kMiss);
  {
    MutexLock own(flight->mutex);
    flight->cache = nullptr;
    MutexLock lock(mutex_);
    if (const auto it = flights_.find(flight->key); it != flights_.end() && it->second == flight) {
      flights_.erase(it);
    }
    flight->waiters.clear();
    flight->job = nullptr;
  }
  flight->promise.Set(std::move(result));
}

void ExecutableCache::Count(CacheVerdict verdict) {
  switch (verdict) {
    case CacheVerdict::kMemory:
      hits_memory_.fetch_add(1, std::memory_order_relaxed);
      return;
    case CacheVerdict::kDisk:
      hits_disk_.fetch_add(1, std::memory_order_relaxed);
      return;
    case CacheVerdict::kRemote:
      hits_remote_.fetch_add(1, std::memory_order_relaxed);
      return;
    case CacheVerdict::kInflight:
      hits_inflight_.fetch_add(1, std::memory_order_relaxed);
      return;
    case CacheVerdict::kMiss:
      misses_.fetch_add(1, std::memory_order_relaxed);
      return;
    case CacheVerdict::kUnknown:
      return;
  }
}

void ExecutableCache::CountMemoryHit(const hal::LoadedExecutable& executable) {
  executable.Touch();
  Count(CacheVerdict::kMemory);
}

ExecutableCache::Stats ExecutableCache::stats() const {
  return {.compiles = compiles_.load(),
          .compile_failures = compile_failures_.load(),
          .compiles_stopped = compiles_stopped_.load(),
          .pool = pool_.stats(),
          .hits_memory = hits_memory_.load(),
          .hits_disk = hits_disk_.load(),
          .hits_remote = hits_remote_.load(),
          .hits_inflight = hits_inflight_.load(),
          .misses = misses_.load(),
          .memory = memory_.stats(),
          .disk = disk_ != nullptr ? disk_->stats() : DiskTier::Stats{},
          .remote = remote_ != nullptr ? absl::make_optional(remote_->stats()) : absl::nullopt};
}

bool ExecutableCache::HasIndex() const { return disk_ == nullptr || disk_->HasIndex(); }

void ExecutableCache::WaitForIndex() const {
  if (disk_ != nullptr) disk_->WaitForIndex();
}

std::vector<ExecutableCache::EntryInfo> ExecutableCache::List() const {
  const int64_t now_ns = UnixNowNs();
  const int64_t steady_now_ns = std::chrono::steady_clock::now().time_since_epoch().count();
  absl::flat_hash_map<Digest, EntryInfo> by_key;
  if (disk_ != nullptr) {
    for (DiskTier::Entry& entry : disk_->List()) {
      EntryInfo& info = by_key[entry.header.key];
      info.size_bytes = entry.size_bytes;
      info.on_disk = true;
      info.last_use_unix_ns = entry.last_use_unix_ns;
      info.header = std::move(entry.header);
    }
  }
  for (const MemoryTier::Entry& entry : memory_.List()) {
    EntryInfo& info = by_key[entry.key];
    info.in_memory = true;
    info.last_use_unix_ns =
        std::max(info.last_use_unix_ns, now_ns - (steady_now_ns - entry.LastUse()));
    if (info.on_disk) continue;
    info.header = {.key = entry.key,
                   .fingerprint = entry.fingerprint,
                   .build_id = build_id_,
                   .architecture = entry.executable->architecture,
                   .options = compile_options_,
                   .program_name = entry.executable->program_name,
                   .signature = entry.executable->Signature(),
                   .compile_ms = entry.executable->compile_ms,
                   .created_unix_s = entry.created_unix_s};
    info.size_bytes = static_cast<uint64_t>(entry.size_bytes());
  }
  std::vector<EntryInfo> entries;
  entries.reserve(by_key.size());
  for (auto& [key, info] : by_key) {
    info.age_s = AgeSeconds(now_ns, info.header.created_unix_s);
    entries.push_back(std::move(info));
  }
  std::sort(entries.begin(), entries.end(), [](const EntryInfo& a, const EntryInfo& b) {
    return a.last_use_unix_ns != b.last_use_unix_ns ? a.last_use_unix_ns > b.last_use_unix_ns
                                                    : a.header.key < b.header.key;
  });
  return entries;
}

void ExecutableCache::Locate(EntryHeader wanted, std::function<void(EntryLocation)> done) const {
  EntryLocation here;
  MostSimilar nearest(wanted);
  for (EntryInfo& entry : List()) {
    if (entry.header.key == wanted.key) {
      here.tier = entry.in_memory ? CacheVerdict::kMemory : CacheVerdict::kDisk;
      return done(std::move(here));
    }
    nearest.Consider(entry.header);
  }
  if (disk_ != nullptr && disk_->Contains(wanted.key)) {
    here.tier = CacheVerdict::kDisk;
    return done(std::move(here));
  }
  if (remote_ == nullptr) {
    here.nearest = nearest.Take();
    return done(std::move(here));
  }
  remote_->List(kMaxRemoteEntries, [nearest = std::move(nearest), wanted = std::move(wanted),
                                    done](absl::StatusOr<std::vector<EntryHeader>> others) mutable {
    EntryLocation found;
    if (others.ok()) {
      for (const EntryHeader& other : *others) {
        if (other.key == wanted.key) found.tier = CacheVerdict::kRemote;
        nearest.Consider(other);
      }
    }
    if (!found.tier.has_value()) found.nearest = nearest.Take();
    done(std::move(found));
  });
}

}  // namespace acceld::cache

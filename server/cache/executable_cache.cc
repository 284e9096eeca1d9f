#include "server/cache/executable_cache.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "server/cache/likeness.h"

namespace acceld::cache {
namespace {

int64_t UnixNowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Of other daemons, to look at for an explanation.
constexpr size_t kMaxRemoteEntries = 10'000;

// Not less than nothing when the clock was set back since.
double AgeSeconds(int64_t now_unix_ns, int64_t since_unix_s) {
  return static_cast<double>(std::max<int64_t>(0, now_unix_ns / 1'000'000'000 - since_unix_s));
}

}  // namespace

ExecutableCache::ExecutableCache(const Options& options, std::vector<hal::Device*> devices,
                                 std::string build_id)
    : devices_(std::move(devices)),
      build_id_(std::move(build_id)),
      producer_(options.producer),
      compile_options_(options.compile_options),
      with_room_(options.with_room),
      memory_(options.memory_bytes),
      pool_("compile", static_cast<size_t>(std::max(1, options.compile_threads)),
            options.max_queued_compiles) {
  if (options.remote.has_value()) remote_ = std::make_unique<RemoteTier>(*options.remote);
  if (!options.folder.empty() && options.disk_bytes > 0) {
    absl::StatusOr<std::unique_ptr<DiskTier>> disk =
        DiskTier::Open(options.folder, options.disk_bytes);
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
  // In this order: searches that wait for others end, then compiles, whose leases and uploads are
  // the remote tier's.
  if (remote_ != nullptr) remote_->Stop();
  pool_.Stop();
  remote_.reset();
}

std::shared_ptr<const hal::LoadedExecutable> ExecutableCache::FindLoaded(const Request& request) {
  return request.device.has_value() ? memory_.FindLoaded(request.key, *request.device) : nullptr;
}

ExecutableCache::Ticket ExecutableCache::Get(Request request) {
  if (auto loaded = FindLoaded(request); loaded != nullptr) {
    Count(Verdict::kMemory);
    return {Future<Result>(Result{std::move(loaded), Verdict::kMemory})};
  }
  auto ticket = load_flights_.Join({request.key, request.device});
  if (!ticket.leads) {
    Count(Verdict::kInflight);
    return {ticket.future, /*joined=*/true};
  }
  auto shared = std::make_shared<const Request>(std::move(request));
  Submit([this, shared](const absl::Status& status) {
    if (!status.ok()) return Land(*shared, status);
    Search(shared);
  });
  return {ticket.future};
}

void ExecutableCache::Submit(std::function<void(absl::Status)> work) {
  const absl::Status status = pool_.Submit([this, work] {
    work(stopping_.load() ? absl::CancelledError("the daemon is shutting down") : absl::OkStatus());
  });
  if (!status.ok()) work(status);
}

void ExecutableCache::Search(const RequestPtr& request) {
  // An earlier flight may have landed between this one's look at the memory tier and its start.
  if (auto loaded = FindLoaded(*request); loaded != nullptr) {
    return Land(*request, Result{std::move(loaded), Verdict::kMemory});
  }
  if (auto executable = memory_.FindExecutable(request->key); executable != nullptr) {
    absl::StatusOr<Code> code = Code{std::move(executable), Verdict::kMemory};
    return Finish(*request, code);
  }
  auto ticket = code_flights_.Join(request->key);
  if (!ticket.leads) {
    // Another device's search. Its thread only hands over; the loading is a job of its own.
    ticket.future.OnReady([this, request](const absl::StatusOr<Code>& code) {
      Submit([this, request, code = code](const absl::Status& status) mutable {
        if (!status.ok()) return Land(*request, status);
        if (code.ok()) code = Code{code->executable, Verdict::kInflight};
        Finish(*request, code);
      });
    });
    return;
  }
  if (auto executable = memory_.FindExecutable(request->key); executable != nullptr) {
    return LandCode(*request, Code{std::move(executable), Verdict::kMemory});
  }
  if (auto executable = LoadFromDisk(*request); executable.ok()) {
    return LandCode(*request, Code{*std::move(executable), Verdict::kDisk});
  }
  if (remote_ == nullptr) return EndSearch(request, {});
  remote_->Find(HeaderOf(*request), [this, request](RemoteTier::Outcome outcome) {
    auto shared = std::make_shared<RemoteTier::Outcome>(std::move(outcome));
    Submit([this, request, shared](const absl::Status& status) {
      if (!status.ok()) return LandCode(*request, status);
      EndSearch(request, std::move(*shared));
    });
  });
}

void ExecutableCache::EndSearch(const RequestPtr& request, RemoteTier::Outcome outcome) {
  if (outcome.entry.has_value()) {
    absl::StatusOr<ExecutablePtr> executable = Decode(*request, outcome.entry->payload);
    if (executable.ok()) {
      return LandCode(*request, Code{*std::move(executable), Verdict::kRemote,
                                     std::move(outcome.entry->header)});
    }
    remote_->Refuse(request->key, executable.status());
  }
  absl::StatusOr<ExecutablePtr> executable = Compile(*request);
  LandCode(*request,
           executable.ok() ? absl::StatusOr<Code>(Code{*std::move(executable), Verdict::kMiss})
                           : executable.status(),
           std::move(outcome.lease));
}

void ExecutableCache::LandCode(const Request& request, absl::StatusOr<Code> code,
                               std::shared_ptr<RemoteTier::Lease> lease) {
  if (!code.ok()) {
    // Out of the way first: a search that starts after the answer must try anew.
    code_flights_.Land(request.key, code);
    return Finish(request, code);
  }
  // A search that starts after the landing must find it: in memory, where Finish puts it, or, when
  // nothing is kept there, on disk.
  const bool is_kept = memory_.enabled() && request.device.has_value();
  if (!is_kept) Store(request, *code, std::move(lease));
  const Verdict found = code->verdict;
  Finish(request, code);
  code_flights_.Land(request.key, code);
  // Last, so that nobody waits for the disk.
  if (code.ok() && (is_kept || code->verdict != found)) Store(request, *code, std::move(lease));
}

void ExecutableCache::Store(const Request& request, const Code& code,
                            std::shared_ptr<RemoteTier::Lease> lease) {
  const bool on_disk =
      disk_ != nullptr && (code.verdict == Verdict::kMiss || code.verdict == Verdict::kRemote);
  const bool for_remote = remote_ != nullptr && code.verdict == Verdict::kMiss;
  if (!on_disk && !for_remote) return;
  EntryHeader header = code.origin.has_value() ? *code.origin : HeaderOf(request);
  if (!code.origin.has_value()) {
    header.program_name = code.executable->program_name;
    header.signature = code.executable->Signature();
    header.compile_ms = code.executable->compile_ms;
    header.created_unix_s = UnixNowNs() / 1'000'000'000;
    header.producer = producer_;
  }
  const std::string payload = hal::Serialize(*code.executable);
  if (payload.empty()) {
    LogWarning("cache: ", code.executable->Signature(), " is larger than a file of it may be");
    return;
  }
  // Others wait for it; the disk's turn is after.
  if (for_remote) remote_->Publish(header, payload, std::move(lease));
  if (on_disk) disk_->Store(header, payload);
}

absl::StatusOr<ExecutableCache::ExecutablePtr> ExecutableCache::Compile(const Request& request) {
  compiles_.fetch_add(1, std::memory_order_relaxed);
  const auto begin = std::chrono::steady_clock::now();
  absl::StatusOr<hal::Executable> executable = request.compile();
  compile_time_.Observe(std::chrono::steady_clock::now() - begin);
  if (!executable.ok()) {
    compile_failures_.fetch_add(1, std::memory_order_relaxed);
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
  ACCELD_ASSIGN_OR_RETURN(const std::string payload, disk_->Load(HeaderOf(request)));
  absl::StatusOr<ExecutablePtr> executable = Decode(request, payload);
  if (!executable.ok()) disk_->Drop(request.key, executable.status());
  return executable;
}

absl::StatusOr<ExecutableCache::ExecutablePtr> ExecutableCache::Decode(
    const Request& request, absl::string_view payload) const {
  ACCELD_ASSIGN_OR_RETURN(hal::Executable executable, hal::Deserialize(payload));
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
    ACCELD_ASSIGN_OR_RETURN(module, devices_[*request.device]->Load(*executable));
    return absl::OkStatus();
  };
  const auto size_bytes = static_cast<int64_t>(executable->constants.size());
  ACCELD_RETURN_IF_ERROR(with_room_ ? with_room_(*request.device, size_bytes, load) : load());
  auto loaded =
      std::make_shared<const hal::LoadedExecutable>(std::move(executable), std::move(module));
  memory_.Add(request.key, request.fingerprint, *request.device, loaded);
  return loaded;
}

void ExecutableCache::Finish(const Request& request, absl::StatusOr<Code>& code) {
  if (!code.ok()) return Land(request, code.status());
  if (!request.device.has_value()) return Land(request, Result{nullptr, code->verdict});
  auto loaded = LoadOnDevice(request, code->executable);
  // A device without room says nothing against the code.
  if (!loaded.ok() && !absl::IsResourceExhausted(loaded.status()) &&
      (code->verdict == Verdict::kDisk || code->verdict == Verdict::kRemote)) {
    // Signed and whole, yet it does not link: made by a toolchain whose change its key missed.
    if (disk_ != nullptr) disk_->Drop(request.key, loaded.status());
    if (remote_ != nullptr) remote_->Refuse(request.key, loaded.status());
    absl::StatusOr<ExecutablePtr> fresh = Compile(request);
    code =
        fresh.ok() ? absl::StatusOr<Code>(Code{*std::move(fresh), Verdict::kMiss}) : fresh.status();
    if (!code.ok()) return Land(request, code.status());
    loaded = LoadOnDevice(request, code->executable);
  }
  if (!loaded.ok()) return Land(request, loaded.status());
  Land(request, Result{*std::move(loaded), code->verdict});
}

void ExecutableCache::Land(const Request& request, absl::StatusOr<Result> result) {
  Count(result.ok() ? result->verdict : Verdict::kMiss);
  load_flights_.Land({request.key, request.device}, std::move(result));
}

void ExecutableCache::Count(Verdict verdict) {
  switch (verdict) {
    case Verdict::kMemory:
      hits_memory_.fetch_add(1, std::memory_order_relaxed);
      return;
    case Verdict::kDisk:
      hits_disk_.fetch_add(1, std::memory_order_relaxed);
      return;
    case Verdict::kRemote:
      hits_remote_.fetch_add(1, std::memory_order_relaxed);
      return;
    case Verdict::kInflight:
      hits_inflight_.fetch_add(1, std::memory_order_relaxed);
      return;
    case Verdict::kMiss:
      misses_.fetch_add(1, std::memory_order_relaxed);
      return;
  }
}

void ExecutableCache::CountMemoryHit(const hal::LoadedExecutable& executable) {
  executable.Touch();
  Count(Verdict::kMemory);
}

ExecutableCache::Stats ExecutableCache::stats() const {
  return {.compiles = compiles_.load(),
          .compile_failures = compile_failures_.load(),
          .hits_memory = hits_memory_.load(),
          .hits_disk = hits_disk_.load(),
          .hits_remote = hits_remote_.load(),
          .hits_inflight = hits_inflight_.load(),
          .misses = misses_.load(),
          .memory = memory_.stats(),
          .disk = disk_ != nullptr ? disk_->stats() : DiskTier::Stats{},
          .remote = remote_ != nullptr ? absl::make_optional(remote_->stats()) : absl::nullopt};
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

void ExecutableCache::Locate(EntryHeader wanted, std::function<void(Whereabouts)> done) const {
  Whereabouts here;
  Nearest nearest(wanted);
  for (EntryInfo& entry : List()) {
    if (entry.header.key == wanted.key) {
      here.tier = entry.in_memory ? Verdict::kMemory : Verdict::kDisk;
      return done(std::move(here));
    }
    nearest.Look(entry.header);
  }
  if (remote_ == nullptr) {
    here.nearest = nearest.Take();
    return done(std::move(here));
  }
  remote_->List(kMaxRemoteEntries, [nearest = std::move(nearest), wanted = std::move(wanted),
                                    done](absl::StatusOr<std::vector<EntryHeader>> others) mutable {
    Whereabouts found;
    if (others.ok()) {
      for (const EntryHeader& other : *others) {
        if (other.key == wanted.key) found.tier = Verdict::kRemote;
        nearest.Look(other);
      }
    }
    if (!found.tier.has_value()) found.nearest = nearest.Take();
    done(std::move(found));
  });
}

}  // namespace acceld::cache

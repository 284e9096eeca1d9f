#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/types/optional.h"
#include "common/api/cache_verdict.h"
#include "common/crypto/digest.h"
#include "common/ir/types/type.h"
#include "common/memory/allocation.h"
#include "common/status.h"
#include "common/threads/future.h"
#include "common/threads/mutex.h"
#include "common/threads/stop_flag.h"
#include "server/cache/compile_pool.h"
#include "server/cache/disk_tier.h"
#include "server/cache/memory_tier.h"
#include "server/cache/remote/remote_tier.h"
#include "server/cache/tools.h"
#include "server/hal/device.h"
#include "server/hal/loaded_executable.h"
#include "server/observability/instruments/histogram.h"

namespace acceld::cache {

// What to find, and how to make it when it is nowhere.
struct Request {
  Digest key;  // MakeCacheKey
  Digest fingerprint;
  std::vector<ir::TensorType> arguments;
  std::string architecture;  // what to compile for: the device's, if there is one
  // Where it is wanted; nullopt: nowhere, it is only to be found in the tiers that stay.
  absl::optional<size_t> device;
  // Runs on the compile pool, at most once among concurrent requests for the key. Once the flag is
  // stopped nobody wants the result: it ends soon then, with CANCELLED.
  std::function<absl::StatusOr<hal::Executable>(const StopFlag& stop)> compile;
  // Calls `load`, which takes `size_bytes` of the device, and makes room for the asker if that is
  // refused, as long as there is hope. On the compile pool; may block. Empty: `load` is called
  // once.
  std::function<absl::Status(int64_t size_bytes, absl::FunctionRef<absl::Status()> load)> with_room;
  Asker asker = {};
};

struct Result {
  std::shared_ptr<const hal::LoadedExecutable> executable;  // nullptr without a device
  CacheVerdict verdict = CacheVerdict::kMiss;
};

// Finds executables: memory, then disk, then remote, then compile. Concurrent requests
// for one key share one search and one compile, also when they are for different devices; loading
// is done once for each device. Failures are not kept: the next request tries again.
//
// Identities have their turns on the compile pool (compile_schedule.h). A request that its asker
// has left goes on for the others who wait for the same; when there are none, it is dropped, or its
// compile is stopped, and who asks after that begins anew.
//
// Thread-safe; nothing here blocks but the destructor, which fails what has not begun with
// CANCELLED and waits for compiles that run.
class ExecutableCache {
 public:
  struct Options {
    std::string folder;                       // empty: no disk tier
    int64_t disk_bytes = int64_t{4} << 30;    // 0: no disk tier
    int64_t memory_bytes = int64_t{1} << 30;  // 0: no memory tier
    int share_percent = 25;                   // one identity's share of each tier (eviction.h)
    int compile_threads = 1;
    size_t max_queued_compiles = 100'000;
    int64_t max_compile_bytes = WorkBounds::kUnbounded;  // of memory that one compile may take
    absl::optional<RemoteTier::Options> remote;          // nullopt: no cache but this node's
    std::vector<SigningKey> bundle_keys;                 // see Tools
    // Of every entry made here, for people who look at it: this host, and the compile options that
    // are part of keys.
    std::string producer, compile_options;
  };
  // Who waits for an answer, and may leave.
  class Interest;
  struct Ticket {
    Future<Result> future;
    bool joined = false;  // another request's search: its verdict is kInflight for this one
    std::shared_ptr<Interest> interest = nullptr;  // nullptr: it was there

    CacheVerdict VerdictOf(const Result& result) const {
      return joined ? CacheVerdict::kInflight : result.verdict;
    }
  };
  struct Stats {
    uint64_t compiles = 0, compile_failures = 0;
    uint64_t compiles_stopped = 0;  // that nobody waited for any more
    CompilePool::Stats pool;
    uint64_t hits_memory = 0, hits_disk = 0, hits_remote = 0, hits_inflight = 0, misses = 0;
    MemoryTier::Stats memory;
    DiskTier::Stats disk;
    absl::optional<RemoteTier::Stats> remote;
  };
  struct EntryInfo {
    EntryHeader header;
    uint64_t size_bytes = 0;
    bool in_memory = false, on_disk = false;
    double age_s = 0;
    int64_t last_use_unix_ns = 0;
  };
  // Where an entry is, and which other comes nearest to it.
  struct Whereabouts {
    absl::optional<CacheVerdict> tier;    // nullopt: nowhere
    absl::optional<EntryHeader> nearest;  // see Likeness; nullopt: nothing is like it
  };

  // Reads the folder's index. Without a usable folder it logs why and does without the disk tier.
  // `devices` outlive the cache.
  ExecutableCache(const Options& options, std::vector<hal::Device*> devices, std::string build_id);
  ~ExecutableCache();
  ExecutableCache(const ExecutableCache&) = delete;
  ExecutableCache& operator=(const ExecutableCache&) = delete;

  Ticket Get(Request request);
  // For callers that still hold an executable: the same as a Get that finds it in memory.
  void CountMemoryHit(const hal::LoadedExecutable& executable);
  // See MemoryTier::Unload.
  int64_t Unload(size_t device, int64_t size_bytes) { return memory_.Unload(device, size_bytes); }

  Stats stats() const;
  // Of all compiles, those that failed too.
  observability::HistogramSnapshot compile_time() const { return compile_time_.Read(); }
  // Most recently used first.
  std::vector<EntryInfo> List() const;
  Tools& tools() { return *tools_; }
  // What is known of the entry that `request` is for, before it is made.
  EntryHeader HeaderOf(const Request& request) const;
  // Calls `done` with where the entry is now. Looks at no more than some thousand entries of other
  // daemons. On any thread, which `done` must not block.
  void Locate(EntryHeader wanted, std::function<void(Whereabouts)> done) const;

 private:
  friend class Interest;
  using LoadKey = std::pair<Digest, absl::optional<size_t>>;
  struct Code {
    std::shared_ptr<const hal::Executable> executable;
    CacheVerdict verdict = CacheVerdict::kMiss;
    absl::optional<EntryHeader> origin;  // of kRemote
  };

  // The search for a key, and those that wait for it. The same for a device: it may wait for the
  // one of the key. Shared by the jobs and those that wait.
  struct CodeFlight;
  struct Flight;
  using FlightPtr = std::shared_ptr<Flight>;
  using RequestPtr = std::shared_ptr<const Request>;
  using ExecutablePtr = std::shared_ptr<const hal::Executable>;

  // nullptr when it is not in memory, or not wanted on a device.
  std::shared_ptr<const hal::LoadedExecutable> FindLoaded(const Request& request);
  // Runs `work` with OK on the compile pool, in the turn of those who wait for the flight, or with
  // why it is not to be. Until it begins it is the flight's job.
  void Submit(const FlightPtr& flight, std::function<void(absl::Status)> work);
  // The request of somebody who waits for the flight; nullptr when nobody does.
  RequestPtr RequestOf(const Flight& flight) const;
  // Of one who asks no more. True when the flight is dropped for it, whose promise is the caller's
  // then.
  bool Leave(const FlightPtr& flight, uint64_t waiter);
  void BeginSearch(const FlightPtr& flight);
  // Of a request that may be anybody's of those who wait.
  void Search(const FlightPtr& flight, const RequestPtr& request);
  // The rest of a search that leads for its key, after all tiers.
  void EndSearch(const FlightPtr& flight, const RequestPtr& request, RemoteTier::Outcome outcome);
  void LandCode(const FlightPtr& flight, const Request& request, absl::StatusOr<Code> code,
                std::shared_ptr<RemoteTier::Lease> lease = nullptr);
  // Answers those who wait for the code.
  void LandOnly(const Digest& key, CodeFlight& flight, const absl::StatusOr<Code>& code);
  absl::StatusOr<ExecutablePtr> Compile(const Request& request, const StopFlag& stop);
  absl::StatusOr<ExecutablePtr> LoadFromDisk(const Request& request);
  // What bytes of a tier that were verified come to. DATA_LOSS when they are not what was asked.
  absl::StatusOr<ExecutablePtr> Decode(const Request& request, absl::string_view payload) const;
  absl::StatusOr<std::shared_ptr<const hal::LoadedExecutable>> LoadOnDevice(
      const Request& request, ExecutablePtr executable);
  // Puts what was found elsewhere into the tiers that lack it.
  void Store(const Request& request, const Code& code, std::shared_ptr<RemoteTier::Lease> lease);
  // Loads the code and answers with it. Code that was found somewhere and does not load is refused
  // there, compiled again, and that is `code` then.
  void Finish(const FlightPtr& flight, const Request& request, absl::StatusOr<Code>& code);
  void Land(const FlightPtr& flight, absl::StatusOr<Result> result);
  void Count(CacheVerdict verdict);

  const std::vector<hal::Device*> devices_;
  const std::string build_id_, producer_, compile_options_;
  const int64_t max_compile_bytes_;
  MemoryTier memory_;
  std::unique_ptr<DiskTier> disk_;      // nullptr: none
  std::unique_ptr<RemoteTier> remote_;  // nullptr: none
  std::unique_ptr<Tools> tools_;
  mutable Mutex mutex_;
  // Those that may be joined.
  absl::flat_hash_map<LoadKey, FlightPtr> flights_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<Digest, std::shared_ptr<CodeFlight>> code_flights_ ABSL_GUARDED_BY(mutex_);
  uint64_t last_waiter_ ABSL_GUARDED_BY(mutex_) = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<uint64_t> compiles_{0}, compile_failures_{0}, compiles_stopped_{0};
  observability::Histogram compile_time_;
  std::atomic<uint64_t> hits_memory_{0}, hits_disk_{0}, hits_remote_{0}, hits_inflight_{0},
      misses_{0};
  CompilePool pool_;  // The last member: its threads use the others.
};

// Of one request. Thread-safe; may outlive the cache.
class ExecutableCache::Interest {
 public:
  Interest(const FlightPtr& flight, uint64_t waiter) : flight_(flight), waiter_(waiter) {}
  // Says that the answer is of no use any more. Others' are as before. Without effect once it is
  // there, and the second time. Callbacks of the ticket's future may run, with CANCELLED.
  void Leave();

 private:
  const std::weak_ptr<Flight> flight_;
  const uint64_t waiter_;
};

}  // namespace acceld::cache

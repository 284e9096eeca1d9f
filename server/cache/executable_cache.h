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
  // See MakeCacheKey.
  Digest key;
  Digest fingerprint;
  std::vector<ir::TensorType> arguments;
  // The architecture to compile for: that of the device, if there is one.
  std::string architecture;
  // The index of the device on which to load the executable; nullopt: it is only brought into the
  // disk and remote tiers.
  absl::optional<size_t> device;
  // Compiles the executable. Called on the compile pool, at most once among concurrent requests for
  // the key. When `stop` is set nobody wants the result any more, and the function must soon return
  // CANCELLED.
  std::function<absl::StatusOr<hal::Executable>(const StopFlag& stop)> compile;
  // Calls `load`, which allocates `size_bytes` on the device. When `load` fails for lack of memory,
  // frees memory on behalf of the requester and calls it again, as long as more can be freed.
  // Called on the compile pool; may block. Empty: `load` is called once.
  std::function<absl::Status(int64_t size_bytes, absl::FunctionRef<absl::Status()> load)> with_room;
  // Who asks for the executable.
  Requester requester = {};
};

// The answer to a request.
struct Result {
  std::shared_ptr<const hal::LoadedExecutable> executable;  // nullptr without a device
  CacheVerdict verdict = CacheVerdict::kMiss;
};

// Finds executables: in memory, on disk, in the remote cache, and otherwise compiles them.
// Concurrent requests for one key share one search and one compile, even for different devices;
// each device loads the code once. Failures are not cached: the next request tries again.
//
// The compile pool shares its threads between identities (compile_schedule.h). A request that was
// withdrawn (Interest::Withdraw) continues for the other requests that wait for the same
// executable. When there are none it is dropped, or its compile is stopped; a later request then
// starts anew.
//
// Owns its tiers and the compile pool. Thread-safe. The constructor reads the index of the disk
// tier. The destructor fails what has not begun with CANCELLED and waits for running compiles. No
// other function blocks.
class ExecutableCache {
 public:
  struct Options {
    std::string folder;                       // empty: no disk tier
    int64_t disk_bytes = int64_t{4} << 30;    // 0: no disk tier
    int64_t memory_bytes = int64_t{1} << 30;  // 0: no memory tier
    int share_percent = 25;                   // one identity's share of each tier (eviction.h)
    int compile_threads = 1;
    size_t max_queued_compiles = 100'000;
    // The memory that one compile may take.
    int64_t max_compile_bytes = WorkBounds::kUnbounded;
    absl::optional<RemoteTier::Options> remote;  // nullopt: no remote tier
    std::vector<SigningKey> bundle_keys;         // see Tools
    // Recorded in every entry made here: the name of this host (informational), and the compile
    // options that are part of cache keys.
    std::string producer, compile_options;
  };
  // A request's interest in an answer, which may be withdrawn.
  class Interest;
  // A request in progress.
  struct Ticket {
    Future<Result> future;
    // Whether the request joined the search of another one; its verdict is kInflight then.
    bool joined = false;
    std::shared_ptr<Interest> interest = nullptr;  // nullptr: the answer was available at once

    CacheVerdict VerdictOf(const Result& result) const {
      return joined ? CacheVerdict::kInflight : result.verdict;
    }
  };
  struct Stats {
    uint64_t compiles = 0, compile_failures = 0;
    uint64_t compiles_stopped = 0;  // compiles stopped because nobody waited for them any more
    CompilePool::Stats pool;
    uint64_t hits_memory = 0, hits_disk = 0, hits_remote = 0, hits_inflight = 0, misses = 0;
    MemoryTier::Stats memory;
    DiskTier::Stats disk;
    absl::optional<RemoteTier::Stats> remote;
  };
  // An entry of the memory tier, the disk tier or both.
  struct EntryInfo {
    EntryHeader header;
    uint64_t size_bytes = 0;
    bool in_memory = false, on_disk = false;
    double age_s = 0;
    int64_t last_use_unix_ns = 0;
  };
  // The tier that has an entry, or else the entry most similar to it.
  struct EntryLocation {
    absl::optional<CacheVerdict> tier;    // nullopt: nowhere
    absl::optional<EntryHeader> nearest;  // see MostSimilar; nullopt: none is similar
  };

  // Opens the disk tier, which begins to read its index. Where the folder is unusable, logs the
  // reason and works without a disk tier. `devices` must outlive the cache.
  ExecutableCache(const Options& options, std::vector<hal::Device*> devices, std::string build_id);
  ~ExecutableCache();
  ExecutableCache(const ExecutableCache&) = delete;
  ExecutableCache& operator=(const ExecutableCache&) = delete;

  // Starts a search, or joins one that is in progress. Does not block.
  Ticket Get(Request request);
  // Counts a use of an executable that the caller still holds, like a Get that finds it in memory.
  void CountMemoryHit(const hal::LoadedExecutable& executable);
  // See MemoryTier::Unload.
  int64_t Unload(size_t device, int64_t size_bytes) { return memory_.Unload(device, size_bytes); }

  Stats stats() const;
  // The durations of all compiles, including failed ones.
  observability::HistogramSnapshot compile_time() const { return compile_time_.Read(); }
  // Whether all entries of the disk tier are known, and blocks until they are: see DiskTier.
  bool HasIndex() const;
  void WaitForIndex() const;
  // Returns the known entries of the memory and disk tiers, the most recently used first.
  std::vector<EntryInfo> List() const;
  Tools& tools() { return *tools_; }
  // Returns the part of an entry's header that is known before the entry is made.
  EntryHeader HeaderOf(const Request& request) const;
  // Calls `done` with the location of an entry. Inspects at most some thousand entries of the
  // remote cache. `done` may be called on any thread and must not block it.
  void Locate(EntryHeader wanted, std::function<void(EntryLocation)> done) const;

 private:
  friend class Interest;
  using LoadKey = std::pair<Digest, absl::optional<size_t>>;
  // Code for an architecture, not loaded on a device, and where it came from.
  struct Code {
    std::shared_ptr<const hal::Executable> executable;
    CacheVerdict verdict = CacheVerdict::kMiss;
    absl::optional<EntryHeader> origin;  // of kRemote
  };

  // A Flight is the search for a key and device; a CodeFlight is the search for the code of a key,
  // shared by the flights of several devices. Both are owned jointly by their jobs and the requests
  // that wait for them.
  struct CodeFlight;
  struct Flight;
  using FlightPtr = std::shared_ptr<Flight>;
  using RequestPtr = std::shared_ptr<const Request>;
  using ExecutablePtr = std::shared_ptr<const hal::Executable>;

  // Returns nullptr when the executable is not loaded, or the request names no device.
  std::shared_ptr<const hal::LoadedExecutable> FindLoaded(const Request& request);
  // Runs `work` on the compile pool, scheduled for the requesters of the flight. `work` gets OK, or
  // the reason why it must not proceed. Until then it can be withdrawn as the flight's job.
  void Submit(const FlightPtr& flight, std::function<void(absl::Status)> work);
  // Returns the request of one of those that wait for the flight; nullptr when none does.
  RequestPtr RequestOf(const Flight& flight) const;
  // Removes a waiting request. Returns true when that drops the whole flight; the caller then has
  // to set the flight's promise.
  bool Withdraw(const FlightPtr& flight, uint64_t waiter);
  // The steps of a search. BeginSearch checks the memory tier, then joins or starts the search for
  // the code.
  void BeginSearch(const FlightPtr& flight);
  // Searches memory and disk, then starts the search of the remote tier. `request` is any of those
  // that wait.
  void Search(const FlightPtr& flight, const RequestPtr& request);
  // Continues a search after the remote tier has answered: decodes its entry, or compiles.
  void EndSearch(const FlightPtr& flight, const RequestPtr& request, RemoteTier::Outcome outcome);
  // Ends the search for the code: stores it, loads it for this flight and answers the other
  // flights.
  void EndCodeSearch(const FlightPtr& flight, const Request& request, absl::StatusOr<Code> code,
                     std::shared_ptr<RemoteTier::Lease> lease = nullptr);
  // Sets the answer of the search for the code.
  void AnswerCodeFlight(const Digest& key, CodeFlight& flight, const absl::StatusOr<Code>& code);
  absl::StatusOr<ExecutablePtr> Compile(const Request& request, const StopFlag& stop);
  absl::StatusOr<ExecutablePtr> LoadFromDisk(const Request& request);
  // Decodes the verified payload of a tier. DATA_LOSS when it is not the executable that was
  // requested.
  absl::StatusOr<ExecutablePtr> Decode(const Request& request, absl::string_view payload) const;
  absl::StatusOr<std::shared_ptr<const hal::LoadedExecutable>> LoadOnDevice(
      const Request& request, ExecutablePtr executable);
  // Stores code that was compiled or found remotely in the tiers that lack it.
  void Store(const Request& request, const Code& code, std::shared_ptr<RemoteTier::Lease> lease);
  // Loads the code on the device and answers the flight. Code from a tier that does not load is
  // removed from that tier and compiled again; `code` is then the new code.
  void LoadAndAnswer(const FlightPtr& flight, const Request& request, absl::StatusOr<Code>& code);
  // Answers the flight and removes it from flights_.
  void AnswerFlight(const FlightPtr& flight, absl::StatusOr<Result> result);
  void Count(CacheVerdict verdict);

  const std::vector<hal::Device*> devices_;
  const std::string build_id_, producer_, compile_options_;
  const int64_t max_compile_bytes_;
  MemoryTier memory_;
  std::unique_ptr<DiskTier> disk_;      // nullptr: none
  std::unique_ptr<RemoteTier> remote_;  // nullptr: none
  std::unique_ptr<Tools> tools_;
  mutable Mutex mutex_;
  // The searches that new requests may join.
  absl::flat_hash_map<LoadKey, FlightPtr> flights_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<Digest, std::shared_ptr<CodeFlight>> code_flights_ ABSL_GUARDED_BY(mutex_);
  uint64_t last_waiter_ ABSL_GUARDED_BY(mutex_) = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<uint64_t> compiles_{0}, compile_failures_{0}, compiles_stopped_{0};
  observability::Histogram compile_time_;
  std::atomic<uint64_t> hits_memory_{0}, hits_disk_{0}, hits_remote_{0}, hits_inflight_{0},
      misses_{0};
  CompilePool pool_;  // The last member, as its threads use the others.
};

// The interest of one request in its answer. Thread-safe; may outlive the cache.
class ExecutableCache::Interest {
 public:
  Interest(const FlightPtr& flight, uint64_t waiter) : flight_(flight), waiter_(waiter) {}
  // Withdraws the request: its answer is not needed any more. Other requests for the same
  // executable are not affected. Without effect after the answer has arrived, and when called
  // again. May run callbacks of the ticket's future, with CANCELLED.
  void Withdraw();

 private:
  const std::weak_ptr<Flight> flight_;
  const uint64_t waiter_;
};

}  // namespace acceld::cache

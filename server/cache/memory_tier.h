#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/crypto/digest.h"
#include "common/threads/mutex.h"
#include "server/cache/eviction.h"
#include "server/hal/loaded_executable.h"

namespace acceld::cache {

// The cache tier that keeps executables in memory, with their code loaded on the devices that asked
// for it. Past the size limit the least recently used entries are evicted (eviction.h), except
// those that somebody else holds, as removing these would free nothing. An entry larger than the
// limit is not kept at all, so a limit of 0 disables the tier. An executable in use lives as long
// as its users hold it.
//
// Thread-safe; no operation takes long.
class MemoryTier {
 public:
  struct Stats {
    uint64_t bytes = 0, entries = 0;
    uint64_t evictions = 0;  // entries removed to make room
    // Loaded executables that were unloaded because their device was short of memory.
    uint64_t unloads = 0;
  };
  // An executable with its code on the devices.
  struct Entry {
    Digest key, fingerprint;
    std::shared_ptr<const hal::Executable> executable;
    // By device index; nullptr where the code is not loaded.
    std::vector<std::shared_ptr<const hal::LoadedExecutable>> loaded;
    std::string owner;  // See Evictable.
    int64_t created_unix_s = 0;
    // Of the steady clock. The last use is the latest of this one and those in `loaded`: see
    // LastUse().
    int64_t last_use_ns = 0;

    // The executable with its loaded code.
    int64_t size_bytes() const;
    int64_t LastUse() const;
  };

  explicit MemoryTier(const TierLimits& limits) : limits_(limits) {}

  // Both return nullptr when absent, and mark the entry as used.
  std::shared_ptr<const hal::LoadedExecutable> FindLoaded(const Digest& key, size_t device);
  std::shared_ptr<const hal::Executable> FindExecutable(const Digest& key);
  // Whether the tier keeps anything.
  bool enabled() const { return limits_.limit_bytes > 0; }
  // Adds an entry, or the code of one more device to the entry of `key`. The owner is the identity
  // that added the entry first.
  void Add(const Digest& key, const Digest& fingerprint, size_t device,
           std::shared_ptr<const hal::LoadedExecutable> loaded, const std::string& owner);
  // Unloads executables that nobody holds from the device, the least recently used first, until
  // `size_bytes` of its memory have been freed. One call inspects and unloads a bounded number of
  // entries; the next call continues after them. Returns the number of bytes freed. The entries
  // stay in the tier, so loading them again is quick.
  int64_t Unload(size_t device, int64_t size_bytes);

  // Removes the entry; holders of its executable keep it. Returns whether there was one.
  bool Remove(const Digest& key);

  Stats stats() const;
  // Returns copies of all entries, in no order.
  std::vector<Entry> List() const;

 private:
  // Evicts entries other than `keep` until the tier is within its limit, and moves them to
  // `dropped`.
  void Evict(const Digest& keep, std::vector<Entry>& dropped) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Removes the entry from the tier and returns it.
  Entry Take(absl::flat_hash_map<Digest, Entry>::iterator it) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // The entries that occupy memory of a device, in the order in which Unload inspects them.
  struct OnDevice {
    std::list<Digest> keys;
    absl::flat_hash_map<Digest, std::list<Digest>::iterator> positions;
  };

  const TierLimits limits_;
  mutable Mutex mutex_;
  absl::flat_hash_map<Digest, Entry> entries_ ABSL_GUARDED_BY(mutex_);
  std::vector<OnDevice> on_device_ ABSL_GUARDED_BY(mutex_);
  int64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t evictions_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t unloads_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace acceld::cache

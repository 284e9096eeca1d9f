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

// Executables in memory, with their code loaded on the devices that asked for it. Past the limit,
// what was not asked for longest goes (eviction.h), unless somebody holds it: removing that would
// free nothing. What is larger than the limit by itself is not kept at all, so a limit of 0 means
// no memory tier; an executable in use lives as long as its users.
//
// Thread-safe; no operation takes long.
class MemoryTier {
 public:
  struct Stats {
    uint64_t bytes = 0, entries = 0;
    uint64_t evictions = 0;  // entries that went to make room
    uint64_t unloads = 0;  // loaded executables that went because their device was short of memory
  };
  struct Entry {
    Digest key, fingerprint;
    std::shared_ptr<const hal::Executable> executable;
    // By device; nullptr where not loaded.
    std::vector<std::shared_ptr<const hal::LoadedExecutable>> loaded;
    std::string owner;  // See Evictable.
    int64_t created_unix_s = 0;
    int64_t last_use_ns = 0;  // steady clock; the later of this and those in `loaded` counts

    int64_t size_bytes() const;
    int64_t LastUse() const;
  };

  explicit MemoryTier(const TierLimits& limits) : limits_(limits) {}

  // nullptr when absent.
  std::shared_ptr<const hal::LoadedExecutable> FindLoaded(const Digest& key, size_t device);
  std::shared_ptr<const hal::Executable> FindExecutable(const Digest& key);
  // Whether anything is ever kept.
  bool enabled() const { return limits_.limit_bytes > 0; }
  // Adds or extends the entry of `key`. Its owner is the first who adds it.
  void Add(const Digest& key, const Digest& fingerprint, size_t device,
           std::shared_ptr<const hal::LoadedExecutable> loaded, const std::string& owner);
  // Unloads executables from the device that nobody holds, least recently used first, until they
  // had `size_bytes` of its memory, or some of them: of thousands, each call looks at others.
  // Returns how many bytes they had. Their code stays, so loading them again is quick.
  int64_t Unload(size_t device, int64_t size_bytes);

  // Forgets the entry; who holds it keeps it. Whether there was one.
  bool Remove(const Digest& key);

  Stats stats() const;
  std::vector<Entry> List() const;

 private:
  void Evict(const Digest& keep, std::vector<Entry>& dropped) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Takes the entry out.
  Entry Take(absl::flat_hash_map<Digest, Entry>::iterator it) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // The entries that have memory of a device, in the order in which they are looked at.
  struct OnDevice {
    std::list<Digest> keys;
    absl::flat_hash_map<Digest, std::list<Digest>::iterator> places;
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

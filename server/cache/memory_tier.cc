#include "server/cache/memory_tier.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace acceld::cache {
namespace {

// The most entries that one call of Unload inspects and unloads; a dispatcher may be waiting for
// it.
constexpr size_t kMaxInspected = 4096, kMostUnloaded = 256;

int64_t SteadyNowNs() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

// Returns whether anything other than the tier holds a part of the entry. A race is harmless: a
// reference taken at the same time stays valid, and only the tier drops its own.
bool IsHeld(const MemoryTier::Entry& entry) {
  int64_t own = 1;
  for (const auto& loaded : entry.loaded) {
    if (loaded == nullptr) continue;
    if (loaded.use_count() > 1) return true;
    if (loaded->executable == entry.executable) ++own;
  }
  return entry.executable.use_count() > own;
}

}  // namespace

int64_t MemoryTier::Entry::size_bytes() const {
  int64_t bytes = executable->size_bytes();
  for (const auto& one : loaded) {
    if (one != nullptr) bytes += one->module->size_bytes();
  }
  return bytes;
}

int64_t MemoryTier::Entry::LastUse() const {
  int64_t last = last_use_ns;
  for (const auto& one : loaded) {
    if (one != nullptr) last = std::max(last, one->last_use_ns.load(std::memory_order_relaxed));
  }
  return last;
}

std::shared_ptr<const hal::LoadedExecutable> MemoryTier::FindLoaded(const Digest& key,
                                                                    size_t device) {
  MutexLock lock(mutex_);
  const auto it = entries_.find(key);
  if (it == entries_.end() || device >= it->second.loaded.size()) return nullptr;
  const std::shared_ptr<const hal::LoadedExecutable>& loaded = it->second.loaded[device];
  if (loaded != nullptr) loaded->Touch();
  return loaded;
}

std::shared_ptr<const hal::Executable> MemoryTier::FindExecutable(const Digest& key) {
  MutexLock lock(mutex_);
  const auto it = entries_.find(key);
  if (it == entries_.end()) return nullptr;
  it->second.last_use_ns = SteadyNowNs();
  return it->second.executable;
}

void MemoryTier::Add(const Digest& key, const Digest& fingerprint, size_t device,
                     std::shared_ptr<const hal::LoadedExecutable> loaded,
                     const std::string& owner) {
  // Declared before the lock, to be freed after the unlock: freeing device memory may take long.
  std::vector<Entry> dropped;
  MutexLock lock(mutex_);
  Entry& entry = entries_[key];
  if (entry.executable == nullptr) {
    entry.key = key;
    entry.fingerprint = fingerprint;
    entry.executable = loaded->executable;
    entry.owner = owner;
    entry.created_unix_s = std::chrono::duration_cast<std::chrono::seconds>(
                               std::chrono::system_clock::now().time_since_epoch())
                               .count();
  } else {
    bytes_ -= entry.size_bytes();
  }
  if (entry.loaded.size() <= device) entry.loaded.resize(device + 1);
  if (loaded->module->device_bytes() > 0) {
    if (on_device_.size() <= device) on_device_.resize(device + 1);
    OnDevice& there = on_device_[device];
    if (const auto [position, is_new] = there.positions.try_emplace(key); is_new) {
      position->second = there.keys.insert(there.keys.end(), key);
    }
  }
  entry.loaded[device] = std::move(loaded);
  bytes_ += entry.size_bytes();
  if (entry.size_bytes() > limits_.limit_bytes) {
    dropped.push_back(Take(entries_.find(key)));
  } else if (bytes_ > limits_.limit_bytes) {
    Evict(key, dropped);
  }
}

MemoryTier::Entry MemoryTier::Take(absl::flat_hash_map<Digest, Entry>::iterator it) {
  for (OnDevice& there : on_device_) {
    const auto position = there.positions.find(it->first);
    if (position == there.positions.end()) continue;
    there.keys.erase(position->second);
    there.positions.erase(position);
  }
  bytes_ -= it->second.size_bytes();
  Entry taken = std::move(it->second);
  entries_.erase(it);
  return taken;
}

void MemoryTier::Evict(const Digest& keep, std::vector<Entry>& dropped) {
  std::vector<Evictable> candidates;
  BytesByOwner bytes_by_owner;
  for (const auto& [key, entry] : entries_) {
    const int64_t size_bytes = entry.size_bytes();
    bytes_by_owner[entry.owner] += size_bytes;
    if (key == keep || IsHeld(entry)) continue;
    candidates.push_back({key, entry.owner, entry.LastUse(), size_bytes});
  }
  for (const Digest& key : ChooseEvicted(std::move(candidates), std::move(bytes_by_owner),
                                         bytes_ - limits_.limit_bytes, limits_)) {
    dropped.push_back(Take(entries_.find(key)));
    ++evictions_;
  }
}

int64_t MemoryTier::Unload(size_t device, int64_t size_bytes) {
  // Declared before the lock, to be freed after the unlock.
  std::vector<std::shared_ptr<const hal::LoadedExecutable>> unloaded;
  int64_t unloaded_bytes = 0;
  MutexLock lock(mutex_);
  if (device >= on_device_.size()) return 0;
  OnDevice& there = on_device_[device];
  std::vector<std::pair<int64_t, Digest>> candidates;
  for (size_t i = 0, most = std::min(there.keys.size(), kMaxInspected); i < most; ++i) {
    const Digest& key = there.keys.front();
    const auto& loaded = entries_.find(key)->second.loaded[device];
    if (loaded.use_count() == 1) {
      candidates.emplace_back(loaded->last_use_ns.load(std::memory_order_relaxed), key);
    }
    there.keys.splice(there.keys.end(), there.keys, there.keys.begin());
  }
  std::sort(candidates.begin(), candidates.end());
  for (const auto& [last_use, key] : candidates) {
    if (unloaded_bytes >= size_bytes || unloaded.size() >= kMostUnloaded) break;
    Entry& entry = entries_.find(key)->second;
    entry.last_use_ns = std::max(entry.last_use_ns, last_use);
    unloaded_bytes += entry.loaded[device]->module->device_bytes();
    bytes_ -= entry.loaded[device]->module->size_bytes();
    unloaded.push_back(std::move(entry.loaded[device]));
    there.keys.erase(there.positions.find(key)->second);
    there.positions.erase(key);
    ++unloads_;
  }
  return unloaded_bytes;
}

bool MemoryTier::Remove(const Digest& key) {
  Entry removed;  // declared before the lock, to be freed after the unlock
  MutexLock lock(mutex_);
  const auto it = entries_.find(key);
  if (it == entries_.end()) return false;
  removed = Take(it);
  return true;
}

MemoryTier::Stats MemoryTier::stats() const {
  MutexLock lock(mutex_);
  return {.bytes = static_cast<uint64_t>(bytes_),
          .entries = entries_.size(),
          .evictions = evictions_,
          .unloads = unloads_};
}

std::vector<MemoryTier::Entry> MemoryTier::List() const {
  MutexLock lock(mutex_);
  std::vector<Entry> entries;
  entries.reserve(entries_.size());
  for (const auto& [key, entry] : entries_) entries.push_back(entry);
  return entries;
}

}  // namespace acceld::cache

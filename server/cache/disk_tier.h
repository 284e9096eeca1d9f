#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/cache/entry.h"
#include "server/cache/eviction.h"
#include "server/cache/files.h"
#include "server/cache/occasional_log.h"

namespace acceld::cache {

// Executables in a folder, one signed file each: FOLDER/v2/xx/KEY.exe, where xx are the key's first
// digits. Files appear whole or not at all (temporary file, fsync, rename). A file's modification
// time is when it was last used; past the limit the oldest go (eviction.h). Several processes may
// share the folder, so a file may come or vanish at any time; the owner of an entry is known only
// to the process that stored it.
//
// Trouble never reaches an execution: a file that is cut short, altered or not signed with the
// node's key, or that others own or may write, is removed, counted and reported as absent; a full
// or read-only disk is counted and logged once in a while.
//
// Thread-safe. Load and Store do I/O; the rest looks at the index in memory.
class DiskTier {
 public:
  struct Stats {
    uint64_t bytes = 0, entries = 0;
    uint64_t evictions = 0;  // entries that went to make room
    uint64_t dropped = 0;    // bad files found and removed
    uint64_t failures = 0;   // reads and writes that the system refused
  };
  struct Entry {
    EntryHeader header;
    uint64_t size_bytes = 0;
    int64_t last_use_unix_ns = 0;
    std::string owner = {};  // See Evictable.
  };

  // Makes the folder where needed and reads the headers of what is there. Errors: the system's,
  // those of the node key, or FAILED_PRECONDITION when the folder is another user's or may be
  // written by others (files.h).
  static absl::StatusOr<std::unique_ptr<DiskTier>> Open(std::string folder,
                                                        const TierLimits& limits);

  // The payload stored under the header's key for its build and architecture. NOT_FOUND otherwise.
  absl::StatusOr<std::string> Load(const EntryHeader& wanted);
  // The same, which does not count as a use.
  absl::StatusOr<std::string> Read(const EntryHeader& wanted);
  // Whether there was one.
  bool Remove(const Digest& key);
  void Store(const EntryHeader& header, absl::string_view payload, const std::string& owner);
  // Removes and counts an entry whose signed payload proved unusable.
  void Drop(const Digest& key, const absl::Status& reason);

  Stats stats() const;
  std::vector<Entry> List() const;

 private:
  DiskTier(std::string folder, Folder versioned, const TierLimits& limits, SigningKey node_key);
  // The folder FOLDER/v2/xx of a key. NOT_FOUND.
  absl::StatusOr<Folder> FolderOf(const Digest& key) const;
  // The same, made where needed, with all above it.
  absl::StatusOr<Folder> MakeFolderOf(const Digest& key);
  // The file of a key. NOT_FOUND when there was none.
  absl::Status RemoveFile(const Digest& key) const;
  absl::StatusOr<std::string> ReadVerified(const EntryHeader& wanted, Entry& found);
  void Scan();
  void ScanFile(const Folder& folder, const std::string& name);
  std::shared_ptr<const Folder> versioned() const;
  absl::Status Write(const Digest& key, absl::string_view file);
  // For an entry of so many bytes.
  void MakeRoom(uint64_t bytes, const std::string& owner);
  void Failed(const absl::Status& status);
  void Forget(const Digest& key);

  const std::string folder_;
  const TierLimits limits_;
  const SigningKey node_key_;
  std::atomic<uint64_t> evictions_{0}, dropped_{0}, failures_{0};
  OccasionalLog log_;

  mutable Mutex mutex_;
  // FOLDER/v2. Shared with who uses it; another one where somebody has removed it.
  std::shared_ptr<const Folder> versioned_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<Digest, Entry> index_ ABSL_GUARDED_BY(mutex_);
  uint64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace acceld::cache

#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/cache/entry.h"
#include "server/cache/eviction.h"
#include "server/cache/files.h"
#include "server/cache/occasional_log.h"

namespace acceld::cache {

// The cache tier that keeps executables in a folder, one signed file each: FOLDER/v2/xx/KEY.exe,
// where xx are the first two digits of the key. Files appear whole or not at all (temporary file,
// fsync, rename). The modification time of a file is the time of its last use; past the size limit
// the least recently used files are removed (eviction.h). Several processes may share the folder,
// so files may appear or vanish at any time; only the process that stored an entry knows its owner.
//
// Problems with the disk never fail an execution. A file that is cut short, altered, not signed
// with the node's key, owned by another user or writable by others is removed, counted and reported
// as absent. A full or read-only disk is counted and logged once in a while.
//
// An entry is found by its file, however many there are. The index in memory, which a thread of the
// tier's own fills after the start, serves statistics, lists and the size limit.
//
// Thread-safe. stats and List only read the index in memory; all other functions do file I/O.
class DiskTier {
 public:
  // Until the index is complete, of what is in it.
  struct Stats {
    uint64_t bytes = 0, entries = 0;
    uint64_t evictions = 0;  // entries removed to make room
    uint64_t dropped = 0;    // bad files found and removed
    uint64_t failures = 0;   // reads and writes that the system refused
  };
  // An entry of the index.
  struct Entry {
    EntryHeader header;
    uint64_t size_bytes = 0;
    int64_t last_use_unix_ns = 0;
    std::string owner = {};  // See Evictable.
  };

  // Creates the folder where it is missing, and starts to read the headers of the entries in it
  // (WaitForIndex). Errors: those of the system and of the node key, and FAILED_PRECONDITION when
  // the folder belongs to another user or others may write to it (files.h).
  static absl::StatusOr<std::unique_ptr<DiskTier>> Open(std::string folder,
                                                        const TierLimits& limits);

  // Stops reading the index.
  ~DiskTier();

  // Whether the headers of all entries that were in the folder at the start have been read.
  bool HasIndex() const;
  // Blocks until HasIndex(). 100,000 entries take about a second.
  void WaitForIndex() const;

  // Returns the payload stored under the key of `wanted` for its build and architecture, and marks
  // the entry as used. NOT_FOUND when there is none.
  absl::StatusOr<std::string> Load(const EntryHeader& wanted);
  // Like Load, but does not mark the entry as used.
  absl::StatusOr<std::string> Read(const EntryHeader& wanted);
  // Removes an entry. Returns whether there was one.
  bool Remove(const Digest& key);
  // Stores an entry, after removing others to make room. Entries larger than the tier's limit are
  // not stored; failures are counted and logged.
  void Store(const EntryHeader& header, absl::string_view payload, const std::string& owner);
  // Removes and counts an entry with a valid signature whose payload proved unusable for `reason`.
  void Drop(const Digest& key, const absl::Status& reason);

  Stats stats() const;
  // Returns the entries in the index, in no order.
  std::vector<Entry> List() const;
  // Whether there is an entry of this key, by the index, or by the file while there is no complete
  // index.
  bool Contains(const Digest& key) const;

 private:
  DiskTier(std::string folder, Folder versioned, const TierLimits& limits, SigningKey node_key);
  // Opens the folder FOLDER/v2/xx of a key. NOT_FOUND when it is absent.
  absl::StatusOr<Folder> FolderOf(const Digest& key) const;
  // Like FolderOf, but creates the folder and its parents where they are missing.
  absl::StatusOr<Folder> MakeFolderOf(const Digest& key);
  absl::StatusOr<struct stat> StatOf(const Digest& key) const;
  // Removes the file of a key. NOT_FOUND when there was none.
  absl::Status RemoveFile(const Digest& key) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(files_mutex_);
  // Drop() where the file is known to be the one that was read.
  void DropFile(const Digest& key, const absl::Status& reason)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(files_mutex_);
  // Reads and verifies an entry and fills in `found`. NOT_FOUND when it is absent or not valid.
  absl::StatusOr<std::string> ReadVerified(const EntryHeader& wanted, Entry& found);
  // Brings the index up to date with the files, which other processes may have added, used and
  // removed. Ends early when the tier is destroyed.
  void Scan();
  void ScanFile(const Folder& folder, const Digest& key);
  // Brings an entry of the index up to date. Returns false when the key is not in the index.
  bool UpdateIndexed(const Folder& folder, const Digest& key);
  std::shared_ptr<const Folder> versioned() const;
  // Writes the file of a key, which these pieces make up.
  absl::Status Write(const Digest& key, absl::Span<const absl::string_view> pieces);
  // Evicts entries until `bytes` more fit.
  void MakeRoom(uint64_t bytes, const std::string& owner);
  // Counts and logs a failed system call.
  void Failed(const absl::Status& status);
  // Removes the key from the index.
  void Forget(const Digest& key);

  const std::string folder_;
  const TierLimits limits_;
  const SigningKey node_key_;
  std::atomic<uint64_t> evictions_{0}, dropped_{0}, failures_{0};
  OccasionalLog log_;

  // Held where a file of an entry is replaced or removed, and while Scan() looks at one, so that no
  // entry is dropped for what its predecessor contained, and none that is gone gets into the index.
  // Locked before mutex_.
  Mutex files_mutex_;
  mutable Mutex mutex_;
  // The open folder FOLDER/v2, shared with calls that use it; replaced when it has been removed by
  // somebody and was created again.
  std::shared_ptr<const Folder> versioned_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<Digest, Entry> index_ ABSL_GUARDED_BY(mutex_);
  uint64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool has_index_ ABSL_GUARDED_BY(mutex_) = false;
  mutable CondVar has_index_changed_;
  std::atomic<bool> stopping_{false};
  std::thread scanner_;  // runs the first Scan()
};

}  // namespace acceld::cache

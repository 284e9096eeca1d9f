#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "common/status.h"
#include "server/cache/entry.h"
#include "server/cache/redis/store.h"
#include "server/cache/remote/keys.h"
#include "server/cache/remote/names.h"

namespace acceld::cache {

// Executables in Redis: for each key a signed record, and under the SHA-256 of its content a blob,
// the compressed payload, to which the record refers. An entry is used only after its signature,
// key and checksum have been verified. An entry that fails verification is refused: counted,
// logged, and removed or moved to quarantine, so that a valid one can replace it. A record whose
// blob is missing counts as a miss.
//
// Thread-safe. Calls block on Redis, except ReplaceKeys, read_only and stats.
class EntryStore {
 public:
  struct Options {
    std::string salt;  // part of all names in Redis: stores with different salts are separate
    std::vector<SigningKey> keys;  // at least one; the first signs, all verify
    std::chrono::milliseconds ttl{std::chrono::hours(24) * 30};  // since the last use
    bool read_only = false;
    bool quarantine = false;  // refused records are kept for a week under another name
  };
  struct Stats {
    // Entries that were altered, not signed with one of our keys, or signed for another key.
    uint64_t refused = 0;
    uint64_t lost_blobs = 0;  // records whose blob was missing
    // Calls of Save that stored the entry, and those that found another one stored before.
    uint64_t saved = 0, others_were_first = 0;
    uint64_t bytes_read = 0, bytes_written = 0;  // of blobs, compressed
  };

  // `redis` must outlive the store.
  EntryStore(Options options, redis::Store& redis);

  // Returns the wanted entry (see CheckIsFor). NOT_FOUND when there is none or it is not valid;
  // otherwise the errors of redis::Store.
  absl::StatusOr<Entry> Load(const EntryHeader& wanted);
  // Stores an entry. Returns false when another entry was stored before: that one stays.
  // PERMISSION_DENIED when read-only; RESOURCE_EXHAUSTED when the entry is larger than Redis
  // accepts; otherwise the errors of redis::Store.
  absl::StatusOr<bool> Save(const EntryHeader& header, absl::string_view payload);
  // Refuses an entry that was verified but proved unusable for `reason`.
  void Refuse(const Digest& key, const absl::Status& reason);
  // Returns the keys of all records, in no order. The errors of redis::Store.
  absl::StatusOr<std::vector<Digest>> Keys();
  // Returns the headers of the records that are signed with one of our keys: those found until
  // `until`, at most `limit`. The errors of redis::Store.
  absl::StatusOr<std::vector<EntryHeader>> List(size_t limit, redis::Clock::time_point until);
  // One page of a listing.
  struct Page {
    std::vector<Record> records;
    std::string next;  // the `from` of the next page; empty: this is the last one
  };
  // Returns the next page of records that are signed with one of our keys. Redis scans about
  // `count` names of any kind for a page, so a page may be empty, and a record may be in two pages.
  // `from` is empty for the first page. INVALID_ARGUMENT when `from` is not a `next` of an earlier
  // page; the errors of redis::Store.
  absl::StatusOr<Page> List(absl::string_view from, size_t count);
  // Verifies an entry as Load does, for any build and architecture. Returns the size of its
  // payload. The errors of Load.
  absl::StatusOr<uint64_t> Verify(const Digest& key);
  // Removes an entry. Returns whether there was one. PERMISSION_DENIED when read-only; the errors
  // of redis::Store.
  absl::StatusOr<bool> Remove(const Digest& key);
  // Marks an entry as used: it expires `ttl` from now.
  void Touch(const Digest& key);
  // Replaces the keys, as in Options, for all calls that begin later. At least one.
  void ReplaceKeys(std::vector<SigningKey> keys) { keys_.Replace(std::move(keys)); }

  bool read_only() const { return options_.read_only; }
  Stats stats() const;

 private:
  absl::StatusOr<std::string> LoadRecord(const Digest& key);
  // Calls `found` with the key of each record until it returns false or `until` has passed.
  absl::Status ForEachKey(redis::Clock::time_point until,
                          absl::FunctionRef<bool(const Digest&)> found);
  // Loads an entry if `check` returns OK for its header.
  absl::StatusOr<Entry> Load(const Digest& key,
                             absl::FunctionRef<absl::Status(const EntryHeader&)> check);
  absl::StatusOr<std::string> LoadBlob(const Record& record);
  // Removes a record, or moves it to quarantine, unless it has been replaced meanwhile.
  void RemoveOrQuarantine(const Digest& key, absl::string_view record, bool quarantine);
  void Refuse(const Digest& key, absl::string_view record, const absl::Status& reason);

  KeyRing keys_;
  const Options options_;  // without the keys
  const RemoteNames names_;
  redis::Store& redis_;
  std::atomic<uint64_t> refused_{0}, lost_blobs_{0}, saved_{0}, others_were_first_{0},
      bytes_read_{0}, bytes_written_{0};
};

}  // namespace acceld::cache

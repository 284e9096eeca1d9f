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

// Executables in Redis: for each key a signed record, which names a blob by its content. Nothing
// of an entry is believed before its signature, its key and its checksum have been verified; one
// that fails is refused: counted, logged, and removed or put away, so that a good one can take its
// place. A record whose blob is gone is a miss.
//
// Thread-safe; Load, Save, Refuse and Touch wait for Redis.
class EntryStore {
 public:
  struct Options {
    std::string salt;
    std::vector<SigningKey> keys;  // at least one: the first signs, all verify
    std::chrono::milliseconds ttl{std::chrono::hours(24) * 30};  // since the last use
    bool read_only = false;
    bool quarantine = false;  // refused records are kept for a week under another name
  };
  struct Stats {
    uint64_t refused = 0;                        // altered, unsigned, foreign
    uint64_t lost_blobs = 0;                     // records whose blob was gone
    uint64_t saved = 0, others_were_first = 0;   // of Save
    uint64_t bytes_read = 0, bytes_written = 0;  // of blobs, compressed
  };

  EntryStore(Options options, redis::Store& redis);

  // The wanted entry (see CheckIsFor). NOT_FOUND when there is none that may be
  // used; else the errors of redis::Store.
  absl::StatusOr<Entry> Load(const EntryHeader& wanted);
  // Whether the entry is there by this call; false: another's was first and stays.
  // PERMISSION_DENIED when read-only; RESOURCE_EXHAUSTED when it is larger than Redis takes; else
  // the errors of redis::Store.
  absl::StatusOr<bool> Save(const EntryHeader& header, absl::string_view payload);
  // Removes an entry that was verified, yet proved unusable.
  void Refuse(const Digest& key, const absl::Status& reason);
  // The keys that there are records of, in no order. The errors of redis::Store.
  absl::StatusOr<std::vector<Digest>> Keys();
  // The headers of records that are signed with a key of ours: as many as are found by then,
  // `limit` at most. The errors of redis::Store.
  absl::StatusOr<std::vector<EntryHeader>> List(size_t limit, redis::Clock::time_point until);
  struct Page {
    std::vector<Record> records;
    std::string next;  // where the next page begins; empty: there is none
  };
  // Records that are signed with a key of ours, of about `count` names of whatever kind: a page may
  // be empty, and a record may be in two. `from` is empty at first. INVALID_ARGUMENT when it is not
  // one of ours; the errors of redis::Store.
  absl::StatusOr<Page> List(absl::string_view from, size_t count);
  // Verifies the entry as Load does, for whatever build and architecture; the size of its payload.
  absl::StatusOr<uint64_t> Verify(const Digest& key);
  // Removes the entry; whether there was one. The errors of Save.
  absl::StatusOr<bool> Remove(const Digest& key);
  // The entry was used: it lives for `ttl` from now.
  void Touch(const Digest& key);
  // At least one, as in Options: for every call that begins from now on.
  void ReplaceKeys(std::vector<SigningKey> keys) { keys_.Replace(std::move(keys)); }

  bool read_only() const { return options_.read_only; }
  Stats stats() const;

 private:
  absl::StatusOr<std::string> LoadRecord(const Digest& key);
  // Calls `found` with the key of each record, until it gives false or it is late.
  absl::Status ForEachKey(redis::Clock::time_point until,
                          absl::FunctionRef<bool(const Digest&)> found);
  // An entry for which `check` has nothing against its header.
  absl::StatusOr<Entry> Load(const Digest& key,
                             absl::FunctionRef<absl::Status(const EntryHeader&)> check);
  absl::StatusOr<std::string> LoadBlob(const Record& record);
  // Takes the record away unless another has come in its place.
  void TakeAway(const Digest& key, absl::string_view record, bool quarantine);
  void Refuse(const Digest& key, absl::string_view record, const absl::Status& reason);

  KeyRing keys_;
  const Options options_;  // without the keys
  const RemoteNames names_;
  redis::Store& redis_;
  std::atomic<uint64_t> refused_{0}, lost_blobs_{0}, saved_{0}, others_were_first_{0},
      bytes_read_{0}, bytes_written_{0};
};

}  // namespace acceld::cache

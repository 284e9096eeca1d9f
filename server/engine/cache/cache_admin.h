#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/api/cache_info.h"
#include "common/status.h"

namespace acceld::engine {

// A page of the list of entries in the cache that daemons share.
struct RemoteCachePage {
  std::vector<CacheEntryInfo> entries;
  std::string next;  // what to ask the next page with; empty: this is the last
};

// Receives an entry that was exported at another site, as its bytes arrive. The engine outlives it.
// Thread-compatible.
class CacheImport {
 public:
  virtual ~CacheImport() = default;
  // Appends the next bytes. PERMISSION_DENIED when the entry is not signed with a key of the team,
  // DATA_LOSS when it is damaged; both as soon as that is certain.
  virtual absl::Status Append(absl::string_view bytes) = 0;
  // Keeps the entry once all bytes were appended, and says whether it is new here. DATA_LOSS when
  // the entry is damaged. Blocks. Must be called at most once.
  virtual absl::StatusOr<bool> Finish() = 0;
};

// The cache of executables, for administrators: what is in it, and how entries are checked, removed
// and carried to other sites. Any thread may call. A call blocks, some for minutes, unless it says
// otherwise. INVALID_ARGUMENT for a key that is none.
class CacheAdmin {
 public:
  virtual ~CacheAdmin() = default;

  // Whether CacheEntries returns at once: the files of the cache have been read since the start.
  // Does not block.
  virtual bool KnowsCacheEntries() const = 0;
  // Entries of this daemon's own tiers, most recently used first: at most `limit`, from number
  // `offset` on. Blocks until KnowsCacheEntries().
  virtual std::vector<CacheEntryInfo> CacheEntries(size_t offset, size_t limit) const = 0;
  // Entries of the cache that daemons share, in no order: those of the page that `from` names
  // (RemoteCachePage::next; empty for the first). FAILED_PRECONDITION when there is no such cache.
  virtual absl::StatusOr<RemoteCachePage> RemoteCacheEntries(absl::string_view from,
                                                             size_t limit) = 0;
  // Reads every entry of the disk, and of the shared cache if `remote`, and removes bad ones.
  virtual absl::StatusOr<std::vector<CacheCheck>> VerifyCache(bool remote) = 0;
  // Removes the entries of these keys, or all entries if there are no keys; from the shared cache
  // as well if `remote`.
  virtual absl::StatusOr<CacheRemoved> PurgeCache(const std::vector<std::string>& keys,
                                                  bool remote) = 0;
  // An entry as bytes for another site, signed with the team's key. NOT_FOUND.
  virtual absl::StatusOr<std::string> ExportCacheEntry(const std::string& key) = 0;
  // Begins to receive an exported entry. Does not block.
  virtual absl::StatusOr<std::unique_ptr<CacheImport>> BeginCacheImport() = 0;
  // Reads the file of the team's keys again, for entries that are requested or kept from now on.
  // Nothing changes where no such file is configured, or when reading it fails.
  virtual absl::Status ReloadTeamKeys() = 0;
};

}  // namespace acceld::engine

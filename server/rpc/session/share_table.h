#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/engine/identity.h"

namespace acceld::rpc {

// Who has how much of something that all share: each identity at most its share, at least one; an
// admin as much as there is. Any thread may call.
class ShareTable : public std::enable_shared_from_this<ShareTable> {
 public:
  // `setting` says that there are `size` of it for all, of which nobody takes more than there is by
  // other means than this.
  ShareTable(std::string setting, uint64_t size, int share_percent)
      : setting_(std::move(setting)), size_(size), share_percent_(share_percent) {}

  // Counts them until what it gives goes. RESOURCE_EXHAUSTED names setting, identity and share.
  absl::StatusOr<std::shared_ptr<const void>> Take(const engine::Identity& identity,
                                                   uint64_t amount);

 private:
  void GiveBack(const std::string& identity, uint64_t amount);

  const std::string setting_;
  const uint64_t size_;
  const int share_percent_;
  Mutex mutex_;
  absl::flat_hash_map<std::string, uint64_t> used_ ABSL_GUARDED_BY(mutex_);  // by identity
};

}  // namespace acceld::rpc

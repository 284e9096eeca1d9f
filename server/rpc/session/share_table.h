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

// Limits how much of a common resource each identity uses: at most `share_percent` of it, but at
// least one unit; an admin may use all of it. The total over all identities is not limited here.
// Thread-safe; must be owned by a shared_ptr.
class ShareTable : public std::enable_shared_from_this<ShareTable> {
 public:
  // The resource has `size` units. `setting` is the setting that says so, for messages.
  ShareTable(std::string setting, uint64_t size, int share_percent)
      : setting_(std::move(setting)), size_(size), share_percent_(share_percent) {}

  // Charges `amount` units to the identity for as long as the object that is returned lives.
  // RESOURCE_EXHAUSTED names the setting, the identity and its share.
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

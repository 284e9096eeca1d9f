#include "server/rpc/session/share_table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/percent.h"

namespace acceld::rpc {

absl::StatusOr<std::shared_ptr<const void>> ShareTable::Take(const engine::Identity& identity,
                                                             uint64_t amount) {
  const uint64_t share = identity.role == Role::kAdmin
                             ? size_
                             : std::max<uint64_t>(1, PercentOf(size_, share_percent_));
  MutexLock lock(mutex_);
  uint64_t& used = used_[identity.name];
  if (amount > share - std::min(share, used)) {
    return absl::ResourceExhaustedError(absl::StrCat(setting_, ": ", amount, " do not fit, ",
                                                     identity.name, " has ", used, " of ", share,
                                                     ", its share of ", size_));
  }
  used += amount;
  return std::shared_ptr<const void>(this, [self = shared_from_this(), name = identity.name,
                                            amount](const void*) { self->GiveBack(name, amount); });
}

void ShareTable::GiveBack(const std::string& identity, uint64_t amount) {
  MutexLock lock(mutex_);
  const auto used = used_.find(identity);
  used->second -= amount;
  if (used->second == 0) used_.erase(used);
}

}  // namespace acceld::rpc

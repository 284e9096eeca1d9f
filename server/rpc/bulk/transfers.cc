#include "server/rpc/bulk/transfers.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace acceld::rpc {

absl::StatusOr<uint64_t> SessionTransfers::Add(SharedBytes bytes) {
  MutexLock lock(mutex_);
  const uint64_t size_bytes = bytes.view.size();
  if (bytes_ > 0 && bytes_ + size_bytes > max_bytes_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("fetch of ", size_bytes, " bytes: ", bytes_,
                     " bytes already wait for their download; the limit is ", max_bytes_));
  }
  bytes_ += size_bytes;
  waiting_.emplace(next_id_, Waiting{std::move(bytes)});
  return next_id_++;
}

uint64_t SessionTransfers::AddUncounted(SharedBytes bytes) {
  MutexLock lock(mutex_);
  waiting_.emplace(next_id_, Waiting{std::move(bytes), /*is_counted=*/false});
  return next_id_++;
}

absl::StatusOr<SharedBytes> SessionTransfers::Take(uint64_t transfer_id) {
  MutexLock lock(mutex_);
  auto found = waiting_.find(transfer_id);
  if (found == waiting_.end()) {
    return absl::NotFoundError(absl::StrCat("no transfer ", transfer_id, " in this session"));
  }
  SharedBytes bytes = std::move(found->second.bytes);
  if (found->second.is_counted) bytes_ -= bytes.view.size();
  waiting_.erase(found);
  return bytes;
}

void SessionTransfers::Clear() {
  std::map<uint64_t, Waiting> dropped;  // Freed without the lock.
  MutexLock lock(mutex_);
  dropped.swap(waiting_);
  bytes_ = 0;
}

}  // namespace acceld::rpc

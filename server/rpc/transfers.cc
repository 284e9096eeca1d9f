#include "server/rpc/transfers.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace acceld::rpc {

absl::StatusOr<uint64_t> SessionTransfers::Add(SharedBytes bytes) {
  MutexLock lock(mutex_);
  const uint64_t size_bytes = bytes->size();
  if (!waiting_.empty() && bytes_ + size_bytes > max_bytes_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("fetch of ", size_bytes, " bytes: ", bytes_,
                     " bytes already wait for their download; the limit is ", max_bytes_));
  }
  bytes_ += size_bytes;
  waiting_.emplace(next_id_, std::move(bytes));
  return next_id_++;
}

absl::StatusOr<SharedBytes> SessionTransfers::Take(uint64_t transfer_id) {
  MutexLock lock(mutex_);
  auto found = waiting_.find(transfer_id);
  if (found == waiting_.end()) {
    return absl::NotFoundError(absl::StrCat("no transfer ", transfer_id, " in this session"));
  }
  SharedBytes bytes = std::move(found->second);
  bytes_ -= bytes->size();
  waiting_.erase(found);
  return bytes;
}

std::shared_ptr<SessionTransfers> TransferTable::Open(absl::string_view token) {
  auto session = std::make_shared<SessionTransfers>(max_session_bytes_);
  MutexLock lock(mutex_);
  sessions_[std::string(token)] = session;
  return session;
}

void TransferTable::Close(absl::string_view token) {
  MutexLock lock(mutex_);
  sessions_.erase(std::string(token));
}

absl::StatusOr<SharedBytes> TransferTable::Take(absl::string_view token,
                                                uint64_t transfer_id) const {
  std::shared_ptr<SessionTransfers> session;
  {
    MutexLock lock(mutex_);
    auto found = sessions_.find(std::string(token));
    if (found == sessions_.end()) return absl::NotFoundError("no such session");
    session = found->second;
  }
  return session->Take(transfer_id);
}

}  // namespace acceld::rpc

#include "client/transport/pending.h"

#include <utility>

namespace acceld::client {

void PendingRequests::Add(uint64_t request_id, Callback callback) {
  absl::Status status;
  {
    MutexLock lock(mutex_);
    status = status_;
    if (status.ok()) {
      waiting_.emplace(request_id, std::move(callback));
      return;
    }
  }
  callback({.status = status});
}

void PendingRequests::Complete(uint64_t request_id, Answer answer) {
  Callback callback;
  {
    MutexLock lock(mutex_);
    auto found = waiting_.find(request_id);
    if (found == waiting_.end()) return;
    callback = std::move(found->second);
    waiting_.erase(found);
  }
  callback(std::move(answer));
}

void PendingRequests::Fail(const absl::Status& reason) {
  absl::flat_hash_map<uint64_t, Callback> failed;
  {
    MutexLock lock(mutex_);
    if (!status_.ok()) return;
    status_ = reason;
    failed.swap(waiting_);
  }
  for (auto& [id, callback] : failed) callback({.status = reason});
}

}  // namespace acceld::client

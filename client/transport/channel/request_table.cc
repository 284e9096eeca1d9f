#include "client/transport/channel/request_table.h"

#include <utility>

namespace acceld::client {

bool RequestTable::Add(uint64_t request_id, v1::Command command, Callback callback) {
  MutexLock lock(mutex_);
  if (!status_.ok()) return false;
  waiting_.emplace(request_id,
                   Request{.command = std::move(command), .callback = std::move(callback)});
  return true;
}

absl::optional<v1::Command> RequestTable::NoteNumber(uint64_t request_id, uint64_t number) {
  MutexLock lock(mutex_);
  const auto found = waiting_.find(request_id);
  if (found == waiting_.end()) return absl::nullopt;
  Request& request = found->second;
  if (number <= std::exchange(request.received, 0)) {
    request.asked_again = true;
    return request.command;
  }
  request.number = number;
  return absl::nullopt;
}

std::vector<std::pair<uint64_t, v1::Command>> RequestTable::Resume(uint64_t received) {
  std::vector<std::pair<uint64_t, v1::Command>> again;
  MutexLock lock(mutex_);
  for (auto& [id, request] : waiting_) {
    if (!request.number.has_value()) {
      request.received = received;
    } else if (*request.number <= received) {
      request.number.reset();
      request.asked_again = true;
      again.emplace_back(id, request.command);
    }
  }
  return again;
}

bool RequestTable::empty() const {
  MutexLock lock(mutex_);
  return waiting_.empty();
}

void RequestTable::Complete(uint64_t request_id, Answer answer) {
  Callback callback;
  {
    MutexLock lock(mutex_);
    auto found = waiting_.find(request_id);
    if (found == waiting_.end()) return;
    callback = std::move(found->second.callback);
    answer.asked_again = found->second.asked_again;
    waiting_.erase(found);
  }
  callback(std::move(answer));
}

void RequestTable::Fail(const absl::Status& reason) {
  absl::flat_hash_map<uint64_t, Request> failed;
  {
    MutexLock lock(mutex_);
    if (!status_.ok()) return;
    status_ = reason;
    failed.swap(waiting_);
  }
  for (auto& [id, request] : failed) request.callback({.status = reason});
}

}  // namespace acceld::client

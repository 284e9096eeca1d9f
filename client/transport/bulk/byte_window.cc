#include "client/transport/bulk/byte_window.h"

namespace acceld::client {

bool ByteWindow::TryEnter(int64_t bytes) {
  MutexLock lock(mutex_);
  if (!waiting_.empty() || !HasRoom(bytes)) return false;
  in_flight_ += bytes;
  return true;
}

void ByteWindow::Enter(int64_t bytes, std::function<void()> start) {
  {
    MutexLock lock(mutex_);
    waiting_.emplace_back(bytes, std::move(start));
  }
  StartWaiting();
}

void ByteWindow::Leave(int64_t bytes) {
  {
    MutexLock lock(mutex_);
    in_flight_ -= bytes;
  }
  StartWaiting();
}

void ByteWindow::StartWaiting() {
  while (true) {
    std::function<void()> start;
    {
      MutexLock lock(mutex_);
      if (starting_ || waiting_.empty() || !HasRoom(waiting_.front().first)) return;
      starting_ = true;
      in_flight_ += waiting_.front().first;
      start = std::move(waiting_.front().second);
      waiting_.pop_front();
    }
    start();
    MutexLock lock(mutex_);
    starting_ = false;
  }
}

}  // namespace acceld::client

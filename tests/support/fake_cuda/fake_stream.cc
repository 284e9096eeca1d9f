#include "tests/support/fake_cuda/fake_stream.h"

#include <utility>

#include "common/check.h"

namespace acceld::testing {

FakeStream::~FakeStream() {
  {
    MutexLock lock(world_.mutex);
    stopping_ = true;
    world_.changed.NotifyAll();
  }
  thread_.join();
}

void FakeStream::Enqueue(std::function<void()> work) {
  {
    MutexLock lock(world_.mutex);
    if (captured_.has_value()) return captured_->push_back(std::move(work));
  }
  Push({.work = std::move(work)});
}

bool FakeStream::BeginCapture() {
  MutexLock lock(world_.mutex);
  if (captured_.has_value()) return false;
  captured_.emplace();
  return true;
}

std::optional<std::vector<std::function<void()>>> FakeStream::EndCapture() {
  MutexLock lock(world_.mutex);
  return std::exchange(captured_, std::nullopt);
}

void FakeStream::Record(std::shared_ptr<Recorded> recorded) {
  Push({.records = std::move(recorded)});
}

void FakeStream::WaitFor(std::shared_ptr<Recorded> recorded) {
  Push({.waits_for = std::move(recorded)});
}

void FakeStream::Push(Item item) {
  MutexLock lock(world_.mutex);
  ACCELD_CHECK(!captured_.has_value());
  items_.push_back(std::move(item));
  world_.changed.NotifyAll();
}

void FakeStream::Synchronize() {
  MutexLock lock(world_.mutex);
  while (busy_ || !items_.empty()) world_.changed.Wait(world_.mutex);
}

void FakeStream::Run() {
  world_.mutex.Lock();
  while (true) {
    const bool blocked =
        world_.paused || items_.empty() ||
        (items_.front().waits_for != nullptr && !items_.front().waits_for->reached);
    if (blocked) {
      if (items_.empty() && stopping_) break;
      world_.changed.Wait(world_.mutex);
      continue;
    }
    Item item = std::move(items_.front());
    items_.pop_front();
    if (item.work != nullptr) {
      busy_ = true;
      world_.mutex.Unlock();
      item.work();
      world_.mutex.Lock();
      busy_ = false;
    }
    if (item.records != nullptr) {
      item.records->at = std::chrono::steady_clock::now();
      item.records->reached = true;
    }
    world_.changed.NotifyAll();
  }
  world_.mutex.Unlock();
}

}  // namespace acceld::testing

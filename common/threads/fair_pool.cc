#include "common/threads/fair_pool.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/percent.h"
#include "common/threads/start_thread.h"

namespace acceld {
namespace {

// The expected cost of a closure, in seconds. It is charged when the closure begins, so that two
// threads do not begin closures of the same requester while another requester waits.
constexpr double kExpectedCost = 1e-3;

}  // namespace

FairPool::FairPool(std::string name, size_t num_threads, size_t max_queued, int share_percent)
    : name_(std::move(name)),
      max_queued_(max_queued),
      share_(std::max<size_t>(PercentOf(max_queued, share_percent), 1)) {
  for (size_t i = 0; i < num_threads; ++i) {
    threads_.push_back(StartThread(name_, [this] { RunWorker(); }));
  }
}

FairPool::~FairPool() { Stop(); }

void FairPool::Stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

absl::Status FairPool::Submit(const Requester& requester, std::function<void()> work) {
  MutexLock lock(mutex_);
  if (stopping_) return absl::UnavailableError(absl::StrCat(name_, ": stopped"));
  std::unique_ptr<Entry>& entry = requesters_[requester.name];
  if (entry == nullptr) entry = std::make_unique<Entry>();
  if (queued_ >= max_queued_) {
    return absl::ResourceExhaustedError(
        absl::StrCat(name_, ": ", queued_, " of ", max_queued_, " entries are queued"));
  }
  if (requester.has_share && entry->queued >= share_) {
    return absl::ResourceExhaustedError(
        absl::StrCat(name_, ": ", requester.name, " has ", entry->queued,
                     " entries queued, its share of ", max_queued_, " is ", share_));
  }
  RequestQueue& line = entry->lines[static_cast<size_t>(requester.priority)];
  line.queue.push_back(std::move(work));
  ++line.requesters_queued;
  ++queued_;
  fair_schedule_.Activate(line);
  changed_.NotifyOne();
  return absl::OkStatus();
}

FairPool::RequestQueue* FairPool::Take(std::function<void()>& work) {
  MutexLock lock(mutex_);
  while (fair_schedule_.empty() && !stopping_) changed_.Wait(mutex_);
  if (fair_schedule_.empty()) return nullptr;
  RequestQueue& line = *static_cast<RequestQueue*>(fair_schedule_.Next());
  fair_schedule_.Charge(line, kExpectedCost);
  work = std::move(line.queue.front());
  line.queue.pop_front();
  if (line.queue.empty()) fair_schedule_.Deactivate(line);
  --line.requesters_queued;
  --queued_;
  ++running_;
  return &line;
}

void FairPool::RunWorker() {
  using Clock = std::chrono::steady_clock;
  std::function<void()> work;
  while (RequestQueue* const line = Take(work)) {
    const Clock::time_point begin = Clock::now();
    work();
    work = nullptr;
    const std::chrono::duration<double> took = Clock::now() - begin;
    MutexLock lock(mutex_);
    fair_schedule_.Charge(*line, took.count() - kExpectedCost);
    if (--running_ > 0 || !fair_schedule_.empty()) continue;
    fair_schedule_.EndBusyPeriod();
    requesters_.clear();
  }
}

}  // namespace acceld

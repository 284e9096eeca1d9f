#include "server/runtime/gang/gang_scheduler.h"

#include <algorithm>
#include <utility>

#include "server/runtime/gang/gang.h"

namespace acceld::runtime {
namespace {

// The most gangs of one queue on a device at a time: enough that the next one is there when one
// ends.
constexpr int kMaxRunning = 4;
// With more queues than this, the past use of those that have no gangs is forgotten.
constexpr size_t kManyQueues = 64;

// How many turns there are between two gangs of one queue: the classes begin gangs 1 : 8 : 64, as
// they share the time of devices.
uint64_t TurnsOf(Priority priority) {
  switch (priority) {
    case Priority::kBatch:
      return 64;
    case Priority::kNormal:
      return 8;
    case Priority::kInteractive:
      break;
  }
  return 1;
}

}  // namespace

GangScheduler::Counters GangScheduler::counters() const {
  const MutexLock lock(mutex_);
  return {.begun = begun_,
          .running = static_cast<int>(running_.size()),
          .waiting = static_cast<int>(waiting_.size()),
          .exchanged = exchanged_};
}

int GangScheduler::RunningOn(int device) const {
  const MutexLock lock(mutex_);
  const auto found = devices_.find(device);
  return found == devices_.end() ? 0 : found->second.num_running;
}

void GangScheduler::AddWaiting(std::shared_ptr<Gang> gang) {
  for (const int number : gang->devices()) {
    if (devices_[number].num_waiting++ == 0) ++num_wanted_;
  }
  if (queues_.size() > kManyQueues) {
    std::erase_if(queues_, [](const auto& entry) { return entry.second.num_gangs == 0; });
  }
  // Start-time fair queueing, as in FairSchedule: a queue that had no gangs begins at the current
  // turn, with no advantage from its idle time.
  Queue& queue = queues_[gang->queue()];
  ++queue.num_gangs;
  const uint64_t turn = std::max(current_turn_, queue.next_turn);
  queue.next_turn = turn + TurnsOf(gang->priority());
  const Position position{turn, ++num_added_};
  positions_.emplace(gang.get(), position);
  waiting_.emplace(position, std::move(gang));
}

std::shared_ptr<Gang> GangScheduler::TakeWaiting(Waiting::iterator waiting) {
  std::shared_ptr<Gang> gang = std::move(waiting->second);
  waiting_.erase(waiting);
  positions_.erase(gang.get());
  for (const int number : gang->devices()) {
    if (--devices_[number].num_waiting == 0) --num_wanted_;
  }
  return gang;
}

bool GangScheduler::MayBegin(const Gang& gang, const std::set<int>& reserved) const {
  return std::all_of(gang.devices().begin(), gang.devices().end(),
                     [&](int number) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
                       if (reserved.contains(number)) return false;
                       const Device& device = devices_.at(number);
                       if (device.num_running == 0) return true;
                       if (device.has_host_calls || gang.has_host_calls()) return false;
                       return device.num_running < kMaxRunning && device.queue == gang.queue() &&
                              device.devices == gang.devices();
                     });
}

bool GangScheduler::BeginWaiting(Gang* submitted) {
  std::set<int> reserved;
  bool is_inline = false;
  // Until all devices that gangs wait for are reserved.
  for (auto it = waiting_.begin(); it != waiting_.end() && reserved.size() < num_wanted_;) {
    const auto here = it++;
    if (!MayBegin(*here->second, reserved)) {
      reserved.insert(here->second->devices().begin(), here->second->devices().end());
      continue;
    }
    current_turn_ = std::max(current_turn_, here->first.first);
    const std::shared_ptr<Gang> gang = TakeWaiting(here);
    running_.insert(gang.get());
    ++begun_;
    for (const int number : gang->devices()) {
      Device& device = devices_[number];
      ++device.num_running;
      device.queue = gang->queue();
      device.devices = gang->devices();
      device.has_host_calls = gang->has_host_calls();
    }
    if (gang.get() == submitted && gang->TakeInline()) {
      is_inline = true;
    } else {
      gang->Release();
    }
  }
  return is_inline;
}

void GangScheduler::LeaveQueue(uint64_t queue) {
  --queues_[queue].num_gangs;
  // Past use does not count when nobody waits.
  if (waiting_.empty() && running_.empty()) queues_.clear();
}

void GangScheduler::Begin(std::shared_ptr<Gang> gang, bool may_be_inline) {
  {
    const MutexLock lock(mutex_);
    if (gang->has_ended()) return;  // it was cancelled meanwhile
    AddWaiting(gang);
    if (!BeginWaiting(may_be_inline ? gang.get() : nullptr)) return;
  }
  gang->DispatchInline();
}

void GangScheduler::End(const Gang& gang) {
  const MutexLock lock(mutex_);
  if (running_.erase(&gang) > 0) {
    const hal::Gang::Stats exchanged = gang.participants()->stats();
    exchanged_.collectives += exchanged.collectives;
    exchanged_.bytes += exchanged.bytes;
    exchanged_.wait_ns += exchanged.wait_ns;
    for (const int number : gang.devices()) --devices_[number].num_running;
  } else if (const auto waiting = positions_.find(&gang); waiting != positions_.end()) {
    (void)TakeWaiting(waiting_.find(waiting->second));
  } else {
    return;  // it was not ready yet
  }
  LeaveQueue(gang.queue());
  (void)BeginWaiting(nullptr);
}

}  // namespace acceld::runtime

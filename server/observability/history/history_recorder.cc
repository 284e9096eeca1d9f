#include "server/observability/history/history_recorder.h"

#include "common/threads/start_thread.h"

namespace acceld::observability {
namespace {

using Clock = std::chrono::steady_clock;

engine::EngineActivity ActivityOf(const engine::Introspection& engine) {
  engine::EngineActivity activity;
  engine.ReadActivity(activity);
  return activity;
}

}  // namespace

HistoryRecorder::HistoryRecorder(const engine::Introspection& engine)
    : engine_(engine), activity_(ActivityOf(engine)), history_(activity_.devices.size()) {
  history_.Record(Clock::now(), activity_);
  thread_ = StartThread("history", [this] { Run(); });
}

HistoryRecorder::~HistoryRecorder() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

bool HistoryRecorder::AwaitNextSlot() {
  const Clock::time_point next(HistoryRing::SlotOf(Clock::now()) + HistoryRing::Slots(1));
  const MutexLock lock(mutex_);
  while (!stopping_ && Clock::now() < next) (void)changed_.WaitUntil(mutex_, next);
  return !stopping_;
}

void HistoryRecorder::Run() {
  while (AwaitNextSlot()) {
    engine_.ReadActivity(activity_);
    history_.Record(Clock::now(), activity_);
  }
}

}  // namespace acceld::observability

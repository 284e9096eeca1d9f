#pragma once

#include <chrono>
#include <thread>

#include "common/threads/mutex.h"
#include "server/engine/activity.h"
#include "server/engine/introspection.h"
#include "server/observability/history/activity_history.h"

namespace acceld::observability {

// Records the activity of an engine, on a thread of its own: at once, and then at the beginning of
// each slot. Any thread may call Read, which takes a lock for a short time.
class HistoryRecorder {
 public:
  // The engine must outlive the recorder.
  explicit HistoryRecorder(const engine::Introspection& engine);
  ~HistoryRecorder();
  HistoryRecorder(const HistoryRecorder&) = delete;
  HistoryRecorder& operator=(const HistoryRecorder&) = delete;

  // Returns the last hour.
  History Read() const { return history_.Read(std::chrono::steady_clock::now()); }

 private:
  void Run();
  // Sleeps until the next slot begins. Returns false when the recorder is being destroyed.
  bool AwaitNextSlot();

  const engine::Introspection& engine_;
  engine::EngineActivity activity_;  // used by the constructor and the thread
  ActivityHistory history_;
  Mutex mutex_;
  CondVar changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // the last member, as it uses the others
};

}  // namespace acceld::observability

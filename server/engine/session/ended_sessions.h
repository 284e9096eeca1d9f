#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "common/api/sessions.h"
#include "common/threads/mutex.h"

namespace acceld::engine {

// A session at its end.
struct EndedSession {
  uint64_t id = 0;
  std::string client_name, identity;
  std::chrono::steady_clock::time_point opened_at, ended_at;
  uint64_t executions = 0;  // that it submitted
  std::string reason;
};

// The sessions that ended last, for people who ask who was connected. Thread-safe; nothing blocks.
class EndedSessions {
 public:
  static constexpr size_t kMaxSessions = 64;
  // Of a longer reason only the beginning is kept.
  static constexpr size_t kMaxReasonBytes = 500;

  // Forgets the session that ended first when there are more than kMaxSessions.
  void Add(EndedSession session);
  // The last one first.
  std::vector<EndedSessionInfo> List() const;

 private:
  mutable Mutex mutex_;
  std::deque<EndedSession> sessions_ ABSL_GUARDED_BY(mutex_);  // the last one at the end
};

}  // namespace acceld::engine

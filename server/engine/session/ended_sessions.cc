#include "server/engine/session/ended_sessions.h"

#include <algorithm>
#include <utility>

namespace acceld::engine {

void EndedSessions::Add(EndedSession session) {
  session.reason.resize(std::min(session.reason.size(), kMaxReasonBytes));
  EndedSession forgotten;  // Destroyed without the lock.
  MutexLock lock(mutex_);
  sessions_.push_back(std::move(session));
  if (sessions_.size() <= kMaxSessions) return;
  forgotten = std::move(sessions_.front());
  sessions_.pop_front();
}

std::vector<EndedSessionInfo> EndedSessions::List() const {
  const auto now = std::chrono::steady_clock::now();
  const auto seconds = [](std::chrono::steady_clock::duration time) {
    return std::chrono::duration<double>(time).count();
  };
  std::vector<EndedSessionInfo> infos;
  MutexLock lock(mutex_);
  for (auto session = sessions_.rbegin(); session != sessions_.rend(); ++session) {
    infos.push_back({.id = session->id,
                     .client_name = session->client_name,
                     .identity = session->identity,
                     .lasted_s = seconds(session->ended_at - session->opened_at),
                     // It may have ended since `now`.
                     .age_s = std::max(0.0, seconds(now - session->ended_at)),
                     .executions = session->executions,
                     .reason = session->reason});
  }
  return infos;
}

}  // namespace acceld::engine

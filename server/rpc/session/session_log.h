#pragma once

#include <chrono>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "common/api/sessions.h"
#include "common/status.h"
#include "server/engine/session/session_types.h"

// Log lines about sessions and their requests. All use the same names for keys: session, client,
// identity, code, reason, request. Events that clients can cause at any rate are logged at most
// kMaxPerSecond times a second; a later line says how many were left out.
namespace acceld::rpc {

constexpr int kMaxPerSecond = 50;

void LogSessionOpened(const SessionInfo& session);
// `why`: OK when the client itself has ended it. `held` is what it held just before.
void LogSessionEnded(const SessionInfo& held, const absl::Status& why, double close_ms);
// A session that may be resumed for a while.
void LogStreamLost(const SessionInfo& session, std::chrono::milliseconds lease);
// A session, or a run, that was not opened.
void LogSessionRefused(const engine::SessionOptions& session, const absl::Status& why);
// Logs, at level debug, a request that was answered with an error. `kind` is "await", for example.
void LogRequestFailed(uint64_t session, absl::string_view kind, uint64_t request,
                      const absl::Status& why);

}  // namespace acceld::rpc

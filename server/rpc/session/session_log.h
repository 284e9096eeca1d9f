#pragma once

#include <chrono>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "common/status.h"
#include "server/engine/engine.h"

// Log lines about sessions and their requests. All use the same names for keys: session, client,
// identity, code, reason, request. Events that clients can cause at any rate are logged at most
// kMaxPerSecond times a second; a later line says how many were left out.
namespace acceld::rpc {

constexpr int kMaxPerSecond = 50;

void LogSessionOpened(const engine::SessionInfo& session);
// Logs that a session has ended. `held` is its state just before; `close_ms` is how long closing it
// took.
void LogSessionEnded(const engine::SessionInfo& held, const absl::Status& why, double close_ms);
// Logs that a session has lost its stream and may be resumed within `lease`.
void LogStreamLost(const engine::SessionInfo& session, std::chrono::milliseconds lease);
// Logs that a session, or the session of a Run call, was refused.
void LogSessionRefused(const engine::SessionOptions& session, const absl::Status& why);
// Logs, at level debug, a request that was answered with an error. `kind` is "await", for example.
void LogRequestFailed(uint64_t session, absl::string_view kind, uint64_t request,
                      const absl::Status& why);

}  // namespace acceld::rpc

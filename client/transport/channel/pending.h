#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "acceld/v1/acceld.pb.h"
#include "client/server_info.h"
#include "common/status.h"
#include "common/threads/mutex.h"

namespace acceld::client {

// The daemon's answer to a request.
struct Answer {
  absl::Status status;
  ExecutionInfo execution;
  std::string data;                         // Of a Fetch, if small.
  uint64_t transfer_id = 0;                 // Of a Fetch, if large.
  CacheExplanation explanation;             // Of a Compile with `explain`.
  absl::optional<ExecutableMemory> memory;  // Of a Compile.
  v1::TensorType type;                      // Of an OpenNamed.
  uint32_t device = 0;                      // Of an OpenNamed.
  // The request was repeated, so the daemon may have carried it out before.
  bool asked_again = false;
};

// The table of requests that wait for answers. Each callback runs exactly once: on the thread that
// delivers the answer, or on the thread that calls Fail. Thread-safe.
//
// Requests may have to be repeated after the session has changed its stream, so the table keeps
// each request's command and the number of that command (CommandOutbox).
class PendingRequests {
 public:
  using Callback = std::function<void(Answer)>;

  // Adds a request. Returns false, without any effect, if Fail was called before.
  bool Add(uint64_t request_id, uint64_t number, v1::Command command, Callback callback);
  // Returns the requests whose commands have numbers up to `number`, with their commands. The
  // caller sends these again and reports the new numbers by Renumber.
  std::vector<std::pair<uint64_t, v1::Command>> Unanswered(uint64_t number) const;
  // Records the number under which the command of a request was sent again.
  void Renumber(uint64_t request_id, uint64_t number);
  // Returns whether no request is waiting.
  bool empty() const;
  // Delivers an answer. Ignores unknown request ids.
  void Complete(uint64_t request_id, Answer answer);
  // Fails all requests that wait now or are added later.
  void Fail(const absl::Status& reason);

 private:
  // A request that waits for its answer; `number` is the number of its command.
  struct Request {
    uint64_t number = 0;
    bool asked_again = false;
    v1::Command command;
    Callback callback;
  };

  mutable Mutex mutex_;
  absl::flat_hash_map<uint64_t, Request> waiting_ ABSL_GUARDED_BY(mutex_);
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::client

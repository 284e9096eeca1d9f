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

// What the daemon answers to a request.
struct Answer {
  absl::Status status;
  ExecutionInfo execution;
  std::string data;                         // of a Fetch, when small
  uint64_t transfer_id = 0;                 // of a Fetch, when large
  CacheExplanation explanation;             // of a Compile that asked for it
  absl::optional<ExecutableMemory> memory;  // of a Compile
  v1::TensorType type;                      // of an OpenNamed
  uint32_t device = 0;                      // the same
  bool asked_again = false;                 // The daemon may have answered before; that was lost.
};

// Requests that wait for their answer. Each callback runs exactly once: on the thread that brings
// the answer, or on the one that fails the table. Any thread may call.
//
// A request may be asked again after the session has changed its stream: the table keeps its
// command and the command's number.
class PendingRequests {
 public:
  using Callback = std::function<void(Answer)>;

  // False, and nothing happens, when the table has failed.
  bool Add(uint64_t request_id, uint64_t number, v1::Command command, Callback callback);
  // The commands of requests with numbers up to `number`, which the caller sends again: they are
  // waited for under the numbers that Renumber tells.
  std::vector<std::pair<uint64_t, v1::Command>> Unanswered(uint64_t number) const;
  void Renumber(uint64_t request_id, uint64_t number);
  bool empty() const;
  // Ignores ids that nobody waits for.
  void Complete(uint64_t request_id, Answer answer);
  // Fails all that wait and all that come.
  void Fail(const absl::Status& reason);

 private:
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

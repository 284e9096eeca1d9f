#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "acceld/v1/acceld.pb.h"
#include "client/server_info.h"
#include "common/ir/module.h"
#include "common/ir/processes/process_signature.h"
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
  // Of a compiled program for several processes; nullptr for others.
  std::shared_ptr<const ir::ProcessSignature> signature;
  // Of a Compile with `partition`; nullptr if the daemon is of an earlier version.
  std::shared_ptr<const ir::Module> partitioned;
};

// The table of requests that wait for answers. Each callback runs exactly once: on the thread that
// delivers the answer, or on the thread that calls Fail. Thread-safe.
//
// After the session has changed its stream, an answer may be lost: that to a request whose command
// the daemon had received on the stream before. Such requests are sent again. For this the table
// keeps the command of each request, and the number that the command got when it was appended to
// the outbox. A command may be sent, received and even answered before its number is noted.
class RequestTable {
 public:
  using Callback = std::function<void(Answer)>;

  // Adds a request, before its command is appended. False, and nothing happens, when the table has
  // failed.
  bool Add(uint64_t request_id, v1::Command command, Callback callback);
  // Notes the number of a request's command once it is appended. Returns the command if it has to
  // be appended once more, because the session has meanwhile changed to a stream on which the
  // answer will not come; its new number is to be noted then.
  absl::optional<v1::Command> NoteNumber(uint64_t request_id, uint64_t number);
  // Says that the session goes on with another stream, and that the daemon had received the
  // commands up to number `received`. Returns the requests among these, with their commands, which
  // the caller appends again and notes the numbers of.
  std::vector<std::pair<uint64_t, v1::Command>> Resume(uint64_t received);
  bool empty() const;
  // Delivers an answer. Ignores unknown request ids.
  void Complete(uint64_t request_id, Answer answer);
  // Fails all requests that wait now or are added later.
  void Fail(const absl::Status& reason);

 private:
  // A request that waits for its answer; `number` is the number of its command.
  struct Request {
    absl::optional<uint64_t> number;  // nullopt: the command is being appended
    uint64_t received = 0;            // by Resume, while there is no number
    bool asked_again = false;
    v1::Command command;
    Callback callback;
  };

  mutable Mutex mutex_;
  absl::flat_hash_map<uint64_t, Request> waiting_ ABSL_GUARDED_BY(mutex_);
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::client

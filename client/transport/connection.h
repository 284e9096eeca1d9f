#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "acceld/v1/acceld.pb.h"
#include "client/server_info.h"
#include "client/transport/bulk/byte_sink.h"
#include "client/transport/bulk/byte_window.h"
#include "client/transport/channel/host_call_handler.h"
#include "client/transport/dial/attempt.h"
#include "client/transport/dial/secrets.h"
#include "common/crypto/digest.h"
#include "common/status.h"

namespace acceld::client {

// The transport under a Client: a session on the Channel (session_link.h), and the streams beside
// it, all at one address. Only this folder knows gRPC.
//
// All methods may be called from any thread. Callbacks run once, on one of the connection's
// threads, on one that waits in Serve for that very answer, or at once when the connection has
// ended; there no append blocks. After Close, or when the session has ended, every pending and
// later call answers UNAVAILABLE with the reason.
class Connection {
 public:
  struct Options {
    Attempt attempt;
    Secrets secrets;
    std::string client_name;
    Priority priority = Priority::kNormal;
    absl::optional<std::string> device_kind;  // as in Hello
    std::chrono::milliseconds lease{0};
    int64_t max_fetch_bytes = int64_t{256} << 20;
    bool local_transport = true;
    std::shared_ptr<HostCallHandler> host_calls;  // Shared with the client.
    // Adds to an error about an op of a program (OriginOf) where the op was made. Thread-safe.
    std::function<absl::Status(const absl::Status&)> locate;
  };
  // Blocks until the daemon has welcomed the session or the timeout is over.
  static absl::StatusOr<std::shared_ptr<Connection>> Open(const Options& options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  const v1::Welcome& welcome() const;
  const std::string& address() const;
  absl::Status status() const;
  // Whether the session outlives a stream that breaks.
  bool may_resume() const;
  // Ends the session: fails what is pending and cancels what is under way. Idempotent; does not
  // wait.
  void Close(const absl::Status& reason);

  // A number that this connection has not used: for handles and programs.
  uint64_t NextId();

  // Append to the outgoing batch. They block while the daemon's window is full, but for Register
  // and Announce, under which callers hold a lock.
  absl::Status Append(v1::Command command);
  // The same, but it never blocks: for answers, on which what fills the window may wait.
  absl::Status AppendUnblocked(v1::Command command);
  absl::Status Register(v1::RegisterProgram program);
  // Registers a program by its fingerprint; its bytes, a serialized v1::Program, follow if the
  // daemon asks for them. `serialize` may be called on another thread, or never.
  using Serialize = std::function<std::string()>;
  absl::Status Announce(uint64_t program_id, const Digest& fingerprint, Serialize serialize);
  absl::Status AppendExecute(uint64_t program_id, absl::Span<const uint64_t> inputs,
                             absl::Span<const uint64_t> outputs, uint32_t device,
                             absl::optional<uint32_t> timeout_ms,
                             absl::Span<const uint32_t> donated, uint64_t callbacks,
                             absl::optional<Priority> priority);
  // Cancels what makes these arrays, after everything appended so far. Never blocks.
  absl::Status Cancel(absl::Span<const uint64_t> handles, absl::string_view reason);
  // Forgets a handle after everything appended so far. Never blocks.
  void Release(uint64_t handle);

  using OnExecution = std::function<void(absl::StatusOr<ExecutionInfo>)>;
  using OnDone = std::function<void(const absl::Status&)>;
  // Whether what is asked for is of use only while the handle is not released.
  enum class Lapses : bool { kNo, kYes };
  // Both give the number of the request, for Serve. The handle must not be released before `done`,
  // unless the request lapses: then any answer may come.
  uint64_t Await(uint64_t handle, OnExecution done, Lapses lapses = Lapses::kNo);
  uint64_t Fetch(uint64_t handle, std::shared_ptr<ByteSink> sink, OnDone done,
                 Lapses lapses = Lapses::kNo);
  // The bytes of a transfer that an event names.
  void Download(uint64_t transfer_id, std::shared_ptr<ByteSink> sink, OnDone done);
  // request_id is filled in
  void Compile(v1::Compile compile, std::function<void(absl::StatusOr<CompileInfo>)> done);
  void Explain(v1::Compile compile, std::function<void(absl::StatusOr<CacheExplanation>)> done);
  struct Opened {
    v1::TensorType type;
    uint32_t device = 0;
  };
  using OnOpened = std::function<void(absl::StatusOr<Opened>)>;
  void Publish(v1::Publish publish, OnDone done);  // request_id is filled in
  void OpenNamed(v1::OpenNamed open, OnOpened done);
  void DropName(std::string name, OnDone done);
  // Client::Trace. Blocks.
  absl::StatusOr<std::vector<TraceSpan>> Trace(std::chrono::steady_clock::time_point since);
  // Spares threads a wake-up: sends what was appended and helps receiving until `done`, which the
  // answers to `requests` (ascending) make true, or until the connection has ended. Without
  // requests, or with 0, it only sends. Blocks.
  void Serve(absl::Span<const uint64_t> requests, absl::FunctionRef<bool()> done);
  // The same, but gives up after some hundred microseconds at most, or at once if another thread
  // receives.
  void ServeBriefly(absl::Span<const uint64_t> requests, absl::FunctionRef<bool()> done);
  // Where large fetches enter before they are sent: half of max_fetch_bytes for arrays of which it
  // is not known that they are ready, so that those never stand before the ones that are.
  ByteWindow& unready_fetches();
  ByteWindow& ready_fetches();

  // Appends the command and streams `bytes` on a transfer thread. They must stay until `release` is
  // called, once. A failed stream becomes the array's error. With `deduplicate` they are only sent
  // if the daemon has not got the same.
  absl::Status Upload(v1::BeginUpload begin, absl::string_view bytes, bool deduplicate,
                      std::function<void()> release);

 private:
  class Impl;
  explicit Connection(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace acceld::client

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
#include "client/transport/bulk/upload_source.h"
#include "client/transport/channel/host_call_handler.h"
#include "client/transport/dial/attempt.h"
#include "client/transport/dial/secrets.h"
#include "common/crypto/digest.h"
#include "common/ir/module.h"
#include "common/ir/processes/process_signature.h"
#include "common/status.h"

namespace acceld::client {

// The transport beneath Client: a session on the Channel RPC (session_link.h), and the other calls
// and streams of that session, all to one address. Only this folder uses gRPC.
//
// Thread-safe. Each callback runs exactly once: on one of the connection's threads, on a thread
// that waits in Serve for this very answer, or at once on the calling thread if the connection has
// ended. Appends inside a callback never block. After Close, or when the session has ended, every
// pending and later call fails with UNAVAILABLE and the reason.
class Connection {
 public:
  // The parameters of a session; see ConnectOptions.
  struct Options {
    Attempt attempt;
    Secrets secrets;
    std::string client_name;
    Priority priority = Priority::kNormal;
    absl::optional<std::string> device_kind;  // As in Hello.
    std::chrono::milliseconds lease{0};
    int64_t max_fetch_bytes = int64_t{256} << 20;
    bool local_transport = true;
    std::shared_ptr<HostCallHandler> host_calls;  // Shared with the client.
    // Adds the source location of an op to an error about that op (OriginOf). Must be thread-safe.
    std::function<absl::Status(const absl::Status&)> locate;
  };
  // Connects and opens a session. Blocks until the daemon has answered with Welcome or the
  // attempt's timeout has passed.
  static absl::StatusOr<std::shared_ptr<Connection>> Open(const Options& options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The daemon's answer to the opening of the session.
  const v1::Welcome& welcome() const;
  const std::string& address() const;
  // Returns OK while the session is open, and afterwards why it has ended.
  absl::Status status() const;
  // Returns whether the session has a lease, so that it survives a broken stream.
  bool may_resume() const;
  // Ends the session: fails pending requests and cancels transfers. Idempotent. Does not block.
  void Close(const absl::Status& reason);

  // Returns a number that this connection has not used yet, for a handle, a program or a request.
  uint64_t NextId();

  // The following append a command to the outgoing batch. They block while the daemon's window is
  // full, except Register and Announce, which never do because callers hold a lock.
  absl::Status Append(v1::Command command);
  // Appends without ever blocking, for answers to the daemon: the commands that fill the window may
  // be waiting for the answer.
  absl::Status AppendUnblocked(v1::Command command);
  // Sends a program together with its registration.
  absl::Status Register(v1::RegisterProgram program);
  // Registers a program by its fingerprint. Its bytes, a serialized v1::Program, are sent only if
  // the daemon requests them. `serialize` returns the bytes; it may be called on another thread, or
  // never.
  using Serialize = std::function<std::string()>;
  absl::Status Announce(uint64_t program_id, const Digest& fingerprint, Serialize serialize);
  // Appends an Execute command; the parameters are its fields.
  absl::Status AppendExecute(uint64_t program_id, absl::Span<const uint64_t> inputs,
                             absl::Span<const uint64_t> outputs, uint32_t device,
                             absl::optional<uint32_t> timeout_ms,
                             absl::Span<const uint32_t> donated, uint64_t callbacks,
                             absl::optional<Priority> priority);
  // Appends an ExecuteSharded command; the parameters are its fields.
  absl::Status AppendExecuteSharded(v1::ExecuteSharded execute);
  // Cancels the executions and uploads that define these arrays, ordered after all commands
  // appended before. Never blocks.
  absl::Status Cancel(absl::Span<const uint64_t> handles, absl::string_view reason);
  // Releases a handle, ordered after all commands appended before. Never blocks.
  void Release(uint64_t handle);

  using OnExecution = std::function<void(absl::StatusOr<ExecutionInfo>)>;
  using OnDone = std::function<void(const absl::Status&)>;
  // kYes: the answer matters only while the handle is held, and the request does not hold the
  // array.
  enum class Lapses : bool { kNo, kYes };
  // Await asks for the outcome of the array `handle`, Fetch for its value. Both return the number
  // of the request, for Serve. The handle must not be released before `done` is called, except if
  // the request lapses; then the answer to it may be anything.
  uint64_t Await(uint64_t handle, OnExecution done, Lapses lapses = Lapses::kNo);
  uint64_t Fetch(uint64_t handle, std::shared_ptr<ByteSink> sink, OnDone done,
                 Lapses lapses = Lapses::kNo);
  // Receives the bytes of the transfer `transfer_id`, which a HostCall event has named.
  void Download(uint64_t transfer_id, std::shared_ptr<ByteSink> sink, OnDone done);
  // The following fill in request_id themselves.
  // A compiled program: what the daemon says of the compile and, for several processes, of them.
  struct Compiled {
    CompileInfo info;
    std::shared_ptr<const ir::ProcessSignature> signature;
  };
  void Compile(v1::Compile compile, std::function<void(absl::StatusOr<Compiled>)> done);
  // What one of several processes takes and gives, and runs; `program` is nullptr if the daemon is
  // of an earlier version.
  struct Partitioned {
    std::shared_ptr<const ir::ProcessSignature> signature;
    std::shared_ptr<const ir::Module> program;
  };
  void Partition(v1::Compile compile, std::function<void(absl::StatusOr<Partitioned>)> done);
  void Explain(v1::Compile compile, std::function<void(absl::StatusOr<CacheExplanation>)> done);
  // A named array that was opened.
  struct Opened {
    v1::TensorType type;
    uint32_t device = 0;
  };
  using OnOpened = std::function<void(absl::StatusOr<Opened>)>;
  // Name, open and unname arrays.
  void Publish(v1::Publish publish, OnDone done);
  void OpenNamed(v1::OpenNamed open, OnOpened done);
  void DropName(std::string name, OnDone done);
  // See Client::Trace. Blocks.
  absl::StatusOr<std::vector<TraceSpan>> Trace(std::chrono::steady_clock::time_point since);
  // Lets the calling thread do the work of the connection's threads, so that these need not be
  // woken: sends the commands appended so far, then receives until `done` is true or the connection
  // has ended. The answers to `requests` (ascending numbers) must make `done` true. If `requests`
  // is empty or contains 0, only sends. Does nothing on a TransportThread. Blocks.
  void Serve(absl::Span<const uint64_t> requests, absl::FunctionRef<bool()> done);
  // Like Serve, but gives up after some hundred microseconds at most, or at once if another thread
  // is receiving.
  void ServeBriefly(absl::Span<const uint64_t> requests, absl::FunctionRef<bool()> done);
  // The windows in which large fetches queue before they are sent. Each admits half of
  // max_fetch_bytes. Arrays that are not known to be ready have a window of their own, so that they
  // never delay fetches of ready arrays.
  ByteWindow& unready_fetches();
  ByteWindow& ready_fetches();

  // Appends the command and sends the bytes on a transfer thread. They must remain valid until
  // `release` is called, which happens exactly once. If the transfer fails, the array gets the
  // error. With `deduplicate`, the bytes are sent only if the daemon does not have the same bytes
  // already.
  absl::Status Upload(v1::BeginUpload begin, const UploadSource& source, bool deduplicate,
                      std::function<void()> release);

 private:
  class Impl;
  explicit Connection(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace acceld::client

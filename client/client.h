#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "client/array.h"
#include "client/credentials.h"
#include "client/host_callbacks.h"
#include "client/program.h"
#include "client/server_info.h"
#include "common/ir/types/literal.h"
#include "common/status.h"
#include "common/threads/future.h"

namespace acceld::client {

struct ConnectOptions {
  // As common/net/addresses.h says; empty: DefaultClientAddress(). It may lead to several daemons,
  // by commas or by a name: the session goes to one of them, and stays there. Sessions of a process
  // take them in turn, beginning anywhere; a daemon that is not there, drains or refuses is left
  // out.
  std::string address;
  Credentials credentials;
  // The session's device: "cuda:0", the kind and a number among its kind, or the device's own
  // number as DeviceInfo has it. A kind alone, "cuda": the one of them that the fewest sessions
  // were given. Empty: $ACCELD_DEVICE, else the same of the first device's kind.
  std::string device;
  std::string client_name;  // for people who list sessions; empty: "program[pid]"
  Priority priority = Priority::kNormal;
  // How long the session may live on when the connection is lost: until then the client connects
  // anew and goes on, and nobody notices. 0: it ends with the connection, which is the default on a
  // unix socket, where only the end of a process breaks one. Otherwise 30 s. At most what the
  // daemon grants.
  absl::optional<std::chrono::milliseconds> lease;
  std::chrono::milliseconds connect_timeout{5000};  // of several daemons, all together
  // Keep trying until the timeout while nobody listens (a daemon is being started); otherwise that
  // is an error at once.
  bool wait_for_daemon = false;
  // Bytes of large arrays that may be on their way here from fetches; more fetches wait for their
  // turn, without blocking the caller. A larger array comes alone.
  int64_t max_fetch_bytes = int64_t{256} << 20;
  // On a unix socket, commands go through a socket of their own and bytes of large arrays through
  // shared memory if the daemon offers that; otherwise, and when this is false, all goes over gRPC.
  bool local_transport = true;
};

struct ExecuteOptions {
  // Not done in so much time from when the daemon has taken it in, by the daemon's clock, the
  // execution is cancelled: its results fail with DEADLINE_EXCEEDED. Waiting for inputs, for the
  // compiler and for other work counts. Zero or less: it is over at once. None: it may take
  // forever.
  absl::optional<std::chrono::milliseconds> timeout;
  // Whose work goes first, among all who want the device; none: the session's. Executions of one
  // client with different priorities are ordered by the arrays that they read alone: one that is
  // interactive does not wait for those of class batch that were submitted before it, nor does it
  // lend them its priority if it reads their results. Copying results back has the session's.
  absl::optional<Priority> priority;
  // Numbers of arguments that are donated, beside those that Donate marks.
  std::vector<uint32_t> donated;
  // What the program asks while it runs, for one that has host callbacks (common/ir/
  // host_callback.h). They are called on threads of the client that are there for this: one call
  // after the other, in the order in which the daemon asks, until one takes longer than 20 ms; then
  // the next begins beside it. Calls of one execution never overlap. A callback may use the client,
  // execute programs and fetch arrays, but for results of the execution that calls it, which wait
  // for its answer. The time that it takes counts for `timeout`; the daemon serves others
  // meanwhile.
  HostCallbacks callbacks;
  // With callbacks: called once on one of these threads when the execution has ended, with its
  // error if it has one. Programs without results have no other way to say so.
  std::function<void(const absl::Status&)> on_end;
};

struct UploadOptions {
  // Asks the daemon whether it has an array of the same bytes from this identity already; then they
  // are not sent. Otherwise it stores them once, however many arrays have them. They are sent, too,
  // when it does not answer within a second. Costs hashing them (about half a second a gigabyte, on
  // a background thread), so it is for what is likely to be there: model weights, say. Arrays up to
  // 64 KiB are just sent.
  bool deduplicate = false;
};

struct PublishOptions {
  bool for_everyone = false;  // not only for clients of the same identity
  bool replace = false;       // takes the name from the array that has it
};

// A session with a daemon.
//
// Execute, Upload and Compile append a command to an outgoing batch and return; nothing waits for
// the daemon, except that they block while the daemon's window of unacknowledged commands (Welcome.
// command_window) is full. Inside a future's callback they never block.
//
// Thread-safe. Arrays may outlive the client; once it is destroyed (or the connection is lost) they
// and all pending futures answer UNAVAILABLE. The destructor ends the session: the daemon cancels
// its queued work and frees its arrays. It waits for a host callback that is running, but for two
// seconds at most; what callbacks refer to should be shared with them.
class Client {
 public:
  // The number of a device; none: the session's.
  using Device = absl::optional<uint32_t>;

  // Opens a session. UNAVAILABLE when no daemon answers; the message says how to start one, or of
  // several, each of which is asked once, what each said.
  // UNAUTHENTICATED or PERMISSION_DENIED when it does not know or not want this client;
  // INVALID_ARGUMENT when it has no such device.
  static absl::StatusOr<std::shared_ptr<Client>> Connect(ConnectOptions options = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // What the daemon offered at Connect.
  const std::vector<DeviceInfo>& devices() const;
  // The number of the session's device, which is meant where none is given.
  uint32_t device() const;
  const std::string& daemon_version() const;
  // The daemon's, as ConnectOptions has them: with it, others get to the same one.
  const std::string& address() const;
  // OK, or why the session has ended.
  absl::Status status() const;

  // Runs `program` on `arguments` (arrays of this client) and gives one array for each result, at
  // once. The execution is cancelled if all of them are dropped before it has ended (see Array).
  // INVALID_ARGUMENT for a wrong number or type of arguments, an unknown device, or a program that
  // has a host callback which the options have not; what goes wrong later becomes the value of the
  // results.
  //
  // Arguments may be donated, whatever the program says of them: Execute(program, {Donate(x), y}).
  // The memory of a donated array becomes that of a result that fits, preferably the one that the
  // program names (tf.aliasing_output), where the program can compute it there and when nobody else
  // has the array: no name, no other execution that is still to read it, no fetch under way. A
  // result gets memory of its own otherwise, and whoever has the array keeps it as it is. In any
  // case the array is consumed when Execute returns: all later use of it, of any copy, fails with
  // FAILED_PRECONDITION. When Execute fails, nothing is consumed. An execution that fails before it
  // has begun on the device leaves the array as it was: Array::TakeBack.
  // INVALID_ARGUMENT when an array is donated that is another argument, too.
  absl::StatusOr<std::vector<Array>> Execute(const Program& program,
                                             absl::Span<const Array> arguments, Device device = {},
                                             const ExecuteOptions& options = {});

  // Compiles for these argument types without running, so that the first Execute is quick.
  Future<CompileInfo> Compile(const Program& program, std::vector<ir::TensorType> arguments,
                              Device device = {});
  // Compiles for devices elsewhere, of the architecture that their daemon shows for them, and keeps
  // the result where they find it: in the caches that daemons share. INVALID_ARGUMENT for one that
  // this daemon cannot compile for.
  Future<CompileInfo> CompileFor(const std::string& architecture, const Program& program,
                                 std::vector<ir::TensorType> arguments);
  // Where the executable for these argument types would be found now; nothing is compiled.
  // `architecture` is empty for the device's, else as above.
  Future<CacheExplanation> Explain(const Program& program, std::vector<ir::TensorType> arguments,
                                   Device device = {}, const std::string& architecture = "");

  // Makes an array of a host value. Small ones travel in the command; large ones on a background
  // thread, which shares the literal's bytes.
  absl::StatusOr<Array> Upload(const ir::Literal& value, Device device = {},
                               UploadOptions options = {});
  // The same from row-major bytes, which are copied before the call returns.
  absl::StatusOr<Array> Upload(ir::TensorType type, absl::string_view bytes, Device device = {},
                               UploadOptions options = {});
  // The same without a copy: `bytes` must stay unchanged until `release` is called (once, on any
  // thread, also when the upload fails). From a HostBuffer a daemon on this host takes them itself.
  absl::StatusOr<Array> UploadShared(ir::TensorType type, absl::string_view bytes,
                                     std::function<void()> release, Device device = {},
                                     UploadOptions options = {});

  // Array::Cancel for several at once. INVALID_ARGUMENT, and nothing happens, when one is empty or
  // of another client.
  absl::Status Cancel(absl::Span<const Array> arrays, absl::string_view reason = "");

  // Names an array of this client, so that other clients can open it: model weights, say. The name
  // keeps the array alive when this client is gone. Blocks until the array is there and has its
  // name. Errors: the array's own, ALREADY_EXISTS unless `replace`, PERMISSION_DENIED when the name
  // is another identity's or the array shall be for everyone and the daemon does not know this
  // client as a publisher, INVALID_ARGUMENT (the name: at most 256 bytes without spaces).
  absl::Status Publish(const Array& array, const std::string& name, PublishOptions options = {});
  // The array of that name, whoever made it. Blocks for the answer. NOT_FOUND, PERMISSION_DENIED.
  absl::StatusOr<Array> Open(const std::string& name);
  // Forgets the name; who has opened the array keeps it. Blocks. NOT_FOUND, PERMISSION_DENIED.
  absl::Status DropName(const std::string& name);

  // What the daemon has done for this session and ended since then, by the time at which it began.
  // Times are those of this process's steady clock; where the daemon has another one, they are
  // wrong by half of the quickest answer's time at most. Blocks for the answers, a minute at most.
  // FAILED_PRECONDITION when the daemon keeps no trace; UNAVAILABLE.
  absl::StatusOr<std::vector<TraceSpan>> Trace(std::chrono::steady_clock::time_point since);

 private:
  struct Impl;
  explicit Client(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace acceld::client

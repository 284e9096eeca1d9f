#pragma once

#include <chrono>
#include <cstddef>
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
#include "client/host_buffer.h"
#include "client/host_callbacks.h"
#include "client/program.h"
#include "client/program_sharding.h"
#include "client/server_info.h"
#include "common/ir/types/literal.h"
#include "common/status.h"
#include "common/threads/future.h"

namespace acceld::client {

struct UploadSource;

// How Client::Connect finds and reaches a daemon, and the properties of the session.
struct ConnectOptions {
  // One or more addresses in the forms of common/net/addresses.h; empty means
  // DefaultClientAddress(). A list, or a host name with several IP addresses, may stand for several
  // daemons. The session then goes to one of them and stays there: the sessions of a process are
  // distributed round-robin from a random start. Daemons that are unreachable, that are draining
  // or that refuse the client are skipped.
  std::string address;
  Credentials credentials;
  // The session's default device: kind and number among the devices of that kind ("cuda:0"), or
  // DeviceInfo::id ("3"). A kind alone ("cuda") selects the device of that kind that the fewest
  // sessions were given. Empty means $ACCELD_DEVICE; if that is unset or empty too, the kind of the
  // daemon's first device.
  std::string device;
  // Shown to people who list sessions; empty means "program[pid]".
  std::string client_name;
  Priority priority = Priority::kNormal;
  // How long the session outlives a lost connection. Until then the client reconnects and resumes
  // the session, without any call failing. 0: the session ends with its connection, which is the
  // default on a unix socket, where a connection only breaks when a process ends. The default
  // elsewhere is 30 s. The daemon may grant less.
  absl::optional<std::chrono::milliseconds> lease;
  // Limits the whole of Client::Connect, over all daemons that it tries.
  std::chrono::milliseconds connect_timeout{5000};
  // If true, Connect retries until the timeout while no daemon listens (because one is being
  // started). If false, that is an error at once.
  bool wait_for_daemon = false;
  // Limits the total bytes of large arrays that are being fetched at a time. Further fetches are
  // queued without blocking the caller. An array larger than the limit is fetched alone.
  int64_t max_fetch_bytes = int64_t{256} << 20;
  // On a unix socket, if the daemon offers it, commands go through a second socket without gRPC,
  // and the bytes of large arrays through shared memory. If false, everything goes over gRPC.
  bool local_transport = true;
};

// How Client::Execute runs a program.
struct ExecuteOptions {
  // If the execution has not finished this long after the daemon received the command, by the
  // daemon's clock, it is cancelled and its results fail with DEADLINE_EXCEEDED. Time spent waiting
  // for inputs, the compiler and other work counts. Zero or less: it is cancelled at once. nullopt:
  // no limit.
  absl::optional<std::chrono::milliseconds> timeout;
  // Which work runs first among all that wants the device; nullopt means the session's priority.
  // Executions of one client with different priorities are ordered only by the arrays they read: an
  // interactive execution does not wait for batch executions submitted before it, and those keep
  // their own priority even if it reads their results. Copies of results to the host have the
  // session's priority.
  absl::optional<Priority> priority;
  // Numbers of further arguments to donate, in addition to those marked by Donate.
  std::vector<uint32_t> donated;
  // The host callbacks that the program may call while it runs (common/ir/calls/host_callback.h).
  // The client calls them on threads of its own, one call after the other in the order in which the
  // daemon requests them; when a call takes longer than 20 ms, the next one starts concurrently.
  // Calls of one execution never overlap. A callback may use the client, execute programs and fetch
  // arrays, except the results of the execution that called it, which are not computed before it
  // returns. Its time counts towards `timeout`; meanwhile the device serves other work.
  HostCallbacks callbacks;
  // For a program with host callbacks: called once, on one of the callback threads, when the
  // execution has ended, with its status. Without it the end of a program that has no results would
  // go unnoticed.
  std::function<void(const absl::Status&)> on_end;
};

// How Client::Upload sends an array.
struct UploadOptions {
  // Asks the daemon whether it already has an array with the same bytes from this identity, and
  // does not send them if it has. Otherwise the daemon stores the bytes once, however many arrays
  // contain them. The bytes are also sent if the daemon does not answer within a second. Hashing
  // costs about half a second a gigabyte, on a background thread, so use this for data that the
  // daemon probably has, such as model weights. Arrays of up to 64 KiB are sent without asking.
  bool deduplicate = false;
};

// How Client::Publish names an array.
struct PublishOptions {
  bool for_everyone = false;  // Clients of other identities may open it, too.
  bool replace = false;       // Takes the name from the array that has it.
};

// A session with a daemon.
//
// Execute, Upload and Compile append a command to an outgoing batch and return without waiting for
// the daemon. They block only while the daemon's window of unacknowledged commands
// (Welcome.command_window) is full; inside a future's callback they never block.
//
// Thread-safe. Arrays may outlive the client. Once the client is destroyed or the connection is
// lost, its arrays and all pending futures return UNAVAILABLE. The destructor ends the session: the
// daemon cancels its queued work and frees its arrays. The destructor waits for a running host
// callback for at most two seconds, so callbacks should share ownership of what they refer to.
class Client {
 public:
  // A DeviceInfo::id; nullopt means the session's device.
  using Device = absl::optional<uint32_t>;

  // Opens a session. UNAVAILABLE if no daemon answers; the message says how to start one. If the
  // address stands for several daemons, each is tried once and the error quotes the answer of each.
  // UNAUTHENTICATED or PERMISSION_DENIED if the daemon does not know or does not admit this client;
  // INVALID_ARGUMENT if the daemon does not have the requested device.
  static absl::StatusOr<std::shared_ptr<Client>> Connect(ConnectOptions options = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Returns the devices that the daemon had at Connect.
  const std::vector<DeviceInfo>& devices() const;
  // Returns the DeviceInfo::id of the session's device, which calls use if they name no device.
  uint32_t device() const;
  const std::string& daemon_version() const;
  // Returns the address of this session's daemon in the form of ConnectOptions::address; clients
  // that connect to it reach the same daemon.
  const std::string& address() const;
  // Returns OK while the session is open, and afterwards why it has ended.
  absl::Status status() const;

  // Starts `program` on `arguments` (arrays of this client) and returns one array for each result,
  // without waiting for them. The execution is cancelled if all of these arrays are dropped before
  // it has ended (see Array). INVALID_ARGUMENT for a wrong number or type of arguments, an unknown
  // device, or a program with a host callback that the options lack. Later failures become the
  // value of the results.
  //
  // Any argument may be donated, whether or not the program declares that: Execute(program,
  // {Donate(x), y}). The daemon may then write a result over the donated array's memory, preferably
  // the result that the program names (tf.aliasing_output). It does so if the result fits, if the
  // program can compute it in place, and if nothing else needs the array: no name, no other
  // execution that will read it, no pending fetch. Otherwise the result gets memory of its own, and
  // the other users of the array keep its value. In both cases the array is consumed when Execute
  // returns OK: later calls on any copy of it fail with FAILED_PRECONDITION. If Execute fails,
  // nothing is consumed. If the execution fails before it has begun on the device, Array::TakeBack
  // makes the array usable again. INVALID_ARGUMENT if the same array is a donated argument and also
  // another argument.
  absl::StatusOr<std::vector<Array>> Execute(const Program& program,
                                             absl::Span<const Array> arguments, Device device = {},
                                             const ExecuteOptions& options = {});

  // Starts a program for several devices (its module's grid has several processes) as one
  // participant on each of `devices`, which must be different ones of one kind, one for each
  // process of the program. arguments[p] are the arguments of participant p, arrays on devices[p];
  // the result has the results of each participant, on its device, in the same form. Does not wait,
  // except at the first execution of the program, for the daemon to say how its values are
  // distributed (ShardingOf).
  //
  // All participants begin when the arguments of all are there, and end together: if one fails, or
  // is cancelled, the results of all fail with its error. Donated arguments (options.donated) are
  // numbers of arguments of each participant; arrays marked by Donate count if they are marked for
  // all participants. Errors: those of Execute; INVALID_ARGUMENT for a wrong number of devices or
  // participants.
  absl::StatusOr<std::vector<std::vector<Array>>> ExecuteSharded(
      const Program& program, absl::Span<const std::vector<Array>> arguments,
      absl::Span<const uint32_t> devices, const ExecuteOptions& options = {});
  // Returns how the values of a program for several devices are distributed. The first call for a
  // program compiles it for `device` and blocks until that is done; the client remembers the
  // answer. INVALID_ARGUMENT for a program of one process.
  absl::StatusOr<std::shared_ptr<const ProgramSharding>> ShardingOf(const Program& program,
                                                                    Device device = {});

  // Returns what one process of a program for several devices runs, without compiling it. Asks the
  // daemon each time and blocks until it answers. INVALID_ARGUMENT for a program of one process;
  // UNIMPLEMENTED if the daemon is of an earlier version; RESOURCE_EXHAUSTED for a very large
  // program.
  absl::StatusOr<PartitionedProgram> Partition(const Program& program);

  // Compiles the program for these argument types without running it, so that the first Execute
  // starts quickly. For a program of several processes no argument types are given, as they are the
  // program's own.
  Future<CompileInfo> Compile(const Program& program, std::vector<ir::TensorType> arguments,
                              Device device = {});
  // Compiles for devices of this DeviceInfo::architecture that belong to other daemons, and stores
  // the executable in the remote cache, where those daemons find it. INVALID_ARGUMENT if this
  // daemon cannot compile for the architecture.
  Future<CompileInfo> CompileFor(const std::string& architecture, const Program& program,
                                 std::vector<ir::TensorType> arguments);
  // Reports which cache has the executable for these argument types, without compiling. An empty
  // `architecture` means that of the device; otherwise it is as in CompileFor.
  Future<CacheExplanation> Explain(const Program& program, std::vector<ir::TensorType> arguments,
                                   Device device = {}, const std::string& architecture = "");

  // Creates an array from a host value. Small values travel in the command; large ones are sent by
  // a background thread, which shares the literal's bytes.
  absl::StatusOr<Array> Upload(const ir::Literal& value, Device device = {},
                               UploadOptions options = {});
  // Creates an array from row-major bytes, which are copied before the call returns.
  absl::StatusOr<Array> Upload(ir::TensorType type, absl::string_view bytes, Device device = {},
                               UploadOptions options = {});
  // Creates an array from row-major bytes without copying them: `bytes` must remain unchanged until
  // `release` is called. It is called exactly once, on any thread, also if the upload fails.
  absl::StatusOr<Array> UploadShared(ir::TensorType type, absl::string_view bytes,
                                     std::function<void()> release, Device device = {},
                                     UploadOptions options = {});
  // The same for the bytes of a HostBuffer from `offset_bytes` on, as many as the type has. A
  // daemon on this host reads them directly. INVALID_ARGUMENT if they do not lie in the buffer.
  absl::StatusOr<Array> UploadShared(ir::TensorType type, const HostBuffer& buffer,
                                     size_t offset_bytes, std::function<void()> release,
                                     Device device = {}, UploadOptions options = {});

  // Array::Cancel for several arrays at once. INVALID_ARGUMENT, without any effect, if one of them
  // is empty or belongs to another client.
  absl::Status Cancel(absl::Span<const Array> arrays, absl::string_view reason = "");

  // Gives an array of this client a name by which other clients can open it, for example to share
  // model weights. The name keeps the array alive after this client has gone. Blocks until the
  // array is ready and has its name. Errors: the array's own error; ALREADY_EXISTS if the name is
  // taken and `replace` is false; PERMISSION_DENIED if the name belongs to another identity, or
  // `for_everyone` is set and this client is not a publisher; INVALID_ARGUMENT if the name is
  // longer than 256 bytes or contains spaces.
  absl::Status Publish(const Array& array, const std::string& name, PublishOptions options = {});
  // Returns the array with this name, whichever client published it. Blocks for the daemon's
  // answer. NOT_FOUND or PERMISSION_DENIED.
  absl::StatusOr<Array> Open(const std::string& name);
  // Removes the name; clients that have opened the array keep it. Blocks for the daemon's answer.
  // NOT_FOUND or PERMISSION_DENIED.
  absl::Status DropName(const std::string& name);

  // Returns the trace spans of this session that have ended since `since`, ordered by the time at
  // which they began. Times are those of this process's steady clock; if the daemon's clock
  // differs, they are wrong by at most half of the shortest measured round trip. Blocks for several
  // answers, for at most a minute each. FAILED_PRECONDITION if the daemon keeps no trace;
  // UNAVAILABLE.
  absl::StatusOr<std::vector<TraceSpan>> Trace(std::chrono::steady_clock::time_point since);

 private:
  struct Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  // Returns Program::ResultTypesFor the arguments' types, without a copy of any types if the result
  // types do not depend on them: then the program owns the result.
  using ResultTypes = std::shared_ptr<const std::vector<ir::TensorType>>;
  static absl::StatusOr<ResultTypes> ResultTypesOf(const Program& program,
                                                   absl::Span<const Array> arguments);
  absl::StatusOr<Array> UploadSourceShared(ir::TensorType type, const UploadSource& source,
                                           std::function<void()> release, Device device,
                                           UploadOptions options);

  std::unique_ptr<Impl> impl_;
};

}  // namespace acceld::client

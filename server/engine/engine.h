#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/crypto/digest.h"
#include "common/ir/module.h"
#include "common/ir/types/literal.h"
#include "common/memory/allowance.h"
#include "common/memory/shared_bytes.h"
#include "common/status.h"
#include "server/engine/cache/cache_verdict.h"
#include "server/engine/cache/remote_cache.h"
#include "server/engine/metrics.h"
#include "server/engine/sharing/quota.h"
#include "server/observability/instruments/trace_ring.h"

// The daemon without its transport: sessions, handles, programs, dispatch. The RPC layer is a thin
// adapter over the two classes Engine and Session, and so are most tests.
//
// All methods may be called from any thread. None blocks or waits for a device unless its comment
// says so. Callbacks must not block. They run without any lock of the engine, on a thread of the
// engine or, when the answer is known at once, on the caller's.
namespace acceld::engine {

// The configuration of an engine.
struct EngineOptions {
  int cpu_devices = 1;
  int threads_per_device = 0;  // 0: cores / devices
  // Per CPU device; 0: 3/4 of the machine's memory divided by the number of CPU devices.
  int64_t device_memory_bytes = 0;
  int64_t prepared_memory_bytes = 0;  // part of it that is allocated at the start
  std::string cuda_devices = "all";   // "all", "none", "0,2"
  int64_t cuda_memory_bytes = 0;      // per GPU; 0: 9/10 of its free memory
  // For arrays spilled from all devices; 0: arrays are not spilled.
  int64_t host_memory_bytes = 0;
  int compile_threads = 0;        // 0: as many as cores
  int64_t max_compile_bytes = 0;  // memory for one compile; 0: no limit
  bool warm_up = false;           // compile a program at the start, in the background
  std::string cache_dir;          // empty: no disk tier
  int64_t cache_disk_bytes = int64_t{4} << 30;
  int64_t cache_memory_bytes = int64_t{1} << 30;
  RemoteCacheOptions remote_cache;
  int64_t program_bytes = int64_t{256} << 20;  // programs kept in memory for later sessions
  std::string dump_dir;                        // empty: no dumps
  std::vector<std::string> disabled_passes;    // of the compiler, by name
  size_t trace_spans = 65536;                  // kept for Trace, 128 bytes each; 0: none
  // Limits per session.
  int64_t max_session_handles = 1'000'000;
  int64_t max_queued_executions = 100'000;
  int64_t max_programs = 10'000;
  int64_t max_session_bytes = 0;  // device memory; 0: no limit
  // See runtime::DeviceExecutor::Options.
  std::chrono::milliseconds stall_timeout{10'000};
  // Limits of all sessions together. A handle takes some hundred bytes of the daemon's memory, and
  // so does a queued execution.
  int64_t max_handles = 4'000'000;
  int64_t max_queued = 1'600'000;
  int64_t max_named_arrays = 10'000;
  int64_t max_sessions = 1024;
  // Memory for partially received data of clients, and for large messages until they are decoded;
  // 0: as much as host_memory_bytes, but at least 256 MiB.
  int64_t max_intake_bytes = 0;
  // Memory for the programs that sessions have registered; 0: like max_intake_bytes.
  int64_t max_program_memory_bytes = 0;
  int64_t max_descriptors = 0;  // file descriptors of clients' connections; 0: no limit
  // The percentage of each resource shared by all identities (pools.def) that one identity may use
  // unless its quota says otherwise. Admins, who can end everybody's sessions, have no such limit.
  int identity_share_percent = 25;
  Quotas quotas;  // limits for all sessions of one identity together
  // The most large arrays, of all sessions, that may be queued for reading.
  int64_t max_queued_copies = 100'000;
  // The most unfinished executions, of all sessions, that may have a deadline.
  int64_t max_deadlines = 1'000'000;
};

// Returns how many programs may be compiled at the same time.
int CompileThreads(const EngineOptions& options);

// What an identity may do beyond its own sessions: a publisher may name arrays for others; an admin
// may also see and end other sessions.
enum class Role : uint8_t { kUser, kPublisher, kAdmin };

// The user of a session, as authenticated by the transport.
struct Identity {
  std::string name;
  Role role = Role::kUser;
};

// The priority of a session's work on a device that several sessions want.
enum class Priority : uint8_t { kBatch, kNormal, kInteractive };
// Returns "batch", "normal" or "interactive".
absl::string_view PriorityName(Priority priority);

// The properties of a new session.
struct SessionOptions {
  std::string client_name;  // informational, as "train_digits[4711]"
  Identity identity;
  Priority priority = Priority::kNormal;
  // The kind of device from which to assign one to the session (placement.h); nullopt: none is
  // assigned.
  absl::optional<std::string> device_kind;
};

// Options of Execute.
struct ExecuteOptions {
  // An execution that has not ended by then is cancelled with DEADLINE_EXCEEDED.
  absl::optional<std::chrono::steady_clock::time_point> deadline;
  // nullopt: the session's priority. Executions of one session with different priorities are
  // scheduled like those of different sessions: one with a lower priority delays another only if
  // the other reads its results.
  absl::optional<Priority> priority;
  // Whether the client waits for the results before it executes anything else.
  bool awaited = false;
  // The indices of inputs that are donated. Once the execution is accepted, the handle of a donated
  // input names no array any more: it may only be released, and any other use fails with
  // FAILED_PRECONDITION. At the launch, the memory of a donated array that nobody else holds (no
  // name, other handle, queued execution or fetch) is reused for results that fit; other results
  // get new memory. If the execution fails before its launch (cancelled, past its deadline, or
  // because another input has failed), the handles name their arrays again.
  absl::Span<const uint32_t> donated;
  // The client's number for the callbacks that the program's host calls refer to; 0: none, and a
  // program with host calls is refused.
  uint64_t callbacks = 0;
};

using Handle = uint64_t;
using ProgramId = uint64_t;

// Facts about one execution, for its client.
struct ExecutionInfo {
  std::string fingerprint, cache_key;  // hexadecimal
  CacheVerdict verdict = CacheVerdict::kUnknown;
  double compile_ms = 0;  // how long this request waited for its executable
  double execute_us = 0;
};

// The properties and present state of a device.
struct DeviceInfo {
  uint32_t id = 0;
  std::string kind, name, architecture;
  uint64_t memory_limit_bytes = 0, memory_used_bytes = 0, memory_peak_bytes = 0;
  uint64_t executions = 0, queued = 0;
  absl::Status health;  // see hal::Device
};

// A kind of device that the engine has none of, and the reason. With `library`: a library that is
// missing for the devices of this kind.
struct MissingDevices {
  std::string kind, reason, library;
};

// Statistics of the remote cache since the start of the daemon.
struct RemoteCacheStats {
  std::string url;  // without user and password
  bool read_only = false;
  bool up = true;  // false: it failed recently and is not used for a while
  uint64_t bytes_read = 0, bytes_written = 0;                  // compressed
  std::vector<std::pair<absl::string_view, uint64_t>> counts;  // "hits", ...
};

// Counts since the start of the daemon, and present amounts.
struct EngineStats {
  uint64_t compiles = 0, compile_failures = 0, executions = 0, execution_failures = 0;
  // Searches and compiles that are queued, those dropped before they began because nobody wanted
  // them any more, and those stopped for that reason while running.
  uint64_t compiles_queued = 0, compiles_dropped = 0, compiles_stopped = 0;
  uint64_t cache_hits_memory = 0, cache_hits_disk = 0, cache_hits_remote = 0;
  uint64_t cache_hits_inflight = 0, cache_misses = 0;
  uint64_t cache_dropped = 0;
  uint64_t cache_memory_bytes = 0, cache_disk_bytes = 0;
  uint64_t cache_memory_entries = 0, cache_disk_entries = 0;
  uint64_t sessions = 0, sessions_total = 0, arrays = 0, array_bytes = 0, programs = 0;
  // Arrays spilled to host memory and restored since the start, and the host memory in use for them
  // and its limit.
  uint64_t spills = 0, restores = 0, spilled_bytes = 0, host_memory_bytes = 0;
  // Executables unloaded from devices that were short of memory.
  uint64_t executable_unloads = 0;
  absl::optional<RemoteCacheStats> remote_cache;  // nullopt: there is no remote cache
};

// The present state of an open session.
struct SessionInfo {
  uint64_t id = 0;
  std::string client_name, identity;
  Priority priority = Priority::kNormal;
  double age_s = 0;
  uint64_t arrays = 0, array_bytes = 0, executions = 0, programs = 0, queued = 0, handles = 0;
};

// An execution that has begun on a device and not ended. Its session may have ended.
struct RunningExecution {
  uint32_t device = 0;
  uint64_t session = 0;
  std::string identity, program;
  // The time since its submission, and the part of that on the device.
  double age_s = 0, on_device_s = 0;
  // kRuns: it has the device. kSuspended: others have the device until it is scheduled again.
  // kEnding: it was told to end and has not noticed yet. kAsks: it waits for its client's answer to
  // a host call.
  enum class State : uint8_t { kRuns, kSuspended, kEnding, kAsks } state = State::kRuns;
};

// The use of quotas and of the cache by one identity.
struct IdentityInfo {
  std::string identity;  // empty: sessions without an identity
  QuotaUses quotas;
  CacheLookups cache_lookups{};  // by CacheVerdict
};

// An entry of the executable cache.
struct CacheEntryInfo {
  std::string key, fingerprint, program_name, signature, architecture;
  uint64_t size_bytes = 0;
  bool in_memory = false, on_disk = false;
  double compile_ms = 0, age_s = 0;
  std::string producer;  // the host that compiled it
  // Whether this is an entry of the remote cache; in_memory and on_disk are not set for it.
  bool remote = false;
};

// A page of the remote cache's entries.
struct RemoteCachePage {
  std::vector<CacheEntryInfo> entries;
  std::string next;  // the `from` of the next page; empty: this is the last one
};

// The result of verifying all entries of one cache tier.
struct CacheCheck {
  std::string tier;
  uint64_t entries = 0, bytes = 0;
  uint64_t bad = 0;  // entries found invalid and removed or refused
};
// The number of entries removed from each tier.
struct CacheRemoved {
  uint64_t memory = 0, disk = 0, remote = 0;
};
// Receives a cache entry of another site in pieces. The engine must outlive it. Thread-compatible.
class CacheImport {
 public:
  virtual ~CacheImport() = default;
  // Adds the next bytes. Returns PERMISSION_DENIED (not signed with a key of the team) or DATA_LOSS
  // as soon as the bytes cannot become an entry.
  virtual absl::Status Append(absl::string_view bytes) = 0;
  // Stores the entry; must be called once, after the last bytes. Returns whether the entry is new
  // here. DATA_LOSS when it is incomplete or not valid. Blocks.
  virtual absl::StatusOr<bool> Finish() = 0;
};

// Options of Publish.
struct PublishOptions {
  // Whether other identities may open the array, too; requires the role of a publisher.
  bool for_everyone = false;
  // Whether the name may be taken from an array that has it.
  bool replace = false;
};
// An array that has a name.
struct NamedArrayInfo {
  std::string name, owner;
  ir::TensorType type;
  uint32_t device = 0;
  bool for_everyone = false;
  double age_s = 0;
};
// The properties of an array that OpenNamed has opened.
struct ArrayInfo {
  ir::TensorType type;
  uint32_t device = 0;
};

// An array's value in host memory.
struct HostArray {
  ir::TensorType type;
  SharedBytes bytes;
};

// A host call: a running program's request that its client compute values.
struct HostCall {
  uint64_t id = 0;         // unique within the session
  uint64_t callbacks = 0;  // see ExecuteOptions
  uint32_t device = 0;     // the device of the execution
  int64_t callback = 0;    // the number of the callback within the program
  std::vector<HostArray> operands;
  std::vector<ir::TensorType> results;  // the types of the values that the client must return
};
// A value that the client returns for a host call: either bytes, or a defined or pending array of
// the session on the device of the execution.
struct HostCallResult {
  ir::TensorType type;
  std::string bytes;
  absl::optional<Handle> handle;
};

// Receives the host calls of a session. The methods may be called from any thread, and must not
// block. The calls of one execution arrive in order, except that OnEnd may come at any time.
class HostCallListener {
 public:
  virtual ~HostCallListener() = default;
  // The program calls the client, which must answer by Session::AnswerHostCall.
  virtual void OnCall(HostCall call) = 0;
  // The answer to the call is not needed any more, as the execution was told to end.
  virtual void OnWithdrawn(uint64_t call_id) = 0;
  // The execution with these callbacks has ended, or its results have failed.
  virtual void OnEnd(uint64_t callbacks, const absl::Status& status) = 0;
};

// Options of Await and Fetch.
struct AskOptions {
  // Whether the request lapses when the array is released. By default a request keeps the execution
  // that makes the array from being cancelled for want of readers. A request that lapses does not;
  // it is answered with CANCELLED when nobody holds the array any more.
  bool lapses = false;
};
// The answer to Await.
struct ReadyResult {
  absl::Status status;  // the array's own error when it failed
  ExecutionInfo execution;
};
// The answer to Fetch.
struct FetchResult {
  absl::StatusOr<HostArray> array;
  ExecutionInfo execution;
};
// Options of Compile.
struct CompileOptions {
  // The architecture to compile for, without loading the code; empty: that of the device.
  std::string target;
  bool explain = false;  // compile nothing, only report where the executable would be found
  // The indices of the arguments that executions will donate, for ExecutableMemory::alias_bytes.
  std::vector<uint32_t> donated;
};
// How much memory an executable takes on a device.
struct ExecutableMemory {
  // Machine code in its stored form, and constants.
  uint64_t code_bytes = 0, constants_bytes = 0;
  uint64_t arena_bytes = 0;  // temporary memory of one execution
  // The size of the results that are written over donated arguments, if nobody else holds these.
  uint64_t alias_bytes = 0;
};
// A component of an executable's cache key: its wanted value, and that of the most similar entry.
struct KeyComponent {
  std::string name, wanted, nearest;
};
// Where an executable would come from, and why.
struct CacheExplanation {
  std::string tier;  // "memory", "disk", "remote"; empty: no tier has it
  std::vector<KeyComponent> components;
  absl::optional<CacheEntryInfo> nearest;  // the most similar entry; nullopt: none is similar
};
// The answer to Compile.
struct CompileResult {
  absl::Status status;
  ExecutionInfo execution;
  absl::optional<CacheExplanation> explanation;  // if CompileOptions::explain
  absl::optional<ExecutableMemory> memory;       // if compiled for a device of this engine
};

// Writes the bytes of a piece, from byte `begin` of the piece on, to `to`. Its error becomes that
// of the upload.
using PieceReader = absl::FunctionRef<absl::Status(size_t begin, absl::Span<char> to)>;

// The handles, programs and commands of one client. Commands take effect in the order of the calls;
// executions run as soon as their inputs allow. A command with a wrong operand (an unknown handle
// or program, a mismatched argument) returns OK and defines its output handles as failed arrays
// with an error that says what was wrong. Only a command that cannot be recorded at all (an output
// handle that exists already, an exhausted limit) is refused with an error status.
class Session {
 public:
  virtual ~Session() = default;

  virtual uint64_t id() const = 0;
  // 16 random bytes: whoever knows them may use this session from another RPC.
  virtual absl::string_view token() const = 0;
  // The device assigned to the session; 0 if none was.
  virtual uint32_t device() const = 0;

  // Registers a program. The module need not be verified. A bad program does not end the session:
  // its executions fail with the program's error.
  virtual absl::Status RegisterProgram(ProgramId id, absl::StatusOr<ir::Module> module,
                                       std::string entry) = 0;
  // Registers a program that the engine knows by its fingerprint, and returns whether its result
  // types are the same for all arguments. NOT_FOUND when the engine does not know it, or not any
  // more.
  virtual absl::StatusOr<bool> RegisterKnownProgram(ProgramId id, const Digest& fingerprint) = 0;
  // Compiles a program for argument types, or explains where the executable would be found, and
  // calls `done` with the result.
  virtual absl::Status Compile(ProgramId id, std::vector<ir::TensorType> arguments, uint32_t device,
                               const CompileOptions& options,
                               std::function<void(CompileResult)> done) = 0;
  // Executes a program on arrays and defines the outputs as its results. INVALID_ARGUMENT for a
  // wrong list of donated inputs: an index twice, out of range, or of a handle that is another
  // input as well. In that case nothing is donated; nor is it when the execution fails at once.
  virtual absl::Status Execute(ProgramId id, absl::Span<const Handle> inputs,
                               absl::Span<const Handle> outputs, uint32_t device,
                               const ExecuteOptions& options) = 0;
  absl::Status Execute(ProgramId id, absl::Span<const Handle> inputs,
                       absl::Span<const Handle> outputs, uint32_t device) {
    return Execute(id, inputs, outputs, device, {});
  }
  // Defines an array with this value.
  virtual absl::Status Put(Handle handle, ir::Literal value, uint32_t device) = 0;

  // Sets the receiver of host calls. Must be called before the first execution that has callbacks.
  virtual void ServeHostCalls(std::shared_ptr<HostCallListener> listener) = 0;
  // Answers a host call with values, or with the error with which the execution is to end. Wrong
  // values are such an error, too. Without effect when nobody waits for the call.
  virtual void AnswerHostCall(uint64_t call_id,
                              absl::StatusOr<std::vector<HostCallResult>> results) = 0;

  // An upload in pieces. BeginUpload defines the array. AppendUpload adds bytes that start at
  // `offset_bytes`, at most the number of bytes received so far; bytes received before are skipped,
  // so an upload that was interrupted may be sent again. FinishUpload must follow the last byte.
  // AbortUpload makes the array fail with `reason`.
  virtual absl::Status BeginUpload(Handle handle, ir::TensorType type, uint32_t device) = 0;
  // UNAVAILABLE: there is no memory for this upload until earlier, complete uploads have been
  // copied to the device. Nothing has changed, and the same call may soon succeed.
  virtual absl::Status AppendUpload(Handle handle, int64_t offset_bytes, size_t size_bytes,
                                    PieceReader read) = 0;
  absl::Status AppendUpload(Handle handle, int64_t offset_bytes, absl::string_view bytes);
  virtual absl::Status FinishUpload(Handle handle) = 0;
  // Announces the digest (ContentDigestOf) of the bytes of an upload in progress. OK: the bytes
  // need not be sent, as this identity has sent the same before and they are still on the device;
  // the upload is complete. NOT_FOUND: the bytes must be sent. They will be checked against the
  // digest, and stored only if no array has the same content.
  virtual absl::Status OfferContent(Handle handle, const Digest& digest) = 0;
  virtual void AbortUpload(Handle handle, absl::Status reason) = 0;

  // Cancels the executions and uploads that define these handles: all their outputs that are not
  // final fail with `reason`. Queued work never runs; running work is told to stop, and what it
  // writes is discarded. Unknown handles are ignored.
  virtual void Cancel(absl::Span<const Handle> handles, absl::Status reason) = 0;
  // Releases handles; unknown ones are ignored. An execution that has not ended is cancelled when
  // nobody holds its results any more, unless it has host callbacks, which are side effects. A
  // result is held by handles, by names, by executions that read it and whose own results are held,
  // and by unanswered calls of Await and Fetch, except those with AskOptions::lapses.
  virtual void Release(absl::Span<const Handle> handles) = 0;
  // Await calls `done` when the array is final (defined or failed); Fetch calls `done` with its
  // value.
  virtual void Await(Handle handle, const AskOptions& options,
                     std::function<void(ReadyResult)> done) = 0;
  virtual void Fetch(Handle handle, const AskOptions& options,
                     std::function<void(FetchResult)> done) = 0;
  void Await(Handle handle, std::function<void(ReadyResult)> done) {
    Await(handle, {}, std::move(done));
  }
  void Fetch(Handle handle, std::function<void(FetchResult)> done) {
    Fetch(handle, {}, std::move(done));
  }

  // Gives the array a name by which other sessions can open it. The name keeps the array alive,
  // even after the end of this session. Errors: see NamedArrays::Publish.
  virtual absl::Status Publish(Handle handle, absl::string_view name,
                               const PublishOptions& options) = 0;
  // Defines `handle` as the array of that name; without effect if it is already. Errors: see
  // NamedArrays::Open; ALREADY_EXISTS when the handle names another array.
  virtual absl::StatusOr<ArrayInfo> OpenNamed(Handle handle, absl::string_view name) = 0;
  // Removes a name. Errors: see NamedArrays::Drop.
  virtual absl::Status DropName(absl::string_view name) = 0;

  // Cancels queued work and releases every array. Memory that a running kernel or copy uses is
  // freed when that ends; Close does not wait for it. Later commands and pending calls of Await and
  // Fetch fail with CANCELLED and the message `reason`. Idempotent.
  virtual void Close(absl::string_view reason) = 0;

  // The number of executions and uploads that have not ended. Takes a few atomic reads.
  virtual int64_t queued() const = 0;
  virtual SessionInfo info() const = 0;
};

// The engine of a daemon: owns devices, caches and sessions.
class Engine {
 public:
  // Opens the devices and the cache. May block, as it reads the index of the cache folder.
  static absl::StatusOr<std::unique_ptr<Engine>> Create(const EngineOptions& options);
  virtual ~Engine() = default;

  // Opens a session. UNAVAILABLE during Shutdown; RESOURCE_EXHAUSTED when there are too many
  // sessions, of this identity or of all; INVALID_ARGUMENT for an unknown kind of device.
  virtual absl::StatusOr<std::shared_ptr<Session>> OpenSession(SessionOptions options) = 0;
  // Keeps a program for sessions that will register it by its fingerprint, and returns that. Past
  // EngineOptions::program_bytes the least recently used programs are dropped; `size_bytes` is the
  // size of the program's message. INVALID_ARGUMENT or NOT_FOUND (no such entry). Visits the whole
  // program.
  virtual absl::StatusOr<Digest> AddProgram(ir::Module module, std::string entry,
                                            int64_t size_bytes) = 0;

  virtual std::vector<DeviceInfo> Devices() const = 0;
  // Returns the kinds of devices and the libraries that are missing.
  virtual std::vector<MissingDevices> Missing() const = 0;
  virtual EngineStats Stats() const = 0;
  virtual std::vector<SessionInfo> Sessions() const = 0;
  // Returns the unfinished executions on each device, the one that has the device first.
  virtual std::vector<RunningExecution> Running() const = 0;
  // Returns the allowance of an identity for a quota that counts bytes or objects, and for the pool
  // from which it is taken, if any. May also be used outside of sessions.
  virtual std::shared_ptr<Allowance> AllowanceOf(const Identity& identity, QuotaId quota) = 0;
  // Returns the identities that use anything or have recently, by name.
  virtual std::vector<IdentityInfo> Identities() const = 0;
  // Replaces the quotas. They apply to later requests; resources in use are kept.
  virtual void SetQuotas(Quotas quotas) = 0;
  // Closes the open session with this id (Session::Close), or, if that has ended, cancels its
  // executions that still run on devices. NOT_FOUND when there is neither.
  virtual absl::Status CloseSession(uint64_t id, absl::string_view reason) = 0;
  // Returns the counters and histograms that are not part of Stats.
  virtual EngineMetrics Metrics() const = 0;
  // Returns the spans that ended within the last `last` nanoseconds, ordered by their begin.
  // FAILED_PRECONDITION when the daemon keeps no trace. Takes the time to copy
  // EngineOptions::trace_spans.
  virtual absl::StatusOr<std::vector<observability::Span>> Trace(
      std::chrono::nanoseconds last) const = 0;
  // The same for one session, from a point in time of the steady clock on.
  virtual absl::StatusOr<std::vector<observability::Span>> SessionTrace(uint64_t session,
                                                                        int64_t since_ns) const = 0;
  // Returns at most `limit` entries of the cache from index `offset` on, the most recently used
  // first.
  virtual std::vector<CacheEntryInfo> CacheEntries(size_t offset, size_t limit) const = 0;
  // The operations of cache::Tools. They block, some for minutes. INVALID_ARGUMENT for a malformed
  // key.
  virtual absl::StatusOr<RemoteCachePage> RemoteCacheEntries(absl::string_view from,
                                                             size_t limit) = 0;
  virtual absl::StatusOr<std::vector<CacheCheck>> VerifyCache(bool remote) = 0;
  virtual absl::StatusOr<CacheRemoved> PurgeCache(const std::vector<std::string>& keys,
                                                  bool remote) = 0;
  virtual absl::StatusOr<std::string> ExportCacheEntry(const std::string& key) = 0;
  // Does not block.
  virtual absl::StatusOr<std::unique_ptr<CacheImport>> BeginCacheImport() = 0;
  // Reads the file of the team's keys again, for later accesses to cache entries. Without effect
  // when no such file is configured. On an error, that of reading the file, the keys stay.
  virtual absl::Status ReloadTeamKeys() = 0;
  // Returns the arrays that `reader` may open.
  virtual std::vector<NamedArrayInfo> NamedArrays(const Identity& reader) const = 0;
  // A random number that identifies this instance of the engine.
  virtual uint64_t incarnation() const = 0;

  // Refuses new sessions, waits at most `grace` for work in progress, then cancels the rest.
  // Blocks.
  virtual void Shutdown(std::chrono::milliseconds grace) = 0;
};

}  // namespace acceld::engine

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
// adapter over these two classes, and so are most tests.
//
// All methods may be called from any thread and none blocks or waits for a device, unless it says
// so. Callbacks run on an engine thread (or the caller's, when the answer is known), never with an
// engine lock held; they must not block.
namespace acceld::engine {

struct EngineOptions {
  int cpu_devices = 1;
  int threads_per_device = 0;         // 0: cores / devices
  int64_t device_memory_bytes = 0;    // per CPU device; 0: 3/4 of the machine's memory / devices
  int64_t prepared_memory_bytes = 0;  // of it, taken from the system at the start
  std::string cuda_devices = "all";   // "all", "none", "0,2"
  int64_t cuda_memory_bytes = 0;      // per GPU; 0: 9/10 of what is free there
  int64_t host_memory_bytes = 0;      // for arrays spilled from all devices; 0: none is spilled
  int compile_threads = 0;            // 0: as many as cores
  int64_t max_compile_bytes = 0;      // of memory for one compile; 0: no limit
  bool warm_up = false;               // compile a program at the start, in the background
  std::string cache_dir;              // empty: no disk tier
  int64_t cache_disk_bytes = int64_t{4} << 30;
  int64_t cache_memory_bytes = int64_t{1} << 30;
  RemoteCacheOptions remote_cache;
  int64_t program_bytes = int64_t{256} << 20;  // programs kept for sessions to come
  std::string dump_dir;                        // empty: no dumps
  std::vector<std::string> disabled_passes;    // of the compiler, by name
  size_t trace_spans = 65536;                  // kept for Trace, in 128 bytes each; 0: none
  // Limits per session.
  int64_t max_session_handles = 1'000'000;
  int64_t max_queued_executions = 100'000;
  int64_t max_programs = 10'000;
  int64_t max_session_bytes = 0;  // device bytes; 0: as much as there is
  // runtime::DeviceExecutor::Options.
  std::chrono::milliseconds stall_timeout{10'000};
  // Limits of all sessions together. A handle takes some hundred bytes of the daemon's memory, and
  // so does an execution that is queued.
  int64_t max_handles = 4'000'000;
  int64_t max_queued = 1'600'000;
  int64_t max_named_arrays = 10'000;
  int64_t max_sessions = 1024;
  // For what clients have sent in part, and large messages until they are decoded; 0: as much as
  // host_memory_bytes, at least 256 MiB.
  int64_t max_intake_bytes = 0;
  // For the programs that sessions have registered; 0: the same.
  int64_t max_program_memory_bytes = 0;
  int64_t max_descriptors = 0;  // of clients' connections; 0: no limit
  // Of what all identities share (pools.def), the part that one may have unless its quota says
  // otherwise. Admins, who may end everybody's sessions, have no such limit.
  int identity_share_percent = 25;
  Quotas quotas;  // of what the sessions of one identity use together
  // Large arrays of all sessions that wait to be read back.
  int64_t max_queued_copies = 100'000;
  // Executions of all sessions that have a deadline and are not done.
  int64_t max_deadlines = 1'000'000;
};

// How many programs are compiled at the same time.
int CompileThreads(const EngineOptions& options);

// What an identity may do beyond its own sessions: a publisher names arrays for others, an admin
// sees and ends other sessions.
enum class Role : uint8_t { kUser, kPublisher, kAdmin };

// Whom a session works for, as the transport has found out.
struct Identity {
  std::string name;
  Role role = Role::kUser;
};

// Whose work goes first when a device is wanted by several sessions.
enum class Priority : uint8_t { kBatch, kNormal, kInteractive };
// "batch", "normal", "interactive".
absl::string_view PriorityName(Priority priority);

struct SessionOptions {
  std::string client_name;  // for people: "train_digits[4711]"
  Identity identity;
  Priority priority = Priority::kNormal;
  // Of which kind of device the session is given one (placement.h); none: it is given none.
  absl::optional<std::string> device_kind;
};

struct ExecuteOptions {
  // Not done by then, the execution is cancelled with DEADLINE_EXCEEDED.
  absl::optional<std::chrono::steady_clock::time_point> deadline;
  // None: the session's. Executions of one session with different priorities are ordered among each
  // other as those of different sessions are: a lower one is not waited for, unless its results are
  // read.
  absl::optional<Priority> priority;
  // Its results are asked for next, and nothing is executed in between.
  bool awaited = false;
  // Numbers of inputs whose arrays are given away: their handles name nothing any more once the
  // execution is accepted, but for Release, and any use fails with FAILED_PRECONDITION. When it is
  // launched, what nobody else has (no name, other handle, queued execution or fetch) is the memory
  // of results that fit, and others get memory of their own. When it fails before that, be it that
  // it is cancelled, late or poisoned by another input, the handles are what they were.
  absl::Span<const uint32_t> donated;
  // The client's number of the callbacks that the program's host calls mean; 0: there are none, and
  // a program that has host calls is refused.
  uint64_t callbacks = 0;
};

using Handle = uint64_t;
using ProgramId = uint64_t;

struct ExecutionInfo {
  std::string fingerprint, cache_key;  // hexadecimal
  CacheVerdict verdict = CacheVerdict::kUnknown;
  double compile_ms = 0;  // time this request waited for its executable
  double execute_us = 0;
};

struct DeviceInfo {
  uint32_t id = 0;
  std::string kind, name, architecture;
  uint64_t memory_limit_bytes = 0, memory_used_bytes = 0, memory_peak_bytes = 0;
  uint64_t executions = 0, queued = 0;
  absl::Status health;  // of hal::Device
};

// A kind of device of which the engine has none, or, with a name, a library that it has devices of
// a kind without; and why.
struct MissingDevices {
  std::string kind, reason, library;
};

// The daemon's use of the cache that daemons share, since its start.
struct RemoteCacheStats {
  std::string url;  // without user and password
  bool read_only = false;
  bool up = true;  // false: it failed lately, and is not asked for a while
  uint64_t bytes_read = 0, bytes_written = 0;                  // compressed
  std::vector<std::pair<absl::string_view, uint64_t>> counts;  // "hits", ...
};

struct EngineStats {
  uint64_t compiles = 0, compile_failures = 0, executions = 0, execution_failures = 0;
  // Searches and compiles that wait for their turn now; those that nobody wanted any more, before
  // they began and when they ran.
  uint64_t compiles_queued = 0, compiles_dropped = 0, compiles_stopped = 0;
  uint64_t cache_hits_memory = 0, cache_hits_disk = 0, cache_hits_remote = 0;
  uint64_t cache_hits_inflight = 0, cache_misses = 0;
  uint64_t cache_dropped = 0;
  uint64_t cache_memory_bytes = 0, cache_disk_bytes = 0;
  uint64_t cache_memory_entries = 0, cache_disk_entries = 0;
  uint64_t sessions = 0, sessions_total = 0, arrays = 0, array_bytes = 0, programs = 0;
  // Arrays that went to host memory and came back, and what is there now.
  uint64_t spills = 0, restores = 0, spilled_bytes = 0, host_memory_bytes = 0;
  // Executables unloaded from devices that were short of memory.
  uint64_t executable_unloads = 0;
  absl::optional<RemoteCacheStats> remote_cache;  // nullopt: there is none
};

struct SessionInfo {
  uint64_t id = 0;
  std::string client_name, identity;
  Priority priority = Priority::kNormal;
  double age_s = 0;
  uint64_t arrays = 0, array_bytes = 0, executions = 0, programs = 0, queued = 0, handles = 0;
};

// An execution that has begun on a device and not ended. Its session may have.
struct RunningExecution {
  uint32_t device = 0;
  uint64_t session = 0;
  std::string identity, program;
  double age_s = 0, on_device_s = 0;  // since it was asked for; of that, on the device
  // On the device; others have it until its turn comes; told to end, which it has not heard yet;
  // its client is asked by a host call.
  enum class State : uint8_t { kRuns, kSuspended, kEnding, kAsks } state = State::kRuns;
};

struct IdentityInfo {
  std::string identity;  // empty: of sessions without one
  QuotaUses quotas;
  CacheLookups cache_lookups{};  // by CacheVerdict
};

struct CacheEntryInfo {
  std::string key, fingerprint, program_name, signature, architecture;
  uint64_t size_bytes = 0;
  bool in_memory = false, on_disk = false;
  double compile_ms = 0, age_s = 0;
  std::string producer;  // the host that compiled it
  bool remote = false;   // of the cache that daemons share; where else it is, is not told
};

struct RemoteCachePage {
  std::vector<CacheEntryInfo> entries;
  std::string next;  // where the next page begins; empty: there is none
};

// What a look at every entry of a tier came to.
struct CacheCheck {
  std::string tier;
  uint64_t entries = 0, bytes = 0;
  uint64_t bad = 0;  // removed, or refused
};
struct CacheRemoved {
  uint64_t memory = 0, disk = 0, remote = 0;
};
// Takes in an entry of another site as its bytes come. The engine outlives it. Thread-compatible.
class CacheImport {
 public:
  virtual ~CacheImport() = default;
  // The next bytes. PERMISSION_DENIED (not signed with a key of the team) and DATA_LOSS as soon as
  // no entry can come of them.
  virtual absl::Status Append(absl::string_view bytes) = 0;
  // After the last: whether the entry is new here. DATA_LOSS. Blocks. To be called once.
  virtual absl::StatusOr<bool> Finish() = 0;
};

struct PublishOptions {
  bool for_everyone = false;  // not only for sessions of the same identity; for publishers
  bool replace = false;       // takes the name from the array that has it
};
// An array whose name is known.
struct NamedArrayInfo {
  std::string name, owner;
  ir::TensorType type;
  uint32_t device = 0;
  bool for_everyone = false;
  double age_s = 0;
};
struct ArrayInfo {
  ir::TensorType type;
  uint32_t device = 0;
};

// An array's value in host memory.
struct HostArray {
  ir::TensorType type;
  SharedBytes bytes;
};

// What a running program asks its client.
struct HostCall {
  uint64_t id = 0;         // within the session
  uint64_t callbacks = 0;  // of ExecuteOptions
  uint32_t device = 0;     // of the run
  int64_t callback = 0;    // the number within the program
  std::vector<HostArray> operands;
  std::vector<ir::TensorType> results;  // that are to be given
};
// A value that the client gives for it: bytes, or an array of the session on the run's device that
// is there or on its way.
struct HostCallResult {
  ir::TensorType type;
  std::string bytes;
  absl::optional<Handle> handle;
};

// Hears of a session's host calls. Called from any thread, for one execution in order, but that
// OnEnd may come at any time; must not block.
class HostCallListener {
 public:
  virtual ~HostCallListener() = default;
  virtual void OnCall(HostCall call) = 0;
  // Nobody waits for the answer any more: its run was told to end.
  virtual void OnWithdrawn(uint64_t call_id) = 0;
  // An execution with these callbacks has ended, or its results have failed.
  virtual void OnEnd(uint64_t callbacks, const absl::Status& status) = 0;
};

struct AskOptions {
  // The answer is of use only while the handle is held: it does not keep the execution that makes
  // the array from being cancelled once nobody holds its results, and is CANCELLED when the array
  // goes first.
  bool lapses = false;
};
struct ReadyResult {
  absl::Status status;  // the array's own error when it failed
  ExecutionInfo execution;
};
struct FetchResult {
  absl::StatusOr<HostArray> array;
  ExecutionInfo execution;
};
struct CompileOptions {
  // The architecture to compile for, and not to load then; empty: the device's.
  std::string target;
  bool explain = false;  // compiles nothing: says where the executable would be found
  // Numbers of the arguments that executions will give away, for ExecutableMemory::alias_bytes.
  std::vector<uint32_t> donated;
};
// What an executable takes of the memory of a device.
struct ExecutableMemory {
  uint64_t code_bytes = 0, constants_bytes = 0;  // machine code, as it is kept, and its constants
  uint64_t arena_bytes = 0;                      // temporaries of one execution
  uint64_t alias_bytes = 0;  // results that are written over donated arguments that nobody else has
};
// A part of what an executable's key is made of.
struct KeyComponent {
  std::string name, wanted, nearest;
};
struct CacheExplanation {
  std::string tier;  // "memory", "disk", "remote"; empty: nowhere
  std::vector<KeyComponent> components;
  absl::optional<CacheEntryInfo> nearest;  // the entry that has most in common; nullopt: none has
};
struct CompileResult {
  absl::Status status;
  ExecutionInfo execution;
  absl::optional<CacheExplanation> explanation;  // where it was asked for
  absl::optional<ExecutableMemory> memory;       // of what was compiled for a device of this engine
};

// Puts the bytes of a piece, from its byte `begin` on, to `to`. Its error is that of the upload.
using PieceReader = absl::FunctionRef<absl::Status(size_t begin, absl::Span<char> to)>;

// One client's world. Commands take effect in the order of the calls; executions run as their
// inputs allow. A wrong command (unknown handle or program, mismatched argument) returns OK and
// poisons the handles it would have defined with an error that says what was wrong; only a command
// that cannot even be recorded (a handle that exists already, a limit that is full) is refused with
// a status.
class Session {
 public:
  virtual ~Session() = default;

  virtual uint64_t id() const = 0;
  // 16 random bytes: the capability to reach this session from another RPC.
  virtual absl::string_view token() const = 0;
  // That the session was given; 0 if none.
  virtual uint32_t device() const = 0;

  // Makes the program known. The module need not be verified yet; verification and fingerprinting
  // happen off the calling thread's critical path or here, as the implementation likes, but a bad
  // program poisons its executions rather than ending the session.
  virtual absl::Status RegisterProgram(ProgramId id, absl::StatusOr<ir::Module> module,
                                       std::string entry) = 0;
  // Makes a program known that the engine has met, and says whether its result types are the same
  // for all arguments; NOT_FOUND when it has not, or not lately.
  virtual absl::StatusOr<bool> RegisterKnownProgram(ProgramId id, const Digest& fingerprint) = 0;
  virtual absl::Status Compile(ProgramId id, std::vector<ir::TensorType> arguments, uint32_t device,
                               const CompileOptions& options,
                               std::function<void(CompileResult)> done) = 0;
  // INVALID_ARGUMENT for a wrong list of donated inputs: a number twice, or of no input, or of a
  // handle that is another input as well. Nothing is given away then, nor when the execution is
  // poisoned at once.
  virtual absl::Status Execute(ProgramId id, absl::Span<const Handle> inputs,
                               absl::Span<const Handle> outputs, uint32_t device,
                               const ExecuteOptions& options) = 0;
  absl::Status Execute(ProgramId id, absl::Span<const Handle> inputs,
                       absl::Span<const Handle> outputs, uint32_t device) {
    return Execute(id, inputs, outputs, device, {});
  }
  virtual absl::Status Put(Handle handle, ir::Literal value, uint32_t device) = 0;

  // Before anything is executed that has callbacks.
  virtual void ServeHostCalls(std::shared_ptr<HostCallListener> listener) = 0;
  // The answer to a host call, or the error that its run ends with. Wrong values are such an error,
  // too. Nothing happens when nobody waits for the call (any more).
  virtual void AnswerHostCall(uint64_t call_id,
                              absl::StatusOr<std::vector<HostCallResult>> results) = 0;

  // An upload in pieces. Begin names the array; Append adds bytes from `offset_bytes` on, where the
  // bytes that are there already end or earlier: what is there is skipped, so an upload that broke
  // off may be sent again. Finish must follow the last byte. Abort poisons the array with `reason`.
  virtual absl::Status BeginUpload(Handle handle, ir::TensorType type, uint32_t device) = 0;
  // UNAVAILABLE: there is no room for this upload's bytes as long as earlier ones, which are
  // complete, wait for the device; the same call may succeed soon. Nothing has happened.
  virtual absl::Status AppendUpload(Handle handle, int64_t offset_bytes, size_t size_bytes,
                                    PieceReader read) = 0;
  absl::Status AppendUpload(Handle handle, int64_t offset_bytes, absl::string_view bytes);
  virtual absl::Status FinishUpload(Handle handle) = 0;
  // Says what digest (ContentDigestOf) the bytes of an upload have that is going on. OK: the array
  // has them already, because this identity has sent them before and they are still here; the
  // upload is over. NOT_FOUND: they have to be sent, will be checked against the digest, and are
  // stored only if nobody's array has the same.
  virtual absl::Status OfferContent(Handle handle, const Digest& digest) = 0;
  virtual void AbortUpload(Handle handle, absl::Status reason) = 0;

  // Cancels the executions and uploads that define these handles: all their outputs that are not
  // final fail with `reason`. What is queued never runs; what runs is told to stop, and what it
  // writes is discarded. Unknown handles are ignored.
  virtual void Cancel(absl::Span<const Handle> handles, absl::Status reason) = 0;
  // Unknown handles are ignored. An execution that has not ended and whose results nobody holds any
  // more is cancelled, unless it has host callbacks, which are effects. A result is held by
  // handles, names, executions that are to read it and are held themselves, and by Await and Fetch
  // until they are answered, but for those that lapse.
  virtual void Release(absl::Span<const Handle> handles) = 0;
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

  // Gives the array a name, by which other sessions find it. The name keeps the array alive, beyond
  // this session. Errors: named_arrays.h.
  virtual absl::Status Publish(Handle handle, absl::string_view name,
                               const PublishOptions& options) = 0;
  // Defines `handle` as the array of that name; again is fine. The errors of Publish, and
  // ALREADY_EXISTS when the handle is another array.
  virtual absl::StatusOr<ArrayInfo> OpenNamed(Handle handle, absl::string_view name) = 0;
  virtual absl::Status DropName(absl::string_view name) = 0;

  // Cancels queued work and frees every array; what a running kernel or copy uses is freed when it
  // ends, which Close does not wait for. Idempotent. Later commands fail with CANCELLED. Pending
  // Await and Fetch callbacks get CANCELLED.
  // Those callbacks get `reason` as their message.
  virtual void Close(absl::string_view reason) = 0;

  // Executions and uploads that have not ended. A few atomic reads.
  virtual int64_t queued() const = 0;
  virtual SessionInfo info() const = 0;
};

class Engine {
 public:
  // Opens devices and cache. May block (reads the cache folder's index).
  static absl::StatusOr<std::unique_ptr<Engine>> Create(const EngineOptions& options);
  virtual ~Engine() = default;

  virtual absl::StatusOr<std::shared_ptr<Session>> OpenSession(SessionOptions options) = 0;
  // Keeps a program for sessions that know its fingerprint, which is the answer. The least recently
  // used go when all have more than EngineOptions.program_bytes; `size_bytes` is what it had on its
  // way. INVALID_ARGUMENT or NOT_FOUND (no such entry). Walks the whole program.
  virtual absl::StatusOr<Digest> AddProgram(ir::Module module, std::string entry,
                                            int64_t size_bytes) = 0;

  virtual std::vector<DeviceInfo> Devices() const = 0;
  virtual std::vector<MissingDevices> Missing() const = 0;
  virtual EngineStats Stats() const = 0;
  virtual std::vector<SessionInfo> Sessions() const = 0;
  // By device; what has one before what waits for its turn.
  virtual std::vector<RunningExecution> Running() const = 0;
  // What `identity` may take of a quota of bytes or counts, and of the pool behind it, if there is
  // one. Also beside its sessions.
  virtual std::shared_ptr<Allowance> AllowanceOf(const Identity& identity, QuotaId quota) = 0;
  // By name: those that use anything, or have lately.
  virtual std::vector<IdentityInfo> Identities() const = 0;
  // For what is asked from now on; nothing that is in use goes.
  virtual void SetQuotas(Quotas quotas) = 0;
  // Session::Close of the open session with this number. Of one that has ended, what it has left on
  // devices is told to end. NOT_FOUND when there is neither.
  virtual absl::Status CloseSession(uint64_t id, absl::string_view reason) = 0;
  virtual EngineMetrics Metrics() const = 0;
  // What ended within the last while, by the time at which it began. FAILED_PRECONDITION when none
  // of it is kept. Takes as long as it takes to copy EngineOptions.trace_spans.
  virtual absl::StatusOr<std::vector<observability::Span>> Trace(
      std::chrono::nanoseconds last) const = 0;
  // The same of one session, from a time of the steady clock on.
  virtual absl::StatusOr<std::vector<observability::Span>> SessionTrace(uint64_t session,
                                                                        int64_t since_ns) const = 0;
  // Most recently used first; `offset` and `limit` page through it.
  virtual std::vector<CacheEntryInfo> CacheEntries(size_t offset, size_t limit) const = 0;
  // See cache::Tools. These block, some for minutes. INVALID_ARGUMENT for a key that is none.
  virtual absl::StatusOr<RemoteCachePage> RemoteCacheEntries(absl::string_view from,
                                                             size_t limit) = 0;
  virtual absl::StatusOr<std::vector<CacheCheck>> VerifyCache(bool remote) = 0;
  virtual absl::StatusOr<CacheRemoved> PurgeCache(const std::vector<std::string>& keys,
                                                  bool remote) = 0;
  virtual absl::StatusOr<std::string> ExportCacheEntry(const std::string& key) = 0;
  // This one does not block.
  virtual absl::StatusOr<std::unique_ptr<CacheImport>> BeginCacheImport() = 0;
  // Reads the file of the team's keys again, for entries that are asked for or kept from now on.
  // Nothing changes where there is no such file; nor by an error, which is that of reading it.
  virtual absl::Status ReloadTeamKeys() = 0;
  // Those that `reader` may open.
  virtual std::vector<NamedArrayInfo> NamedArrays(const Identity& reader) const = 0;
  virtual uint64_t incarnation() const = 0;

  // Refuses new sessions, waits for work in flight until `grace` is over, then cancels it. Blocks.
  virtual void Shutdown(std::chrono::milliseconds grace) = 0;
};

}  // namespace acceld::engine

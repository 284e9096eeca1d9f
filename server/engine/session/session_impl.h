#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "common/threads/mutex.h"
#include "server/engine/engine.h"
#include "server/engine/program.h"
#include "server/engine/session/execution_record.h"
#include "server/engine/session/host_call_table.h"
#include "server/engine/session/pending_requests.h"
#include "server/engine/sharing/identity_account.h"
#include "server/runtime/device_executor.h"

namespace acceld::engine {

class EngineImpl;

// A session of EngineImpl. One mutex guards its tables. The mutex is held for a few table
// operations only, never while types are inferred, bytes are copied or callbacks run.
//
// The engine outlives calls into open sessions. After Close a session does not use the engine any
// more, so it may outlive it.
class SessionImpl final : public Session, public std::enable_shared_from_this<SessionImpl> {
 public:
  // `device` is the device assigned to the session, if any. `charge` counts the session until it is
  // closed.
  SessionImpl(EngineImpl& engine, uint64_t id, std::string token, SessionOptions options,
              absl::optional<uint32_t> device, std::shared_ptr<IdentityAccount> identity,
              runtime::Charge charge);
  ~SessionImpl() override;

  uint64_t id() const override { return id_; }
  uint32_t device() const override { return device_.value_or(0); }
  // Returns whether this device was assigned to the session.
  bool IsAssigned(uint32_t device) const { return device_ == device; }
  absl::string_view token() const override { return token_; }

  absl::Status RegisterProgram(ProgramId id, absl::StatusOr<ir::Module> module,
                               std::string entry) override;
  absl::StatusOr<bool> RegisterKnownProgram(ProgramId id, const Digest& fingerprint) override;
  absl::Status Compile(ProgramId id, std::vector<ir::TensorType> arguments, uint32_t device,
                       const CompileOptions& options,
                       std::function<void(CompileResult)> done) override;
  absl::Status Execute(ProgramId id, absl::Span<const Handle> inputs,
                       absl::Span<const Handle> outputs, uint32_t device,
                       const ExecuteOptions& options) override;
  absl::Status ExecuteSharded(ProgramId id, absl::Span<const uint32_t> devices,
                              absl::Span<const Handle> inputs, absl::Span<const Handle> outputs,
                              const ExecuteOptions& options) override;
  void ServeHostCalls(std::shared_ptr<HostCallListener> listener) override;
  void AnswerHostCall(uint64_t call_id,
                      absl::StatusOr<std::vector<HostCallResult>> results) override;
  absl::Status Put(Handle handle, ir::Literal value, uint32_t device) override;
  absl::Status BeginUpload(Handle handle, ir::TensorType type, uint32_t device) override;
  using Session::AppendUpload;
  absl::Status AppendUpload(Handle handle, int64_t offset_bytes, size_t size_bytes,
                            PieceReader read) override;
  absl::Status FinishUpload(Handle handle) override;
  absl::Status OfferContent(Handle handle, const Digest& digest) override;
  void AbortUpload(Handle handle, absl::Status reason) override;
  void Cancel(absl::Span<const Handle> handles, absl::Status reason) override;
  void Release(absl::Span<const Handle> handles) override;
  using Session::Await;
  using Session::Fetch;
  void Await(Handle handle, const WaitOptions& options,
             std::function<void(ReadyResult)> done) override;
  void Fetch(Handle handle, const WaitOptions& options,
             std::function<void(FetchResult)> done) override;
  absl::Status Publish(Handle handle, absl::string_view name,
                       const PublishOptions& options) override;
  absl::StatusOr<ArrayInfo> OpenNamed(Handle handle, absl::string_view name) override;
  absl::Status DropName(absl::string_view name) override;
  void Close(absl::string_view reason) override;
  int64_t queued() const override;
  SessionInfo info() const override;

  // For the metrics of the engine.
  int64_t QueuedOn(uint32_t device, Priority priority) const {
    return QueueOf(device, priority)->queued();
  }

 private:
  // The array that a handle names. `record` is nullptr for arrays that no execution made.
  struct Named {
    std::shared_ptr<runtime::Array> array;
    std::shared_ptr<ExecutionRecord> record;
    // The task that will define the array; expired after that. Owned by the executor.
    std::weak_ptr<runtime::Task> task;
    // Set while the array is donated to an execution: `array` is nullptr then.
    std::shared_ptr<runtime::Donation> donation;
  };
  // Makes the handle name its array again if the execution that it was donated to has returned it.
  // FAILED_PRECONDITION while the array is donated.
  static absl::Status TakeBack(Handle handle, Named& named);
  // What the session knows about a program on certain argument types and a device. Constant, except
  // for `loaded`, which the session's mutex guards.
  struct Call {
    TypeList arguments;
    CompileTargetPtr target;
    std::shared_ptr<const TypeList> results;
    Taken memory;  // charged for the types
    Digest cache_key;
    // Not owned: the cache decides what stays in memory.
    std::weak_ptr<const hal::LoadedExecutable> loaded;
  };
  // A program that the session has registered, or the error of registering it.
  struct RegisteredProgram {
    absl::StatusOr<std::shared_ptr<const Program>> program;
    std::shared_ptr<const std::string> name;  // for messages; shared by its executions
    // The most recently used first; guarded by the session's mutex.
    std::list<std::shared_ptr<Call>> calls;
    Taken memory;  // charged for the registration, without the program itself
  };
  // Charges the memory of a registration, which keeps the program or the error.
  absl::Status TakeMemory(RegisteredProgram& registered);
  // The state of one call of Execute in progress.
  struct Resolved {
    std::shared_ptr<RegisteredProgram> program;
    absl::Span<const Handle> handles;    // of the inputs
    absl::Span<const uint32_t> donated;  // indices of inputs
    absl::InlinedVector<std::shared_ptr<runtime::Array>, 4> inputs;
    std::shared_ptr<Call> call;
    std::shared_ptr<const hal::LoadedExecutable> loaded;
    // If not OK, the outputs fail with it.
    absl::Status error;
    // The task with inputs and outputs. `inputs` is empty once it exists.
    std::shared_ptr<runtime::Task> task;
    std::shared_ptr<ExecutionRecord> record;
    std::shared_ptr<runtime::HostCallSender> host;  // nullptr: it has no callbacks
    // Of one process of several: the number of the process, which is its last input, and the gang
    // that it belongs to.
    std::shared_ptr<runtime::Array> process_number;
    std::shared_ptr<runtime::Gang> gang;
    int participant = 0;
    // The charges for the task (moved to it once it exists) and for the handles of its results.
    runtime::Charge charge, handles_charge;
  };
  struct UploadState;

  // The parts of ExecuteSharded: session_sharded.cc.
  //
  // Looks up the inputs of each process, and its call if there is one.
  absl::Status ResolveProcesses(ProgramId id, absl::Span<const uint32_t> devices,
                                absl::Span<const Handle> outputs, const ExecuteOptions& options,
                                std::vector<Resolved>& processes);
  // Answers CompileOptions::partition. The time is charged to the identity's quota of compile time.
  CompileResult Partition(const Program& program, TypeList arguments);
  // Makes the calls that are missing, and the gang if one is needed.
  absl::Status PrepareProcesses(absl::Span<const uint32_t> devices, const ExecuteOptions& options,
                                std::vector<Resolved>& processes);
  // Whether the processes run one by one like other executions, on the submitting thread if they
  // are short: they exchange nothing, and no input of one of them can still fail.
  static bool NeedNoGang(const ExecuteOptions& options, const std::vector<Resolved>& processes);
  // Defines the outputs of all processes, as failed arrays if there is an error.
  absl::Status DefineProcesses(absl::Span<const uint32_t> devices, absl::Span<const Handle> outputs,
                               const absl::Status& error, std::vector<Resolved>& processes);

  const std::shared_ptr<runtime::TaskQueue>& QueueOf(uint32_t device, Priority priority) const {
    return queues_[device][static_cast<size_t>(priority)];
  }
  absl::Status CheckOpen() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return closed_; }
  // Checks that these handles can be defined now, and returns the charge that counts them.
  absl::StatusOr<runtime::Charge> CheckNew(absl::Span<const Handle> handles) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckNewProgram(ProgramId id) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckDevice(uint32_t device) const;

  // Looks up the program, the inputs and the call; sets `resolved.error` on failure.
  void Resolve(ProgramId id, uint32_t device, Resolved& resolved)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Sets `resolved.host`. INVALID_ARGUMENT when the program has host calls and the execution no
  // callbacks.
  absl::Status TakeHost(const ExecuteOptions& options, uint32_t device, Resolved& resolved) const;
  // Returns the call for the types of these inputs, or nullptr.
  std::shared_ptr<Call> FindCall(RegisteredProgram& program,
                                 absl::Span<const std::shared_ptr<runtime::Array>> inputs,
                                 uint32_t device) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Keeps a new call for later executions.
  static void RememberCall(RegisteredProgram& program, std::shared_ptr<Call> call);
  // Infers the result types and makes a new call.
  absl::StatusOr<std::shared_ptr<Call>> MakeCall(const RegisteredProgram& program,
                                                 TypeList arguments, CompileTargetPtr target) const;
  // Checks that the handles of the donated inputs still name arrays.
  absl::Status CheckDonated(const Resolved& resolved) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Takes the arrays of the donated inputs away from their handles.
  std::vector<runtime::DonatedArgument> Donate(const Resolved& resolved)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Creates the task, unless there is an error, and defines the output handles.
  void DefineOutputs(absl::Span<const Handle> handles, uint32_t device, Resolved& resolved)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The same for a gang, whose members are not submitted yet.
  void SetDeadline(const std::shared_ptr<runtime::Gang>& gang, const std::string& name,
                   std::chrono::steady_clock::time_point deadline);
  absl::Status TooManyDeadlines(const std::string& name) const;
  // Submits the task, and requests its executable if it is not loaded.
  void Start(Resolved resolved, uint32_t device, const ExecuteOptions& options);
  // Makes sure that the task, which is not submitted yet, ends by the deadline.
  void SetDeadline(const std::shared_ptr<runtime::Task>& task, const std::string& name,
                   uint32_t device, std::chrono::steady_clock::time_point deadline);
  cache::Request RequestFor(const std::shared_ptr<const Program>& program, const Call& call,
                            Priority priority) const;

  // Returns a new array that has failed with `error`.
  std::shared_ptr<runtime::Array> Poisoned(absl::Status error, uint32_t device) const;
  // Defines `handle` as a pending array of this type and returns the upload task that is to define
  // it, still without bytes. If the type or device is wrong, defines a failed array and returns
  // nullptr.
  absl::StatusOr<std::shared_ptr<runtime::Task>> DefineArray(Handle handle,
                                                             const ir::TensorType& type,
                                                             uint32_t device);
  void SubmitUpload(std::shared_ptr<runtime::Task> task, runtime::Upload upload);
  // If the device has the same content already, replaces the uploaded bytes by that memory. Adds
  // the array to the table of contents.
  void ShareContent(const UploadState& upload, runtime::Upload& bytes);
  std::shared_ptr<UploadState> FindUpload(Handle handle) const;
  std::shared_ptr<UploadState> TakeUpload(Handle handle);
  absl::StatusOr<Named> Find(Handle handle);

  EngineImpl& engine_;
  const uint64_t id_;
  const std::string token_;
  const SessionOptions options_;
  const Priority priority_;
  const absl::optional<uint32_t> device_;
  const std::chrono::steady_clock::time_point opened_at_;
  const std::shared_ptr<IdentityAccount> identity_;  // shared with the identity's other sessions
  const std::shared_ptr<runtime::MemoryAccount> account_;  // shared with the session's arrays
  const std::shared_ptr<runtime::Meter> staging_;          // host memory for uploads in progress
  // The number of complete uploads that still hold staging memory.
  const std::shared_ptr<std::atomic<int64_t>> draining_uploads_ =
      std::make_shared<std::atomic<int64_t>>(0);
  const std::shared_ptr<HostCallTable> host_calls_;     // Shared with executions.
  const std::shared_ptr<std::atomic<bool>> cancelled_;  // Polled by running kernels.
  const std::shared_ptr<PendingRequests> pending_;      // Shared with callbacks.
  // Of one device, by Priority: executions may have others than the session's.
  using Queues = std::array<std::shared_ptr<runtime::TaskQueue>, kNumPriorities>;
  std::vector<Queues> queues_;  // By device; constant.
  std::atomic<uint64_t> executions_{0};

  mutable Mutex mutex_;
  absl::Status closed_ ABSL_GUARDED_BY(mutex_);  // OK until the session is closed, then the reason
  // Counts the session until it is closed.
  runtime::Charge session_charge_ ABSL_GUARDED_BY(mutex_);
  // Counts the handles in `handles_`.
  runtime::Charge handles_charge_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<Handle, Named> handles_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<ProgramId, std::shared_ptr<RegisteredProgram>> programs_
      ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<Handle, std::shared_ptr<UploadState>> uploads_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::engine

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

// A session of EngineImpl. One mutex guards its tables; it is held for a few table operations,
// never while programs are inferred, bytes copied or callbacks run.
//
// The engine outlives calls into open sessions. After Close a session touches the engine no more,
// so it may outlive it.
class SessionImpl final : public Session, public std::enable_shared_from_this<SessionImpl> {
 public:
  // `device` is the one that it is given, if it is. `charge` counts the session until it is closed.
  SessionImpl(EngineImpl& engine, uint64_t id, std::string token, SessionOptions options,
              absl::optional<uint32_t> device, std::shared_ptr<IdentityAccount> identity,
              runtime::Charge charge);
  ~SessionImpl() override;

  uint64_t id() const override { return id_; }
  uint32_t device() const override { return device_.value_or(0); }
  bool IsGiven(uint32_t device) const { return device_ == device; }
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
  void Await(Handle handle, const AskOptions& options,
             std::function<void(ReadyResult)> done) override;
  void Fetch(Handle handle, const AskOptions& options,
             std::function<void(FetchResult)> done) override;
  absl::Status Publish(Handle handle, absl::string_view name,
                       const PublishOptions& options) override;
  absl::StatusOr<ArrayInfo> OpenNamed(Handle handle, absl::string_view name) override;
  absl::Status DropName(absl::string_view name) override;
  void Close(absl::string_view reason) override;
  int64_t queued() const override;
  SessionInfo info() const override;

  // For the engine's metrics.
  int64_t QueuedOn(uint32_t device, Priority priority) const {
    return QueueOf(device, priority)->queued();
  }

 private:
  // What a handle names. The record is nullptr for arrays that no execution made.
  struct Named {
    std::shared_ptr<runtime::Array> array;
    std::shared_ptr<ExecutionRecord> record;
    // What defines the array, as long as it has not: not owned, the executor does.
    std::weak_ptr<runtime::Task> task;
    // If the array was given to an execution: then `array` is null.
    std::shared_ptr<runtime::Donation> donation;
  };
  // FAILED_PRECONDITION while the array is given away; takes it back if it has been returned.
  static absl::Status TakeBack(Handle handle, Named& named);
  // A program on argument types of a device: what the session found out about it. Constant but for
  // `loaded`, which the session's mutex guards.
  struct Call {
    TypeList arguments;
    CompileTargetPtr target;
    std::shared_ptr<const TypeList> results;
    Taken memory;  // for the types
    Digest cache_key;
    // Not owned: the cache decides what stays in memory.
    std::weak_ptr<const hal::LoadedExecutable> loaded;
  };
  struct RegisteredProgram {
    absl::StatusOr<std::shared_ptr<const Program>> program;
    std::shared_ptr<const std::string> name;  // For messages; shared by its executions.
    std::list<std::shared_ptr<Call>> calls;   // Most recently used first; the session's mutex.
    Taken memory;                             // Of the registration, beside the program itself.
  };
  // Charges for a registration, under which the program, or why there is none, is kept.
  absl::Status TakeMemory(RegisteredProgram& registered);
  // One Execute on its way through.
  struct Resolved {
    std::shared_ptr<RegisteredProgram> program;
    absl::Span<const Handle> handles;    // of the inputs
    absl::Span<const uint32_t> donated;  // numbers of inputs
    absl::InlinedVector<std::shared_ptr<runtime::Array>, 4> inputs;
    std::shared_ptr<Call> call;
    std::shared_ptr<const hal::LoadedExecutable> loaded;
    absl::Status error;                   // not OK: the outputs are poisoned with it
    std::shared_ptr<runtime::Task> task;  // With inputs and outputs; `inputs` is empty then.
    std::shared_ptr<ExecutionRecord> record;
    std::shared_ptr<runtime::HostAsker> host;  // nullptr: it has no callbacks
    runtime::Charge charge, handles_charge;  // Of the task, once there is one, and of its results.
  };
  struct UploadState;

  const std::shared_ptr<runtime::TaskQueue>& QueueOf(uint32_t device, Priority priority) const {
    return queues_[device][static_cast<size_t>(priority)];
  }
  absl::Status CheckOpen() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return closed_; }
  // Whether these handles can be defined now; if so, what they are counted by.
  absl::StatusOr<runtime::Charge> CheckNew(absl::Span<const Handle> handles) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckNewProgram(ProgramId id) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckDevice(uint32_t device) const;

  void Resolve(ProgramId id, uint32_t device, Resolved& resolved)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whom the execution asks. INVALID_ARGUMENT for a program with host calls that has nobody.
  absl::Status TakeHost(const ExecuteOptions& options, uint32_t device, Resolved& resolved) const;
  std::shared_ptr<Call> FindCall(RegisteredProgram& program,
                                 absl::Span<const std::shared_ptr<runtime::Array>> inputs,
                                 uint32_t device) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<std::shared_ptr<Call>> MakeCall(const RegisteredProgram& program,
                                                 TypeList arguments, CompileTargetPtr target) const;
  // Whether what is to be donated is still the handles'.
  absl::Status CheckDonated(const Resolved& resolved) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Takes the arrays of the donated inputs away from their handles.
  std::vector<runtime::DonatedArgument> Donate(const Resolved& resolved)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DefineOutputs(absl::Span<const Handle> handles, uint32_t device, Resolved& resolved)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Start(Resolved resolved, uint32_t device, const ExecuteOptions& options);
  // Sees to it that the task, which is not submitted yet, ends by then.
  void SetDeadline(const std::shared_ptr<runtime::Task>& task, const std::string& name,
                   uint32_t device, std::chrono::steady_clock::time_point deadline);
  cache::Request RequestFor(const std::shared_ptr<const Program>& program, const Call& call,
                            Priority priority) const;

  // A new array that has failed with `error`.
  std::shared_ptr<runtime::Array> Poisoned(absl::Status error, uint32_t device) const;
  // Defines `handle` as a pending array of this type that the returned upload, yet without bytes,
  // is to define; or as a poisoned one (nullptr then).
  absl::StatusOr<std::shared_ptr<runtime::Task>> DefineArray(Handle handle,
                                                             const ir::TensorType& type,
                                                             uint32_t device);
  void SubmitUpload(std::shared_ptr<runtime::Task> task, runtime::Upload upload);
  // Replaces bytes that are here already by those, and notes the array for others.
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
  const std::shared_ptr<IdentityAccount> identity_;        // Shared with its other sessions.
  const std::shared_ptr<runtime::MemoryAccount> account_;  // Shared with the session's arrays.
  const std::shared_ptr<runtime::Meter> staging_;          // Host bytes on their way in.
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
  absl::Status closed_ ABSL_GUARDED_BY(mutex_);             // OK until closed, then why
  runtime::Charge session_charge_ ABSL_GUARDED_BY(mutex_);  // until it is closed
  runtime::Charge handles_charge_ ABSL_GUARDED_BY(mutex_);  // for what is in `handles_`
  absl::flat_hash_map<Handle, Named> handles_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<ProgramId, std::shared_ptr<RegisteredProgram>> programs_
      ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<Handle, std::shared_ptr<UploadState>> uploads_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::engine

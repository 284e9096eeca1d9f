#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/ir/specialize/specialize.h"
#include "server/engine/engine_impl.h"
#include "server/engine/session/session_impl.h"
#include "server/engine/session/upload_state.h"

// Begin and end of a session, its programs and handles. Executions, uploads and answers are in
// session_execute.cc, session_upload.cc and session_read.cc.
namespace acceld::engine {
namespace {

// The memory of a registration without its strings.
constexpr size_t kRegistrationBytes = 512;

}  // namespace

SessionImpl::SessionImpl(EngineImpl& engine, uint64_t id, std::string token, SessionOptions options,
                         absl::optional<uint32_t> device, std::shared_ptr<IdentityAccount> identity,
                         runtime::Charge charge)
    : engine_(engine),
      id_(id),
      token_(std::move(token)),
      options_(std::move(options)),
      priority_(options_.priority),
      device_(device),
      opened_at_(std::chrono::steady_clock::now()),
      identity_(std::move(identity)),
      account_(std::make_shared<runtime::MemoryAccount>(engine.options().max_session_bytes > 0
                                                            ? engine.options().max_session_bytes
                                                            : runtime::Meter::kUnlimited,
                                                        identity_->device_memory())),
      staging_(std::make_shared<runtime::Meter>("session uploads", " bytes", engine.staging_limit(),
                                                identity_->meter(QuotaId::kHostMemory))),
      host_calls_(std::make_shared<HostCallTable>(std::make_shared<runtime::Meter>(
          "operands of host callbacks", " bytes", engine.staging_limit(),
          identity_->meter(QuotaId::kHostMemory)))),
      cancelled_(std::make_shared<std::atomic<bool>>(false)),
      pending_(std::make_shared<PendingRequests>(
          static_cast<size_t>(engine.options().max_queued_executions))),
      session_charge_(std::move(charge)) {
  account_->SetOwner(identity_->meter(QuotaId::kHostMemory), identity_->has_shares());
  for (uint32_t device = 0; device < engine.num_devices(); ++device) {
    Queues& queues = queues_.emplace_back();
    for (size_t i = 0; i < queues.size(); ++i) {
      queues[i] = engine.executor(device).OpenQueue(account_, static_cast<Priority>(i),
                                                    identity_->device_share(device));
    }
  }
}

SessionImpl::~SessionImpl() { Close("the session is closed"); }

absl::Status SessionImpl::CheckDevice(uint32_t device) const {
  if (device < queues_.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("device ", device, ": there are ", queues_.size()));
}

absl::StatusOr<runtime::Charge> SessionImpl::CheckNew(absl::Span<const Handle> handles) const {
  absl::flat_hash_set<Handle> seen;
  for (const Handle handle : handles) {
    if (handles_.contains(handle) || (handles.size() > 1 && !seen.insert(handle).second)) {
      return absl::AlreadyExistsError(absl::StrCat("handle ", handle, " is defined already"));
    }
  }
  const int64_t limit = engine_.options().max_session_handles;
  if (static_cast<int64_t>(handles_.size() + handles.size()) > limit) {
    return absl::ResourceExhaustedError(absl::StrCat("session: ", handles_.size(), " of ", limit,
                                                     " handles are in use, ", handles.size(),
                                                     " more do not fit"));
  }
  return identity_->Take(QuotaId::kHandles, static_cast<int64_t>(handles.size()));
}

absl::Status SessionImpl::CheckNewProgram(ProgramId id) const {
  ACCELD_RETURN_IF_ERROR(CheckOpen());
  if (programs_.contains(id)) {
    return absl::AlreadyExistsError(absl::StrCat("program ", id, " is registered already"));
  }
  const int64_t limit = engine_.options().max_programs;
  if (static_cast<int64_t>(programs_.size()) < limit) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("session: ", programs_.size(), " of ", limit, " programs are registered"));
}

int64_t SessionImpl::queued() const {
  int64_t queued = 0;
  for (const Queues& queues : queues_) {
    for (const auto& queue : queues) queued += queue->queued();
  }
  return queued;
}

absl::StatusOr<SessionImpl::Named> SessionImpl::Find(Handle handle) {
  MutexLock lock(mutex_);
  ACCELD_RETURN_IF_ERROR(CheckOpen());
  const auto it = handles_.find(handle);
  if (it == handles_.end()) {
    return absl::NotFoundError(absl::StrCat("handle ", handle, " is not defined"));
  }
  ACCELD_RETURN_IF_ERROR(TakeBack(handle, it->second));
  return it->second;
}

absl::Status SessionImpl::TakeBack(Handle handle, Named& named) {
  if (named.donation == nullptr) return absl::OkStatus();
  std::shared_ptr<runtime::Array> array = named.donation->returned();
  if (array == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat("the array of handle ", handle,
                                                      " was donated to program ",
                                                      named.donation->program_name()));
  }
  named.array = std::move(array);
  named.donation.reset();
  return absl::OkStatus();
}

std::shared_ptr<runtime::Array> SessionImpl::Poisoned(absl::Status error, uint32_t device) const {
  // The client may have named a device that does not exist.
  const int home = CheckDevice(device).ok() ? static_cast<int>(device) : 0;
  auto array = std::make_shared<runtime::Array>(absl::nullopt, home, account_);
  array->Fail(std::move(error));
  return array;
}

absl::Status SessionImpl::RegisterProgram(ProgramId id, absl::StatusOr<ir::Module> module,
                                          std::string entry) {
  {
    MutexLock lock(mutex_);
    ACCELD_RETURN_IF_ERROR(CheckNewProgram(id));
  }
  if (entry.empty()) entry = "main";
  auto registered = std::make_shared<RegisteredProgram>();
  registered->name = std::make_shared<const std::string>(
      module.ok() && !module->name.empty() ? module->name : entry);
  if (!module.ok()) {
    registered->program = module.status();
  } else {
    registered->program = engine_.programs().Intern(*std::move(module), std::move(entry));
    if (registered->program.ok()) {
      ACCELD_ASSIGN_OR_RETURN(registered->program,
                              identity_->Hold(*std::move(registered->program)));
    }
  }
  ACCELD_RETURN_IF_ERROR(TakeMemory(*registered));
  MutexLock lock(mutex_);
  ACCELD_RETURN_IF_ERROR(CheckNewProgram(id));
  programs_.emplace(id, std::move(registered));
  return absl::OkStatus();
}

absl::Status SessionImpl::TakeMemory(RegisteredProgram& registered) {
  const size_t size_bytes =
      kRegistrationBytes + registered.name->size() + registered.program.status().message().size();
  registered.memory = Taken(identity_->allowance(QuotaId::kProgramMemory));
  return registered.memory.Add(static_cast<int64_t>(size_bytes));
}

absl::StatusOr<bool> SessionImpl::RegisterKnownProgram(ProgramId id, const Digest& fingerprint) {
  std::shared_ptr<const Program> program = engine_.programs().Find(fingerprint);
  if (program == nullptr) {
    return absl::NotFoundError(absl::StrCat("no program ", fingerprint.ToHex(), " is known"));
  }
  auto registered = std::make_shared<RegisteredProgram>();
  registered->name = std::make_shared<const std::string>(
      program->module().name.empty() ? program->entry() : program->module().name);
  ACCELD_ASSIGN_OR_RETURN(const ir::Function* entry, program->module().Entry(program->entry()));
  const bool has_static_results = ir::HasStaticResults(*entry);
  ACCELD_ASSIGN_OR_RETURN(registered->program, identity_->Hold(std::move(program)));
  ACCELD_RETURN_IF_ERROR(TakeMemory(*registered));
  MutexLock lock(mutex_);
  ACCELD_RETURN_IF_ERROR(CheckNewProgram(id));
  programs_.emplace(id, std::move(registered));
  return has_static_results;
}

void SessionImpl::Cancel(absl::Span<const Handle> handles, absl::Status reason) {
  if (reason.ok()) reason = absl::CancelledError("cancelled");
  std::vector<std::pair<std::shared_ptr<runtime::Task>, uint32_t>> tasks;
  std::vector<std::shared_ptr<UploadState>> uploads;
  {
    MutexLock lock(mutex_);
    for (const Handle handle : handles) {
      const auto named = handles_.find(handle);
      if (named == handles_.end()) continue;
      if (auto task = named->second.task.lock(); task != nullptr) {
        const int device = named->second.donation != nullptr ? named->second.donation->device()
                                                             : named->second.array->device();
        tasks.emplace_back(std::move(task), static_cast<uint32_t>(device));
      }
      if (const auto upload = uploads_.find(handle); upload != uploads_.end()) {
        uploads.push_back(std::move(upload->second));
        uploads_.erase(upload);
      }
    }
  }
  for (const auto& upload : uploads) upload->Fail(reason);
  for (const auto& [task, device] : tasks) engine_.executor(device).Cancel(task, reason);
}

void SessionImpl::Release(absl::Span<const Handle> handles) {
  // Declared before the lock, so that their memory is freed after the unlock.
  std::vector<Named> dropped;
  dropped.reserve(handles.size());
  MutexLock lock(mutex_);
  for (const Handle handle : handles) {
    const auto it = handles_.find(handle);
    if (it == handles_.end()) continue;
    dropped.push_back(std::move(it->second));
    handles_.erase(it);
  }
  handles_charge_.Refund(static_cast<int64_t>(dropped.size()));
}

void SessionImpl::Close(absl::string_view why) {
  const absl::Status reason = absl::CancelledError(why);
  absl::flat_hash_map<Handle, Named> handles;
  absl::flat_hash_map<ProgramId, std::shared_ptr<RegisteredProgram>> programs;
  absl::flat_hash_map<Handle, std::shared_ptr<UploadState>> uploads;
  {
    MutexLock lock(mutex_);
    if (!closed_.ok()) return;
    closed_ = reason;
    session_charge_.Release();
    handles_charge_.Release();
    handles.swap(handles_);
    programs.swap(programs_);
    uploads.swap(uploads_);
  }
  cancelled_->store(true);
  for (uint32_t device = 0; device < queues_.size(); ++device) {
    for (const auto& queue : queues_[device]) engine_.executor(device).Cancel(*queue, reason);
  }
  for (auto& [handle, upload] : uploads) upload->Fail(reason);
  host_calls_->Close(reason);
  pending_->CancelAll(reason);
  uploads.clear();
  handles.clear();
  engine_.Forget({.id = id_,
                  .client_name = options_.client_name,
                  .identity = options_.identity.name,
                  .opened_at = opened_at_,
                  .ended_at = std::chrono::steady_clock::now(),
                  .executions = executions_.load(std::memory_order_relaxed),
                  .reason = std::string(why)});
}

SessionInfo SessionImpl::info() const {
  SessionInfo info{
      .id = id_,
      .client_name = options_.client_name,
      .identity = options_.identity.name,
      .priority = options_.priority,
      .age_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - opened_at_).count(),
      .arrays = static_cast<uint64_t>(account_->arrays()),
      .array_bytes = static_cast<uint64_t>(account_->bytes()),
      .executions = executions_.load(std::memory_order_relaxed),
      .queued = static_cast<uint64_t>(queued())};
  MutexLock lock(mutex_);
  info.programs = programs_.size();
  info.handles = handles_.size();
  return info;
}

}  // namespace acceld::engine

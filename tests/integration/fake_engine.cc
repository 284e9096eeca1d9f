#include "tests/integration/fake_engine.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/fingerprint.h"
#include "common/ir/interpreter.h"
#include "common/ir/verify/verifier.h"

namespace acceld::testing {

using Value = Future<ir::Literal>;

class FakeSession : public engine::Session, public std::enable_shared_from_this<FakeSession> {
 public:
  FakeSession(FakeEngine* engine, uint64_t id, const engine::SessionOptions& options,
              std::string token)
      : engine_(engine),
        id_(id),
        name_(options.client_name),
        priority_(options.priority),
        token_(std::move(token)) {}

  uint64_t id() const override { return id_; }
  uint32_t device() const override { return 0; }
  absl::string_view token() const override { return token_; }

  absl::Status RegisterProgram(engine::ProgramId id, absl::StatusOr<ir::Module> module,
                               std::string entry) override {
    auto program = std::make_shared<Program>();
    program->entry = std::move(entry);
    program->status = module.status();
    if (module.ok()) {
      program->module = *std::move(module);
      program->status = program->module.Entry(program->entry).status();
    }
    MutexLock lock(mutex_);
    programs_[id] = std::move(program);
    return absl::OkStatus();
  }

  absl::StatusOr<bool> RegisterKnownProgram(engine::ProgramId id,
                                            const Digest& fingerprint) override {
    absl::optional<FakeEngine::KnownProgram> known = engine_->FindProgram(fingerprint);
    if (!known.has_value()) return absl::NotFoundError("an unknown program");
    ACCELD_RETURN_IF_ERROR(RegisterProgram(id, std::move(known->module), known->entry));
    return true;
  }

  absl::Status Compile(engine::ProgramId id, std::vector<ir::TensorType>, uint32_t,
                       const engine::CompileOptions&,
                       std::function<void(engine::CompileResult)> done) override {
    done({.status = Find(id)->status, .execution = Info()});
    return absl::OkStatus();
  }

  absl::Status ExecuteSharded(engine::ProgramId, absl::Span<const uint32_t>,
                              absl::Span<const engine::Handle>, absl::Span<const engine::Handle>,
                              const engine::ExecuteOptions&) override {
    return absl::UnimplementedError("the fake engine has one device");
  }

  absl::Status Execute(engine::ProgramId id, absl::Span<const engine::Handle> inputs,
                       absl::Span<const engine::Handle> outputs, uint32_t,
                       const engine::ExecuteOptions& options) override {
    engine_->Note(options);
    auto call = std::make_shared<Call>();
    call->program = Find(id);
    for (engine::Handle input : inputs) call->inputs.push_back(ValueOf(input));
    // What is given away is not there any more, as if it had been released.
    for (const uint32_t number : options.donated) Release({inputs[number]});
    call->outputs.resize(outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      ACCELD_RETURN_IF_ERROR(Define(outputs[i], call->outputs[i].future()));
    }
    {
      MutexLock lock(mutex_);
      for (engine::Handle output : outputs) calls_[output] = call;
    }
    call->missing = call->inputs.size() + 1;
    for (const Value& input : call->inputs) {
      input.OnReady([call](const absl::StatusOr<ir::Literal>& value) {
        if (!value.ok()) call->Settle(value.status());
        call->Arrived();
      });
    }
    engine_->gate().OnReady([call](const auto&) { call->Arrived(); });
    return absl::OkStatus();
  }

  void ServeHostCalls(std::shared_ptr<engine::HostCallListener>) override {}
  void AnswerHostCall(uint64_t, absl::StatusOr<std::vector<engine::HostCallResult>>) override {}
  absl::Status Put(engine::Handle handle, ir::Literal value, uint32_t) override {
    return Define(handle, Value(std::move(value)));
  }

  absl::Status BeginUpload(engine::Handle handle, ir::TensorType type, uint32_t) override {
    Upload upload{.type = std::move(type)};
    ACCELD_RETURN_IF_ERROR(Define(handle, upload.promise.future()));
    MutexLock lock(mutex_);
    uploads_.emplace(handle, std::move(upload));
    return absl::OkStatus();
  }

  absl::Status AppendUpload(engine::Handle handle, int64_t offset_bytes, size_t size_bytes,
                            engine::PieceReader read) override {
    MutexLock lock(mutex_);
    auto found = uploads_.find(handle);
    if (found == uploads_.end()) return absl::NotFoundError(absl::StrCat("no upload ", handle));
    std::string& bytes = found->second.bytes;
    const size_t begin = std::min(size_bytes, bytes.size() - offset_bytes);
    const size_t filled = bytes.size();
    if (filled + size_bytes - begin > static_cast<size_t>(found->second.type.size_bytes())) {
      return absl::InvalidArgumentError("too many bytes");
    }
    bytes.resize(filled + size_bytes - begin);
    const absl::Status status = read(begin, absl::MakeSpan(bytes).subspan(filled));
    if (!status.ok()) bytes.resize(filled);
    return status;
  }

  absl::Status FinishUpload(engine::Handle handle) override {
    Upload upload;
    ACCELD_RETURN_IF_ERROR(TakeUpload(handle, upload));
    absl::StatusOr<ir::Literal> value =
        ir::Literal::FromBytes(upload.type, std::move(upload.bytes));
    const absl::Status status = value.status();
    upload.promise.Set(std::move(value));
    return status;
  }

  absl::Status OfferContent(engine::Handle, const Digest&) override {
    return absl::NotFoundError("the fake engine keeps nothing");
  }

  void AbortUpload(engine::Handle handle, absl::Status reason) override {
    Upload upload;
    if (TakeUpload(handle, upload).ok()) upload.promise.Set(reason);
  }

  void Cancel(absl::Span<const engine::Handle> handles, absl::Status reason) override {
    engine_->NoteCancel(name_);
    for (engine::Handle handle : handles) {
      AbortUpload(handle, reason);
      std::shared_ptr<Call> call;
      {
        MutexLock lock(mutex_);
        if (const auto found = calls_.find(handle); found != calls_.end()) call = found->second;
      }
      if (call != nullptr) call->Settle(reason);
    }
  }

  void Release(absl::Span<const engine::Handle> handles) override {
    MutexLock lock(mutex_);
    for (engine::Handle handle : handles) {
      values_.erase(handle);
      calls_.erase(handle);
      fetched_.erase(handle);
    }
  }

  void Await(engine::Handle handle, const engine::WaitOptions&,
             std::function<void(engine::ReadyResult)> done) override {
    ++engine_->awaits_;
    ValueOf(handle).OnReady([done](const absl::StatusOr<ir::Literal>& value) {
      done({.status = value.status(), .execution = Info()});
    });
  }

  void Fetch(engine::Handle handle, const engine::WaitOptions&,
             std::function<void(engine::FetchResult)> done) override {
    ValueOf(handle).OnReady(
        [self = shared_from_this(), handle, done](const absl::StatusOr<ir::Literal>& value) {
          if (!value.ok()) return done({.array = value.status()});
          const auto bytes = self->BytesOf(handle, *value);
          engine::HostArray array{value->type(), {*bytes, bytes, bytes}};
          done({.array = std::move(array), .execution = Info()});
        });
  }

  absl::Status Publish(engine::Handle, absl::string_view, const engine::PublishOptions&) override {
    return absl::UnimplementedError("the fake engine has no names");
  }
  absl::StatusOr<engine::ArrayInfo> OpenNamed(engine::Handle, absl::string_view) override {
    return absl::UnimplementedError("the fake engine has no names");
  }
  absl::Status DropName(absl::string_view) override {
    return absl::UnimplementedError("the fake engine has no names");
  }

  void Close(absl::string_view) override {
    const auto self = shared_from_this();
    engine_->Forget(this);
    std::map<engine::Handle, Upload> uploads;
    std::map<engine::Handle, std::shared_ptr<Call>> calls;
    {
      MutexLock lock(mutex_);
      uploads.swap(uploads_);  // Dropped promises answer CANCELLED.
      calls.swap(calls_);
      values_.clear();
      fetched_.clear();
      closed_ = true;
    }
  }

  int64_t queued() const override { return 0; }

  SessionInfo info() const override {
    MutexLock lock(mutex_);
    return {.id = id_,
            .client_name = name_,
            .priority = priority_,
            .arrays = values_.size(),
            .programs = programs_.size()};
  }

 private:
  struct Program {
    absl::Status status;
    ir::Module module;
    std::string entry;
  };
  struct Upload {
    ir::TensorType type;
    std::string bytes;
    Promise<ir::Literal> promise;
  };
  // An execution; the last of what it waits for runs it, unless it is settled before.
  struct Call {
    std::shared_ptr<Program> program;
    std::vector<Value> inputs;
    std::vector<Promise<ir::Literal>> outputs;
    std::atomic<size_t> missing{0};
    std::atomic<bool> settled{false};

    void Arrived() {
      if (--missing > 0 || settled) return;
      if (!program->status.ok()) return Settle(program->status);
      std::vector<ir::Literal> arguments;
      for (const Value& input : inputs) arguments.push_back(*input.Await());
      Settle(ir::Interpret(program->module, program->entry, arguments));
    }
    void Settle(const absl::StatusOr<std::vector<ir::Literal>>& results) {
      if (settled.exchange(true)) return;
      for (size_t i = 0; i < outputs.size(); ++i) {
        outputs[i].Set(results.ok() ? absl::StatusOr<ir::Literal>((*results)[i])
                                    : results.status());
      }
    }
  };

  // The same for every fetch of a handle.
  std::shared_ptr<const std::string> BytesOf(engine::Handle handle, const ir::Literal& value) {
    MutexLock lock(mutex_);
    std::shared_ptr<const std::string>& bytes = fetched_[handle];
    if (bytes == nullptr) bytes = std::make_shared<const std::string>(value.DenseBytes());
    return bytes;
  }

  static ExecutionInfo Info() {
    return {.fingerprint = "f", .verdict = CacheVerdict::kMiss, .compile_ms = 1};
  }

  std::shared_ptr<Program> Find(engine::ProgramId id) const {
    MutexLock lock(mutex_);
    auto found = programs_.find(id);
    if (found != programs_.end()) return found->second;
    auto unknown = std::make_shared<Program>();
    unknown->status = absl::NotFoundError(absl::StrCat("unknown program ", id));
    return unknown;
  }

  Value ValueOf(engine::Handle handle) const {
    MutexLock lock(mutex_);
    auto found = values_.find(handle);
    if (found != values_.end()) return found->second;
    if (closed_) return Value(absl::CancelledError("the session has ended"));
    return Value(absl::NotFoundError(absl::StrCat("unknown handle ", handle)));
  }

  absl::Status Define(engine::Handle handle, Value value) {
    MutexLock lock(mutex_);
    if (values_.emplace(handle, std::move(value)).second) return absl::OkStatus();
    return absl::AlreadyExistsError(absl::StrCat("handle ", handle, " exists already"));
  }

  absl::Status TakeUpload(engine::Handle handle, Upload& upload) {
    MutexLock lock(mutex_);
    auto found = uploads_.find(handle);
    if (found == uploads_.end()) return absl::NotFoundError(absl::StrCat("no upload ", handle));
    upload = std::move(found->second);
    uploads_.erase(found);
    return absl::OkStatus();
  }

  FakeEngine* const engine_;
  const uint64_t id_;
  const std::string name_;
  const Priority priority_;
  const std::string token_;
  mutable Mutex mutex_;
  std::map<engine::ProgramId, std::shared_ptr<Program>> programs_ ABSL_GUARDED_BY(mutex_);
  std::map<engine::Handle, Value> values_ ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  std::map<engine::Handle, std::shared_ptr<const std::string>> fetched_ ABSL_GUARDED_BY(mutex_);
  std::map<engine::Handle, Upload> uploads_ ABSL_GUARDED_BY(mutex_);
  std::map<engine::Handle, std::shared_ptr<Call>> calls_ ABSL_GUARDED_BY(mutex_);
};

// Counts under one limit for each identity.
class FakeEngine::FakeAllowance final : public Allowance {
 public:
  explicit FakeAllowance(int64_t limit) : limit_(limit) {}

  absl::Status Take(int64_t amount) override {
    if (taken_.fetch_add(amount) + amount <= limit_) return absl::OkStatus();
    taken_.fetch_sub(amount);
    return absl::ResourceExhaustedError(absl::StrCat("more than ", limit_.load()));
  }
  void GiveBack(int64_t amount) override { taken_.fetch_sub(amount); }
  int64_t taken() const { return taken_; }
  void SetLimit(int64_t limit) { limit_ = limit; }

 private:
  std::atomic<int64_t> limit_, taken_{0};
};

FakeEngine::FakeEngine() = default;
FakeEngine::~FakeEngine() = default;

std::shared_ptr<Allowance> FakeEngine::AllowanceOf(const engine::Identity& identity,
                                                   engine::QuotaId quota) {
  MutexLock lock(mutex_);
  std::shared_ptr<FakeAllowance>& allowance = allowances_[{identity.name, quota}];
  if (allowance == nullptr) {
    const auto limit = allowance_limits_.find(quota);
    allowance = std::make_shared<FakeAllowance>(
        limit == allowance_limits_.end() ? std::numeric_limits<int64_t>::max() : limit->second);
  }
  return allowance;
}

int64_t FakeEngine::taken(engine::QuotaId quota) const {
  MutexLock lock(mutex_);
  int64_t taken = 0;
  for (const auto& [key, allowance] : allowances_) {
    if (key.second == quota) taken += allowance->taken();
  }
  return taken;
}

void FakeEngine::SetAllowance(engine::QuotaId quota, int64_t limit) {
  MutexLock lock(mutex_);
  allowance_limits_[quota] = limit;
  for (const auto& [key, allowance] : allowances_) {
    if (key.second == quota) allowance->SetLimit(limit);
  }
}

void FakeEngine::Hold() {
  MutexLock lock(mutex_);
  held_ = std::make_unique<Promise<Unit>>();
  gate_ = held_->future();
}

void FakeEngine::Resume() {
  std::unique_ptr<Promise<Unit>> held;
  {
    MutexLock lock(mutex_);
    held = std::move(held_);
  }
  if (held != nullptr) held->Set(Unit{});
}

Event FakeEngine::gate() const {
  MutexLock lock(mutex_);
  return gate_;
}

void FakeEngine::OnCancel(std::function<void(const std::string&)> on_cancel) {
  MutexLock lock(mutex_);
  on_cancel_ = std::move(on_cancel);
}

void FakeEngine::NoteCancel(const std::string& client_name) {
  ++cancels_;
  std::function<void(const std::string&)> on_cancel;
  {
    MutexLock lock(mutex_);
    on_cancel = on_cancel_;
  }
  if (on_cancel) on_cancel(client_name);
}

void FakeEngine::Note(const engine::ExecuteOptions& options) {
  std::chrono::milliseconds delay;
  {
    MutexLock lock(mutex_);
    last_deadline_ = options.deadline;
    executions_.push_back({options.awaited,
                           std::this_thread::get_id(),
                           {options.donated.begin(), options.donated.end()}});
    delay = delay_;
  }
  std::this_thread::sleep_for(delay);
}

std::vector<FakeEngine::NotedExecution> FakeEngine::executions() const {
  MutexLock lock(mutex_);
  return executions_;
}

void FakeEngine::DelayExecutions(std::chrono::milliseconds delay) {
  MutexLock lock(mutex_);
  delay_ = delay;
}

FakeEngine::Deadline FakeEngine::last_deadline() const {
  MutexLock lock(mutex_);
  return last_deadline_;
}

void FakeEngine::AwaitSessions(size_t count) {
  MutexLock lock(mutex_);
  while (sessions_.size() != count) changed_.Wait(mutex_);
}

absl::StatusOr<std::shared_ptr<engine::Session>> FakeEngine::OpenSession(
    engine::SessionOptions options) {
  MutexLock lock(mutex_);
  const uint64_t id = next_session_++;
  std::string token = absl::StrCat(id);
  token.resize(16, '.');
  auto session = std::make_shared<FakeSession>(this, id, options, token);
  sessions_[token] = session;
  changed_.NotifyAll();
  return session;
}

absl::StatusOr<Digest> FakeEngine::AddProgram(ir::Module module, std::string entry, int64_t) {
  const Digest fingerprint = ir::Fingerprint(module, entry);
  ++programs_added_;
  MutexLock lock(mutex_);
  programs_[fingerprint] = {std::move(module), std::move(entry)};
  return fingerprint;
}

absl::optional<FakeEngine::KnownProgram> FakeEngine::FindProgram(const Digest& fingerprint) const {
  MutexLock lock(mutex_);
  const auto found = programs_.find(fingerprint);
  if (found == programs_.end()) return absl::nullopt;
  return found->second;
}

void FakeEngine::Forget(const FakeSession* session) {
  MutexLock lock(mutex_);
  sessions_.erase(std::string(session->token()));
  changed_.NotifyAll();
}

std::vector<DeviceInfo> FakeEngine::Devices() const {
  return {{.id = 0, .kind = "fake", .name = "first"}, {.id = 1, .kind = "fake", .name = "second"}};
}

EngineStats FakeEngine::Stats() const {
  EngineStats stats;
  for (const SessionInfo& session : Sessions()) {
    stats.arrays += session.arrays;
    ++stats.sessions;
  }
  return stats;
}

std::vector<SessionInfo> FakeEngine::Sessions() const {
  std::vector<std::shared_ptr<FakeSession>> sessions;
  {
    MutexLock lock(mutex_);
    for (const auto& [token, session] : sessions_) sessions.push_back(session);
  }
  std::vector<SessionInfo> infos;
  for (const auto& session : sessions) infos.push_back(session->info());
  return infos;
}

std::vector<CacheEntryInfo> FakeEngine::CacheEntries(size_t offset, size_t limit) const {
  constexpr size_t kEntries = 250;
  std::vector<CacheEntryInfo> entries;
  for (size_t i = offset; i < kEntries && entries.size() < limit; ++i) {
    entries.push_back({.key = absl::StrCat("key", i)});
  }
  return entries;
}

absl::Status FakeEngine::CloseSession(uint64_t id, absl::string_view reason) {
  std::shared_ptr<FakeSession> found;
  {
    MutexLock lock(mutex_);
    for (const auto& [token, session] : sessions_) {
      if (session->id() == id) found = session;
    }
  }
  if (found == nullptr) return absl::NotFoundError(absl::StrCat("no session ", id));
  found->Close(reason);
  return absl::OkStatus();
}

}  // namespace acceld::testing

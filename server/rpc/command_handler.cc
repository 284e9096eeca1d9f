#include "server/rpc/command_handler.h"

#include <chrono>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/ir/specialize/specialize.h"
#include "common/ir/wire.h"
#include "common/log.h"
#include "common/utf8.h"
#include "server/rpc/convert.h"

namespace acceld::rpc {
namespace {

constexpr uint32_t kProtocolVersion = 1;
constexpr size_t kMaxClientNameBytes = 256;
constexpr size_t kHeavyProgramBytes = 4096;

void SetStatus(const absl::Status& status, v1::Ready& ready) {
  ready.set_code(static_cast<uint32_t>(status.code()));
  // Messages quote what clients send, which may be any bytes.
  ready.set_message(EscapeNonUtf8(status.message()));
}

v1::Event ReadyEvent(uint64_t request_id, const absl::Status& status) {
  v1::Event event;
  event.mutable_ready()->set_request_id(request_id);
  SetStatus(status, *event.mutable_ready());
  return event;
}

v1::Event CompileDoneEvent(uint64_t request_id, const engine::CompileResult& result) {
  v1::Event event;
  v1::CompileDone& done = *event.mutable_compile_done();
  done.set_request_id(request_id);
  done.set_code(static_cast<uint32_t>(result.status.code()));
  done.set_message(EscapeNonUtf8(result.status.message()));
  *done.mutable_execution() = ToProto(result.execution);
  return event;
}

v1::Event FetchedEvent(uint64_t request_id, const engine::FetchResult& result,
                       uint64_t max_inline_bytes, SessionTransfers& transfers) {
  if (!result.array.ok()) {
    v1::Event event = ReadyEvent(request_id, result.array.status());
    *event.mutable_ready()->mutable_execution() = ToProto(result.execution);
    return event;
  }
  v1::Event event;
  v1::Ready& ready = *event.mutable_ready();
  ready.set_request_id(request_id);
  *ready.mutable_execution() = ToProto(result.execution);
  const SharedBytes& bytes = result.array->bytes;
  if (bytes->size() <= max_inline_bytes) {
    ready.set_data(*bytes);
    return event;
  }
  const absl::StatusOr<uint64_t> transfer = transfers.Add(bytes);
  if (transfer.ok()) {
    ready.set_transfer_id(*transfer);
  } else {
    SetStatus(transfer.status(), ready);
  }
  return event;
}

}  // namespace

CommandHandler::CommandHandler(engine::Engine& engine, TransferTable& transfers,
                               const RpcOptions& options)
    : engine_(engine), transfer_table_(transfers), options_(options) {}

bool CommandHandler::IsHeavy(const v1::CommandBatch& batch) const {
  if (has_dynamic_programs_) return true;
  for (const v1::Command& command : batch.commands()) {
    if (command.has_register_program() &&
        command.register_program().ByteSizeLong() > kHeavyProgramBytes) {
      return true;
    }
  }
  return false;
}

absl::Status CommandHandler::Handle(v1::Command& command,
                                    const std::shared_ptr<SessionEvents>& events) {
  if (session_ == nullptr && !command.has_hello()) {
    return absl::InvalidArgumentError("the first command of a channel must be Hello");
  }
  switch (command.command_case()) {
    case v1::Command::kHello:
      return OnHello(command.hello(), *events);
    case v1::Command::kRegisterProgram:
      return OnRegisterProgram(command.register_program());
    case v1::Command::kCompile:
      OnCompile(command.compile(), events);
      return absl::OkStatus();
    case v1::Command::kExecute:
      return OnExecute(command.execute(), events);
    case v1::Command::kPut:
      return OnPut(command.put());
    case v1::Command::kBeginUpload:
      return OnBeginUpload(command.begin_upload());
    case v1::Command::kRelease:
      OnRelease(command.release());
      return absl::OkStatus();
    case v1::Command::kAwait:
      OnAwait(command.await(), events);
      return absl::OkStatus();
    case v1::Command::kFetch:
      OnFetch(command.fetch(), events);
      return absl::OkStatus();
    case v1::Command::COMMAND_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("a command that this daemon does not know");
}

absl::Status CommandHandler::OnHello(const v1::Hello& hello, SessionEvents& events) {
  if (session_ != nullptr) return absl::InvalidArgumentError("a second Hello");
  if (hello.protocol_version() != kProtocolVersion) {
    return absl::FailedPreconditionError(absl::StrCat("the client speaks protocol ",
                                                      hello.protocol_version(), ", the daemon ",
                                                      kProtocolVersion));
  }
  ACCELD_ASSIGN_OR_RETURN(
      std::shared_ptr<engine::Session> session,
      engine_.OpenSession({.client_name = hello.client_name().substr(0, kMaxClientNameBytes),
                           .priority = FromProto(hello.priority())}));
  bool closed;
  {
    MutexLock lock(mutex_);
    closed = closed_;
    session_ = session;
    if (!closed) transfers_ = transfer_table_.Open(session->token());
  }
  if (closed) {
    session->Close();
    return absl::CancelledError("the channel has ended");
  }
  v1::Event event;
  v1::Welcome& welcome = *event.mutable_welcome();
  welcome.set_session_token(session->token().data(), session->token().size());
  welcome.set_daemon_version(options_.version);
  welcome.set_incarnation(engine_.incarnation());
  for (const engine::DeviceInfo& device : engine_.Devices()) {
    *welcome.add_devices() = ToProto(device);
  }
  welcome.set_max_inline_bytes(options_.max_inline_bytes);
  welcome.set_command_window(options_.command_window);
  events.Send(std::move(event));
  return absl::OkStatus();
}

absl::Status CommandHandler::OnRegisterProgram(const v1::RegisterProgram& command) {
  absl::StatusOr<ir::Module> module = DecodeProgram(command.program());
  std::string entry = EntryOf(command.program());
  if (module.ok()) {
    const absl::StatusOr<const ir::Function*> function = module->Entry(entry);
    has_dynamic_programs_ |= function.ok() && !ir::HasStaticResults(**function);
  }
  const absl::Status status =
      session_->RegisterProgram(command.program_id(), std::move(module), std::move(entry));
  if (status.ok()) return status;
  if (!absl::IsResourceExhausted(status) || refused_programs_.size() >= options_.max_refusals)
    return status;
  refused_programs_.emplace(command.program_id(), status);
  return absl::OkStatus();
}

void CommandHandler::OnCompile(const v1::Compile& command,
                               const std::shared_ptr<SessionEvents>& events) {
  const uint64_t request_id = command.request_id();
  const auto fail = [&](const absl::Status& status) {
    events->Send(CompileDoneEvent(request_id, {.status = status}));
  };
  std::vector<ir::TensorType> arguments;
  for (const v1::TensorType& proto : command.arguments()) {
    absl::StatusOr<ir::TensorType> type = ir::FromProto(proto);
    if (!type.ok()) return fail(Annotate(type.status(), "Compile"));
    arguments.push_back(*std::move(type));
  }
  if (auto refused = refused_programs_.find(command.program_id());
      refused != refused_programs_.end()) {
    return fail(refused->second);
  }
  events->Begin(SessionEvents::Work::kRequest);
  const absl::Status status =
      session_->Compile(command.program_id(), std::move(arguments), command.device(),
                        [events, request_id](engine::CompileResult result) {
                          events->Send(CompileDoneEvent(request_id, result));
                          events->End(SessionEvents::Work::kRequest);
                        });
  if (!status.ok()) {
    fail(status);
    events->End(SessionEvents::Work::kRequest);
  }
}

absl::Status CommandHandler::OnExecute(const v1::Execute& command,
                                       const std::shared_ptr<SessionEvents>& events) {
  const absl::Span<const uint64_t> inputs(command.inputs().data(), command.inputs_size());
  const absl::Span<const uint64_t> outputs(command.outputs().data(), command.outputs_size());
  if (!refused_programs_.empty()) {
    auto refused = refused_programs_.find(command.program_id());
    if (refused != refused_programs_.end()) return Refuse(outputs, refused->second);
  }
  for (uint64_t input : inputs) {
    if (const absl::Status* why = RefusalOf(input)) return Refuse(outputs, absl::Status(*why));
  }
  const absl::Status status =
      session_->Execute(command.program_id(), inputs, outputs, command.device());
  if (!status.ok()) return Refuse(outputs, status);
  if (!outputs.empty()) {
    events->Begin(SessionEvents::Work::kExecution);
    session_->Await(outputs[0], [events](const engine::ReadyResult&) {
      events->End(SessionEvents::Work::kExecution);
    });
  }
  return absl::OkStatus();
}

absl::Status CommandHandler::OnPut(const v1::Put& command) {
  absl::StatusOr<ir::Literal> value = ir::FromProto(command.literal());
  const absl::Status status =
      value.ok() ? session_->Put(command.handle(), *std::move(value), command.device())
                 : Annotate(value.status(), "Put");
  return Refuse({command.handle()}, status);
}

absl::Status CommandHandler::OnBeginUpload(const v1::BeginUpload& command) {
  absl::StatusOr<ir::TensorType> type = ir::FromProto(command.type());
  const absl::Status status =
      type.ok() ? session_->BeginUpload(command.handle(), *std::move(type), command.device())
                : Annotate(type.status(), "BeginUpload");
  return Refuse({command.handle()}, status);
}

void CommandHandler::OnRelease(const v1::Release& command) {
  if (!refused_handles_.empty()) {
    for (uint64_t handle : command.handles()) refused_handles_.erase(handle);
  }
  session_->Release({command.handles().data(), static_cast<size_t>(command.handles_size())});
}

void CommandHandler::OnAwait(const v1::Await& command,
                             const std::shared_ptr<SessionEvents>& events) {
  const uint64_t request_id = command.request_id();
  if (const absl::Status* why = RefusalOf(command.handle())) {
    return events->Send(ReadyEvent(request_id, *why));
  }
  events->Begin(SessionEvents::Work::kRequest);
  session_->Await(command.handle(), [events, request_id](const engine::ReadyResult& result) {
    v1::Event event = ReadyEvent(request_id, result.status);
    *event.mutable_ready()->mutable_execution() = ToProto(result.execution);
    events->Send(std::move(event));
    events->End(SessionEvents::Work::kRequest);
  });
}

void CommandHandler::OnFetch(const v1::Fetch& command,
                             const std::shared_ptr<SessionEvents>& events) {
  const uint64_t request_id = command.request_id();
  if (const absl::Status* why = RefusalOf(command.handle())) {
    return events->Send(ReadyEvent(request_id, *why));
  }
  events->Begin(SessionEvents::Work::kRequest);
  session_->Fetch(command.handle(), [events, request_id, transfers = transfers_,
                                     max_inline_bytes = options_.max_inline_bytes](
                                        const engine::FetchResult& result) {
    events->Send(FetchedEvent(request_id, result, max_inline_bytes, *transfers));
    events->End(SessionEvents::Work::kRequest);
  });
}

absl::Status CommandHandler::Refuse(absl::Span<const uint64_t> handles, const absl::Status& why) {
  if (why.ok()) return why;
  // The client numbers its own handles, so a second definition is its error.
  if (absl::IsAlreadyExists(why)) return absl::InvalidArgumentError(why.message());
  for (uint64_t handle : handles) {
    if (refused_handles_.size() >= options_.max_refusals) {
      return absl::ResourceExhaustedError(
          absl::StrCat("session: ", refused_handles_.size(), " of ", options_.max_refusals,
                       " results of refused commands are remembered; the last was refused for: ",
                       why.message()));
    }
    refused_handles_.emplace(handle, why);
  }
  return absl::OkStatus();
}

const absl::Status* CommandHandler::RefusalOf(uint64_t handle) const {
  if (refused_handles_.empty()) return nullptr;
  auto found = refused_handles_.find(handle);
  return found == refused_handles_.end() ? nullptr : &found->second;
}

void CommandHandler::Close() {
  std::shared_ptr<engine::Session> session;
  {
    MutexLock lock(mutex_);
    if (std::exchange(closed_, true)) return;
    session = session_;
  }
  if (session == nullptr) return;
  const engine::SessionInfo held = session->info();
  const auto start = std::chrono::steady_clock::now();
  session->Close();
  transfer_table_.Close(session->token());
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  LogInfo("session ", held.id, " (", absl::CEscape(held.client_name), ") ended after ",
          held.executions, " executions; let go of ", held.arrays, " arrays, ", held.array_bytes,
          " bytes, in ", took.count(), " ms");
}

}  // namespace acceld::rpc

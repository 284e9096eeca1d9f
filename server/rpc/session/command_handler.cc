#include "server/rpc/session/command_handler.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/api/wire.h"
#include "common/ir/specialize/specialize.h"
#include "common/ir/wire/signature_wire.h"
#include "common/ir/wire/wire.h"
#include "common/op_origin.h"
#include "common/utf8.h"
#include "server/rpc/decode/program.h"
#include "server/rpc/session/session_log.h"

namespace acceld::rpc {
namespace {

constexpr size_t kHeavyProgramBytes = 4096;
constexpr int kManyArrays = 500;  // each takes about a microsecond
constexpr size_t kMaxReasonBytes = 500;
// The limit for the message of a failed callback, which may hold the stack trace of an exception.
constexpr size_t kMaxCallbackMessageBytes = size_t{16} << 10;

// Makes a status of what a client sent; a code that is not a canonical one becomes UNKNOWN.
absl::Status StatusFromWire(uint32_t code, absl::string_view message) {
  return absl::Status(code <= 16 ? static_cast<absl::StatusCode>(code) : absl::StatusCode::kUnknown,
                      message);
}

// Sets the status in an event of type Ready or CompileDone.
template <typename Event>
void SetStatus(const absl::Status& status, Event& event) {
  event.set_code(static_cast<uint32_t>(status.code()));
  // A message may quote what a client sent, which need not be valid UTF-8.
  event.set_message(EscapeNonUtf8(status.message()));
  if (const absl::optional<OpOrigin> origin = OriginOf(status); origin.has_value()) {
    event.mutable_origin()->set_program(std::string(origin->program.AsBytes()));
    event.mutable_origin()->set_op(origin->op);
  }
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
  SetStatus(result.status, done);
  *done.mutable_execution() = ToProto(result.execution);
  if (result.explanation.has_value()) *done.mutable_explanation() = ToProto(*result.explanation);
  if (result.memory.has_value()) *done.mutable_memory() = ToProto(*result.memory);
  if (result.signature != nullptr) ir::ToProto(*result.signature, *done.mutable_signature());
  if (result.partitioned.has_value())
    *done.mutable_partitioned() = ir::ToProto(*result.partitioned);
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
  *ready.mutable_type() = ir::ToProto(result.array->type);
  const SharedBytes& bytes = result.array->bytes;
  if (bytes.view.size() <= max_inline_bytes) {
    ready.set_data(bytes.view.data(), bytes.view.size());
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

void NoteNameRefusal(const absl::Status& status, SessionStream& stream) {
  if (absl::IsPermissionDenied(status) || absl::IsInvalidArgument(status)) {
    stream.NoteRefusal(observability::Refusal::kName, status);
  }
}

}  // namespace

CommandHandler::CommandHandler(engine::Session& session,
                               std::shared_ptr<SessionTransfers> transfers,
                               std::shared_ptr<HostCallDelivery> host_calls,
                               ProgramUploadBuffer& programs, const RpcOptions& options)
    : session_(session),
      transfers_(std::move(transfers)),
      host_calls_(std::move(host_calls)),
      programs_(programs),
      options_(options) {}

void CommandHandler::ForgetAwaitedProgram() {
  awaited_.reset();
  programs_.Forget();
}

bool CommandHandler::IsHeavy(const v1::CommandBatch& batch) const {
  if (has_dynamic_programs_) return true;
  return std::any_of(batch.commands().begin(), batch.commands().end(), [this](const auto& command) {
    switch (command.command_case()) {
      case v1::Command::kRegisterProgram:
        return command.register_program().ByteSizeLong() > kHeavyProgramBytes;
      case v1::Command::kCompile:
        // A program for several processes is partitioned at once, to know what its results are.
        return true;
      case v1::Command::kCancel:
        // Everything that depends on a cancelled array fails, too.
        return session_.queued() > kManyArrays;
      case v1::Command::kRelease:
        return command.release().handles_size() > kManyArrays;
      default:
        return false;
    }
  });
}

absl::Status CommandHandler::Handle(v1::Command& command, bool awaited,
                                    const std::shared_ptr<SessionStream>& stream) {
  switch (command.command_case()) {
    case v1::Command::kHello:
      return absl::InvalidArgumentError("a second Hello");
    case v1::Command::kRegisterProgram:
      return OnRegisterProgram(command.register_program(), *stream);
    case v1::Command::kCompile:
      OnCompile(command.compile(), stream);
      return absl::OkStatus();
    case v1::Command::kExecute:
      return OnExecute(command.execute(), awaited);
    case v1::Command::kExecuteSharded:
      return OnExecuteSharded(command.execute_sharded());
    case v1::Command::kPut:
      return OnPut(command.put());
    case v1::Command::kBeginUpload:
      return OnBeginUpload(command.begin_upload());
    case v1::Command::kOfferContent:
      OnOfferContent(command.offer_content(), *stream);
      return absl::OkStatus();
    case v1::Command::kCancel:
      OnCancel(command.cancel());
      return absl::OkStatus();
    case v1::Command::kHostCallReply:
      OnHostCallReply(*command.mutable_host_call_reply());
      return absl::OkStatus();
    case v1::Command::kForgetCallbacks:
      for (const uint64_t callbacks : command.forget_callbacks().callbacks()) {
        host_calls_->Forget(callbacks);
      }
      return absl::OkStatus();
    case v1::Command::kRelease:
      OnRelease(command.release());
      return absl::OkStatus();
    case v1::Command::kAwait:
      OnAwait(command.await(), stream);
      return absl::OkStatus();
    case v1::Command::kFetch:
      OnFetch(command.fetch(), stream);
      return absl::OkStatus();
    case v1::Command::kPublish:
      OnPublish(command.publish(), *stream);
      return absl::OkStatus();
    case v1::Command::kOpenNamed:
      OnOpenNamed(command.open_named(), *stream);
      return absl::OkStatus();
    case v1::Command::kDropName:
      OnDropName(command.drop_name(), *stream);
      return absl::OkStatus();
    case v1::Command::COMMAND_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("a command that this daemon does not know");
}

absl::Status CommandHandler::OnRegisterProgram(const v1::RegisterProgram& command,
                                               SessionStream& stream) {
  if (!command.has_program() && !command.fingerprint().empty()) {
    return RegisterByFingerprint(command, stream);
  }
  absl::StatusOr<ir::Module> module = DecodeProgram(command.program());
  std::string entry = EntryOf(command.program());
  if (module.ok()) {
    const absl::StatusOr<const ir::Function*> function = module->Entry(entry);
    has_dynamic_programs_ |= function.ok() && !ir::HasStaticResults(**function);
  }
  return RefuseProgram(
      command.program_id(),
      session_.RegisterProgram(command.program_id(), std::move(module), std::move(entry)));
}

absl::Status CommandHandler::RegisterByFingerprint(const v1::RegisterProgram& command,
                                                   SessionStream& stream) {
  const uint64_t program_id = command.program_id();
  const absl::optional<Digest> fingerprint = Digest::FromBytes(command.fingerprint());
  if (!fingerprint.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("program ", program_id, ": a fingerprint of ",
                                                   command.fingerprint().size(), " bytes; it has ",
                                                   Digest::kSizeBytes));
  }
  if (awaited_.has_value() && awaited_->provided.has_value()) {
    absl::StatusOr<Digest> provided = *std::move(awaited_->provided);
    awaited_.reset();
    if (provided.ok() && *provided != *fingerprint) {
      provided = absl::InvalidArgumentError(
          absl::StrCat("program ", program_id, ": ", fingerprint->ToHex(),
                       " was announced, what came has the fingerprint ", provided->ToHex()));
    }
    if (!provided.ok()) {
      return RefuseProgram(program_id,
                           session_.RegisterProgram(program_id, provided.status(), "main"));
    }
  }
  const absl::StatusOr<bool> has_static_results =
      session_.RegisterKnownProgram(program_id, *fingerprint);
  if (has_static_results.ok()) has_dynamic_programs_ |= !*has_static_results;
  if (!absl::IsNotFound(has_static_results.status())) {
    return RefuseProgram(program_id, has_static_results.status());
  }
  awaited_ = AwaitedProgram{.program_id = program_id};
  programs_.Expect(program_id);
  v1::Event event;
  event.mutable_need_program()->set_program_id(program_id);
  stream.Send(std::move(event));
  return has_static_results.status();
}

absl::Status CommandHandler::ProvideProgram(uint64_t program_id,
                                            const absl::StatusOr<Digest>& fingerprint) {
  if (!awaited_.has_value() || awaited_->program_id != program_id) {
    return absl::NotFoundError(absl::StrCat("program ", program_id, " is not waited for"));
  }
  awaited_->provided = fingerprint;
  programs_.Forget();
  return absl::OkStatus();
}

absl::Status CommandHandler::RefuseProgram(uint64_t program_id, const absl::Status& why) {
  if (!absl::IsResourceExhausted(why) || refused_programs_.size() >= options_.max_refusals)
    return why;
  refused_programs_.emplace(program_id, why);
  return absl::OkStatus();
}

void CommandHandler::OnCompile(const v1::Compile& command,
                               const std::shared_ptr<SessionStream>& stream) {
  const uint64_t request_id = command.request_id();
  const auto fail = [&](const absl::Status& status) {
    stream->Send(CompileDoneEvent(request_id, {.status = status}));
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
  stream->BeginRequest();
  const absl::Status status =
      session_.Compile(command.program_id(), std::move(arguments), command.device(),
                       {.target = command.target(),
                        .explain = command.explain(),
                        .partition = command.partition(),
                        .donated = {command.donated().begin(), command.donated().end()}},
                       [stream, request_id, session = session_.id()](engine::CompileResult result) {
                         if (!result.status.ok()) {
                           LogRequestFailed(session, "compile", request_id, result.status);
                         }
                         stream->Send(CompileDoneEvent(request_id, result));
                         stream->EndRequest();
                       });
  if (!status.ok()) {
    fail(status);
    stream->EndRequest();
  }
}

namespace {

// Returns the options that both kinds of executions have; they refer to the command.
template <typename Command>
engine::ExecuteOptions OptionsOf(const Command& command) {
  engine::ExecuteOptions options;
  options.callbacks = command.callbacks();
  options.donated = {command.donated().data(), static_cast<size_t>(command.donated_size())};
  if (command.has_priority()) options.priority = FromProto(command.priority());
  if (command.has_timeout_ms()) {
    options.deadline =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(command.timeout_ms());
  }
  return options;
}

template <typename Values>
auto SpanOf(const Values& values) {
  return absl::MakeConstSpan(values.data(), static_cast<size_t>(values.size()));
}

}  // namespace

absl::Status CommandHandler::RefusalOfExecution(uint64_t program_id,
                                                absl::Span<const uint64_t> inputs) const {
  if (!refused_programs_.empty()) {
    const auto refused = refused_programs_.find(program_id);
    if (refused != refused_programs_.end()) return refused->second;
  }
  for (const uint64_t input : inputs) {
    if (const absl::Status* why = RefusalOf(input)) return *why;
  }
  return absl::OkStatus();
}

absl::Status CommandHandler::EndRefused(absl::Span<const uint64_t> outputs, uint64_t callbacks,
                                        const absl::Status& why) {
  if (!why.ok() && callbacks != 0) host_calls_->OnEnd(callbacks, why);
  return Refuse(outputs, why);
}

absl::Status CommandHandler::OnExecute(const v1::Execute& command, bool awaited) {
  const absl::Span<const uint64_t> inputs = SpanOf(command.inputs());
  const absl::Span<const uint64_t> outputs = SpanOf(command.outputs());
  absl::Status status = RefusalOfExecution(command.program_id(), inputs);
  if (status.ok()) {
    engine::ExecuteOptions options = OptionsOf(command);
    options.awaited = awaited;
    status = session_.Execute(command.program_id(), inputs, outputs, command.device(), options);
  }
  return EndRefused(outputs, command.callbacks(), status);
}

absl::Status CommandHandler::OnExecuteSharded(const v1::ExecuteSharded& command) {
  const absl::Span<const uint64_t> inputs = SpanOf(command.inputs());
  const absl::Span<const uint64_t> outputs = SpanOf(command.outputs());
  absl::Status status = RefusalOfExecution(command.program_id(), inputs);
  if (status.ok()) {
    status = session_.ExecuteSharded(command.program_id(), SpanOf(command.devices()), inputs,
                                     outputs, OptionsOf(command));
  }
  return EndRefused(outputs, command.callbacks(), status);
}

void CommandHandler::OnHostCallReply(v1::HostCallReply& command) {
  host_calls_->RemoveAnswered(command.call_id());
  if (command.code() != 0) {
    return session_.AnswerHostCall(
        command.call_id(),
        StatusFromWire(command.code(),
                       absl::string_view(command.message()).substr(0, kMaxCallbackMessageBytes)));
  }
  std::vector<engine::HostCallResult> results;
  for (v1::HostValue& value : *command.mutable_results()) {
    absl::StatusOr<ir::TensorType> type = ir::FromProto(value.type());
    if (!type.ok()) {
      return session_.AnswerHostCall(
          command.call_id(), Annotate(type.status(), absl::StrCat("result ", results.size())));
    }
    engine::HostCallResult& result = results.emplace_back();
    result.type = *std::move(type);
    result.bytes = std::move(*value.mutable_data());
    if (value.handle() != 0) result.handle = value.handle();
    if (const absl::Status* why = RefusalOf(value.handle())) {
      return session_.AnswerHostCall(command.call_id(), *why);
    }
  }
  session_.AnswerHostCall(command.call_id(), std::move(results));
}

absl::Status CommandHandler::OnPut(const v1::Put& command) {
  absl::StatusOr<ir::Literal> value = ir::FromProto(command.literal());
  const absl::Status status =
      value.ok() ? session_.Put(command.handle(), *std::move(value), command.device())
                 : Annotate(value.status(), "Put");
  return Refuse({command.handle()}, status);
}

absl::Status CommandHandler::OnBeginUpload(const v1::BeginUpload& command) {
  absl::StatusOr<ir::TensorType> type = ir::FromProto(command.type());
  const absl::Status status =
      type.ok() ? session_.BeginUpload(command.handle(), *std::move(type), command.device())
                : Annotate(type.status(), "BeginUpload");
  return Refuse({command.handle()}, status);
}

void CommandHandler::OnOfferContent(const v1::OfferContent& command, SessionStream& stream) {
  const absl::optional<Digest> digest = Digest::FromBytes(command.digest());
  absl::Status status;
  if (!digest.has_value()) {
    status = absl::InvalidArgumentError(absl::StrCat("a digest of ", command.digest().size(),
                                                     " bytes; it has ", Digest::kSizeBytes));
  } else if (const absl::Status* why = RefusalOf(command.handle())) {
    status = *why;
  } else {
    status = session_.OfferContent(command.handle(), *digest);
  }
  stream.Send(ReadyEvent(command.request_id(), status));
}

void CommandHandler::OnCancel(const v1::Cancel& command) {
  const std::string why =
      absl::StrCat("cancelled by its client", command.reason().empty() ? "" : ": ",
                   command.reason().substr(0, kMaxReasonBytes));
  session_.Cancel({command.handles().data(), static_cast<size_t>(command.handles_size())},
                  absl::CancelledError(why));
}

void CommandHandler::OnRelease(const v1::Release& command) {
  if (!refused_handles_.empty()) {
    for (uint64_t handle : command.handles()) refused_handles_.erase(handle);
  }
  session_.Release({command.handles().data(), static_cast<size_t>(command.handles_size())});
}

void CommandHandler::OnAwait(const v1::Await& command,
                             const std::shared_ptr<SessionStream>& stream) {
  const uint64_t request_id = command.request_id();
  if (const absl::Status* why = RefusalOf(command.handle())) {
    return stream->Send(ReadyEvent(request_id, *why));
  }
  stream->BeginRequest();
  session_.Await(command.handle(), {.lapses = command.lapses()},
                 [stream, request_id, session = session_.id()](const engine::ReadyResult& result) {
                   if (!result.status.ok())
                     LogRequestFailed(session, "await", request_id, result.status);
                   v1::Event event = ReadyEvent(request_id, result.status);
                   *event.mutable_ready()->mutable_execution() = ToProto(result.execution);
                   stream->Send(std::move(event));
                   stream->EndRequest();
                 });
}

void CommandHandler::OnFetch(const v1::Fetch& command,
                             const std::shared_ptr<SessionStream>& stream) {
  const uint64_t request_id = command.request_id();
  if (const absl::Status* why = RefusalOf(command.handle())) {
    return stream->Send(ReadyEvent(request_id, *why));
  }
  stream->BeginRequest();
  session_.Fetch(command.handle(), {.lapses = command.lapses()},
                 [stream, request_id, transfers = transfers_, session = session_.id(),
                  max_inline_bytes = options_.max_inline_bytes](const engine::FetchResult& result) {
                   if (!result.array.ok()) {
                     LogRequestFailed(session, "fetch", request_id, result.array.status());
                   }
                   stream->Send(FetchedEvent(request_id, result, max_inline_bytes, *transfers));
                   stream->EndRequest();
                 });
}

void CommandHandler::OnPublish(const v1::Publish& command, SessionStream& stream) {
  const absl::Status* why = RefusalOf(command.handle());
  const absl::Status status =
      why != nullptr ? *why
                     : session_.Publish(
                           command.handle(), command.name(),
                           {.for_everyone = command.for_everyone(), .replace = command.replace()});
  NoteNameRefusal(status, stream);
  stream.Send(ReadyEvent(command.request_id(), status));
}

void CommandHandler::OnOpenNamed(const v1::OpenNamed& command, SessionStream& stream) {
  const absl::StatusOr<engine::ArrayInfo> array =
      session_.OpenNamed(command.handle(), command.name());
  NoteNameRefusal(array.status(), stream);
  v1::Event event;
  v1::Opened& opened = *event.mutable_opened();
  opened.set_request_id(command.request_id());
  if (array.ok()) {
    *opened.mutable_type() = ir::ToProto(array->type);
    opened.set_device(array->device);
  } else {
    opened.set_code(static_cast<uint32_t>(array.status().code()));
    opened.set_message(EscapeNonUtf8(array.status().message()));
  }
  stream.Send(std::move(event));
}

void CommandHandler::OnDropName(const v1::DropName& command, SessionStream& stream) {
  const absl::Status status = session_.DropName(command.name());
  NoteNameRefusal(status, stream);
  stream.Send(ReadyEvent(command.request_id(), status));
}

absl::Status CommandHandler::Refuse(absl::Span<const uint64_t> handles, const absl::Status& why) {
  if (why.ok()) return why;
  // The client chooses the numbers of handles, so defining one twice is the client's error.
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

}  // namespace acceld::rpc

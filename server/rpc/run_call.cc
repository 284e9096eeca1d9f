#include "server/rpc/run_call.h"

#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/api/wire.h"
#include "common/ir/wire/wire.h"
#include "server/engine/sharing/requester.h"
#include "server/rpc/decode/bounded_message.h"
#include "server/rpc/decode/parse_message.h"
#include "server/rpc/decode/program.h"
#include "server/rpc/decode/status_codes.h"
#include "server/rpc/session/session_log.h"

namespace acceld::rpc {
namespace {

constexpr engine::ProgramId kProgram = 1;

}  // namespace

// The reactor that gRPC owns. It cancels the call when the client does or is gone.
class RunCall::Reactor : public grpc::ServerUnaryReactor {
 public:
  explicit Reactor(std::shared_ptr<RunCall> call) : call_(std::move(call)) {}

 private:
  void OnCancel() override { call_->Finish(absl::CancelledError("the client gave up")); }
  void OnDone() override { delete this; }

  const std::shared_ptr<RunCall> call_;  // Shared with the engine's callbacks.
};

grpc::ServerUnaryReactor* RunCall::Start(const RpcContext& rpc, engine::Identity caller,
                                         const grpc::ByteBuffer& request, grpc::ByteBuffer* reply) {
  std::shared_ptr<RunCall> call(new RunCall(rpc, std::move(caller), reply));
  auto* reactor = new Reactor(call);
  {
    MutexLock lock(call->mutex_);
    call->reactor_ = reactor;
  }
  absl::Status status = call->TakeRequest(request);
  if (status.ok()) {
    status = rpc.decoders.Submit(engine::RequesterOf(call->caller_), [call] { call->Run(); });
  }
  if (!status.ok()) call->Finish(status);
  return reactor;
}

absl::Status RunCall::TakeRequest(const grpc::ByteBuffer& request) {
  request_memory_ = Taken(rpc_.engine.AllowanceOf(caller_, engine::QuotaId::kReceiveMemory));
  ACCELD_RETURN_IF_ERROR(request_memory_.Add(static_cast<int64_t>(request.Length())));
  std::vector<grpc::Slice> slices;
  if (const grpc::Status dumped = request.Dump(&slices); !dumped.ok()) {
    return absl::InternalError(dumped.error_message());
  }
  // The buffer must not keep gRPC's own receive memory, whose quota all connections share.
  for (grpc::Slice& slice : slices) slice = grpc::Slice(slice.begin(), slice.size());
  request_ = grpc::ByteBuffer(slices.data(), slices.size());
  return absl::OkStatus();
}

void RunCall::Run() {
  const absl::StatusOr<std::vector<engine::Handle>> outputs = Submit();
  request_memory_.Release();
  if (!outputs.ok()) return Finish(outputs.status());
  std::shared_ptr<engine::Session> session;
  {
    MutexLock lock(mutex_);
    session = session_;
    results_.resize(outputs->size());
    missing_ = outputs->size();
  }
  if (session == nullptr) return;  // the call was cancelled in the meantime
  if (outputs->empty()) return Finish(absl::OkStatus());
  for (size_t i = 0; i < outputs->size(); ++i) {
    session->Fetch((*outputs)[i],
                   [self = shared_from_this(), i](const engine::FetchResult& result) {
                     self->OnFetched(i, result);
                   });
  }
}

absl::StatusOr<std::vector<engine::Handle>> RunCall::Submit() {
  using Message = BoundedMessage<v1::RunRequest>;
  ACCELD_ASSIGN_OR_RETURN(
      const std::unique_ptr<Message> decoded,
      Message::Decode(static_cast<int64_t>(request_.Length()),
                      [this](v1::RunRequest& message) { return ParseMessage(request_, message); }));
  request_.Clear();
  const v1::RunRequest& request = **decoded;
  ACCELD_ASSIGN_OR_RETURN(ir::Module module, DecodeProgram(request.program()));
  const std::string entry = EntryOf(request.program());
  ACCELD_ASSIGN_OR_RETURN(const ir::Function* function, module.Entry(entry));
  std::vector<engine::Handle> inputs, outputs(function->body.results.size());
  const engine::SessionOptions session_options{.client_name = "run", .identity = caller_};
  absl::StatusOr<std::shared_ptr<engine::Session>> opened =
      rpc_.engine.OpenSession(session_options);
  if (!opened.ok()) {
    LogSessionRefused(session_options, opened.status());
    return opened.status();
  }
  const std::shared_ptr<engine::Session> session = *std::move(opened);
  {
    MutexLock lock(mutex_);
    if (reactor_ != nullptr) session_ = session;
  }
  absl::Status status = session->RegisterProgram(kProgram, std::move(module), entry);
  engine::Handle next = 1;
  for (const v1::Literal& argument : request.arguments()) {
    rpc_.instruments.inline_in_bytes.Add(argument.data().size());
    if (!status.ok()) break;
    absl::StatusOr<ir::Literal> value = ir::FromProto(argument);
    status = value.ok() ? session->Put(next, *std::move(value), request.device())
                        : Annotate(value.status(), absl::StrCat("argument ", inputs.size()));
    inputs.push_back(next++);
  }
  for (engine::Handle& output : outputs) output = next++;
  if (status.ok()) {
    // Nothing else can use the arguments, so all of them are donated.
    std::vector<uint32_t> all(inputs.size());
    std::iota(all.begin(), all.end(), 0);
    status = session->Execute(kProgram, inputs, outputs, request.device(), {.donated = all});
  }
  MutexLock lock(mutex_);
  if (status.ok() && reactor_ == nullptr) status = absl::CancelledError("the client gave up");
  if (!status.ok()) {
    session->Close("the call has ended");
    return status;
  }
  return outputs;
}

void RunCall::OnFetched(size_t index, const engine::FetchResult& result) {
  if (!result.array.ok()) return Finish(result.array.status());
  v1::Literal literal;
  *literal.mutable_type() = ir::ToProto(result.array->type);
  const absl::string_view bytes = result.array->bytes.view;
  {
    MutexLock lock(mutex_);
    if (reactor_ == nullptr) return;
    reply_bytes_ += bytes.size();
    execution_ = ToProto(result.execution);
  }
  const auto limit = static_cast<uint64_t>(rpc_.options.max_message_bytes);
  if (bytes.size() > limit) {
    return Finish(absl::ResourceExhaustedError(absl::StrCat("result ", index, " has ", bytes.size(),
                                                            " bytes; a reply holds at most ", limit,
                                                            ". Use Channel and Download")));
  }
  literal.set_data(bytes.data(), bytes.size());
  bool last, too_large;
  {
    MutexLock lock(mutex_);
    if (reactor_ == nullptr) return;
    results_[index] = std::move(literal);
    last = --missing_ == 0;
    too_large = reply_bytes_ > limit;
  }
  if (too_large) {
    Finish(absl::ResourceExhaustedError(absl::StrCat("the results have more than ", limit,
                                                     " bytes together. Use Channel and Download")));
  } else if (last) {
    Finish(absl::OkStatus());
  }
}

void RunCall::Finish(const absl::Status& status) {
  Reactor* reactor;
  std::shared_ptr<engine::Session> session;
  {
    MutexLock lock(mutex_);
    reactor = std::exchange(reactor_, nullptr);
    session = std::exchange(session_, nullptr);
    if (reactor != nullptr && status.ok()) {
      rpc_.instruments.inline_out_bytes.Add(reply_bytes_);
      v1::RunReply reply;
      for (v1::Literal& result : results_) *reply.add_results() = std::move(result);
      *reply.mutable_execution() = std::move(execution_);
      bool owned = false;
      // Serialization into fresh slices cannot fail.
      (void)grpc::SerializationTraits<v1::RunReply>::Serialize(reply, reply_, &owned);
    }
  }
  if (reactor != nullptr) reactor->Finish(ToGrpc(status));
  if (session == nullptr) return;
  if (!status.ok()) LogRequestFailed(session->id(), "run", 0, status);
  session->Close("the call has ended");
}

}  // namespace acceld::rpc

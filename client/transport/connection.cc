#include "client/transport/connection.h"

#include <atomic>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/transport/bulk.h"
#include "client/transport/convert.h"
#include "client/transport/outbox.h"
#include "client/transport/pending.h"
#include "client/transport/status_codes.h"
#include "client/transport/transport_thread.h"
#include "common/future.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"

namespace acceld::client {

namespace {

constexpr uint32_t kProtocolVersion = 1;
constexpr std::chrono::seconds kUnaryTimeout{10};

std::shared_ptr<grpc::Channel> MakeChannel(const Address& address) {
  grpc::ChannelArguments arguments;
  // Each session has connections of its own, and they never leave the machine.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 20);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 20);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 200);
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  return grpc::CreateCustomChannel(address.ToString(), grpc::InsecureChannelCredentials(),
                                   arguments);
}

absl::Status NobodyAnswers(const Address& address, absl::string_view why) {
  return absl::UnavailableError(absl::StrCat(
      "no acceld daemon answers at ", address.ToString(), " (", why, "); start one with `acceld",
      address.ToString() == DefaultAddress() ? "" : absl::StrCat(" --listen ", address.ToString()),
      "`, or name another address in ACCELD_ADDRESS"));
}

CommandOutbox::WhenFull WhenFullHere() {
  return TransportThread::IsCurrent() ? CommandOutbox::WhenFull::kGrow
                                      : CommandOutbox::WhenFull::kBlock;
}

}  // namespace

class Connection::Impl {
 public:
  explicit Impl(const Options& options)
      : options_(options),
        address_(options.address.ToString()),
        channel_(MakeChannel(options.address)),
        stub_(v1::Acceld::NewStub(channel_)),
        unready_fetches_(options.max_fetch_bytes / 2),
        ready_fetches_(options.max_fetch_bytes / 2) {}

  ~Impl() {
    Close(absl::UnavailableError("the client was closed"));
    if (writer_.joinable()) writer_.join();
    if (reader_.joinable()) reader_.join();
  }

  absl::Status Open();
  void Close(const absl::Status& reason);
  template <typename Reply, typename Request>
  absl::StatusOr<Reply> Ask(grpc::Status (v1::Acceld::Stub::*method)(grpc::ClientContext*,
                                                                     const Request&, Reply*),
                            const Request& request) const;
  void SendRequest(v1::Command command, uint64_t request_id, PendingRequests::Callback done);
  uint64_t NextId() { return next_id_.fetch_add(1, std::memory_order_relaxed); }

  void RunWriter();
  void RunReader();
  void Handle(v1::Event& event);

  const Options options_;
  const std::string address_;
  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<v1::Acceld::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::CommandBatch, v1::EventBatch>> stream_;
  CommandOutbox outbox_{1};  // Only Hello may leave before Welcome names the window.
  PendingRequests pending_;
  ByteWindow unready_fetches_, ready_fetches_;
  std::atomic<uint64_t> next_id_{1};
  Promise<v1::Welcome> welcome_promise_;  // Reader thread.
  Future<v1::Welcome> welcome_ = welcome_promise_.future();
  bool welcomed_ = false;  // Reader thread.
  Promise<Unit> writer_done_promise_;
  Event writer_done_ = writer_done_promise_.future();
  std::thread writer_, reader_;
  std::unique_ptr<BulkTransfers> bulk_;  // After Open; last, its threads use the rest.
};

absl::Status Connection::Impl::Open() {
  const auto deadline = std::chrono::system_clock::now() + options_.connect_timeout;
  if (!options_.wait_for_daemon) {
    const absl::Status probe = Probe(options_.address);
    if (absl::IsNotFound(probe)) return NobodyAnswers(options_.address, "there is no such socket");
    if (absl::IsUnavailable(probe)) return NobodyAnswers(options_.address, "nobody listens there");
    ACCELD_RETURN_IF_ERROR(probe);
  }
  if (!channel_->WaitForConnected(deadline)) {
    return NobodyAnswers(options_.address,
                         absl::StrCat("tried for ", options_.connect_timeout.count(), " ms"));
  }
  v1::Command hello;
  hello.mutable_hello()->set_protocol_version(kProtocolVersion);
  hello.mutable_hello()->set_client_name(options_.client_name);
  hello.mutable_hello()->set_priority(ToProto(options_.priority));
  ACCELD_RETURN_IF_ERROR(outbox_.Append(std::move(hello), CommandOutbox::WhenFull::kGrow).status());
  stream_ = stub_->Channel(&context_);
  writer_ = std::thread([this] { RunWriter(); });
  reader_ = std::thread([this] { RunReader(); });
  const auto* welcome =
      welcome_.AwaitUntil(std::chrono::steady_clock::now() + options_.connect_timeout);
  if (welcome == nullptr) return NobodyAnswers(options_.address, "it accepts but says nothing");
  ACCELD_RETURN_IF_ERROR(welcome->status());
  bulk_ =
      std::make_unique<BulkTransfers>(MakeChannel(options_.address), (*welcome)->session_token());
  return absl::OkStatus();
}

void Connection::Impl::Close(const absl::Status& reason) {
  outbox_.Fail(reason);
  context_.TryCancel();
  if (bulk_ != nullptr) bulk_->Cancel();
  pending_.Fail(outbox_.status());
}

void Connection::Impl::RunWriter() {
  v1::CommandBatch batch;
  while (outbox_.Take(batch) && stream_->Write(batch)) {
  }
  writer_done_promise_.Set(Unit{});
}

void Connection::Impl::RunReader() {
  TransportThread scope;
  v1::EventBatch events;
  while (stream_->Read(&events)) {
    for (v1::Event& event : *events.mutable_events()) Handle(event);
  }
  // Only Finish knows why the stream ended, and no write may run beside it.
  outbox_.Interrupt();
  (void)writer_done_.Await();
  const absl::Status finished = StatusFromGrpc(stream_->Finish());
  // Keeps the reason of a Close, if that is what ended it.
  outbox_.Fail(absl::UnavailableError(
      absl::StrCat("the session with ", address_, " has ended",
                   finished.ok() ? "" : absl::StrCat(": ", finished.ToString()))));
  if (!welcomed_) welcome_promise_.Set(finished.ok() ? outbox_.status() : finished);
  pending_.Fail(outbox_.status());
  if (bulk_ != nullptr) bulk_->Cancel();
}

void Connection::Impl::Handle(v1::Event& event) {
  switch (event.event_case()) {
    case v1::Event::kWelcome: {
      if (welcomed_) return;
      welcomed_ = true;
      outbox_.SetWindow(event.welcome().command_window());
      welcome_promise_.Set(std::move(*event.mutable_welcome()));
      return;
    }
    case v1::Event::kReady: {
      v1::Ready& ready = *event.mutable_ready();
      pending_.Complete(ready.request_id(),
                        {.status = StatusFromWire(ready.code(), ready.message()),
                         .execution = FromProto(ready.execution()),
                         .data = std::move(*ready.mutable_data()),
                         .transfer_id = ready.transfer_id()});
      return;
    }
    case v1::Event::kCompileDone: {
      const v1::CompileDone& compiled = event.compile_done();
      pending_.Complete(compiled.request_id(),
                        {.status = StatusFromWire(compiled.code(), compiled.message()),
                         .execution = FromProto(compiled.execution())});
      return;
    }
    case v1::Event::kCredit:
      outbox_.Credit(event.credit().commands());
      return;
    case v1::Event::EVENT_NOT_SET:
      return;  // An event of a later protocol.
  }
}

void Connection::Impl::SendRequest(v1::Command command, uint64_t request_id,
                                   PendingRequests::Callback done) {
  pending_.Add(request_id, std::move(done));
  const absl::Status appended = outbox_.Append(std::move(command), WhenFullHere()).status();
  if (!appended.ok()) pending_.Complete(request_id, {.status = appended});
}

template <typename Reply, typename Request>
absl::StatusOr<Reply> Connection::Impl::Ask(
    grpc::Status (v1::Acceld::Stub::*method)(grpc::ClientContext*, const Request&, Reply*),
    const Request& request) const {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kUnaryTimeout);
  Reply reply;
  ACCELD_RETURN_IF_ERROR(StatusFromGrpc((*stub_.*method)(&context, request, &reply)));
  return reply;
}

absl::StatusOr<std::shared_ptr<Connection>> Connection::Open(const Options& options) {
  auto impl = std::make_unique<Impl>(options);
  ACCELD_RETURN_IF_ERROR(impl->Open());
  return std::shared_ptr<Connection>(new Connection(std::move(impl)));
}

Connection::Connection(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Connection::~Connection() {
  // The last owner may be a callback on one of our own threads, which cannot join itself.
  if (TransportThread::IsCurrent()) std::thread([impl = std::move(impl_)] {}).detach();
}

const v1::Welcome& Connection::welcome() const { return *impl_->welcome_.Await(); }
const std::string& Connection::address() const { return impl_->address_; }
absl::Status Connection::status() const { return impl_->outbox_.status(); }
void Connection::Close(const absl::Status& reason) { impl_->Close(reason); }
uint64_t Connection::NextId() { return impl_->NextId(); }

absl::Status Connection::Append(v1::Command command) {
  return impl_->outbox_.Append(std::move(command), WhenFullHere()).status();
}

absl::Status Connection::Register(v1::RegisterProgram program) {
  v1::Command command;
  *command.mutable_register_program() = std::move(program);
  return impl_->outbox_.Append(std::move(command), CommandOutbox::WhenFull::kGrow).status();
}

absl::Status Connection::AppendExecute(uint64_t program_id, absl::Span<const uint64_t> inputs,
                                       absl::Span<const uint64_t> outputs, uint32_t device) {
  return impl_->outbox_.AppendExecute(program_id, inputs, outputs, device, WhenFullHere());
}

void Connection::Release(uint64_t handle) { impl_->outbox_.Release(handle); }

void Connection::Await(uint64_t handle, OnExecution done) {
  v1::Command command;
  const uint64_t id = impl_->NextId();
  command.mutable_await()->set_request_id(id);
  command.mutable_await()->set_handle(handle);
  impl_->SendRequest(std::move(command), id, [done = std::move(done)](Answer answer) {
    if (!answer.status.ok()) return done(answer.status);
    done(std::move(answer.execution));
  });
}

void Connection::Compile(v1::Compile compile, OnExecution done) {
  const uint64_t id = impl_->NextId();
  compile.set_request_id(id);
  v1::Command command;
  *command.mutable_compile() = std::move(compile);
  impl_->SendRequest(std::move(command), id, [done = std::move(done)](Answer answer) {
    if (!answer.status.ok()) return done(answer.status);
    done(std::move(answer.execution));
  });
}

void Connection::Fetch(uint64_t handle, OnBytes done) {
  v1::Command command;
  const uint64_t id = impl_->NextId();
  command.mutable_fetch()->set_request_id(id);
  command.mutable_fetch()->set_handle(handle);
  impl_->SendRequest(std::move(command), id,
                     [impl = impl_.get(), done = std::move(done)](Answer answer) {
                       if (!answer.status.ok()) return done(answer.status);
                       if (answer.transfer_id == 0) return done(std::move(answer.data));
                       impl->bulk_->Download(answer.transfer_id, done);
                     });
}

ByteWindow& Connection::unready_fetches() { return impl_->unready_fetches_; }
ByteWindow& Connection::ready_fetches() { return impl_->ready_fetches_; }

absl::Status Connection::Upload(v1::BeginUpload begin, absl::string_view bytes,
                                std::function<void()> release) {
  const uint64_t handle = begin.handle();
  v1::Command command;
  *command.mutable_begin_upload() = std::move(begin);
  absl::StatusOr<uint64_t> number = impl_->outbox_.Append(std::move(command), WhenFullHere());
  if (!number.ok()) {
    release();
    return number.status();
  }
  Impl* impl = impl_.get();
  impl->bulk_->Upload(
      handle, bytes, [impl, number = *number] { return impl->outbox_.WaitCredited(number); },
      [impl, release = std::move(release)](absl::Status status) {
        release();
        // The daemon knows of every failure but that of a stream that never reached it.
        if (absl::IsUnavailable(status)) impl->Close(Annotate(status, "an upload broke"));
      });
  return absl::OkStatus();
}

absl::StatusOr<v1::ListDevicesReply> Connection::ListDevices() const {
  return impl_->Ask(&v1::Acceld::Stub::ListDevices, v1::ListDevicesRequest());
}
absl::StatusOr<v1::Stats> Connection::GetStats() const {
  return impl_->Ask(&v1::Acceld::Stub::GetStats, v1::GetStatsRequest());
}
absl::StatusOr<v1::ListSessionsReply> Connection::ListSessions() const {
  return impl_->Ask(&v1::Acceld::Stub::ListSessions, v1::ListSessionsRequest());
}
absl::StatusOr<v1::ListCacheReply> Connection::ListCache(
    const v1::ListCacheRequest& request) const {
  return impl_->Ask(&v1::Acceld::Stub::ListCache, request);
}

}  // namespace acceld::client

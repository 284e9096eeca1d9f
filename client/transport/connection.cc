#include "client/transport/connection.h"

#include <atomic>
#include <thread>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "client/transport/bulk/bulk.h"
#include "client/transport/channel/end_session_call.h"
#include "client/transport/channel/outbox.h"
#include "client/transport/channel/request_table.h"
#include "client/transport/channel/session_link.h"
#include "client/transport/channel/transport_thread.h"
#include "client/transport/dial/dial.h"
#include "client/transport/dial/keep_grpc.h"
#include "client/transport/session_trace.h"
#include "client/transport/status_codes.h"
#include "common/api/wire.h"
#include "common/ir/wire/signature_wire.h"
#include "common/ir/wire/wire.h"
#include "common/op_origin.h"
#include "common/threads/future.h"
#include "common/utf8.h"

namespace acceld::client {

namespace {

constexpr uint32_t kProtocolVersion = 1;
// How long an upload waits for the daemon's answer whether it has the bytes already. The wait must
// be bounded: the daemon reads no commands while too many requests of the session are in progress,
// and these may be waiting for the array of this upload.
constexpr std::chrono::seconds kOfferPatience{1};

CommandOutbox::WhenFull WhenFullHere() {
  return TransportThread::IsCurrent() ? CommandOutbox::WhenFull::kGrow
                                      : CommandOutbox::WhenFull::kBlock;
}

// Returns whether a transfer may have ended with this status because its own stream broke, or the
// session's stream, with which the daemon also drops its side of the transfer.
bool IsBrokenStreamError(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsCancelled(status) || absl::IsInternal(status) ||
         absl::IsUnknown(status) || absl::IsNotFound(status);
}

}  // namespace

class Connection::Impl : public SessionLink::Handler {
 public:
  explicit Impl(const Options& options)
      : options_(options),
        address_(options.attempt.address.ToString()),
        dialer_(options.attempt.address, options.secrets, options.lease),
        unready_fetches_(options.max_fetch_bytes / 2),
        ready_fetches_(options.max_fetch_bytes / 2),
        link_(dialer_, outbox_, *this, local_socket()) {}

  ~Impl() override {
    Close(absl::UnavailableError("the client was closed"));
    // The threads of link_ and bulk_ use both objects, so all of them must end first.
    link_.Join();
    if (bulk_ != nullptr) bulk_->Join();
    // Waits for the EndSession call, which uses dialer_.
    end_session_call_ = nullptr;
  }

  absl::Status Open();
  void Close(const absl::Status& reason);
  void SendRequest(v1::Command command, uint64_t request_id, RequestTable::Callback done);
  // Appends the command of a request that is in `pending_`.
  void AppendRequest(uint64_t request_id, v1::Command command, CommandOutbox::WhenFull when_full);
  // When a stream breaks, the bytes are asked for anew until `give_up`; by default for as long as
  // the session's lease.
  void Fetch(uint64_t request_id, uint64_t handle, Lapses lapses,
             std::chrono::steady_clock::time_point give_up, std::shared_ptr<ByteSink> sink,
             OnDone done);
  absl::Status Register(uint64_t program_id, const Digest& fingerprint, Serialize serialize);
  uint64_t NextId() { return next_id_.fetch_add(1, std::memory_order_relaxed); }
  void Serve(absl::Span<const uint64_t> requests, absl::FunctionRef<bool()> done) {
    link_.Serve(requests, done);
  }
  void ServeBriefly(absl::Span<const uint64_t> requests, absl::FunctionRef<bool()> done) {
    link_.ServeBriefly(requests, done);
  }

  Answer AnswerOf(const v1::CompileDone& compiled) const;
  void OnEvent(v1::Event& event) override;
  bool ExpectsEvents() const override;
  void OnResumed(uint64_t commands_taken) override;
  void OnEnd(const absl::Status& reason) override;

  // Returns the status in an answer (Ready or CompileDone), with the source location of the op that
  // it is about.
  template <typename Event>
  absl::Status StatusOf(const Event& event) const;
  void SendProgram(uint64_t program_id);
  void OnCallbacksDone(const v1::CallbacksDone& done);
  // Asks the daemon whether it has these bytes, and has therefore defined the array without an
  // upload. Blocks for at most kOfferPatience.
  bool HasContent(uint64_t handle, absl::string_view bytes);
  // Returns the unix socket of a daemon on this host; empty if only gRPC is to be used.
  SocketEndpoint local_socket() const {
    return {options_.local_transport ? options_.attempt.address.unix_path : "",
            options_.secrets.socket_users};
  }
  bool may_resume() const { return welcome_.lease_ms() > 0; }

  const Options options_;
  const std::string address_;
  Dialer dialer_;
  v1::Welcome welcome_;      // Constant after Open.
  CommandOutbox outbox_{1};  // Nothing is sent before Welcome sets the window.
  RequestTable pending_;
  ByteWindow unready_fetches_, ready_fetches_;
  std::atomic<uint64_t> next_id_{1};
  std::atomic<bool> ended_{false};
  Mutex mutex_;
  // Programs that were registered by fingerprint only, by their numbers.
  absl::flat_hash_map<uint64_t, Serialize> announced_ ABSL_GUARDED_BY(mutex_);
  // Numbers from NextId: of the last announced program and of the last answered request. The answer
  // to a request that was sent after the announcement shows that the daemon has the program.
  std::atomic<uint64_t> last_announced_{0}, last_answered_{0};
  std::unique_ptr<EndSessionCall> end_session_call_;  // Created by Close.
  std::unique_ptr<BulkTransfers> bulk_;  // Created by Open; its threads use the members above.
  SessionLink link_;                     // Its threads use all members above.
};

absl::Status Connection::Impl::Open() {
  ACCELD_RETURN_IF_ERROR(AwaitDaemon(dialer_, options_.attempt));
  v1::Hello hello;
  hello.set_protocol_version(kProtocolVersion);
  hello.set_client_name(options_.client_name);
  hello.set_priority(ToProto(options_.priority));
  if (options_.device_kind.has_value()) hello.set_device_kind(*options_.device_kind);
  hello.set_lease_ms(static_cast<uint32_t>(options_.lease.count()));
  const absl::StatusOr<v1::Welcome>* welcome =
      link_.Open(std::move(hello), std::chrono::steady_clock::now() + options_.attempt.timeout);
  if (welcome == nullptr) return NoDaemonError(options_.attempt, "it accepts but says nothing");
  ACCELD_RETURN_IF_ERROR(AdviseOnSecrets(welcome->status(), options_.secrets));
  welcome_ = **welcome;
  bulk_ = std::make_unique<BulkTransfers>(
      std::make_unique<Dialer>(options_.attempt.address, options_.secrets, options_.lease),
      welcome_.session_token(), welcome_.local_transport() ? local_socket() : SocketEndpoint(),
      std::chrono::milliseconds(welcome_.lease_ms()));
  return absl::OkStatus();
}

void Connection::Impl::Close(const absl::Status& reason) {
  outbox_.Fail(reason);
  if (may_resume() && !ended_.exchange(true)) {
    end_session_call_ = std::make_unique<EndSessionCall>(dialer_, welcome_.session_token());
  }
  link_.Close();
  if (bulk_ != nullptr) bulk_->Cancel();
  pending_.Fail(outbox_.status());
  if (options_.host_calls != nullptr) options_.host_calls->OnSessionEnd(outbox_.status());
}

void Connection::Impl::OnEnd(const absl::Status& reason) {
  ended_ = true;
  // If Close has ended the session, the outbox keeps that reason.
  outbox_.Fail(reason);
  pending_.Fail(outbox_.status());
  if (bulk_ != nullptr) bulk_->Cancel();
  if (options_.host_calls != nullptr) options_.host_calls->OnSessionEnd(outbox_.status());
}

void Connection::Impl::OnResumed(uint64_t commands_taken) {
  outbox_.Resume(commands_taken);
  // Their answers may have been lost with the stream.
  for (auto& [request_id, command] : pending_.Resume(commands_taken)) {
    AppendRequest(request_id, std::move(command), CommandOutbox::WhenFull::kGrow);
  }
}

bool Connection::Impl::ExpectsEvents() const {
  return !pending_.empty() || outbox_.IsBlocked() || last_announced_ > last_answered_ ||
         (options_.host_calls != nullptr && options_.host_calls->ExpectsEvents());
}

template <typename Event>
absl::Status Connection::Impl::StatusOf(const Event& event) const {
  absl::Status status = StatusFromWire(event.code(), event.message());
  const absl::optional<Digest> program = Digest::FromBytes(event.origin().program());
  if (!program.has_value()) return status;
  return options_.locate(InProgram(WithOp(std::move(status), event.origin().op()), *program));
}

Answer Connection::Impl::AnswerOf(const v1::CompileDone& compiled) const {
  Answer answer{.status = StatusOf(compiled),
                .execution = FromProto(compiled.execution()),
                .explanation = FromProto(compiled.explanation()),
                .memory = compiled.has_memory() ? absl::make_optional(FromProto(compiled.memory()))
                                                : absl::nullopt};
  const auto read = [&](const auto& proto, auto& to) {
    auto value = ir::FromProto(proto);
    if (!value.ok()) {
      answer.status = Annotate(value.status(), "CompileDone");
      return;
    }
    to = std::make_shared<typename std::decay_t<decltype(value)>::value_type>(*std::move(value));
  };
  if (compiled.has_signature() && answer.status.ok()) read(compiled.signature(), answer.signature);
  if (compiled.has_partitioned() && answer.status.ok()) {
    read(compiled.partitioned(), answer.partitioned);
  }
  return answer;
}

void Connection::Impl::OnEvent(v1::Event& event) {
  switch (event.event_case()) {
    case v1::Event::kReady: {
      v1::Ready& ready = *event.mutable_ready();
      last_answered_ = ready.request_id();
      pending_.Complete(ready.request_id(), {.status = StatusOf(ready),
                                             .execution = FromProto(ready.execution()),
                                             .data = std::move(*ready.mutable_data()),
                                             .transfer_id = ready.transfer_id()});
      return;
    }
    case v1::Event::kCompileDone:
      pending_.Complete(event.compile_done().request_id(), AnswerOf(event.compile_done()));
      return;
    case v1::Event::kOpened: {
      v1::Opened& opened = *event.mutable_opened();
      pending_.Complete(opened.request_id(),
                        {.status = StatusFromWire(opened.code(), opened.message()),
                         .type = std::move(*opened.mutable_type()),
                         .device = opened.device()});
      return;
    }
    case v1::Event::kCredit:
      outbox_.Credit(event.credit().commands());
      return;
    case v1::Event::kNeedProgram:
      SendProgram(event.need_program().program_id());
      return;
    case v1::Event::kHostCall:
      if (options_.host_calls != nullptr) {
        options_.host_calls->OnHostCall(std::move(*event.mutable_host_call()));
      }
      return;
    case v1::Event::kCallbacksDone:
      OnCallbacksDone(event.callbacks_done());
      return;
    case v1::Event::kWelcome:
    case v1::Event::kGoodbye:
    case v1::Event::EVENT_NOT_SET:
      return;  // Handled by the link, or events of a later protocol.
  }
}

void Connection::Impl::OnCallbacksDone(const v1::CallbacksDone& done) {
  if (options_.host_calls == nullptr) return;
  options_.host_calls->OnCallbacksDone(done.callbacks(),
                                       StatusFromWire(done.code(), done.message()));
  if (!may_resume()) return;
  v1::Command command;
  command.mutable_forget_callbacks()->add_callbacks(done.callbacks());
  (void)outbox_.Append(std::move(command), CommandOutbox::WhenFull::kGrow);
}

absl::Status Connection::Impl::Register(uint64_t program_id, const Digest& fingerprint,
                                        Serialize serialize) {
  v1::Command command;
  v1::RegisterProgram& program = *command.mutable_register_program();
  program.set_program_id(program_id);
  program.set_fingerprint(std::string(fingerprint.AsBytes()));
  {
    MutexLock lock(mutex_);
    announced_.emplace(program_id, std::move(serialize));
    last_announced_ = program_id;
  }
  return outbox_.Append(std::move(command), CommandOutbox::WhenFull::kGrow).status();
}

void Connection::Impl::SendProgram(uint64_t program_id) {
  Serialize serialize;
  {
    MutexLock lock(mutex_);
    const auto found = announced_.find(program_id);
    if (found == announced_.end()) return;
    serialize = found->second;
  }
  auto bytes = std::make_shared<std::string>();
  bulk_->Upload(
      {.program_id = program_id},
      [serialize, bytes]() -> absl::StatusOr<UploadSource> {
        *bytes = serialize();
        return UploadSource{*bytes};
      },
      [this, bytes](absl::Status status) {
        if (absl::IsUnavailable(status)) Close(Annotate(status, "the upload of a program broke"));
      });
}

void Connection::Impl::SendRequest(v1::Command command, uint64_t request_id,
                                   RequestTable::Callback done) {
  v1::Command copy;
  if (may_resume()) copy = command;
  if (!pending_.Add(request_id, std::move(copy), done)) return done({.status = outbox_.status()});
  AppendRequest(request_id, std::move(command), WhenFullHere());
}

void Connection::Impl::AppendRequest(uint64_t request_id, v1::Command command,
                                     CommandOutbox::WhenFull when_full) {
  absl::StatusOr<uint64_t> number = outbox_.Append(std::move(command), when_full);
  while (number.ok() && may_resume()) {
    absl::optional<v1::Command> again = pending_.NoteNumber(request_id, *number);
    if (!again.has_value()) return;
    number = outbox_.Append(*std::move(again), CommandOutbox::WhenFull::kGrow);
  }
  if (!number.ok()) pending_.Complete(request_id, {.status = number.status()});
}

void Connection::Impl::Fetch(uint64_t request_id, uint64_t handle, Lapses lapses,
                             std::chrono::steady_clock::time_point give_up,
                             std::shared_ptr<ByteSink> sink, OnDone done) {
  v1::Command command;
  command.mutable_fetch()->set_request_id(request_id);
  command.mutable_fetch()->set_handle(handle);
  command.mutable_fetch()->set_lapses(lapses == Lapses::kYes);
  SendRequest(std::move(command), request_id,
              [this, handle, lapses, give_up, sink = std::move(sink),
               done = std::move(done)](const Answer& answer) {
                if (!answer.status.ok()) return done(answer.status);
                if (answer.transfer_id == 0) {
                  const absl::Status taken = sink->Append(answer.data);
                  return done(taken.ok() ? sink->Finish() : taken);
                }
                bulk_->Download(
                    answer.transfer_id, sink,
                    [this, handle, lapses, give_up, sink, done](const absl::Status& status) {
                      // Each transfer can be received only once, so a broken one is requested
                      // again.
                      const auto now = std::chrono::steady_clock::now();
                      const bool first = give_up == std::chrono::steady_clock::time_point();
                      const auto until =
                          first ? now + std::chrono::milliseconds(welcome_.lease_ms()) : give_up;
                      if (!IsBrokenStreamError(status) || now >= until || !outbox_.status().ok()) {
                        return done(status);
                      }
                      Fetch(NextId(), handle, lapses, until, sink, done);
                    });
              });
}

bool Connection::Impl::HasContent(uint64_t handle, absl::string_view bytes) {
  v1::Command command;
  const uint64_t id = NextId();
  command.mutable_offer_content()->set_request_id(id);
  command.mutable_offer_content()->set_handle(handle);
  command.mutable_offer_content()->set_digest(std::string(ContentDigestOf(bytes).AsBytes()));
  auto promise = std::make_shared<Promise<Unit>>();
  const Event known = promise->future();
  SendRequest(std::move(command), id, [promise](const Answer& answer) {
    promise->Set(answer.status.ok() ? absl::StatusOr<Unit>(Unit{}) : answer.status);
  });
  const absl::StatusOr<Unit>* answer =
      known.AwaitUntil(std::chrono::steady_clock::now() + kOfferPatience);
  return answer != nullptr && answer->ok();
}

absl::StatusOr<std::shared_ptr<Connection>> Connection::Open(const Options& options) {
  KeepGrpc();
  auto impl = std::make_unique<Impl>(options);
  ACCELD_RETURN_IF_ERROR(impl->Open());
  return std::shared_ptr<Connection>(new Connection(std::move(impl)));
}

Connection::Connection(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Connection::~Connection() {
  // The last owner may be a callback on one of the connection's own threads, which cannot join
  // itself.
  if (TransportThread::IsCurrent()) std::thread([impl = std::move(impl_)] {}).detach();
}

const v1::Welcome& Connection::welcome() const { return impl_->welcome_; }
const std::string& Connection::address() const { return impl_->address_; }
bool Connection::may_resume() const { return impl_->may_resume(); }
absl::Status Connection::status() const { return impl_->outbox_.status(); }
void Connection::Close(const absl::Status& reason) { impl_->Close(reason); }
uint64_t Connection::NextId() { return impl_->NextId(); }

absl::Status Connection::Append(v1::Command command) {
  return impl_->outbox_.Append(std::move(command), WhenFullHere()).status();
}

absl::Status Connection::AppendUnblocked(v1::Command command) {
  return impl_->outbox_.Append(std::move(command), CommandOutbox::WhenFull::kGrow).status();
}

absl::Status Connection::Register(v1::RegisterProgram program) {
  v1::Command command;
  *command.mutable_register_program() = std::move(program);
  return impl_->outbox_.Append(std::move(command), CommandOutbox::WhenFull::kGrow).status();
}

absl::Status Connection::Announce(uint64_t program_id, const Digest& fingerprint,
                                  Serialize serialize) {
  return impl_->Register(program_id, fingerprint, std::move(serialize));
}

void Connection::ServeBriefly(absl::Span<const uint64_t> requests, absl::FunctionRef<bool()> done) {
  impl_->ServeBriefly(requests, done);
}
void Connection::Serve(absl::Span<const uint64_t> requests, absl::FunctionRef<bool()> done) {
  impl_->Serve(requests, done);
}

absl::Status Connection::AppendExecute(uint64_t program_id, absl::Span<const uint64_t> inputs,
                                       absl::Span<const uint64_t> outputs, uint32_t device,
                                       absl::optional<uint32_t> timeout_ms,
                                       absl::Span<const uint32_t> donated, uint64_t callbacks,
                                       absl::optional<Priority> priority) {
  if (!timeout_ms.has_value() && callbacks == 0 && !priority.has_value()) {
    return impl_->outbox_.AppendExecute(program_id, inputs, outputs, device, donated,
                                        WhenFullHere());
  }
  v1::Command command;
  v1::Execute& execute = *command.mutable_execute();
  execute.set_program_id(program_id);
  execute.mutable_inputs()->Add(inputs.begin(), inputs.end());
  execute.mutable_outputs()->Add(outputs.begin(), outputs.end());
  execute.set_device(device);
  if (timeout_ms.has_value()) execute.set_timeout_ms(*timeout_ms);
  execute.mutable_donated()->Add(donated.begin(), donated.end());
  execute.set_callbacks(callbacks);
  if (priority.has_value()) execute.set_priority(ToProto(*priority));
  return Append(std::move(command));
}

absl::Status Connection::AppendExecuteSharded(v1::ExecuteSharded execute) {
  v1::Command command;
  *command.mutable_execute_sharded() = std::move(execute);
  return Append(std::move(command));
}

absl::Status Connection::Cancel(absl::Span<const uint64_t> handles, absl::string_view reason) {
  v1::Command command;
  v1::Cancel& cancel = *command.mutable_cancel();
  cancel.mutable_handles()->Add(handles.begin(), handles.end());
  cancel.set_reason(EscapeNonUtf8(reason));
  return impl_->outbox_.Append(std::move(command), CommandOutbox::WhenFull::kGrow).status();
}

void Connection::Release(uint64_t handle) { impl_->outbox_.Release(handle); }

uint64_t Connection::Await(uint64_t handle, OnExecution done, Lapses lapses) {
  v1::Command command;
  const uint64_t id = impl_->NextId();
  command.mutable_await()->set_request_id(id);
  command.mutable_await()->set_handle(handle);
  command.mutable_await()->set_lapses(lapses == Lapses::kYes);
  impl_->SendRequest(std::move(command), id, [done = std::move(done)](Answer answer) {
    if (!answer.status.ok()) return done(answer.status);
    done(std::move(answer.execution));
  });
  return id;
}

void Connection::Compile(v1::Compile compile, std::function<void(absl::StatusOr<Compiled>)> done) {
  const uint64_t id = impl_->NextId();
  compile.set_request_id(id);
  v1::Command command;
  *command.mutable_compile() = std::move(compile);
  impl_->SendRequest(std::move(command), id, [done = std::move(done)](Answer answer) {
    if (!answer.status.ok()) return done(answer.status);
    done(Compiled{{std::move(answer.execution), answer.memory}, std::move(answer.signature)});
  });
}

absl::StatusOr<std::vector<TraceSpan>> Connection::Trace(
    std::chrono::steady_clock::time_point since) {
  ACCELD_RETURN_IF_ERROR(status());
  return ReadSessionTrace(impl_->dialer_, impl_->welcome_.session_token(), since);
}

void Connection::Partition(v1::Compile compile,
                           std::function<void(absl::StatusOr<Partitioned>)> done) {
  const uint64_t id = impl_->NextId();
  compile.set_request_id(id);
  compile.set_partition(true);
  v1::Command command;
  *command.mutable_compile() = std::move(compile);
  impl_->SendRequest(std::move(command), id, [done = std::move(done)](Answer answer) {
    if (!answer.status.ok()) return done(answer.status);
    done(Partitioned{std::move(answer.signature), std::move(answer.partitioned)});
  });
}

void Connection::Explain(v1::Compile compile,
                         std::function<void(absl::StatusOr<CacheExplanation>)> done) {
  const uint64_t id = impl_->NextId();
  compile.set_request_id(id);
  compile.set_explain(true);
  v1::Command command;
  *command.mutable_compile() = std::move(compile);
  impl_->SendRequest(std::move(command), id, [done = std::move(done)](Answer answer) {
    if (!answer.status.ok()) return done(answer.status);
    done(std::move(answer.explanation));
  });
}

uint64_t Connection::Fetch(uint64_t handle, std::shared_ptr<ByteSink> sink, OnDone done,
                           Lapses lapses) {
  const uint64_t id = impl_->NextId();
  impl_->Fetch(id, handle, lapses, {}, std::move(sink), std::move(done));
  return id;
}

void Connection::Download(uint64_t transfer_id, std::shared_ptr<ByteSink> sink, OnDone done) {
  impl_->bulk_->Download(transfer_id, std::move(sink), std::move(done));
}

void Connection::Publish(v1::Publish publish, OnDone done) {
  const uint64_t id = impl_->NextId();
  publish.set_request_id(id);
  v1::Command command;
  *command.mutable_publish() = std::move(publish);
  impl_->SendRequest(std::move(command), id,
                     [done = std::move(done)](Answer answer) { done(answer.status); });
}

void Connection::OpenNamed(v1::OpenNamed open, OnOpened done) {
  const uint64_t id = impl_->NextId();
  open.set_request_id(id);
  v1::Command command;
  *command.mutable_open_named() = std::move(open);
  impl_->SendRequest(std::move(command), id, [done = std::move(done)](Answer answer) {
    if (!answer.status.ok()) return done(answer.status);
    done(Opened{std::move(answer.type), answer.device});
  });
}

void Connection::DropName(std::string name, OnDone done) {
  const uint64_t id = impl_->NextId();
  v1::Command command;
  command.mutable_drop_name()->set_request_id(id);
  command.mutable_drop_name()->set_name(std::move(name));
  impl_->SendRequest(std::move(command), id, [done = std::move(done)](const Answer& answer) {
    // The name was dropped by the first request, whose answer was lost.
    const bool dropped = answer.asked_again && absl::IsNotFound(answer.status);
    done(dropped ? absl::OkStatus() : answer.status);
  });
}

ByteWindow& Connection::unready_fetches() { return impl_->unready_fetches_; }
ByteWindow& Connection::ready_fetches() { return impl_->ready_fetches_; }

absl::Status Connection::Upload(v1::BeginUpload begin, const UploadSource& source, bool deduplicate,
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
      {.handle = handle},
      [impl, handle, number = *number, source, deduplicate]() -> absl::StatusOr<UploadSource> {
        if (deduplicate && impl->HasContent(handle, source.bytes)) {
          return absl::AlreadyExistsError("the daemon has the bytes");
        }
        ACCELD_RETURN_IF_ERROR(impl->outbox_.WaitCredited(number));
        return source;
      },
      [impl, release = std::move(release)](absl::Status status) {
        release();
        // The daemon knows about every failure except that of a stream that never reached it.
        if (absl::IsUnavailable(status)) impl->Close(Annotate(status, "an upload broke"));
      });
  return absl::OkStatus();
}

}  // namespace acceld::client

#include "server/rpc/channel_reactor.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/utf8.h"
#include "server/rpc/auth/refusal_log.h"
#include "server/rpc/call_counter.h"
#include "server/rpc/convert.h"
#include "server/rpc/status_codes.h"

namespace acceld::rpc {
namespace {

constexpr size_t kMaxBatchBytes = size_t{1} << 20;
// A client keeps what is not credited, to send it again after its stream broke.
constexpr size_t kMaxUncreditedBytes = size_t{4} << 20;
// How long a session may keep a thread that others could use.
constexpr std::chrono::milliseconds kTurn{1};
// Commands between two looks at the clock.
constexpr int kCommandsPerLook = 32;
// While a session has too many executions queued.
constexpr std::chrono::milliseconds kLookAgain{2};
// For the client to take its last events and to close the stream.
constexpr std::chrono::seconds kGoodbyePatience{5};

}  // namespace

ChannelStream* ChannelReactor::Start(const RpcContext& rpc, Caller caller) {
  std::shared_ptr<ChannelReactor> reactor(new ChannelReactor(rpc, std::move(caller)));
  reactor->self_ = reactor;
  reactor->StartRead(&reactor->incoming_);
  return reactor.get();
}

void ChannelReactor::OnReadDone(bool ok) {
  if (!ok) {
    absl::Status status;  // The client closed or is gone.
    {
      MutexLock lock(mutex_);
      if (last_words_.has_value()) status = *last_words_;
    }
    return Finish(status);
  }
  {
    MutexLock lock(mutex_);
    reading_ = false;
  }
  const size_t size_bytes = incoming_.Length();
  const grpc::Status decoded =
      grpc::SerializationTraits<v1::CommandBatch>::Deserialize(&incoming_, &batch_);
  if (!decoded.ok()) {
    return EndSession(absl::InvalidArgumentError("a message that is no CommandBatch"));
  }
  CountBatch(batch_, rpc_.instruments);
  if (session_ != nullptr) session_->RenewLease();
  uncredited_ += batch_.commands_size();
  uncredited_bytes_ += size_bytes;
  if (uncredited_ > rpc_.options.command_window) {
    const absl::Status beyond = absl::InvalidArgumentError(
        absl::StrCat(uncredited_, " commands sent beyond those credited; the window is ",
                     rpc_.options.command_window));
    NoteRefusal(observability::Refusal::kLimit, beyond);
    return EndSession(beyond);
  }
  next_command_ = 0;
  heavy_ = IsHeavy();
  if (heavy_) return QueueTurn();
  TakeTurn();
}

void ChannelReactor::EndSession(const absl::Status& why) {
  if (session_ != nullptr) {
    bool over;
    {
      MutexLock lock(mutex_);
      over = last_words_.has_value();
    }
    if (over) return ReadNext();  // A command of a session that was just ended.
    rpc_.sessions.End(session_, why);
  }
  Finish(why);
}

bool ChannelReactor::IsHeavy() {
  if (session_ != nullptr) return session_->IsHeavy(batch_);
  return batch_.commands_size() > 0 && batch_.commands(0).hello().has_resume();
}

void ChannelReactor::QueueTurn() {
  const absl::Status queued =
      rpc_.decoders.Submit([self = shared_from_this()] { self->TakeTurn(); });
  if (!queued.ok()) Finish(queued);
}

void ChannelReactor::TakeTurn() {
  {
    MutexLock lock(mutex_);
    if (ended_) return;                                                   // Between two turns.
    if (last_words_.has_value()) next_command_ = batch_.commands_size();  // Too late.
  }
  const auto end_of_turn = std::chrono::steady_clock::now() + kTurn;
  for (; next_command_ < batch_.commands_size(); ++next_command_) {
    if ((heavy_ || next_command_ % kCommandsPerLook == 0) &&
        std::chrono::steady_clock::now() > end_of_turn) {
      return QueueTurn();
    }
    v1::Command& command = *batch_.mutable_commands(next_command_);
    if (session_ == nullptr) {
      const absl::Status status = OnHello(command);
      if (!status.ok()) return Finish(status);
      continue;
    }
    const absl::StatusOr<ClientSession::Intake> taken = session_->Take(command, shared_from_this());
    if (absl::IsAborted(taken.status())) return Finish(taken.status());
    if (!taken.ok()) return EndSession(taken.status());
    if (*taken == ClientSession::Intake::kNeedsProgram) return;
    if (*taken == ClientSession::Intake::kEnded) break;
    upload_uncredited_ |= command.has_begin_upload();
  }
  if (upload_uncredited_ || uncredited_ > rpc_.options.command_window / 8 ||
      uncredited_bytes_ > kMaxUncreditedBytes) {
    Credit();
  }
  ReadNext();
}

absl::Status ChannelReactor::OnHello(const v1::Command& command) {
  if (!command.has_hello()) {
    return absl::InvalidArgumentError("the first command of a channel must be Hello");
  }
  const v1::Hello& hello = command.hello();
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<ClientSession> session,
                          hello.has_resume() ? rpc_.sessions.Resume(hello.resume(), caller_)
                                             : rpc_.sessions.Open(hello, caller_));
  {
    MutexLock lock(mutex_);
    session_ = session;
  }
  ACCELD_ASSIGN_OR_RETURN(const uint64_t commands_taken, session->Attach(shared_from_this()));
  v1::Event event;
  v1::Welcome& welcome = *event.mutable_welcome();
  const absl::string_view token = session->engine_session().token();
  welcome.set_session_token(token.data(), token.size());
  welcome.set_daemon_version(rpc_.options.version);
  welcome.set_incarnation(rpc_.engine.incarnation());
  for (const engine::DeviceInfo& device : rpc_.engine.Devices()) {
    *welcome.add_devices() = ToProto(device);
  }
  welcome.set_max_inline_bytes(rpc_.options.max_inline_bytes);
  welcome.set_command_window(rpc_.options.command_window);
  welcome.set_lease_ms(static_cast<uint32_t>(session->lease().count()));
  welcome.set_commands_taken(commands_taken);
  welcome.set_has_segments(rpc_.options.segment_bytes > 0);
  Send(std::move(event));
  bool ended;
  {
    MutexLock lock(mutex_);
    ended = ended_;
  }
  if (ended) LeaveSession();  // The stream broke while there was no session to leave.
  --uncredited_;              // Hello is not counted.
  return absl::OkStatus();
}

bool ChannelReactor::HoldsBack() {
  MutexLock lock(mutex_);
  // A client that does not take its events is not waited for.
  return !reading_ && event_bytes_ < rpc_.options.max_event_bytes;
}

void ChannelReactor::ContinueIntake() { QueueTurn(); }

void ChannelReactor::Credit() {
  v1::Event event;
  event.mutable_credit()->set_commands(std::exchange(uncredited_, 0));
  uncredited_bytes_ = 0;
  upload_uncredited_ = false;
  Send(std::move(event));
}

void ChannelReactor::ReadNext() {
  batch_.Clear();
  MutexLock lock(mutex_);
  paused_ = true;
  StartReadIfPaused();
}

bool ChannelReactor::MayRead() {
  // After a goodbye nothing is taken in; the read finds out when the client closes.
  if (last_words_.has_value()) return true;
  if (requests_ >= rpc_.options.max_requests || event_bytes_ >= rpc_.options.max_event_bytes) {
    return false;
  }
  if (session_ == nullptr ||
      static_cast<uint64_t>(session_->engine_session().queued()) < rpc_.options.max_executions) {
    return true;
  }
  // Nobody counts executions one by one for this.
  if (!std::exchange(looks_again_, true)) {
    (void)rpc_.timers.At(std::chrono::steady_clock::now() + kLookAgain,
                         [self = shared_from_this()] { self->LookAgain(); });
  }
  return false;
}

void ChannelReactor::LookAgain() {
  MutexLock lock(mutex_);
  looks_again_ = false;
  StartReadIfPaused();
}

void ChannelReactor::StartReadIfPaused() {
  if (ended_ || !paused_ || !MayRead()) return;
  paused_ = false;
  reading_ = true;
  StartRead(&incoming_);
}

void ChannelReactor::Send(v1::Event event) {
  const size_t size_bytes = event.ByteSizeLong();
  if (event.has_ready()) rpc_.instruments.inline_out_bytes.Add(event.ready().data().size());
  MutexLock lock(mutex_);
  if (ended_ || last_words_.has_value()) return;
  if (outgoing_.empty() || outgoing_.back().size_bytes + size_bytes > kMaxBatchBytes) {
    outgoing_.emplace_back();
  }
  *outgoing_.back().message.add_events() = std::move(event);
  outgoing_.back().size_bytes += size_bytes;
  event_bytes_ += size_bytes;
  StartWriteIfIdle();
}

void ChannelReactor::StartWriteIfIdle() {
  if (ended_ || write_in_flight_ || outgoing_.empty()) return;
  write_in_flight_ = true;
  writing_.Clear();
  bool owned = false;
  // Serialization into fresh slices cannot fail; a reader of an empty buffer sees no events.
  (void)grpc::SerializationTraits<v1::EventBatch>::Serialize(outgoing_.front().message, &writing_,
                                                             &owned);
  event_bytes_ -= outgoing_.front().size_bytes;
  outgoing_.pop_front();
  StartWrite(&writing_);
}

void ChannelReactor::OnWriteDone(bool ok) {
  MutexLock lock(mutex_);
  write_in_flight_ = false;
  if (!ok) return;  // The read fails too and ends the stream.
  StartWriteIfIdle();
  StartReadIfPaused();
}

void ChannelReactor::BeginRequest() {
  MutexLock lock(mutex_);
  ++requests_;
}

void ChannelReactor::EndRequest() {
  MutexLock lock(mutex_);
  --requests_;
  StartReadIfPaused();
}

void ChannelReactor::NoteRefusal(observability::Refusal reason, const absl::Status& why) {
  rpc::NoteRefusal(rpc_.instruments, reason, "Channel", caller_, why);
}

void ChannelReactor::SayGoodbye(const absl::Status& why) {
  v1::Event event;
  event.mutable_goodbye()->set_code(static_cast<uint32_t>(why.code()));
  event.mutable_goodbye()->set_message(EscapeNonUtf8(why.message()));
  Send(std::move(event));
  MutexLock lock(mutex_);
  if (ended_ || last_words_.has_value()) return;
  last_words_ = why;
  (void)rpc_.timers.At(std::chrono::steady_clock::now() + kGoodbyePatience,
                       [weak = weak_from_this(), why] {
                         if (const auto self = weak.lock(); self != nullptr) self->Finish(why);
                       });
  StartReadIfPaused();
}

void ChannelReactor::Displace(const absl::Status& why) { Finish(why); }

void ChannelReactor::Finish(const absl::Status& status) {
  LeaveSession();
  MutexLock lock(mutex_);
  if (std::exchange(ended_, true)) return;
  outgoing_.clear();
  ChannelStream::Finish(ToGrpc(status));
}

void ChannelReactor::LeaveSession() {
  std::shared_ptr<ClientSession> session;
  {
    MutexLock lock(mutex_);
    session = session_;
  }
  if (session != nullptr) rpc_.sessions.Detach(session, *this);
}

// Also when nothing is being read: the stream would otherwise never finish.
void ChannelReactor::OnCancel() { Finish(absl::CancelledError("the stream broke")); }

void ChannelReactor::OnDone() {
  LeaveSession();
  const std::shared_ptr<ChannelReactor> last = std::move(self_);
}

}  // namespace acceld::rpc

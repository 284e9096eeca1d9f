#include "server/rpc/channel/channel.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/api/wire.h"
#include "common/utf8.h"
#include "server/engine/sharing/requester.h"
#include "server/rpc/auth/refusal_log.h"
#include "server/rpc/call_counter.h"

namespace acceld::rpc {
namespace {

constexpr size_t kMaxBatchBytes = size_t{1} << 20;
// Credit is sent at the latest after this many bytes, because a client keeps uncredited commands to
// send them again after its stream broke.
constexpr size_t kMaxUncreditedBytes = size_t{4} << 20;
// A larger batch is charged to the client's memory while it is handled.
constexpr size_t kLargeBatchBytes = size_t{64} << 10;
// The time slice of a session on a thread that others could use.
constexpr std::chrono::milliseconds kTimeSlice{1};
// The number of commands after which the clock is read.
constexpr int kCommandsPerClockRead = 32;
// While a session has too many executions queued.
constexpr std::chrono::milliseconds kRetryRead{2};
// For the client to take its last events and to close the stream.
constexpr std::chrono::seconds kGoodbyeTimeout{5};

// Whether the next command other than Release, among the next kCommandsPerClockRead, is Await or
// Fetch: then the client waits for results of this execution, and nothing is executed in between.
bool IsAwaited(const v1::CommandBatch& batch, int execution) {
  if (!batch.commands(execution).has_execute()) return false;
  const int end = std::min(batch.commands_size(), execution + kCommandsPerClockRead);
  for (int i = execution + 1; i < end; ++i) {
    const v1::Command& next = batch.commands(i);
    if (next.has_await() || next.has_fetch()) return true;
    if (!next.has_release()) return false;
  }
  return false;
}

}  // namespace

void Channel::StartHelloTimeout() {
  const auto patience = rpc_.options.identify_timeout;
  (void)rpc_.timers.At(std::chrono::steady_clock::now() + patience, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    {
      MutexLock lock(self->mutex_);
      if (self->batch_received_ || self->ended_) return;
    }
    const absl::Status silent = absl::DeadlineExceededError(
        absl::StrCat("no Hello has come for ", self->rpc_.options.identify_timeout.count(), " ms"));
    self->NoteRefusal(observability::Refusal::kSilence, silent);
    self->Finish(silent);
  });
}

void Channel::OnClientClosed() {
  absl::Status status;
  {
    MutexLock lock(mutex_);
    if (goodbye_status_.has_value()) status = *goodbye_status_;
  }
  Finish(status);
}

void Channel::Refuse(const absl::Status& why) {
  {
    MutexLock lock(mutex_);
    reading_ = false;
  }
  if (absl::IsResourceExhausted(why)) NoteRefusal(observability::Refusal::kLimit, why);
  EndSession(why);
}

void Channel::OnBatch(v1::CommandBatch& batch, size_t size_bytes) {
  {
    MutexLock lock(mutex_);
    reading_ = false;
    batch_received_ = true;
  }
  batch_.Swap(&batch);
  CountBatch(batch_, rpc_.instruments);
  if (session_ != nullptr) session_->RenewLease();
  uncredited_ += batch_.commands_size();
  // Hello is not counted.
  if (session_ == nullptr && batch_.commands_size() > 0) --uncredited_;
  uncredited_bytes_ += size_bytes;
  if (uncredited_ > rpc_.options.command_window) {
    const absl::Status beyond = absl::InvalidArgumentError(
        absl::StrCat(uncredited_, " commands sent beyond those credited; the window is ",
                     rpc_.options.command_window));
    NoteRefusal(observability::Refusal::kLimit, beyond);
    return EndSession(beyond);
  }
  if (size_bytes > kLargeBatchBytes) {
    const absl::Status room = TakeRoom(size_bytes);
    if (!room.ok()) {
      NoteRefusal(observability::Refusal::kLimit, room);
      return EndSession(room);
    }
  }
  next_command_ = 0;
  heavy_ = IsHeavy();
  if (heavy_) return QueueTimeSlice();
  RunTimeSlice();
}

absl::Status Channel::TakeRoom(size_t size_bytes) {
  batch_memory_ =
      Taken(session_ != nullptr
                ? session_->receive_memory()
                : rpc_.engine.AllowanceOf(caller_.identity, engine::QuotaId::kReceiveMemory));
  return batch_memory_.Add(static_cast<int64_t>(size_bytes));
}

void Channel::EndSession(const absl::Status& why) {
  if (session_ != nullptr) {
    bool over;
    {
      MutexLock lock(mutex_);
      over = goodbye_status_.has_value();
    }
    if (over) return ReadNext();  // the session has just been ended by others
    rpc_.sessions.End(session_, why);
    EndTimeSlice();
  }
  Finish(why);
}

bool Channel::IsHeavy() {
  if (session_ != nullptr) return session_->IsHeavy(batch_);
  return batch_.commands_size() > 0 && batch_.commands(0).hello().has_resume();
}

void Channel::UpdateRequester() {
  requester_ =
      session_ == nullptr
          ? engine::RequesterOf(caller_.identity)
          : engine::RequesterOf(caller_.identity, session_->engine_session().info().priority);
}

void Channel::QueueTimeSlice() {
  const absl::Status queued =
      rpc_.decoders.Submit(requester_, [self = shared_from_this()] { self->RunTimeSlice(); });
  if (!queued.ok()) Finish(queued);
}

void Channel::RunTimeSlice() {
  {
    MutexLock lock(mutex_);
    if (ended_) return;  // between two time slices
    // The session has ended, so the rest of the batch is skipped.
    if (goodbye_status_.has_value()) next_command_ = batch_.commands_size();
    in_time_slice_ = true;
  }
  const bool done = HandleBatch();
  EndTimeSlice();
  if (done) {
    ReadNext();
  } else {
    OnReadPaused();
  }
}

bool Channel::HandleBatch() {
  const auto end_of_time_slice = std::chrono::steady_clock::now() + kTimeSlice;
  bool ran_awaited = false;
  for (; next_command_ < batch_.commands_size(); ++next_command_) {
    // An awaited execution may run on this thread, within the time slice. The first one may do so
    // even after the time slice: on a busy machine the slice may be over only because other
    // processes had the core, and the client would then have to wait until another thread gets a
    // core, too.
    const bool awaited = IsAwaited(batch_, next_command_);
    const bool reads_clock = heavy_ || next_command_ % kCommandsPerClockRead == 0 ||
                             (awaited && std::exchange(ran_awaited, true));
    if (reads_clock && std::chrono::steady_clock::now() > end_of_time_slice) {
      QueueTimeSlice();
      return false;
    }
    v1::Command& command = *batch_.mutable_commands(next_command_);
    if (session_ == nullptr) {
      const absl::Status status = OnHello(command);
      if (status.ok()) continue;
      Finish(status);
      return false;
    }
    const absl::StatusOr<ClientSession::TakeResult> taken =
        session_->Take(command, awaited, shared_from_this());
    if (absl::IsAborted(taken.status())) {
      Finish(taken.status());
      return false;
    }
    if (!taken.ok()) {
      EndSession(taken.status());
      return false;
    }
    if (*taken == ClientSession::TakeResult::kNeedsProgram) return false;
    if (*taken == ClientSession::TakeResult::kEnded) break;
    upload_uncredited_ |= command.has_begin_upload();
  }
  if (upload_uncredited_ || uncredited_ > rpc_.options.command_window / 8 ||
      uncredited_bytes_ > kMaxUncreditedBytes) {
    Credit();
  }
  return true;
}

absl::Status Channel::OnHello(const v1::Command& command) {
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
    UpdateRequester();
  }
  ACCELD_ASSIGN_OR_RETURN(const uint64_t commands_taken, session->Attach(shared_from_this()));
  v1::Event event;
  v1::Welcome& welcome = *event.mutable_welcome();
  const absl::string_view token = session->engine_session().token();
  welcome.set_session_token(token.data(), token.size());
  welcome.set_daemon_version(rpc_.options.version);
  welcome.set_incarnation(rpc_.engine.incarnation());
  for (const DeviceInfo& device : rpc_.engine.Devices()) {
    *welcome.add_devices() = ToProto(device);
  }
  welcome.set_max_inline_bytes(rpc_.options.max_inline_bytes);
  welcome.set_command_window(rpc_.options.command_window);
  welcome.set_lease_ms(static_cast<uint32_t>(session->lease().count()));
  welcome.set_commands_taken(commands_taken);
  welcome.set_device(session->engine_session().device());
  welcome.set_local_transport(rpc_.options.segment_bytes > 0);
  Send(std::move(event));
  session->OnWelcomeSent(shared_from_this());
  bool ended;
  {
    MutexLock lock(mutex_);
    ended = ended_;
  }
  // If the stream broke before session_ was set, Finish had no session to detach from.
  if (ended) LeaveSession();
  return absl::OkStatus();
}

bool Channel::HoldsBackClient() {
  MutexLock lock(mutex_);
  // The daemon holds back the client only if it is not the client that does not take its events.
  return !reading_ && event_bytes_ < rpc_.options.max_event_bytes;
}

void Channel::ContinueCommands() { QueueTimeSlice(); }

void Channel::Credit() {
  v1::Event event;
  event.mutable_credit()->set_commands(std::exchange(uncredited_, 0));
  uncredited_bytes_ = 0;
  upload_uncredited_ = false;
  Send(std::move(event));
}

void Channel::ReadNext() {
  if (batch_memory_.amount() > 0) {
    v1::CommandBatch().Swap(&batch_);  // frees the memory, which Clear would keep
    batch_memory_.Release();
  }
  batch_.Clear();
  Resumption resumption;
  bool rests;
  {
    MutexLock lock(mutex_);
    paused_ = true;
    resumption = DecideRead();
    rests = paused_;
  }
  Resume(resumption);
  if (rests) OnReadPaused();
}

Channel::Resumption Channel::MayRead() {
  // After a goodbye no command is decoded; the read only finds out when the client closes.
  if (goodbye_status_.has_value()) return Resumption::kRead;
  if (event_bytes_ >= rpc_.options.max_event_bytes) return Resumption::kNone;
  // What is outstanding may wait for an answer that is yet to be read.
  if (session_ != nullptr && session_->host_calls().has_calls()) return Resumption::kRead;
  if (requests_ >= rpc_.options.max_requests) return Resumption::kNone;
  if (session_ == nullptr ||
      static_cast<uint64_t>(session_->engine_session().queued()) < rpc_.options.max_executions) {
    return Resumption::kRead;
  }
  return std::exchange(retries_, true) ? Resumption::kNone : Resumption::kRetry;
}

Channel::Resumption Channel::DecideRead() {
  if (ended_ || !paused_) return Resumption::kNone;
  const Resumption resumption = MayRead();
  if (resumption == Resumption::kRead) {
    paused_ = false;
    reading_ = true;
  }
  return resumption;
}

void Channel::Resume(Resumption resumption) {
  switch (resumption) {
    case Resumption::kNone:
      return;
    case Resumption::kRead:
      return Read();
    case Resumption::kRetry:
      (void)rpc_.timers.At(std::chrono::steady_clock::now() + kRetryRead,
                           [self = shared_from_this()] { self->RetryRead(); });
      return;
  }
}

void Channel::RetryRead() {
  Resumption resumption;
  {
    MutexLock lock(mutex_);
    retries_ = false;
    resumption = DecideRead();
  }
  Resume(resumption);
}

void Channel::Send(v1::Event event) {
  {
    MutexLock lock(mutex_);
    // A callback that answers an ended channel may run after the server was destroyed, so rpc_ must
    // not be used then.
    if (ended_ || goodbye_status_.has_value()) return;
    if (event.has_ready()) rpc_.instruments.inline_out_bytes.Add(event.ready().data().size());
    QueueEvent(std::move(event));
    if (in_time_slice_) return;
  }
  Flush();
}

void Channel::QueueEvent(v1::Event event) {
  const size_t size_bytes = event.ByteSizeLong();
  // A Welcome is sent in a batch of its own.
  if (outgoing_.empty() || outgoing_.back().size_bytes + size_bytes > kMaxBatchBytes ||
      outgoing_.back().message.events(0).has_welcome()) {
    outgoing_.emplace_back();
  }
  *outgoing_.back().message.add_events() = std::move(event);
  outgoing_.back().size_bytes += size_bytes;
  event_bytes_ += size_bytes;
}

void Channel::Flush() {
  v1::EventBatch batch;
  {
    MutexLock lock(mutex_);
    if (!TakeOutgoing(batch)) return;
  }
  WriteOut(batch);
}

void Channel::EndTimeSlice() {
  v1::EventBatch batch;
  {
    MutexLock lock(mutex_);
    in_time_slice_ = false;
    if (!TakeOutgoing(batch)) return;
  }
  WriteOut(batch);
}

bool Channel::TakeOutgoing(v1::EventBatch& batch) {
  if (ended_ || in_time_slice_ || write_in_flight_ || outgoing_.empty()) return false;
  write_in_flight_ = true;
  batch.Swap(&outgoing_.front().message);
  event_bytes_ -= outgoing_.front().size_bytes;
  outgoing_.pop_front();
  return true;
}

void Channel::WriteOut(v1::EventBatch& batch) {
  bool goes_on = true;
  while (goes_on && Write(batch)) {
    Resumption resumption;
    {
      MutexLock lock(mutex_);
      write_in_flight_ = false;
      resumption = DecideRead();
      goes_on = TakeOutgoing(batch);
    }
    Resume(resumption);
  }
}

void Channel::OnWritten() {
  Resumption resumption;
  {
    MutexLock lock(mutex_);
    write_in_flight_ = false;
    resumption = DecideRead();
  }
  Resume(resumption);
  Flush();
}

bool Channel::HasNoPendingWork() {
  MutexLock lock(mutex_);
  return requests_ == 0 && event_bytes_ == 0 &&
         (session_ == nullptr || session_->engine_session().queued() == 0);
}

void Channel::BeginRequest() {
  MutexLock lock(mutex_);
  ++requests_;
}

void Channel::EndRequest() {
  Resumption resumption;
  {
    MutexLock lock(mutex_);
    --requests_;
    resumption = DecideRead();
  }
  Resume(resumption);
}

void Channel::NoteRefusal(observability::Refusal reason, const absl::Status& why) {
  rpc::NoteRefusal(rpc_.instruments, reason, "Channel", caller_, why);
}

void Channel::SendGoodbye(const absl::Status& why) {
  v1::Event event;
  event.mutable_goodbye()->set_code(static_cast<uint32_t>(why.code()));
  event.mutable_goodbye()->set_message(EscapeNonUtf8(why.message()));
  Resumption resumption;
  {
    MutexLock lock(mutex_);
    if (ended_ || goodbye_status_.has_value()) return;
    QueueEvent(std::move(event));
    // Set before the Goodbye is sent: the client may close at once, and the channel must end with
    // this status then.
    goodbye_status_ = why;
    resumption = DecideRead();
  }
  (void)rpc_.timers.At(std::chrono::steady_clock::now() + kGoodbyeTimeout,
                       [weak = weak_from_this(), why] {
                         if (const auto self = weak.lock(); self != nullptr) self->Finish(why);
                       });
  Resume(resumption);
  Flush();
}

void Channel::Displace(const absl::Status& why) { Finish(why); }

void Channel::Finish(const absl::Status& status) {
  LeaveSession();
  bool goodbye_sent;
  {
    MutexLock lock(mutex_);
    if (std::exchange(ended_, true)) return;
    outgoing_.clear();
    goodbye_sent = goodbye_status_.has_value();
  }
  End(status, goodbye_sent);
}

void Channel::LeaveSession() {
  std::shared_ptr<ClientSession> session;
  {
    MutexLock lock(mutex_);
    session = session_;
  }
  if (session != nullptr) rpc_.sessions.Detach(session, *this);
}

}  // namespace acceld::rpc

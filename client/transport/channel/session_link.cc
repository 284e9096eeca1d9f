#include "client/transport/channel/session_link.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/transport/channel/grpc_stream.h"
#include "client/transport/channel/local_stream.h"
#include "client/transport/channel/on_arena.h"
#include "client/transport/channel/transport_thread.h"
#include "client/transport/status_codes.h"
#include "common/threads/thread_priority.h"

namespace acceld::client {
namespace {

using Clock = std::chrono::steady_clock;

// After a caller has read, the reader thread waits for kCallersPause before it reads itself, so
// that another caller can read; kPauses times as long if no event is expected from the daemon.
constexpr std::chrono::milliseconds kCallersPause{2};
constexpr int kPauses = 8;
constexpr std::chrono::milliseconds kMinBackoff{20}, kMaxBackoff{500};
// How often Pause checks whether the link was closed.
constexpr std::chrono::milliseconds kCloseCheckInterval{50};

bool Contains(absl::Span<const uint64_t> ascending, uint64_t request_id) {
  return std::binary_search(ascending.begin(), ascending.end(), request_id);
}

// Returns whether the session may be resumed if its stream has ended with `status`.
bool IsResumable(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kUnknown:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnavailable:
      return true;
    default:
      return false;
  }
}

}  // namespace

SessionLink::SessionLink(Dialer& dialer, CommandOutbox& outbox, Handler& handler,
                         SocketEndpoint local_socket)
    : dialer_(dialer), outbox_(outbox), handler_(handler), local_socket_(std::move(local_socket)) {}

SessionLink::~SessionLink() {
  Close();
  Join();
}

void SessionLink::Join() {
  if (reader_.joinable()) reader_.join();
  commands_.Join();
}

const absl::StatusOr<v1::Welcome>* SessionLink::Open(v1::Hello hello, Clock::time_point deadline) {
  reader_ = std::thread([this, hello = std::move(hello)] { RunReader(hello); });
  return welcome_.AwaitUntil(deadline);
}

void SessionLink::Close() {
  std::shared_ptr<ChannelStream> stream;
  {
    MutexLock lock(mutex_);
    closed_ = true;
    stream = stream_;
    changed_.NotifyAll();
  }
  if (stream != nullptr) stream->Cancel();
}

bool SessionLink::closed() const {
  MutexLock lock(mutex_);
  return closed_;
}

std::shared_ptr<ChannelStream> SessionLink::stream() const {
  MutexLock lock(mutex_);
  return stream_;
}

bool SessionLink::Use(const std::shared_ptr<ChannelStream>& stream) {
  bool closed;
  {
    MutexLock lock(mutex_);
    stream_ = stream;
    closed = closed_;
  }
  if (closed) stream->Cancel();
  return !closed;
}

absl::StatusOr<v1::Welcome> SessionLink::SendHello(const v1::Hello& hello) {
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<RpcChannel> line, dialer_.Get());
  const auto stream = std::make_shared<GrpcStream>(std::move(line), dialer_.peer());
  absl::StatusOr<v1::Welcome> welcome = absl::CancelledError("the client was closed");
  if (Use(stream)) welcome = SendHelloOn(*stream, hello);
  if (!welcome.ok()) {
    stream->FailWrites();
    const bool is_misunderstanding = absl::IsInternal(welcome.status());
    if (is_misunderstanding) stream->Cancel();
    const absl::Status status = stream->Finish();
    return status.ok() || is_misunderstanding ? welcome.status() : status;
  }
  if (!local_socket_.path.empty() && welcome->local_transport()) {
    absl::StatusOr<std::unique_ptr<LocalStream>> local =
        LocalStream::Open(local_socket_, welcome->session_token());
    // Otherwise the session keeps its gRPC stream, for example because this process sees another
    // file system than the daemon.
    if (local.ok()) {
      (void)Use(*std::move(local));
      stream->Cancel();  // The daemon does not use this stream any more.
      (void)stream->Finish();
    }
  }
  return welcome;
}

absl::StatusOr<v1::Welcome> SessionLink::SendHelloOn(ChannelStream& stream,
                                                     const v1::Hello& hello) {
  v1::CommandBatch batch;
  *batch.add_commands()->mutable_hello() = hello;
  v1::EventBatch events;
  if (!stream.Write(batch) || !stream.Read(events)) {
    return absl::UnavailableError("the daemon said nothing");
  }
  if (events.events_size() != 1 || !events.events(0).has_welcome()) {
    return absl::InternalError("the daemon does not begin with a Welcome");
  }
  return std::move(*events.mutable_events(0)->mutable_welcome());
}

bool SessionLink::Read(v1::EventBatch& events) { return stream()->Read(events); }

void SessionLink::Handle(v1::Event& event) {
  if (event.has_welcome()) return;
  if (!event.has_goodbye()) return handler_.OnEvent(event);
  const v1::Goodbye& goodbye = event.goodbye();
  absl::Status reason = StatusFromWire(goodbye.code(), goodbye.message());
  if (reason.ok()) reason = absl::UnavailableError(goodbye.message());
  std::shared_ptr<ChannelStream> stream;
  {
    MutexLock lock(mutex_);
    goodbye_ = std::move(reason);
    stream = stream_;
  }
  stream->Cancel();
}

void SessionLink::Serve(absl::Span<const uint64_t> requests, absl::FunctionRef<bool()> done) {
  ServeWith(WaitMode::kForever, requests, done);
}

void SessionLink::ServeBriefly(absl::Span<const uint64_t> requests,
                               absl::FunctionRef<bool()> done) {
  ServeWith(WaitMode::kNone, requests, done);
}

void SessionLink::ServeWith(WaitMode patience, absl::Span<const uint64_t> requests,
                            absl::FunctionRef<bool()> done) {
  if (TransportThread::IsCurrent()) return;
  commands_.WriteNow();
  if (requests.empty() || requests.front() == 0) return;
  std::vector<v1::Event> others;
  bool reads = false, broke = false, gives_up = false;
  while (true) {
    {
      MutexLock lock(mutex_);
      if (reads) {
        reading_ = false;
        stream_is_over_ = broke;
        std::move(others.begin(), others.end(), std::back_inserter(deferred_));
        if (broke || reader_sleeps_ || !others.empty()) changed_.NotifyOne();
        if (waiting_callers_ > 0) callers_.NotifyAll();
        others.clear();
      }
      if (gives_up) return HandOverToReader();
      const auto must_wait = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        return reading_ || stream_is_over_ || IsDeferred(requests);
      };
      if (patience == WaitMode::kNone && must_wait()) return HandOverToReader();
      ++waiting_callers_;
      ++callers_so_far_;
      while (!done() && !ended_ && must_wait()) {
        callers_.Wait(mutex_);
      }
      --waiting_callers_;
      if (done() || ended_) return;
      reading_ = reads = true;
    }
    gives_up = patience == WaitMode::kNone && !stream()->PollBriefly();
    if (gives_up) continue;
    OnArena<v1::EventBatch> events;
    broke = !Read(*events);
    if (broke) continue;
    TransportThread scope;
    for (v1::Event& event : *events->mutable_events()) {
      if (event.has_credit() ||
          (event.has_ready() && Contains(requests, event.ready().request_id()))) {
        Handle(event);
      } else {
        others.push_back(std::move(event));
      }
    }
  }
}

void SessionLink::HandOverToReader() {
  left_to_reader_ = true;
  changed_.NotifyOne();
}

void SessionLink::HandleDeferred() {
  std::vector<v1::Event> events;
  {
    MutexLock lock(mutex_);
    events.swap(deferred_);
    for (const v1::Event& event : events) {
      if (event.has_ready()) handling_.push_back(event.ready().request_id());
    }
  }
  for (v1::Event& event : events) Handle(event);
  MutexLock lock(mutex_);
  handling_.clear();
  if (waiting_callers_ > 0) callers_.NotifyAll();
}

bool SessionLink::IsDeferred(absl::Span<const uint64_t> requests) const {
  return std::any_of(handling_.begin(), handling_.end(),
                     [requests](uint64_t request) { return Contains(requests, request); }) ||
         std::any_of(deferred_.begin(), deferred_.end(), [requests](const v1::Event& event) {
           return event.has_ready() && Contains(requests, event.ready().request_id());
         });
}

void SessionLink::ReadAndHandle() {
  v1::EventBatch events;
  const bool over = !Read(events);
  for (v1::Event& event : *events.mutable_events()) Handle(event);
  MutexLock lock(mutex_);
  reading_ = false;
  stream_is_over_ |= over;
}

void SessionLink::RunReader(const v1::Hello& hello) {
  // Callers wait for what this thread reads.
  PreferShortSlices();
  TransportThread scope;
  absl::StatusOr<v1::Welcome> welcome = SendHello(hello);
  absl::Status end = welcome.status();
  if (welcome.ok()) {
    lease_ = std::chrono::milliseconds(welcome->lease_ms());
    resume_.set_session_token(welcome->session_token());
    resume_.set_incarnation(welcome->incarnation());
    outbox_.SetWindow(welcome->command_window());
    if (lease_.count() > 0) outbox_.Retain();
    commands_.Start(lease_);
  }
  welcome_promise_.Set(std::move(welcome));
  {
    MutexLock lock(mutex_);
    reading_ = false;
  }

  uint64_t seen_callers = 0;
  int pauses = kPauses;
  while (end.ok()) {
    bool has_deferred, over;
    {
      MutexLock lock(mutex_);
      if (waiting_callers_ > 0) {
        // They check whether their answers have arrived, or continue reading.
        callers_.NotifyAll();
        if (!reading_ && !stream_is_over_) changed_.WaitUntil(mutex_, Clock::now() + kCallersPause);
      }
      while (deferred_.empty() && !(stream_is_over_ && !reading_)) {
        if (seen_callers != std::exchange(seen_callers, callers_so_far_)) pauses = 0;
        // An answer is expected, and the next caller may arrive soon after it.
        if (std::exchange(left_to_reader_, false)) pauses = 1;
        if (pauses == 0 || (!reading_ && pauses < kPauses && !handler_.ExpectsEvents())) {
          ++pauses;
          changed_.WaitUntil(mutex_, Clock::now() + kCallersPause);
        } else if (reading_) {
          reader_sleeps_ = true;
          changed_.Wait(mutex_);
          reader_sleeps_ = false;
        } else {
          break;
        }
      }
      has_deferred = !deferred_.empty();
      over = stream_is_over_ && !reading_;
      if (!has_deferred && !over) reading_ = true;
    }
    if (has_deferred) {
      HandleDeferred();
    } else if (over) {
      end = Recover();
    } else {
      ReadAndHandle();
    }
  }
  handler_.OnEnd(end);
  MutexLock lock(mutex_);
  ended_ = true;
  callers_.NotifyAll();
}

absl::Status SessionLink::EndOf(const absl::Status& status) const {
  const absl::string_view what = absl::IsAborted(status)    ? "the daemon was restarted"
                                 : absl::IsNotFound(status) ? "its lease is over"
                                                            : "";
  return absl::UnavailableError(
      absl::StrCat("the session with ", dialer_.peer(), " has ended", what.empty() ? "" : ": ",
                   what, status.ok() ? "" : absl::StrCat(": ", status.message())));
}

void SessionLink::Pause(Clock::time_point until) {
  // gRPC connects, and performs the TLS handshake, only while somebody waits for the connection; a
  // call that fails at once does not wait.
  bool connected = false;
  while (!connected && !closed() && Clock::now() < until) {
    const auto rest = std::min<Clock::duration>(until - Clock::now(), kCloseCheckInterval);
    connected = dialer_.AwaitConnection(
        std::chrono::system_clock::now() +
        std::chrono::duration_cast<std::chrono::system_clock::duration>(rest));
  }
  MutexLock lock(mutex_);
  while (!closed_ && Clock::now() < until) changed_.WaitUntil(mutex_, until);
}

absl::Status SessionLink::Recover() {
  MutexLock write(commands_.mutex());
  stream()->FailWrites();
  absl::Status status = stream()->Finish();
  {
    MutexLock lock(mutex_);
    if (!goodbye_.ok()) {
      return absl::Status(goodbye_.code(), absl::StrCat("the session with ", dialer_.peer(),
                                                        " has ended: ", goodbye_.message()));
    }
  }
  if (lease_.count() == 0 || closed() || !IsResumable(status)) return EndOf(status);
  const Clock::time_point deadline = Clock::now() + lease_;
  std::chrono::milliseconds backoff = kMinBackoff;
  v1::Hello hello;
  hello.set_protocol_version(1);
  *hello.mutable_resume() = resume_;
  while (true) {
    const absl::StatusOr<v1::Welcome> welcome = SendHello(hello);
    if (welcome.ok()) {
      handler_.OnResumed(welcome->commands_taken());
      MutexLock lock(mutex_);
      stream_is_over_ = false;
      callers_.NotifyAll();
      return absl::OkStatus();
    }
    status = welcome.status();
    const Clock::time_point retry = Clock::now() + backoff;
    if (closed() || !IsResumable(status) || retry > deadline) return EndOf(status);
    Pause(retry);
    backoff = std::min(2 * backoff, kMaxBackoff);
  }
}

}  // namespace acceld::client

#include "server/rpc/channel_reactor.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/rpc/call_counter.h"
#include "server/rpc/status_codes.h"

namespace acceld::rpc {
namespace {

constexpr size_t kMaxBatchBytes = size_t{1} << 20;
// How long a session may keep a thread that others could use.
constexpr std::chrono::milliseconds kTurn{10};

bool AsksForCredit(const v1::CommandBatch& batch) {
  return std::any_of(batch.commands().begin(), batch.commands().end(),
                     [](const v1::Command& command) { return command.has_begin_upload(); });
}

}  // namespace

std::shared_ptr<ChannelReactor> ChannelReactor::Start(engine::Engine& engine,
                                                      TransferTable& transfers,
                                                      const RpcOptions& options,
                                                      observability::RpcInstruments& instruments,
                                                      ThreadPool& decoders) {
  std::shared_ptr<ChannelReactor> reactor(
      new ChannelReactor(engine, transfers, options, instruments, decoders));
  reactor->self_ = reactor;
  reactor->StartRead(&reactor->incoming_);
  return reactor;
}

ChannelReactor::ChannelReactor(engine::Engine& engine, TransferTable& transfers,
                               const RpcOptions& options,
                               observability::RpcInstruments& instruments, ThreadPool& decoders)
    : options_(options),
      instruments_(instruments),
      decoders_(decoders),
      handler_(engine, transfers, options) {}

void ChannelReactor::OnReadDone(bool ok) {
  if (!ok) return End(grpc::Status::OK);  // The client closed or is gone.
  {
    MutexLock lock(mutex_);
    if (last_words_.has_value()) return;  // Too late.
  }
  const grpc::Status decoded =
      grpc::SerializationTraits<v1::CommandBatch>::Deserialize(&incoming_, &batch_);
  if (!decoded.ok()) {
    return End(
        grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "a message that is no CommandBatch"));
  }
  CountBatch(batch_, instruments_);
  uncredited_ += batch_.commands_size();
  if (uncredited_ > options_.command_window) {
    return End(ToGrpc(absl::InvalidArgumentError(
        absl::StrCat(uncredited_, " commands sent beyond those credited; the window is ",
                     options_.command_window))));
  }
  next_command_ = 0;
  if (handler_.IsHeavy(batch_)) return QueueTurn();
  TakeTurn();
}

void ChannelReactor::QueueTurn() {
  const absl::Status queued = decoders_.Submit([self = shared_from_this()] { self->TakeTurn(); });
  if (!queued.ok()) End(ToGrpc(queued));
}

void ChannelReactor::TakeTurn() {
  {
    MutexLock lock(mutex_);
    if (ended_ || last_words_.has_value()) return;  // Ended between two turns.
  }
  const auto end_of_turn = std::chrono::steady_clock::now() + kTurn;
  for (; next_command_ < batch_.commands_size(); ++next_command_) {
    if (std::chrono::steady_clock::now() > end_of_turn) return QueueTurn();
    const absl::Status status =
        handler_.Handle(*batch_.mutable_commands(next_command_), shared_from_this());
    if (!status.ok()) return End(ToGrpc(status));
  }
  if (AsksForCredit(batch_) || uncredited_ > options_.command_window / 8) Credit();
  ReadNext();
}

void ChannelReactor::Credit() {
  v1::Event event;
  event.mutable_credit()->set_commands(std::exchange(uncredited_, 0));
  Send(std::move(event));
}

void ChannelReactor::ReadNext() {
  batch_.Clear();
  MutexLock lock(mutex_);
  paused_ = true;
  StartReadIfPaused();
}

bool ChannelReactor::MayRead() const {
  return requests_ < options_.max_requests && executions_ < options_.max_executions &&
         event_bytes_ < options_.max_event_bytes;
}

void ChannelReactor::StartReadIfPaused() {
  if (ended_ || last_words_.has_value() || !paused_ || !MayRead()) return;
  paused_ = false;
  StartRead(&incoming_);
}

void ChannelReactor::Send(v1::Event event) {
  const size_t size_bytes = event.ByteSizeLong();
  if (event.has_ready()) instruments_.inline_out_bytes.Add(event.ready().data().size());
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
  FinishIfWritten();
}

void ChannelReactor::FinishIfWritten() {
  if (ended_ || !last_words_.has_value() || write_in_flight_ || !outgoing_.empty()) return;
  ended_ = true;
  Finish(*last_words_);
}

void ChannelReactor::Begin(Work work) {
  MutexLock lock(mutex_);
  ++(work == Work::kRequest ? requests_ : executions_);
}

void ChannelReactor::End(Work work) {
  MutexLock lock(mutex_);
  --(work == Work::kRequest ? requests_ : executions_);
  StartReadIfPaused();
}

void ChannelReactor::End(const grpc::Status& status) {
  handler_.Close();
  MutexLock lock(mutex_);
  if (std::exchange(ended_, true)) return;
  outgoing_.clear();
  Finish(status);
}

void ChannelReactor::EndWhenWritten(const grpc::Status& status) {
  handler_.Close();
  MutexLock lock(mutex_);
  if (last_words_.has_value()) return;
  last_words_ = status;
  FinishIfWritten();
}

// Also when nothing is being read: the stream would otherwise never finish.
void ChannelReactor::OnCancel() { End(grpc::Status::CANCELLED); }

void ChannelReactor::OnDone() {
  handler_.Close();
  const std::shared_ptr<ChannelReactor> last = std::move(self_);
}

}  // namespace acceld::rpc

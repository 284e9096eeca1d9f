#include "server/rpc/session/host_call_delivery.h"

#include <utility>
#include <vector>

#include "common/ir/wire/wire.h"
#include "common/utf8.h"

namespace acceld::rpc {
namespace {

// Operands up to this size are sent in the event itself, as long as they have no more than
// kMaxInlineBytesTogether together.
constexpr size_t kMaxInlineBytes = size_t{64} << 10;
constexpr size_t kMaxInlineBytesTogether = size_t{256} << 10;
// How many ends of executions are kept for a client that does not confirm them. The oldest are
// removed first.
constexpr size_t kMaxEnded = 65'536;

v1::Event DoneEvent(uint64_t callbacks, const absl::Status& status) {
  v1::Event event;
  v1::CallbacksDone& done = *event.mutable_callbacks_done();
  done.set_callbacks(callbacks);
  done.set_code(static_cast<uint32_t>(status.code()));
  done.set_message(EscapeNonUtf8(status.message()));
  return event;
}

}  // namespace

v1::Event HostCallDelivery::MakeHostCallEvent(Call& call) {
  v1::Event event;
  v1::HostCall& to = *event.mutable_host_call();
  to.set_call_id(call.asked.id);
  to.set_callbacks(call.asked.callbacks);
  to.set_callback(static_cast<uint32_t>(call.asked.callback));
  to.set_device(call.asked.device);
  for (const ir::TensorType& type : call.asked.results) *to.add_results() = ir::ToProto(type);
  call.transfers.clear();
  size_t inline_bytes = 0;
  for (const engine::HostArray& operand : call.asked.operands) {
    v1::HostValue& value = *to.add_operands();
    *value.mutable_type() = ir::ToProto(operand.type);
    const absl::string_view bytes = operand.bytes.view;
    if (bytes.size() <= kMaxInlineBytes && inline_bytes + bytes.size() <= kMaxInlineBytesTogether) {
      inline_bytes += bytes.size();
      value.set_data(bytes.data(), bytes.size());
    } else {
      call.transfers.push_back(transfers_->AddUncounted(operand.bytes));
      value.set_transfer_id(call.transfers.back());
    }
  }
  return event;
}

void HostCallDelivery::DropTransfers(const Call& call) {
  for (const uint64_t transfer : call.transfers) (void)transfers_->Take(transfer);
}

void HostCallDelivery::OnCall(engine::HostCall asked) {
  std::shared_ptr<SessionStream> stream;
  v1::Event event;
  {
    MutexLock lock(mutex_);
    if (closed_) return;
    const uint64_t id = asked.id;
    Call& call = calls_.emplace(id, Call{std::move(asked), {}}).first->second;
    num_calls_.store(calls_.size(), std::memory_order_relaxed);
    if (stream_ == nullptr) return;
    stream = stream_;
    event = MakeHostCallEvent(call);
  }
  stream->Send(std::move(event));
}

void HostCallDelivery::OnWithdrawn(uint64_t call_id) {
  decltype(calls_)::node_type dropped;  // destroyed, with its operands, without the lock
  {
    MutexLock lock(mutex_);
    dropped = calls_.extract(call_id);
    num_calls_.store(calls_.size(), std::memory_order_relaxed);
  }
  if (!dropped.empty()) DropTransfers(dropped.mapped());
}

void HostCallDelivery::OnEnd(uint64_t callbacks, const absl::Status& status) {
  std::shared_ptr<SessionStream> stream;
  {
    MutexLock lock(mutex_);
    if (closed_) return;
    if (keeps_ends_) {
      ended_.emplace(callbacks, status);
      if (ended_.size() > kMaxEnded) ended_.erase(ended_.begin());
    }
    stream = stream_;
  }
  if (stream != nullptr) stream->Send(DoneEvent(callbacks, status));
}

void HostCallDelivery::Forget(uint64_t callbacks) {
  MutexLock lock(mutex_);
  ended_.erase(callbacks);
}

void HostCallDelivery::Use(std::shared_ptr<SessionStream> stream) {
  MutexLock lock(mutex_);
  // The argument then holds the stream before, which is released after the lock.
  if (!closed_ || stream == nullptr) stream_.swap(stream);
}

void HostCallDelivery::Repeat() {
  std::shared_ptr<SessionStream> stream;
  std::vector<v1::Event> events;
  {
    MutexLock lock(mutex_);
    stream = stream_;
    if (stream == nullptr) return;
    for (auto& [id, call] : calls_) {
      DropTransfers(call);
      events.push_back(MakeHostCallEvent(call));
    }
    for (const auto& [callbacks, status] : ended_) events.push_back(DoneEvent(callbacks, status));
  }
  for (v1::Event& event : events) stream->Send(std::move(event));
}

void HostCallDelivery::Close() {
  decltype(calls_) calls;
  std::shared_ptr<SessionStream> stream;
  {
    MutexLock lock(mutex_);
    closed_ = true;
    calls.swap(calls_);
    stream.swap(stream_);
    ended_.clear();
    num_calls_.store(0, std::memory_order_relaxed);
  }
  for (const auto& [id, call] : calls) DropTransfers(call);
}

}  // namespace acceld::rpc

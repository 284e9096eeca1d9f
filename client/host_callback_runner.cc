#include "client/host_callback_runner.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/transport/bulk/byte_sink.h"
#include "common/ir/calls/host_callback.h"
#include "common/ir/wire/wire.h"
#include "common/threads/future.h"
#include "common/threads/start_thread.h"
#include "common/utf8.h"

namespace acceld::client {
namespace {

using Clock = std::chrono::steady_clock;
using Literals = std::vector<ir::Literal>;

// Results of up to kMaxInlineBytes, and up to kMaxInlineBytesTogether in total, are sent in the
// reply.
constexpr size_t kMaxInlineBytes = size_t{64} << 10;
constexpr size_t kMaxInlineBytesTogether = size_t{4} << 20;

// Returns the operands of a call, in order. Blocks while large ones are received.
absl::StatusOr<Literals> OperandsOf(v1::HostCall& call, Connection& connection) {
  Literals operands;
  for (v1::HostValue& value : *call.mutable_operands()) {
    ACCELD_ASSIGN_OR_RETURN(ir::TensorType type, ir::FromProto(value.type()));
    std::string bytes = std::move(*value.mutable_data());
    if (value.transfer_id() != 0) {
      const auto sink = std::make_shared<ByteSink>(static_cast<size_t>(type.size_bytes()));
      const auto promise = std::make_shared<Promise<Unit>>();
      const Event arrived = promise->future();
      connection.Download(value.transfer_id(), sink, [promise](const absl::Status& status) {
        promise->Set(status.ok() ? absl::StatusOr<Unit>(Unit{}) : absl::StatusOr<Unit>(status));
      });
      ACCELD_RETURN_IF_ERROR(arrived.Await().status());
      bytes = sink->TakeString();
    }
    ACCELD_ASSIGN_OR_RETURN(ir::Literal operand,
                            ir::Literal::FromBytes(std::move(type), std::move(bytes)));
    operands.push_back(std::move(operand));
  }
  return operands;
}

absl::StatusOr<std::vector<ir::TensorType>> ResultTypesOf(const v1::HostCall& call) {
  std::vector<ir::TensorType> types;
  for (const v1::TensorType& proto : call.results()) {
    ACCELD_ASSIGN_OR_RETURN(ir::TensorType type, ir::FromProto(proto));
    types.push_back(std::move(type));
  }
  return types;
}

absl::StatusOr<Literals> CallContained(const HostCallback& callback, const Literals& operands) {
  try {
    return callback(operands);
  } catch (const std::exception& thrown) {
    return absl::UnknownError(absl::StrCat("it threw an exception: ", thrown.what()));
  } catch (...) {
    return absl::UnknownError("it threw something that is no exception");
  }
}

absl::StatusOr<Literals> ResultsOf(const v1::HostCall& call, const HostCallbacks& callbacks,
                                   const Literals& operands) {
  const HostCallback* const callback = callbacks.Find(call.callback());
  if (callback == nullptr) return absl::InvalidArgumentError("it is not given");
  ACCELD_ASSIGN_OR_RETURN(const std::vector<ir::TensorType> types, ResultTypesOf(call));
  ACCELD_ASSIGN_OR_RETURN(Literals results, CallContained(*callback, operands));
  ACCELD_RETURN_IF_ERROR(ir::CheckHostResults(call.callback(), types, results));
  return results;
}

// Adds a result to the reply. A large result is uploaded as an array instead, and the reply refers
// to it: returns the array's handle, or 0 if the result is in the reply itself.
absl::StatusOr<uint64_t> AddResult(const ir::Literal& result, uint32_t device, size_t& inline_bytes,
                                   v1::HostCallReply& reply, Connection& connection) {
  v1::HostValue& value = *reply.add_results();
  *value.mutable_type() = ir::ToProto(result.type());
  const auto size_bytes = static_cast<size_t>(result.type().size_bytes());
  if (size_bytes <= kMaxInlineBytes && inline_bytes + size_bytes <= kMaxInlineBytesTogether) {
    inline_bytes += size_bytes;
    value.set_data(result.DenseBytes());
    return 0;
  }
  // A splat has to be expanded; any other literal is sent from its own memory.
  const bool is_dense = result.bytes().size() == size_bytes;
  const auto keep = std::make_shared<const std::pair<ir::Literal, std::string>>(
      result, is_dense ? std::string() : result.DenseBytes());
  v1::BeginUpload begin;
  begin.set_handle(connection.NextId());
  *begin.mutable_type() = value.type();
  begin.set_device(device);
  value.set_handle(begin.handle());
  ACCELD_RETURN_IF_ERROR(connection.Upload(std::move(begin),
                                           {is_dense ? keep->first.bytes() : keep->second},
                                           /*deduplicate=*/false, [keep] {}));
  return value.handle();
}

void Reply(const v1::HostCall& call, const absl::StatusOr<Literals>& results,
           Connection& connection) {
  v1::Command command;
  v1::HostCallReply& reply = *command.mutable_host_call_reply();
  reply.set_call_id(call.call_id());
  absl::Status status = results.status();
  std::vector<uint64_t> handles;
  size_t inline_bytes = 0;
  for (size_t i = 0; status.ok() && i < results->size(); ++i) {
    const absl::StatusOr<uint64_t> handle =
        AddResult((*results)[i], call.device(), inline_bytes, reply, connection);
    status = handle.status();
    if (handle.ok() && *handle != 0) handles.push_back(*handle);
  }
  if (!status.ok()) {
    reply.clear_results();
    reply.set_code(static_cast<uint32_t>(status.code()));
    reply.set_message(EscapeNonUtf8(status.message()));
  }
  // If this fails, the session has failed, and the execution with it.
  (void)connection.AppendUnblocked(std::move(command));
  for (const uint64_t handle : handles) connection.Release(handle);
}

}  // namespace

void HostCallbackRunner::Add(uint64_t number, HostCallbacks callbacks, OnEnd on_end) {
  const MutexLock lock(mutex_);
  executions_.emplace(number, Execution{std::move(callbacks), std::move(on_end)});
  num_executions_.store(executions_.size());
}

void HostCallbackRunner::Remove(uint64_t number) {
  const MutexLock lock(mutex_);
  executions_.erase(number);
  num_executions_.store(executions_.size());
}

bool HostCallbackRunner::AwaitIdle(Clock::time_point deadline) {
  const MutexLock lock(mutex_);
  // A job of the calling thread cannot end while this call waits.
  const auto own =
      static_cast<size_t>(std::count(running_.begin(), running_.end(), std::this_thread::get_id()));
  while (running_.size() > own) {
    if (!changed_.WaitUntil(mutex_, deadline)) return running_.size() <= own;
  }
  return true;
}

void HostCallbackRunner::OnHostCall(v1::HostCall call) {
  const MutexLock lock(mutex_);
  const auto execution = executions_.find(call.callbacks());
  // The execution has ended, so the answer is not needed.
  if (!ended_.ok() || execution == executions_.end()) return;
  const uint64_t id = call.call_id();
  if (execution->second.answered.Contains(call)) return;
  const auto [known, is_new] = calls_.try_emplace(id);
  if (!is_new && known->second.has_begun) {
    known->second.again = std::move(call);
    return;
  }
  known->second.asked = std::move(call);
  if (is_new) Enqueue([this, id] { RunCall(id); });
}

void HostCallbackRunner::OnCallbacksDone(uint64_t number, const absl::Status& status) {
  const MutexLock lock(mutex_);
  auto ended = executions_.extract(number);
  num_executions_.store(executions_.size());
  if (ended.empty() || ended.mapped().on_end == nullptr) return;
  Enqueue([on_end = std::move(ended.mapped().on_end), status] { on_end(status); });
}

void HostCallbackRunner::OnSessionEnd(const absl::Status& reason) {
  decltype(executions_) executions;  // Destroyed without the lock.
  const MutexLock lock(mutex_);
  if (!ended_.ok()) return;
  ended_ = reason.ok() ? absl::UnavailableError("the session has ended") : reason;
  executions.swap(executions_);
  num_executions_.store(0);
  for (auto& [number, execution] : executions) {
    if (execution.on_end == nullptr) continue;
    Enqueue([on_end = std::move(execution.on_end), reason = ended_] { on_end(reason); });
  }
  changed_.NotifyAll();
}

void HostCallbackRunner::Enqueue(Job job) {
  jobs_.push_back(std::move(job));
  if (threads_ == static_cast<int>(running_.size())) StartThread();
  changed_.NotifyAll();
}

void HostCallbackRunner::StartThread() {
  if (threads_ >= kMaxThreads) return;
  ++threads_;
  acceld::StartThread("callback", [self = shared_from_this()] { self->RunThread(); }).detach();
}

HostCallbackRunner::Job HostCallbackRunner::TakeJob() {
  while (true) {
    if (jobs_.empty()) {
      if (!ended_.ok()) return nullptr;
      changed_.Wait(mutex_);
      continue;
    }
    const Clock::time_point turn = last_began_ + kPatience;
    if (running_.empty() || Clock::now() >= turn) break;
    (void)changed_.WaitUntil(mutex_, turn);
  }
  Job job = std::move(jobs_.front());
  jobs_.pop_front();
  last_began_ = Clock::now();
  return job;
}

void HostCallbackRunner::RunThread() {
  while (true) {
    Job job;
    {
      const MutexLock lock(mutex_);
      job = TakeJob();
      if (job == nullptr) {
        --threads_;
        changed_.NotifyAll();
        return;
      }
      running_.push_back(std::this_thread::get_id());
      // Keeps a thread available for the next job, in case this one takes long.
      if (threads_ == static_cast<int>(running_.size())) StartThread();
    }
    job();
    job = nullptr;
    const MutexLock lock(mutex_);
    std::erase(running_, std::this_thread::get_id());
    changed_.NotifyAll();
  }
}

absl::optional<v1::HostCall> HostCallbackRunner::Begin(uint64_t call_id, HostCallbacks& callbacks) {
  const MutexLock lock(mutex_);
  const auto call = calls_.find(call_id);
  if (call == calls_.end()) return absl::nullopt;
  const auto execution = executions_.find(call->second.asked.callbacks());
  if (execution == executions_.end()) {
    calls_.erase(call);
    return absl::nullopt;
  }
  callbacks = execution->second.callbacks;
  call->second.has_begun = true;
  return std::move(call->second.asked);
}

bool HostCallbackRunner::IsRetried(uint64_t call_id, const absl::Status& error) {
  const bool is_of_a_broken_stream = absl::IsUnavailable(error) || absl::IsCancelled(error) ||
                                     absl::IsInternal(error) || absl::IsUnknown(error) ||
                                     absl::IsNotFound(error);
  const std::shared_ptr<Connection> connection = connection_.lock();
  if (!is_of_a_broken_stream || connection == nullptr || !connection->may_resume() ||
      !connection->status().ok()) {
    return false;
  }
  const MutexLock lock(mutex_);
  const auto call = calls_.find(call_id);
  if (call == calls_.end()) return true;
  absl::optional<v1::HostCall> again = std::move(call->second.again);
  if (!again.has_value()) {
    calls_.erase(call);  // A repeated request for the call counts as new.
    return true;
  }
  call->second = Call{.asked = *std::move(again)};
  Enqueue([this, call_id] { RunCall(call_id); });
  return true;
}

void HostCallbackRunner::MarkAnswered(const v1::HostCall& call) {
  const MutexLock lock(mutex_);
  const auto execution = executions_.find(call.callbacks());
  if (execution != executions_.end()) execution->second.answered.Add(call);
  calls_.erase(call.call_id());
}

void HostCallbackRunner::RunCall(uint64_t call_id) {
  HostCallbacks callbacks;
  absl::optional<v1::HostCall> call = Begin(call_id, callbacks);
  if (!call.has_value()) return;
  absl::StatusOr<Literals> results;
  {
    absl::StatusOr<Literals> operands;
    {
      const std::shared_ptr<Connection> connection = connection_.lock();
      if (connection == nullptr) return;
      operands = OperandsOf(*call, *connection);
    }
    if (!operands.ok() && IsRetried(call_id, operands.status())) return;
    // The callback may release the last reference to the client, so the connection is not held
    // here.
    results = operands.ok() ? ResultsOf(*call, callbacks, *operands) : operands.status();
  }
  MarkAnswered(*call);
  const std::shared_ptr<Connection> connection = connection_.lock();
  if (connection != nullptr) Reply(*call, results, *connection);
}

}  // namespace acceld::client

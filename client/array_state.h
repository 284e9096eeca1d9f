#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "client/transport/connection.h"
#include "common/ir/types/type.h"
#include "common/threads/future.h"
#include "common/threads/mutex.h"

namespace acceld::client {

// When arrays are there that one command defines: all of them at the same time, or none. The daemon
// is asked once, at the first call about any of them. Any thread may call.
class Readiness : public std::enable_shared_from_this<Readiness> {
 public:
  Readiness() = default;
  ~Readiness();
  Readiness(const Readiness&) = delete;
  Readiness& operator=(const Readiness&) = delete;

  // `keep` holds the array of `handle` until the answer. With nullptr nothing is kept: the info is
  // empty when the last of the arrays is gone before the answer, and the daemon may drop the
  // execution then.
  Future<ExecutionInfo> Ask(Connection& connection, uint64_t handle,
                            std::shared_ptr<const void> keep);
  // What Ask decides to, without asking: an empty info when nobody has asked before the last of the
  // arrays is gone.
  Future<ExecutionInfo> WhenAsked();
  // The number of that request, for Connection::Serve, or 0 when it is about to be sent.
  uint64_t request() const;

 private:
  // Sets the promise, if that has not been done.
  void Settle(absl::StatusOr<ExecutionInfo> info);

  mutable Mutex mutex_;
  // Until it is set.
  std::shared_ptr<Promise<ExecutionInfo>> promise_ ABSL_GUARDED_BY(mutex_);
  Future<ExecutionInfo> ready_ ABSL_GUARDED_BY(mutex_);
  bool asked_ ABSL_GUARDED_BY(mutex_) = false;
  bool keeps_ ABSL_GUARDED_BY(mutex_) = false;  // an array, until the answer
  uint64_t request_ ABSL_GUARDED_BY(mutex_) = 0;
};

// What the copies of one Array share, and the requests about it but for those that lapse: the
// handle is released, by the destructor, when they are answered.
class ArrayState : public std::enable_shared_from_this<ArrayState> {
 public:
  ArrayState(std::shared_ptr<Connection> connection, uint64_t handle, ir::TensorType type,
             uint32_t device, std::shared_ptr<Readiness> readiness)
      : connection_(std::move(connection)),
        handle_(handle),
        type_(std::move(type)),
        device_(device),
        readiness_(std::move(readiness)) {}
  ~ArrayState() { connection_->Release(handle_); }
  ArrayState(const ArrayState&) = delete;
  ArrayState& operator=(const ArrayState&) = delete;

  const std::shared_ptr<Connection>& connection() const { return connection_; }
  uint64_t handle() const { return handle_; }
  const ir::TensorType& type() const { return type_; }
  uint32_t device() const { return device_; }

  Future<ExecutionInfo> Ready();
  Future<ExecutionInfo> ReadyWhileHeld();
  Future<ExecutionInfo> WhenAsked() { return readiness_->WhenAsked(); }
  // As Readiness::request.
  uint64_t ready_request() const { return readiness_->request(); }
  // What Ready decides to; blocks.
  absl::StatusOr<ExecutionInfo> AwaitReady();
  // As Array::IsReady.
  bool IsReady();
  // Large arrays wait until the connection has room for their bytes. The number of the request, for
  // Connection::Serve, or 0 when it may be sent later. Between BeginRead and EndRead.
  // One that lapses does not hold the array, and ends with CANCELLED when that goes first.
  uint64_t Fetch(std::shared_ptr<ByteSink> sink, Connection::Lapses lapses,
                 Connection::OnDone done);

  // FAILED_PRECONDITION when the array was donated.
  absl::Status CheckOwned() const;
  // The same, and counts a fetch if it is not.
  absl::Status BeginRead();
  void EndRead();
  // Donates the array to a program, by its name. Whether the daemon may be told so: what is being
  // fetched keeps its value. FAILED_PRECONDITION when it was donated before.
  absl::StatusOr<bool> Donate(std::shared_ptr<const std::string> program);
  // The array is its holders' again, as if it had not been donated.
  void Return();

 private:
  absl::Status CheckOwnedLocked() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::shared_ptr<Connection> connection_;  // Shared with the client and other arrays.
  const uint64_t handle_;
  const ir::TensorType type_;
  const uint32_t device_;
  const std::shared_ptr<Readiness> readiness_;  // Shared with those that are defined with it.
  mutable Mutex mutex_;
  // The program's name, if the array was donated; shared by all that were donated with it.
  std::shared_ptr<const std::string> donated_to_ ABSL_GUARDED_BY(mutex_);
  int reads_ ABSL_GUARDED_BY(mutex_) = 0;  // fetches under way
};

}  // namespace acceld::client

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

// The readiness of all arrays that one command defines: they become ready together or fail
// together. The daemon is asked once, by the first call about any of them. Thread-safe.
class Readiness : public std::enable_shared_from_this<Readiness> {
 public:
  Readiness() = default;
  ~Readiness();
  Readiness(const Readiness&) = delete;
  Readiness& operator=(const Readiness&) = delete;

  // Returns a future for the outcome, and asks the daemon about the array `handle` unless that was
  // done before. `keep` is held until the answer arrives, and holds the array. If `keep` is nullptr
  // the request holds nothing: when the last of the arrays is released before the answer, the
  // future completes with an empty ExecutionInfo, and the daemon may cancel the execution.
  Future<ExecutionInfo> Ask(Connection& connection, uint64_t handle,
                            std::shared_ptr<const void> keep);
  // Returns the same future as Ask without asking the daemon. It completes with an empty
  // ExecutionInfo if the last of the arrays is released before anybody calls Ask.
  Future<ExecutionInfo> ReadyWithoutRequest();
  // Returns the number of the request that Ask sent, for Connection::Serve, or 0 if it has not been
  // sent yet.
  uint64_t request() const;

 private:
  // Completes the future with `info`, unless it is complete already.
  void Settle(absl::StatusOr<ExecutionInfo> info);

  mutable Mutex mutex_;
  // nullptr before the first call and after the promise has been set.
  std::shared_ptr<Promise<ExecutionInfo>> promise_ ABSL_GUARDED_BY(mutex_);
  Future<ExecutionInfo> ready_ ABSL_GUARDED_BY(mutex_);
  bool asked_ ABSL_GUARDED_BY(mutex_) = false;
  bool keeps_ ABSL_GUARDED_BY(mutex_) = false;  // Some request holds an array until its answer.
  uint64_t request_ ABSL_GUARDED_BY(mutex_) = 0;
};

// State that the copies of one Array share. Pending requests share it too, except those that lapse
// (Connection::Lapses), so the destructor releases the handle only after they have been answered.
// Thread-safe.
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

  // Array::Ready and WeakArray::Ready, respectively: the request of the former keeps the array
  // alive until the answer, that of the latter does not.
  Future<ExecutionInfo> Ready();
  Future<ExecutionInfo> ReadyWithoutHold();
  Future<ExecutionInfo> ReadyWithoutRequest() { return readiness_->ReadyWithoutRequest(); }
  // See Readiness::request.
  uint64_t ready_request() const { return readiness_->request(); }
  // Blocks until the array is ready; returns the value of Ready.
  absl::StatusOr<ExecutionInfo> AwaitReady();
  // See Array::IsReady.
  bool IsReady();
  // Requests the value; `done` is called with the outcome. Large arrays wait, without blocking the
  // caller, until the connection's fetch window has room for their bytes. Returns the number of the
  // request, for Connection::Serve, or 0 if it may be sent later. Call between BeginRead and
  // EndRead. A fetch that lapses does not hold the array, and ends with CANCELLED if the array is
  // released first.
  uint64_t Fetch(std::shared_ptr<ByteSink> sink, Connection::Lapses lapses,
                 Connection::OnDone done);

  // FAILED_PRECONDITION if the array was donated.
  absl::Status CheckOwned() const;
  // Like CheckOwned; if OK, also counts one more pending fetch, until EndRead.
  absl::Status BeginRead();
  void EndRead();
  // Marks the array as donated to the program with this name. Returns whether the command to the
  // daemon may say so: it may not while fetches are pending, because they still need the value.
  // FAILED_PRECONDITION if the array was donated before.
  absl::StatusOr<bool> Donate(std::shared_ptr<const std::string> program);
  // Undoes Donate.
  void Return();

 private:
  absl::Status CheckOwnedLocked() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::shared_ptr<Connection> connection_;  // Shared with the client and other arrays.
  const uint64_t handle_;
  const ir::TensorType type_;
  const uint32_t device_;
  const std::shared_ptr<Readiness> readiness_;  // Shared with the arrays of the same command.
  mutable Mutex mutex_;
  // The program's name if the array was donated, else nullptr. Shared by all arrays donated to the
  // same execution.
  std::shared_ptr<const std::string> donated_to_ ABSL_GUARDED_BY(mutex_);
  int reads_ ABSL_GUARDED_BY(mutex_) = 0;  // Pending fetches.
};

}  // namespace acceld::client

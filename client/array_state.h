#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "client/transport/connection.h"
#include "common/future.h"
#include "common/ir/type.h"
#include "common/mutex.h"

namespace acceld::client {

// What the copies of one Array share, and the requests about it: the handle is released, by the
// destructor, when they are answered.
class ArrayState : public std::enable_shared_from_this<ArrayState> {
 public:
  ArrayState(std::shared_ptr<Connection> connection, uint64_t handle, ir::TensorType type,
             uint32_t device)
      : connection_(std::move(connection)),
        handle_(handle),
        type_(std::move(type)),
        device_(device) {}
  ~ArrayState() { connection_->Release(handle_); }
  ArrayState(const ArrayState&) = delete;
  ArrayState& operator=(const ArrayState&) = delete;

  const std::shared_ptr<Connection>& connection() const { return connection_; }
  uint64_t handle() const { return handle_; }
  const ir::TensorType& type() const { return type_; }
  uint32_t device() const { return device_; }

  // The daemon is asked once, at the first call.
  Future<ExecutionInfo> Ready();
  // The number of that request, for Connection::Serve, or 0 when it is about to be sent.
  uint64_t ready_request() const;
  // What Ready decides to; blocks.
  absl::StatusOr<ExecutionInfo> AwaitReady();
  // Large arrays wait until the connection has room for their bytes. The number of the request, for
  // Connection::Serve, or 0 when it may be sent later.
  uint64_t Fetch(std::shared_ptr<ByteSink> sink, Connection::OnDone done);

 private:
  const std::shared_ptr<Connection> connection_;  // Shared with the client and other arrays.
  const uint64_t handle_;
  const ir::TensorType type_;
  const uint32_t device_;
  mutable Mutex mutex_;
  Future<ExecutionInfo> ready_ ABSL_GUARDED_BY(mutex_);
  uint64_t ready_request_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace acceld::client

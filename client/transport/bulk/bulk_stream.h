#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "client/transport/dial/dial.h"
#include "common/status.h"
#include "grpcpp/client_context.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/support/byte_buffer.h"

namespace acceld::client {

// One bidirectional streaming gRPC call with raw bytes as messages. Used by one thread, which
// blocks in every function; only Cancel may be called by others.
class BulkStream {
 public:
  // What the call does if there is no connection to the daemon: fail, or wait for one.
  enum class WhenDown : uint8_t { kFail, kWait };
  // `method` is the name of an RPC of the service Acceld; `peer` names the daemon in error
  // messages.
  BulkStream(std::shared_ptr<RpcChannel> line, const std::string& peer, const std::string& method,
             WhenDown when_down);
  // Cancels the call if it has not finished.
  ~BulkStream();
  BulkStream(const BulkStream&) = delete;
  BulkStream& operator=(const BulkStream&) = delete;

  // Makes the running or a later call fail. Thread-safe.
  void Cancel();

  // Starts the call. Call this first.
  void Start();
  // These return false if the call is over; Finish returns why.
  bool Write(const grpc::ByteBuffer& message);
  // Ends the writing side of the stream.
  bool WritesDone();
  bool Read(grpc::ByteBuffer& message);
  // Returns the status of the call. Call after the last Read.
  absl::Status Finish();

 private:
  bool Wait();

  const std::shared_ptr<RpcChannel> line_;  // Shared with the other calls on it.
  const std::string peer_;
  grpc::ClientContext context_;
  std::atomic<bool> cancelled_{false};
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  bool finished_ = false;
};

}  // namespace acceld::client

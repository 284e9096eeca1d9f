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

// One streaming call whose messages are bytes, for one thread, which blocks in every method.
class BulkStream {
 public:
  enum class WhenDown : uint8_t { kFail, kWait };
  // `method` is a name of the service Acceld; `peer` names the daemon in messages. Without a
  // connection the call fails, or waits for one.
  BulkStream(std::shared_ptr<Line> line, const std::string& peer, const std::string& method,
             WhenDown when_down);
  // Cancels what is not finished.
  ~BulkStream();
  BulkStream(const BulkStream&) = delete;
  BulkStream& operator=(const BulkStream&) = delete;

  // Makes the call fail, or what is to begin. By any thread.
  void Cancel();

  // Begins the call, before anything else that follows.
  void Start();
  // False: the call is over, and Finish says why.
  bool Write(const grpc::ByteBuffer& message);
  bool WritesDone();
  bool Read(grpc::ByteBuffer& message);
  // The call's end, after the last Read.
  absl::Status Finish();

 private:
  bool Wait();

  const std::shared_ptr<Line> line_;  // Shared with the other calls on it.
  const std::string peer_;
  grpc::ClientContext context_;
  std::atomic<bool> cancelled_{false};
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  bool finished_ = false;
};

}  // namespace acceld::client

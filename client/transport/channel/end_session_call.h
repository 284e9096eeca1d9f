#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <string>

#include "acceld/v1/acceld.grpc.pb.h"
#include "client/transport/dial/dial.h"
#include "common/threads/future.h"

namespace acceld::client {

// An EndSession call: tells the daemon to end a session, which would otherwise wait for a new
// stream until its lease expires. Retries a few times if the connection breaks, for at most two
// seconds; after that the session ends with its lease.
class EndSessionCall {
 public:
  // Starts the call without waiting for it. The dialer must outlive this object.
  EndSessionCall(Dialer& dialer, const std::string& session_token);
  // Blocks until the call has ended.
  ~EndSessionCall();
  EndSessionCall(const EndSessionCall&) = delete;
  EndSessionCall& operator=(const EndSessionCall&) = delete;

 private:
  // Makes one attempt, and another one if it fails.
  void StartAttempt();

  Dialer& dialer_;
  const std::chrono::system_clock::time_point deadline_;  // gRPC deadlines use this clock.
  v1::EndSessionRequest request_;
  v1::EndSessionReply reply_;
  // One attempt to make the call.
  struct CallAttempt {
    std::shared_ptr<RpcChannel> line;
    grpc::ClientContext context;
  };
  std::list<CallAttempt> times_;
  // Shared with the last callback, which may still be setting the promise while this object is
  // destroyed.
  const std::shared_ptr<Promise<Unit>> promise_ = std::make_shared<Promise<Unit>>();
  const Event said_ = promise_->future();
};

}  // namespace acceld::client

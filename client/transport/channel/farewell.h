#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <string>

#include "acceld/v1/acceld.grpc.pb.h"
#include "client/transport/dial/dial.h"
#include "common/threads/future.h"

namespace acceld::client {

// Tells the daemon to end a session that would otherwise wait for another stream. Says it again a
// few times when the connection breaks meanwhile, in two seconds at most: then the lease ends it.
class Farewell {
 public:
  // Does not wait. The dialer outlives this object.
  Farewell(Dialer& dialer, const std::string& session_token);
  // Blocks until it is said.
  ~Farewell();
  Farewell(const Farewell&) = delete;
  Farewell& operator=(const Farewell&) = delete;

 private:
  void Say();

  Dialer& dialer_;
  const std::chrono::system_clock::time_point deadline_;  // gRPC's clock
  v1::EndSessionRequest request_;
  v1::EndSessionReply reply_;
  struct Time {
    std::shared_ptr<Line> line;
    grpc::ClientContext context;
  };
  std::list<Time> times_;
  // Shared with the last callback, which may still be setting it when this object goes.
  const std::shared_ptr<Promise<Unit>> promise_ = std::make_shared<Promise<Unit>>();
  const Event said_ = promise_->future();
};

}  // namespace acceld::client

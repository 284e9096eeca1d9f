#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <string>

#include "acceld/v1/acceld.grpc.pb.h"
#include "common/future.h"

namespace acceld::client {

// Tells the daemon to end a session that would otherwise wait for another stream. Says it again a
// few times when the connection breaks meanwhile, in two seconds at most: then the lease ends it.
class Farewell {
 public:
  // Does not wait. The stub outlives this object.
  Farewell(v1::Acceld::Stub& stub, const std::string& session_token);
  // Blocks until it is said.
  ~Farewell();
  Farewell(const Farewell&) = delete;
  Farewell& operator=(const Farewell&) = delete;

 private:
  void Say();

  v1::Acceld::Stub& stub_;
  const std::chrono::system_clock::time_point deadline_;  // gRPC's clock
  v1::EndSessionRequest request_;
  v1::EndSessionReply reply_;
  std::list<grpc::ClientContext> contexts_;  // One for each time.
  // Shared with the last callback, which may still be setting it when this object goes.
  const std::shared_ptr<Promise<Unit>> promise_ = std::make_shared<Promise<Unit>>();
  const Event said_ = promise_->future();
};

}  // namespace acceld::client

#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "acceld/v1/acceld.grpc.pb.h"
#include "common/memory/allowance.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/engine/session/session.h"
#include "server/rpc/rpc_context.h"

namespace acceld::rpc {

// Serves one Run call: opens a session, executes one program in it, sends the results and closes
// the session. The request is decoded on the decode pool; callbacks of the engine do the rest, so
// no thread waits.
//
// The callbacks share the RunCall. gRPC's reactor is finished once: by the last result, the first
// error or a cancellation.
class RunCall : public std::enable_shared_from_this<RunCall> {
 public:
  // Starts a call. `request` is a serialized RunRequest; on success `reply` receives a serialized
  // RunReply. gRPC owns the reactor, and `reply` must live until the reactor is finished.
  static grpc::ServerUnaryReactor* Start(const RpcContext& rpc, engine::Identity caller,
                                         const grpc::ByteBuffer& request, grpc::ByteBuffer* reply);

 private:
  class Reactor;

  RunCall(const RpcContext& rpc, engine::Identity caller, grpc::ByteBuffer* reply)
      : rpc_(rpc), caller_(std::move(caller)), reply_(reply) {}

  // Copies the request into memory that is charged to the caller. RESOURCE_EXHAUSTED.
  absl::Status TakeRequest(const grpc::ByteBuffer& request);
  // Submits the program and asks for its results; runs on the decode pool.
  void Run();
  // Decodes the request, opens the session and submits the arguments and the execution. Returns the
  // handles of the results.
  absl::StatusOr<std::vector<engine::Handle>> Submit();
  void OnFetched(size_t index, const engine::FetchResult& result);
  void Finish(const absl::Status& status);

  const RpcContext& rpc_;
  const engine::Identity caller_;
  grpc::ByteBuffer request_;  // empty once decoded
  Taken request_memory_;      // the charge for the request, until all of it is submitted
  grpc::ByteBuffer* const reply_;

  Mutex mutex_;
  Reactor* reactor_ ABSL_GUARDED_BY(mutex_) = nullptr;  // null once finished
  std::shared_ptr<engine::Session> session_ ABSL_GUARDED_BY(mutex_);
  std::vector<v1::Literal> results_ ABSL_GUARDED_BY(mutex_);
  size_t missing_ ABSL_GUARDED_BY(mutex_) = 0;  // results that have not come yet
  uint64_t reply_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  v1::ExecutionInfo execution_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::rpc

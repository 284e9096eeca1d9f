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

// One Run: a session that lives for one program. Decoding happens on the decode pool; the rest
// follows from the engine's callbacks. Nothing waits.
//
// The call is shared by its callbacks; gRPC's reactor is finished once, by the last result, the
// first error or a cancellation.
class RunCall : public std::enable_shared_from_this<RunCall> {
 public:
  // A RunRequest and, once it went well, a RunReply as bytes. The reactor belongs to gRPC; `reply`
  // lives until it is finished.
  static grpc::ServerUnaryReactor* Start(const RpcContext& rpc, engine::Identity caller,
                                         const grpc::ByteBuffer& request, grpc::ByteBuffer* reply);

 private:
  class Reactor;

  RunCall(const RpcContext& rpc, engine::Identity caller, grpc::ByteBuffer* reply)
      : rpc_(rpc), caller_(std::move(caller)), reply_(reply) {}

  // Copies the request into memory that the caller is charged for.
  absl::Status TakeRequest(const grpc::ByteBuffer& request);
  void Run();
  // Opens the session and submits everything; the number of results.
  absl::StatusOr<std::vector<engine::Handle>> Submit();
  void OnFetched(size_t index, const engine::FetchResult& result);
  void Finish(const absl::Status& status);

  const RpcContext& rpc_;
  const engine::Identity caller_;
  grpc::ByteBuffer request_;  // until it is decoded
  Taken request_memory_;      // until it is submitted
  grpc::ByteBuffer* const reply_;

  Mutex mutex_;
  Reactor* reactor_ ABSL_GUARDED_BY(mutex_) = nullptr;  // Null once finished.
  std::shared_ptr<engine::Session> session_ ABSL_GUARDED_BY(mutex_);
  std::vector<v1::Literal> results_ ABSL_GUARDED_BY(mutex_);
  size_t missing_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t reply_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  v1::ExecutionInfo execution_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::rpc

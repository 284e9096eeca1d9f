#pragma once

#include <chrono>
#include <memory>

#include "common/threads/thread_pool.h"
#include "server/engine/engine.h"
#include "server/rpc/gated_service.h"
#include "server/rpc/rpc_context.h"

namespace acceld::rpc {

// The handlers of the RPCs of acceld.proto. gRPC's threads call them, so each only makes its
// reactor and returns. Owns the session table, the timers and the decode pool.
class Service : public GatedService {
 public:
  // The references must outlive the service.
  Service(engine::Engine& engine, RpcOptions options, const CallCounters& counters,
          const Gate& gate, Connections& connections);

  Readiness& readiness() { return readiness_; }
  const RpcContext& context() const { return context_; }
  // Ends every session with UNAVAILABLE.
  void EndSessions();

 private:
#define ACCELD_SERVED_Unary(Name, Request, Reply)                                                \
  grpc::ServerUnaryReactor* On##Name(const Caller& caller, grpc::CallbackServerContext* context, \
                                     const v1::Request* request, v1::Reply* reply) override;
#define ACCELD_SERVED_RawUnary(Name, Request, Reply)                                             \
  grpc::ServerUnaryReactor* On##Name(const Caller& caller, grpc::CallbackServerContext* context, \
                                     const grpc::ByteBuffer* request, grpc::ByteBuffer* reply)   \
      override;
#define ACCELD_SERVED_ServerStream(Name, Request, Reply)                                      \
  grpc::ServerWriteReactor<v1::Reply>* On##Name(                                              \
      const Caller& caller, grpc::CallbackServerContext* context, const v1::Request* request) \
      override;
#define ACCELD_SERVED_RawServerStream(Name, Request, Reply)                            \
  DownloadStream* On##Name(const Caller& caller, grpc::CallbackServerContext* context, \
                           const grpc::ByteBuffer* request, Call call) override;
#define ACCELD_SERVED_RawClientStream(Name, Request, Reply)                          \
  UploadStream* On##Name(const Caller& caller, grpc::CallbackServerContext* context, \
                         grpc::ByteBuffer* reply, Call call) override;
#define ACCELD_SERVED_RawBidi(Name, Request, Reply)                                              \
  ChannelStream* On##Name(const Caller& caller, grpc::CallbackServerContext* context, Call call) \
      override;
#define ACCELD_RPC(Name, Shape, Request, Reply, role) ACCELD_SERVED_##Shape(Name, Request, Reply)
#include "server/rpc/auth/rpcs.def"

  // Runs `work` on the maintenance thread, where it may block, and ends the call with its status.
  grpc::ServerUnaryReactor* AnswerLater(grpc::CallbackServerContext* context,
                                        std::function<absl::Status()> work);

  engine::Engine& engine_;
  const RpcOptions options_;
  observability::RpcInstruments& instruments_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  Readiness readiness_;
  SessionTable sessions_;
  const RpcContext context_;
  TimerQueue timers_{"rpc-timers", size_t{1} << 20};
  // Declared last, and so destroyed first, because their threads use the other members.
  ThreadPool maintenance_{"maintenance", 1, 1024};
  FairPool decoders_;
};

}  // namespace acceld::rpc

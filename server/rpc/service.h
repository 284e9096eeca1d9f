#pragma once

#include <chrono>
#include <memory>

#include "acceld/v1/acceld.grpc.pb.h"
#include "server/engine/engine.h"
#include "server/rpc/bulk_reactors.h"
#include "server/rpc/channel_reactor.h"
#include "server/rpc/rpc_context.h"

namespace acceld::rpc {

using ServiceBase =
    v1::Acceld::WithRawCallbackMethod_Channel<v1::Acceld::WithRawCallbackMethod_Upload<
        v1::Acceld::WithRawCallbackMethod_Download<v1::Acceld::WithCallbackMethod_Run<
            v1::Acceld::WithCallbackMethod_ListDevices<v1::Acceld::WithCallbackMethod_EndSession<
                v1::Acceld::WithCallbackMethod_GetStats<v1::Acceld::WithCallbackMethod_ListSessions<
                    v1::Acceld::WithCallbackMethod_ListNames<
                        v1::Acceld::WithCallbackMethod_ListCache<
                            v1::Acceld::WithCallbackMethod_GetTrace<
                                v1::Acceld::WithCallbackMethod_KillSession<
                                    v1::Acceld::WithCallbackMethod_Drain<
                                        v1::Acceld::Service>>>>>>>>>>>>>;

// The RPCs of acceld.proto. Each makes its reactor and returns; gRPC's threads call it.
class Service : public ServiceBase {
 public:
  // Both outlive the service.
  Service(engine::Engine& engine, RpcOptions options, observability::RpcInstruments& instruments);

  Readiness& readiness() { return readiness_; }
  const RpcContext& context() const { return context_; }
  // Ends every session with UNAVAILABLE.
  void EndSessions();

 private:
  ChannelStream* Channel(grpc::CallbackServerContext* context) override;
  UploadStream* Upload(grpc::CallbackServerContext* context, grpc::ByteBuffer* reply) override;
  DownloadStream* Download(grpc::CallbackServerContext* context,
                           const grpc::ByteBuffer* request) override;
  grpc::ServerUnaryReactor* EndSession(grpc::CallbackServerContext* context,
                                       const v1::EndSessionRequest* request,
                                       v1::EndSessionReply* reply) override;
  grpc::ServerUnaryReactor* Run(grpc::CallbackServerContext* context, const v1::RunRequest* request,
                                v1::RunReply* reply) override;
  grpc::ServerUnaryReactor* ListDevices(grpc::CallbackServerContext* context,
                                        const v1::ListDevicesRequest* request,
                                        v1::ListDevicesReply* reply) override;
  grpc::ServerUnaryReactor* GetStats(grpc::CallbackServerContext* context,
                                     const v1::GetStatsRequest* request, v1::Stats* reply) override;
  grpc::ServerUnaryReactor* ListSessions(grpc::CallbackServerContext* context,
                                         const v1::ListSessionsRequest* request,
                                         v1::ListSessionsReply* reply) override;
  grpc::ServerUnaryReactor* ListNames(grpc::CallbackServerContext* context,
                                      const v1::ListNamesRequest* request,
                                      v1::ListNamesReply* reply) override;
  grpc::ServerUnaryReactor* ListCache(grpc::CallbackServerContext* context,
                                      const v1::ListCacheRequest* request,
                                      v1::ListCacheReply* reply) override;
  grpc::ServerUnaryReactor* KillSession(grpc::CallbackServerContext* context,
                                        const v1::KillSessionRequest* request,
                                        v1::KillSessionReply* reply) override;
  grpc::ServerUnaryReactor* Drain(grpc::CallbackServerContext* context,
                                  const v1::DrainRequest* request, v1::DrainReply* reply) override;
  grpc::ServerWriteReactor<v1::TraceChunk>* GetTrace(grpc::CallbackServerContext* context,
                                                     const v1::GetTraceRequest* request) override;

  engine::Engine& engine_;
  const RpcOptions options_;
  observability::RpcInstruments& instruments_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  Readiness readiness_;
  SessionTable sessions_;
  const RpcContext context_{engine_, options_, instruments_, sessions_, timers_, decoders_};
  TimerQueue timers_{"rpc-timers", size_t{1} << 20};
  ThreadPool decoders_;  // Last: its threads use the rest.
};

}  // namespace acceld::rpc

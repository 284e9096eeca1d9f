#pragma once

#include <memory>

#include "acceld/v1/acceld.pb.h"
#include "grpcpp/support/server_interceptor.h"
#include "server/observability/instruments/rpc_instruments.h"
#include "server/rpc/counted_call.h"

namespace acceld::rpc {

// Makes the metrics of the transport, with labels for the methods and commands of acceld.proto.
std::shared_ptr<observability::RpcInstruments> MakeInstruments();

// Makes an interceptor that counts each RPC as soon as it arrives, before its caller is checked,
// and with the status that it ends with, be it the handler's or a refusal. Streams that count
// themselves (GatedService::CountsItself) get no interceptor.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> MakeCallCounter(
    const CallCounters& counters);

// Counts the commands of a batch by their kind, and the bytes of the arrays in its Put commands.
void CountBatch(const v1::CommandBatch& batch, observability::RpcInstruments& instruments);

}  // namespace acceld::rpc

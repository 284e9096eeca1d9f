#pragma once

#include <memory>
#include <string>
#include <vector>

#include "acceld/v1/acceld.pb.h"
#include "grpcpp/support/server_interceptor.h"
#include "server/observability/instruments/rpc_instruments.h"

namespace acceld::rpc {

// Instruments for the methods and the commands that acceld.proto has.
std::shared_ptr<observability::RpcInstruments> MakeInstruments();

// Counts each RPC with the status that it ends with, whoever decided on it. `instruments` outlive
// the server that this is given to.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> MakeCallCounter(
    observability::RpcInstruments& instruments);

// Counts the commands of a batch, and the array bytes in it.
void CountBatch(const v1::CommandBatch& batch, observability::RpcInstruments& instruments);

}  // namespace acceld::rpc

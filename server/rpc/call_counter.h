#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "acceld/v1/acceld.pb.h"
#include "grpcpp/support/server_interceptor.h"
#include "server/observability/instruments/rpc_instruments.h"

namespace acceld::rpc {

// Instruments for the methods and the commands that acceld.proto has.
std::shared_ptr<observability::RpcInstruments> MakeInstruments();

// The RPCs that have come to a server, of all services, and those of them that have not ended.
struct CallTally {
  std::atomic<uint64_t> begun{0};
  std::atomic<uint64_t> open{0};
};

// Counts each RPC from when it comes, before anything is decided about it, and with the status that
// it ends with, whoever decided on that. `instruments` and `tally` outlive the server that this is
// given to.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> MakeCallCounter(
    observability::RpcInstruments& instruments, CallTally& tally);

// Counts the commands of a batch, and the array bytes in it.
void CountBatch(const v1::CommandBatch& batch, observability::RpcInstruments& instruments);

}  // namespace acceld::rpc

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

// Makes the metrics of the transport, with labels for the methods and commands of acceld.proto.
std::shared_ptr<observability::RpcInstruments> MakeInstruments();

// The number of RPCs, of all services, that a server has received.
struct CallTally {
  std::atomic<uint64_t> begun{0};  // since the start
  std::atomic<uint64_t> open{0};   // that have not ended
};

// Makes an interceptor that counts each RPC: in `tally` as soon as it arrives, before its caller is
// checked, and in `instruments` with the status that it ends with, be it the handler's or a
// refusal. Both arguments must outlive the server that uses the interceptor.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> MakeCallCounter(
    observability::RpcInstruments& instruments, CallTally& tally);

// Counts the commands of a batch by their kind, and the bytes of the arrays in its Put commands.
void CountBatch(const v1::CommandBatch& batch, observability::RpcInstruments& instruments);

}  // namespace acceld::rpc

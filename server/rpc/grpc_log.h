#pragma once

#include <memory>

#include "server/observability/instruments/rpc_instruments.h"

namespace acceld::rpc {

// From now on what gRPC complains about goes into our log, as warnings, at most a few a second, for
// clients can bring them about. A TLS handshake that failed is counted as a refusal.
void TameGrpcLog(std::weak_ptr<observability::RpcInstruments> instruments);

}  // namespace acceld::rpc

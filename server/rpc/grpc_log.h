#pragma once

#include <memory>

#include "server/observability/instruments/rpc_instruments.h"

namespace acceld::rpc {

// Sends gRPC's error messages to the daemon's log, as warnings. At most 5 are logged in a second,
// because clients can cause them. Every failed TLS handshake is counted as a refusal in
// `instruments`, while these live. Applies to the whole process; a further call replaces the
// instruments.
void RedirectGrpcLog(std::weak_ptr<observability::RpcInstruments> instruments);

}  // namespace acceld::rpc

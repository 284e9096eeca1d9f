#pragma once

#include <memory>
#include <string>

#include "grpcpp/support/client_interceptor.h"

namespace acceld::client {

// Returns an interceptor factory that adds "authorization: Bearer TOKEN" to the metadata of every
// call of a channel. gRPC's own call credentials require TLS, which connections to a loopback
// address need not use.
std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface> MakeTokenSender(
    const std::string& token);

}  // namespace acceld::client

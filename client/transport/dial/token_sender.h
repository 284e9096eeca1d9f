#pragma once

#include <memory>
#include <string>

#include "grpcpp/support/client_interceptor.h"

namespace acceld::client {

// Puts "authorization: Bearer TOKEN" into the metadata of every call of a channel. gRPC's own call
// credentials want TLS, which a loopback address need not have.
std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface> MakeTokenSender(
    const std::string& token);

}  // namespace acceld::client

#pragma once

#include <memory>
#include <vector>

#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/support/server_interceptor.h"
#include "server/rpc/auth/gate.h"

namespace acceld::rpc {

// Sends calls of the services that gRPC brings along (reflection, health) past the gate, as
// GatedService does with ours. A call that is refused ends with the gate's status; its handler
// finds it cancelled and cannot answer any more. `gate` outlives the server that this is given to.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> MakeServiceGuard(
    const Gate& gate);

// Answers what no service does: with the gate's refusal. `gate` outlives it.
class UnknownMethods : public grpc::CallbackGenericService {
 public:
  explicit UnknownMethods(const Gate& gate) : gate_(gate) {}

 private:
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override;

  const Gate& gate_;
};

}  // namespace acceld::rpc

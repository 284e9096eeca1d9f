#pragma once

#include <memory>
#include <vector>

#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/support/server_interceptor.h"
#include "server/rpc/auth/gate.h"

namespace acceld::rpc {

// Makes an interceptor that applies the gate to the services that gRPC itself provides (reflection,
// health), as GatedService does for acceld.proto. A refused call ends with the gate's status; its
// handler still runs, but finds the call cancelled and its answer is not sent. `gate` must outlive
// the server that uses the interceptor.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> MakeServiceGuard(
    const Gate& gate);

// Ends every call of a method that no registered service has with the gate's refusal, so that such
// calls are counted and logged like others. `gate` must outlive this object.
class UnknownMethods : public grpc::CallbackGenericService {
 public:
  explicit UnknownMethods(const Gate& gate) : gate_(gate) {}

 private:
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override;

  const Gate& gate_;
};

}  // namespace acceld::rpc

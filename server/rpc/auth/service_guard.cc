#include "server/rpc/auth/service_guard.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "acceld/v1/acceld.grpc.pb.h"
#include "grpc/grpc.h"
#include "server/rpc/decode/status_codes.h"

namespace acceld::rpc {
namespace {

using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::Interceptor;
using grpc::experimental::InterceptorBatchMethods;
using grpc::experimental::ServerInterceptorFactoryInterface;
using grpc::experimental::ServerRpcInfo;

class ServiceGuard final : public Interceptor {
 public:
  ServiceGuard(const Gate& gate, ServerRpcInfo& info) : gate_(gate), info_(info) {}

  void Intercept(InterceptorBatchMethods* methods) override {
    // At this point metadata and peer are known, and the handler has not run yet.
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::POST_RECV_INITIAL_METADATA)) {
      grpc::ServerContextBase& context = *info_.server_context();
      const absl::Status status = gate_.Admit(info_.method(), context).status();
      if (!status.ok()) {
        const grpc::Status refusal = ToGrpc(status);
        // ServerContextBase::TryCancel does the same, but always with the status CANCELLED.
        grpc_call_cancel_with_status(context.c_call(),
                                     static_cast<grpc_status_code>(refusal.error_code()),
                                     refusal.error_message().c_str(), nullptr);
      }
    }
    methods->Proceed();
  }

 private:
  const Gate& gate_;
  ServerRpcInfo& info_;
};

class ServiceGuardFactory final : public ServerInterceptorFactoryInterface {
 public:
  explicit ServiceGuardFactory(const Gate& gate) : gate_(gate) {}

  Interceptor* CreateServerInterceptor(ServerRpcInfo* info) override {
    // GatedService applies the gate to acceld.proto's methods, and UnknownMethods to methods that
    // the gate does not know; there a refusal keeps the handler from running.
    if (absl::StartsWith(info->method(), our_prefix_) || !Gate::Knows(info->method())) {
      return nullptr;
    }
    return new ServiceGuard(gate_, *info);
  }

 private:
  const Gate& gate_;
  const std::string our_prefix_ = absl::StrCat("/", v1::Acceld::service_full_name(), "/");
};

class Refusal final : public grpc::ServerGenericBidiReactor {
 public:
  explicit Refusal(const absl::Status& status) { Finish(ToGrpc(status)); }

 private:
  void OnDone() override { delete this; }
};

}  // namespace

std::unique_ptr<ServerInterceptorFactoryInterface> MakeServiceGuard(const Gate& gate) {
  return std::make_unique<ServiceGuardFactory>(gate);
}

grpc::ServerGenericBidiReactor* UnknownMethods::CreateReactor(
    grpc::GenericCallbackServerContext* context) {
  const absl::Status refused = gate_.Admit(context->method(), *context).status();
  // A method that the gate admits is in rpcs.def. That it comes here means that its service is not
  // registered.
  return new Refusal(refused.ok() ? absl::UnimplementedError("there is no such RPC") : refused);
}

}  // namespace acceld::rpc

#include "client/transport/dial/token_sender.h"

#include <utility>

namespace acceld::client {
namespace {

using grpc::experimental::ClientInterceptorFactoryInterface;
using grpc::experimental::ClientRpcInfo;
using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::Interceptor;
using grpc::experimental::InterceptorBatchMethods;

class TokenSender final : public Interceptor {
 public:
  explicit TokenSender(std::shared_ptr<const std::string> value) : value_(std::move(value)) {}

  void Intercept(InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_INITIAL_METADATA)) {
      methods->GetSendInitialMetadata()->emplace("authorization", *value_);
    }
    methods->Proceed();
  }

 private:
  const std::shared_ptr<const std::string> value_;  // Shared with the factory; calls outlive it.
};

class TokenSenderFactory final : public ClientInterceptorFactoryInterface {
 public:
  explicit TokenSenderFactory(const std::string& token)
      : value_(std::make_shared<const std::string>("Bearer " + token)) {}

  Interceptor* CreateClientInterceptor(ClientRpcInfo*) override { return new TokenSender(value_); }

 private:
  const std::shared_ptr<const std::string> value_;
};

}  // namespace

std::unique_ptr<ClientInterceptorFactoryInterface> MakeTokenSender(const std::string& token) {
  return std::make_unique<TokenSenderFactory>(token);
}

}  // namespace acceld::client

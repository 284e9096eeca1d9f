#include "client/transport/dial/token_sender.h"

#include <utility>

namespace acceld::client {
namespace {

using grpc::experimental::ClientInterceptorFactoryInterface;
using grpc::experimental::ClientRpcInfo;
using grpc::experimental::Interceptor;

// Adds the token to the metadata of each call when the call is created, and creates no interceptor:
// with one, gRPC would pass every message of a stream through its completion queue twice.
class TokenSender final : public ClientInterceptorFactoryInterface {
 public:
  explicit TokenSender(const std::string& token) : value_("Bearer " + token) {}

  Interceptor* CreateClientInterceptor(ClientRpcInfo* info) override {
    info->client_context()->AddMetadata("authorization", value_);
    return nullptr;
  }

 private:
  const std::string value_;
};

}  // namespace

std::unique_ptr<ClientInterceptorFactoryInterface> MakeTokenSender(const std::string& token) {
  return std::make_unique<TokenSender>(token);
}

}  // namespace acceld::client

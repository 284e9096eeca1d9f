#pragma once

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/client.h"
#include "client/tracing.h"
#include "gmock/gmock.h"
#include "grpc/grpc.h"
#include "gtest/gtest.h"
#include "server/rpc/server.h"
#include "tests/integration/fake_engine.h"
#include "tests/support/daemon/process.h"

namespace acceld::testing {

// A server with a fake engine on a unix socket, and clients of it.
class RpcTest : public ::testing::Test {
 protected:
  // gRPC is kept: its shutdown after a test may take ten seconds.
  RpcTest() { grpc_init(); }
  void SetUp() override { StartServer({}); }

  void StartServer(rpc::RpcOptions options) {
    server_.reset();
    options.listen = {*ParseAddress(address())};
    options.version = "test";
    auto server = rpc::Server::Start(engine_, options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  std::string address() const { return absl::StrCat("unix:", folder_.path(), "/d.sock"); }

  std::shared_ptr<client::Client> Connect() {
    auto client = client::Client::Connect({.address = address(), .client_name = "test"});
    EXPECT_TRUE(client.ok()) << client.status();
    return *std::move(client);
  }

  static ir::Literal Floats(std::vector<float> values) {
    const auto size = static_cast<int64_t>(values.size());
    return ir::Literal::FromValues<float>({ir::DType::kF32, {size}}, values);
  }
  // A large value whose elements tell their places.
  static ir::Literal Ramp(int64_t size) {
    std::vector<int32_t> values(size);
    for (int64_t i = 0; i < size; ++i) values[i] = static_cast<int32_t>(i * 7919);
    return ir::Literal::FromValues<int32_t>({ir::DType::kI32, {size}}, values);
  }

  TempDir folder_;
  FakeEngine engine_;
  std::unique_ptr<rpc::Server> server_;
};

}  // namespace acceld::testing

// A name that stands for several daemons, over TLS.

#include <chrono>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/integration/several/several_fixture.h"
#include "tests/support/net/cutting_proxy.h"
#include "tests/support/net/fake_names.h"

namespace acceld::testing {
namespace {

using client::Admin;
using client::Array;
using client::Client;
using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using NamesTest = SeveralTest;

TEST_F(NamesTest, SessionsAreSpreadAndEachStaysWhereItIs) {
  ASSERT_NO_FATAL_FAILURE(StartDaemons(3));
  std::vector<std::shared_ptr<Client>> clients;
  for (int i = 0; i < 12; ++i) clients.push_back(Connect(NameAddress()));
  EXPECT_THAT(Sessions(), ElementsAre(4, 4, 4));
  std::vector<int> of_daemon(3);
  for (const auto& client : clients) {
    ASSERT_NE(client, nullptr);
    ExpectWorks(*client);
    const size_t daemon = DaemonOf(*client);
    ASSERT_LT(daemon, 3u);
    ++of_daemon[daemon];
  }
  EXPECT_THAT(of_daemon, ElementsAre(4, 4, 4));
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(StatsOf(i).executions, 4u);
}

TEST_F(NamesTest, DaemonsThatDrainOrAreDeadAreLeftOut) {
  ASSERT_NO_FATAL_FAILURE(StartDaemons(3));
  Drain(0);
  Kill(2);
  for (int i = 0; i < 6; ++i) {
    const auto client = Connect(NameAddress());
    ASSERT_NE(client, nullptr);
    EXPECT_EQ(client->address(), TlsAddressOf(1));
  }
  Drain(1);
  const absl::Status status = Client::Connect(Options(NameAddress())).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("none of 3 acceld daemons"),
                    HasSubstr(absl::StrCat(TlsAddressOf(0), ": the daemon is draining")),
                    HasSubstr(absl::StrCat(TlsAddressOf(1), ": the daemon is draining")),
                    HasSubstr(absl::StrCat(TlsAddressOf(2), ": nobody listens there"))));
}

TEST_F(NamesTest, WhateverTheAddressTheCertificateIsForTheName) {
  ASSERT_NO_FATAL_FAILURE(StartDaemons(2));
  SetName("other.test", {"127.0.0.2", "127.0.0.3"});
  const auto refusal = [&](const std::string& address) {
    return std::string(Client::Connect(Options(address)).status().message());
  };
  const std::string why = "its certificate is for another name than ";
  EXPECT_THAT(refusal(NameAddress("other.test")),
              AllOf(HasSubstr("none of 2"), HasSubstr(why + "other.test")));
  EXPECT_THAT(refusal("tls://" + EndpointOf(0)), HasSubstr(why + "127.0.0.2"));
  EXPECT_THAT(refusal("tls://other.test@" + EndpointOf(1)), HasSubstr(why + "other.test"));
  EXPECT_NE(Connect(TlsAddressOf(1)), nullptr);
}

TEST_F(NamesTest, ASessionIsResumedAtItsDaemonAndNoOther) {
  ASSERT_NO_FATAL_FAILURE(StartDaemons(2));
  // The same port at two more addresses.
  std::vector<std::unique_ptr<CuttingProxy>> proxies;
  for (size_t i = 0; i < 2; ++i) {
    proxies.push_back(std::make_unique<CuttingProxy>(absl::StrCat("127.0.0.", i + 12, ":", port_),
                                                     EndpointOf(i)));
  }
  SetName("acceld.test", {"127.0.0.12", "127.0.0.13"});
  for (int round = 0; round < 2; ++round) {  // In turn: once at either.
    const auto client = Connect(NameAddress());
    ASSERT_NE(client, nullptr);
    const size_t daemon =
        client->address() == absl::StrCat("tls://acceld.test@127.0.0.12:", port_) ? 0 : 1;
    const auto x = client->Upload(ir::Literal::Filled({ir::DType::kF32, {4}}, 7));
    ASSERT_TRUE(x.ok() && x->Await().ok());
    // For a while nobody is there, but the other.
    proxies[daemon]->Refuse(true);
    proxies[daemon]->Cut();
    auto fetched = x->FetchAsync();
    std::this_thread::sleep_for(milliseconds(1000));
    proxies[daemon]->Refuse(false);
    EXPECT_TRUE(fetched.Await().ok()) << fetched.Await().status();
    for (int i = 0; i < 3; ++i) {
      proxies[daemon]->Cut();
      ExpectWorks(*client);
    }
    EXPECT_EQ(StatsOf(daemon).sessions, 1u);
    EXPECT_EQ(StatsOf(1 - daemon).sessions, 0u);
  }
}

TEST_F(NamesTest, AClientWhoseDaemonDiesBeginsAnewAtAnother) {
  ASSERT_NO_FATAL_FAILURE(StartDaemons(2));
  // So large that it is sent only to a daemon that asks for it.
  std::string text = "func.func @main(%x0: tensor<f32>) -> tensor<f32> {\n";
  for (int i = 1; i <= 400; ++i) {
    absl::StrAppend(&text, "  %x", i, " = stablehlo.add %x", i - 1, ", %x0 : tensor<f32>\n");
  }
  text += "  return %x400 : tensor<f32>\n}\n";
  const client::Program program = *client::Program::FromText(text);
  const auto run = [&](Client& client) -> absl::StatusOr<ir::Literal> {
    ACCELD_ASSIGN_OR_RETURN(const Array x,
                            client.Upload(ir::Literal::Filled({ir::DType::kF32, {}}, 2)));
    ACCELD_ASSIGN_OR_RETURN(const std::vector<Array> y, client.Execute(program, {x}));
    return y.front().Fetch();
  };
  client::ConnectOptions options = Options(NameAddress());
  options.lease = milliseconds(500);
  auto client = *Client::Connect(options);
  EXPECT_TRUE(*run(*client) == ir::Literal::Filled({ir::DType::kF32, {}}, 802));
  const size_t first = DaemonOf(*client);
  Kill(first);
  EXPECT_EQ(run(*client).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(Eventually([&] { return !client->status().ok(); }));
  EXPECT_EQ(StatsOf(1 - first).programs, 0u);
  client = *Client::Connect(options);
  EXPECT_EQ(DaemonOf(*client), 1 - first);
  EXPECT_TRUE(*run(*client) == ir::Literal::Filled({ir::DType::kF32, {}}, 802));
}

TEST_F(NamesTest, OrdersAreForOneDaemon) {
  ASSERT_NO_FATAL_FAILURE(StartDaemons(2));
  const client::ConnectOptions options = Options(NameAddress());
  const auto any = Admin::Connect({.address = options.address, .credentials = options.credentials});
  ASSERT_TRUE(any.ok()) << any.status();
  EXPECT_TRUE((*any)->GetStats().ok());
  EXPECT_THAT((*any)->address(), ::testing::AnyOf(TlsAddressOf(0), TlsAddressOf(1)));
  for (const absl::Status& status :
       {(*any)->Drain().status(), (*any)->KillSession(1, "a mistake")}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(absl::StrCat(TlsAddressOf(0), ", ", TlsAddressOf(1))));
  }
  const auto one = Admin::Connect({.address = TlsAddressOf(1), .credentials = options.credentials});
  EXPECT_TRUE((*one)->Drain().ok());
  EXPECT_FALSE(StatsOf(0).draining);
  EXPECT_TRUE(StatsOf(1).draining);
}

}  // namespace
}  // namespace acceld::testing

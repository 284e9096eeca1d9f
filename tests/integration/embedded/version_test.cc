// What becomes of a daemon whose version does not go with the client's.

#include <thread>

#include "common/net/address.h"
#include "grpc/grpc.h"
#include "server/rpc/server.h"
#include "tests/integration/embedded/embedded_fixture.h"
#include "tests/integration/fake_engine.h"

namespace acceld::testing {
namespace {

using client::ConnectOrStart;
using ::testing::AllOf;
using ::testing::HasSubstr;

class EmbeddedVersionTest : public EmbeddedTest {
 protected:
  EmbeddedVersionTest() { grpc_init(); }

  // A daemon of some version at the user's address; one that ends by itself does so when it drains.
  void Serve(const std::string& version, bool ends_when_idle) {
    rpc::RpcOptions options;
    options.listen = {*ParseAddress(address())};
    options.version = version;
    options.ends_when_idle = ends_when_idle;
    auto server = rpc::Server::Start(engine_, options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    if (!ends_when_idle) return;
    ender_ = std::thread([this] {
      while (!stopping_ && (server_->accepting() || engine_.Stats().sessions > 0)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      server_.reset();
    });
  }
  ~EmbeddedVersionTest() override {
    stopping_ = true;
    if (ender_.joinable()) ender_.join();
    server_.reset();
  }

  FakeEngine engine_;
  std::unique_ptr<rpc::Server> server_;
  std::atomic<bool> stopping_{false};
  std::thread ender_;
};

TEST_F(EmbeddedVersionTest, OneThatOthersStartedIsRefusedWithBothVersions) {
  ASSERT_NO_FATAL_FAILURE(Serve("7.1.2", /*ends_when_idle=*/false));
  const client::StartOptions client{.client_version = "7.2.0"};
  const absl::Status refused = ConnectOrStart({}, client).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
  EXPECT_THAT(std::string(refused.message()),
              AllOf(HasSubstr("client is acceld 7.2.0"), HasSubstr("is acceld 7.1.2"),
                    HasSubstr("pip install 'acceld==7.1.2'")));
  const absl::Status named = ConnectOrStart({.address = address()}, client).status();
  EXPECT_EQ(named.code(), absl::StatusCode::kFailedPrecondition) << named;
  EXPECT_THAT(std::string(named.message()), HasSubstr("restart that daemon as acceld 7.2.0"));
  EXPECT_TRUE(server_->accepting());
}

TEST_F(EmbeddedVersionTest, PatchReleasesGoTogether) {
  ASSERT_NO_FATAL_FAILURE(Serve("7.1.2", /*ends_when_idle=*/false));
  EXPECT_NE(Connect({.client_version = "7.1.9"}), nullptr);
  EXPECT_NE(Connect({.client_version = "7.1.0"}), nullptr);
}

TEST_F(EmbeddedVersionTest, AnIdleOneThatClientsStartedIsReplaced) {
  ASSERT_NO_FATAL_FAILURE(Serve("0.0.9", /*ends_when_idle=*/true));
  const auto client = Connect();
  ASSERT_NE(client, nullptr);
  EXPECT_NE(client->daemon_version(), "0.0.9");
  EXPECT_NE(Incarnation(address()), engine_.incarnation());
}

TEST_F(EmbeddedVersionTest, OneThatIsInUseIsNot) {
  ASSERT_NO_FATAL_FAILURE(Serve("0.0.9", /*ends_when_idle=*/true));
  const auto user = client::Client::Connect({.address = address()});
  ASSERT_TRUE(user.ok()) << user.status();
  const absl::Status refused = ConnectOrStart().status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
  EXPECT_THAT(std::string(refused.message()),
              AllOf(HasSubstr("0.0.9"), HasSubstr("1 session is open"),
                    HasSubstr("ACCELD_AUTOSTART=private")));
  EXPECT_TRUE((*user)->status().ok());
  EXPECT_TRUE(server_->accepting());
}

TEST_F(EmbeddedVersionTest, AnEarlierPatchReleaseIsReplacedUnlessItIsInUse) {
  ASSERT_NO_FATAL_FAILURE(Serve("0.1.0", /*ends_when_idle=*/true));
  const client::StartOptions client{.client_version = "0.1.7"};
  {
    const auto user = client::Client::Connect({.address = address()});
    ASSERT_TRUE(user.ok()) << user.status();
    EXPECT_NE(Connect(client), nullptr);
    EXPECT_EQ(Incarnation(address()), engine_.incarnation());
  }
  // The binary is an earlier one, too: it is used as it is.
  EXPECT_NE(Connect(client), nullptr);
  EXPECT_NE(Incarnation(address()), engine_.incarnation());
}

}  // namespace
}  // namespace acceld::testing

// Streams that break again and again under a real daemon: nothing is lost and nothing is done
// twice.

#include <chrono>
#include <thread>

#include "client/tracing.h"
#include "tests/integration/faults/fault_fixture.h"
#include "tests/support/net/cutting_proxy.h"

namespace acceld::testing {
namespace {

using client::Array;
using client::Client;
using std::chrono::milliseconds;

class FaultStreamsTest : public FaultTest {
 protected:
  void StartBehindProxy() {
    ASSERT_NO_FATAL_FAILURE(StartAndCount());
    proxy_ = std::make_unique<CuttingProxy>(folder_.path() + "/p.sock", socket_path());
  }
  std::shared_ptr<Client> ConnectThroughProxy() {
    auto client = Client::Connect({.address = "unix:" + folder_.path() + "/p.sock",
                                   .lease = milliseconds(60'000),
                                   .connect_timeout = milliseconds(60'000)});
    EXPECT_TRUE(client.ok()) << client.status();
    return client.ok() ? *std::move(client) : nullptr;
  }

  std::unique_ptr<CuttingProxy> proxy_;
};

TEST_F(FaultStreamsTest, ExecutionsOfAChainAreCountedOnce) {
  ASSERT_NO_FATAL_FAILURE(StartBehindProxy());
  constexpr int kClients = 3, kSteps = 4000;
  std::vector<std::shared_ptr<Client>> clients;
  for (int i = 0; i < kClients; ++i) clients.push_back(ConnectThroughProxy());
  const uint64_t executions_before = Admin().GetStats()->executions;
  {
    Cutter cutter(*proxy_, milliseconds(10));
    std::vector<std::thread> threads;
    for (int i = 0; i < kClients; ++i) {
      threads.emplace_back([client = clients[i]] {
        client::Function next(client, [](const client::Tensor& x) { return x + 1; });
        Array y = *client->Upload(Floats({0}));
        for (int step = 1; step <= kSteps; ++step) {
          y = *next(y);
          if (step % 500 != 0) continue;
          const absl::StatusOr<ir::Literal> value = y.Fetch();
          ASSERT_TRUE(value.ok()) << value.status();
          EXPECT_TRUE(*value == Floats({static_cast<float>(step)}));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  const client::ServerStats stats = *Admin().GetStats();
  EXPECT_EQ(stats.executions - executions_before, uint64_t{kClients} * kSteps);
  EXPECT_EQ(stats.sessions, uint64_t{kClients});
  clients.clear();
  ExpectNothingLeft();
}

TEST_F(FaultStreamsTest, NamesAreGivenAndTakenOnce) {
  ASSERT_NO_FATAL_FAILURE(StartBehindProxy());
  std::shared_ptr<Client> client = ConnectThroughProxy();
  {
    Cutter cutter(*proxy_, milliseconds(25));
    for (int i = 0; i < 300; ++i) {
      const Array array = *client->Upload(Floats({static_cast<float>(i)}));
      // Without `replace`: a second array would not get the name of the first.
      const absl::Status published = client->Publish(array, "cut");
      ASSERT_TRUE(published.ok()) << published;
      const absl::StatusOr<Array> opened = client->Open("cut");
      ASSERT_TRUE(opened.ok()) << opened.status();
      EXPECT_TRUE(*opened->Fetch() == Floats({static_cast<float>(i)}));
      const absl::Status dropped = client->DropName("cut");
      ASSERT_TRUE(dropped.ok()) << dropped;
    }
  }
  client = nullptr;
  ExpectNothingLeft();
}

TEST_F(FaultStreamsTest, MixedWorkGoesOn) {
  ASSERT_NO_FATAL_FAILURE(StartBehindProxy());
  {
    std::vector<std::shared_ptr<Client>> clients;
    for (uint32_t i = 0; i < 3; ++i) clients.push_back(ConnectThroughProxy());
    Cutter cutter(*proxy_, milliseconds(40));
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < 3; ++i) {
      threads.emplace_back([this, i, client = clients[i]] { DoMixedWork(client, i + 50, 60); });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(Admin().GetStats()->sessions, 3u);
  }
  ExpectNothingLeft();
}

}  // namespace
}  // namespace acceld::testing

#include "tests/integration/faults/fault_fixture.h"

#include <chrono>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/support/daemon/mixed_work.h"

namespace acceld::testing {
namespace {

using client::Client;
using std::chrono::milliseconds;

#ifdef ACCELD_ADDRESS_SANITIZER
// What was freed is kept for a while, 256 MiB of it, to catch who uses it; leaks are told at exit.
constexpr uint64_t kKeptBytes = uint64_t{512} << 20;
#else
constexpr uint64_t kKeptBytes = uint64_t{64} << 20;
#endif
// gRPC and the allocator keep some for their own reuse, however many clients there were.
constexpr ResourceCount::Slack kSlack{.open_files = 2, .threads = 4, .resident_bytes = kKeptBytes};
constexpr int kWarmClients = 6;
constexpr int kWarmSteps = 25;
constexpr std::chrono::seconds kPatience{40};

}  // namespace

ResourceCount FaultTest::Count() {
  const absl::StatusOr<ResourceCount> count = ResourceCount::Of(Admin(), daemon_->process.pid());
  EXPECT_TRUE(count.ok()) << count.status();
  return count.ok() ? *count : ResourceCount{};
}

bool FaultTest::DoMixedWork(std::shared_ptr<Client> client, uint32_t seed, int steps) {
  MixedWork work(std::move(client), {.seed = seed, .name_prefix = absl::StrCat("test/", seed)});
  for (int i = 0; i < steps; ++i) {
    const absl::Status status = work.Step();
    EXPECT_TRUE(status.ok()) << status;
    if (!status.ok()) return false;
  }
  return true;
}

void FaultTest::StartAndCount(const std::vector<std::string>& flags) {
  ASSERT_NO_FATAL_FAILURE(Start(flags));
  std::vector<std::thread> clients;
  for (uint32_t i = 0; i < kWarmClients; ++i) {
    clients.emplace_back([this, i] {
      const auto client = Client::Connect({.address = address(), .local_transport = i % 2 == 0});
      ASSERT_TRUE(client.ok()) << client.status();
      DoMixedWork(*client, i, kWarmSteps);
    });
  }
  for (std::thread& client : clients) client.join();
  // What goes with them goes soon.
  std::string last;
  EXPECT_TRUE(Eventually([&] {
    std::this_thread::sleep_for(milliseconds(200));
    before_ = Count();
    return before_.sessions == 0 && before_.arrays == 0 &&
           std::exchange(last, before_.ToString()) == before_.ToString();
  }));
  GTEST_LOG_(INFO) << "at first: " << before_.ToString();
}

void FaultTest::ExpectNothingLeft() {
  {
    const std::shared_ptr<Client> cleaner = Connect();
    const auto names = Admin().ListNames();
    ASSERT_TRUE(names.ok()) << names.status();
    for (const client::NamedArrayInfo& named : *names) (void)cleaner->DropName(named.name);
  }
  std::string growth;
  ResourceCount now;
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  do {
    std::this_thread::sleep_for(milliseconds(20));
    now = Count();
    growth = now.GrowthSince(before_, kSlack);
  } while (!growth.empty() && std::chrono::steady_clock::now() < deadline);
  EXPECT_EQ(growth, "") << now.ToString();
  GTEST_LOG_(INFO) << "at the end: " << now.ToString();
}

void FaultTest::ExpectServes() {
  const std::shared_ptr<Client> client = Connect();
  ASSERT_NE(client, nullptr);
  const client::Program increment = Parse(kIncrementText);
  const client::Array x = *client->Upload(Floats(std::vector<float>(16, 1)));
  for (int i = 0; i < 100; ++i) {
    const auto results = client->Execute(increment, {x});
    ASSERT_TRUE(results.ok()) << results.status();
    const absl::StatusOr<ir::Literal> value = results->front().Fetch();
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_TRUE(*value == Floats(std::vector<float>(16, 2)));
  }
}

}  // namespace acceld::testing

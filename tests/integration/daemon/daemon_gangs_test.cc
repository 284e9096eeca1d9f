// Client processes that want the same devices for programs over several of them.

#include <signal.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/tracing.h"
#include "tests/integration/daemon/daemon_fixture.h"
#include "tests/support/daemon/sharded_work.h"

namespace acceld::testing {
namespace {

using client::Array;
using client::Client;
using client::Program;

class DaemonGangsTest : public DaemonTest {
 protected:
  void SetUp() override { ASSERT_NO_FATAL_FAILURE(StartOnFourDevices()); }
  void StartOnFourDevices(std::vector<std::string> flags = {}) {
    flags.insert(flags.end(), {"--cpu-devices", "4"});
    Start(flags);
  }

  // Adds up once on these devices, and checks the result.
  static absl::Status AddUp(Client& client, const std::vector<uint32_t>& devices) {
    ACCELD_ASSIGN_OR_RETURN(const Program program,
                            Program::FromText(AddSumText(static_cast<int>(devices.size()))));
    ACCELD_ASSIGN_OR_RETURN(const Shards values, UploadShards(client, devices));
    ACCELD_ASSIGN_OR_RETURN(const Shards results, client.ExecuteSharded(program, values, devices));
    return CheckSums(results);
  }
  // How many of the devices are in a gang.
  int DevicesInGangs() {
    int count = 0;
    for (const client::DeviceInfo& device : Devices()) count += device.gangs > 0;
    return count;
  }
  // Nothing runs, waits or is held.
  bool AllIsFree() {
    const client::ServerStats stats = Stats();
    if (stats.arrays != 0 || stats.gangs_running != 0 || stats.gangs_waiting != 0) return false;
    for (const client::DeviceInfo& device : Devices()) {
      if (device.queued != 0 || device.gangs != 0) return false;
    }
    return true;
  }
};

TEST_F(DaemonGangsTest, AKilledClientFreesAllItsDevices) {
  const std::shared_ptr<Client> other = Connect();
  for (int round = 0; round < 3; ++round) {
    Process exchanging = StartClient("exchange", {"0,2,1,3"});
    ASSERT_TRUE(Eventually([this] { return DevicesInGangs() == 4; })) << ClientsLog();
    // Waits for two of the devices.
    const std::vector<uint32_t> devices = {3, 1};
    const absl::StatusOr<Shards> values = UploadShards(*other, devices);
    ASSERT_TRUE(values.ok()) << values.status();
    const absl::StatusOr<Shards> sums =
        other->ExecuteSharded(Parse(AddSumText(2)), *values, devices);
    ASSERT_TRUE(sums.ok()) << sums.status();
    ASSERT_TRUE(Eventually([this] { return Stats().gangs_waiting == 1; }));
    exchanging.Signal(SIGKILL);
    const auto killed_at = std::chrono::steady_clock::now();
    const absl::Status status = CheckSums(*sums);
    const std::chrono::duration<double, std::milli> took =
        std::chrono::steady_clock::now() - killed_at;
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_TRUE(Eventually([this] { return DevicesInGangs() == 0; }));
    EXPECT_TRUE(Eventually([this] { return !FindSession("exchange"); }));
    GTEST_LOG_(INFO) << "another client had its results " << took.count() << " ms after the kill";
    EXPECT_EQ(exchanging.Wait(), 128 + SIGKILL) << ClientsLog();
  }
}

TEST_F(DaemonGangsTest, ProcessesGoOnWithOverlappingSetsOfDevices) {
  std::vector<Process> processes;
  for (int seed = 1; seed <= 5; ++seed) {
    processes.push_back(StartClient("sharded", {absl::StrCat(seed), "60"}));
  }
  for (Process& process : processes) EXPECT_EQ(process.Wait(), 0) << ClientsLog();
  EXPECT_GT(Stats().gangs, 5u * 60 / 2);
  EXPECT_TRUE(Eventually([this] { return AllIsFree(); }));
}

TEST_F(DaemonGangsTest, ProcessesThatAreKilledInTheMiddleDisturbNobody) {
  Process steady = StartClient("sharded", {"1", "200"});
  for (int seed = 2; seed < 10; ++seed) {
    Process killed = StartClient("sharded", {absl::StrCat(seed), "1000000"});
    const uint64_t before = Stats().gangs;
    EXPECT_TRUE(Eventually([&] { return Stats().gangs > before + 10; }));
    killed.Signal(SIGKILL);
    EXPECT_EQ(killed.Wait(), 128 + SIGKILL) << ClientsLog();
  }
  EXPECT_EQ(steady.Wait(), 0) << ClientsLog();
  EXPECT_TRUE(Eventually([this] { return AllIsFree(); }));
}

TEST_F(DaemonGangsTest, AClientThatNeitherReadsNorSendsAllItsInputsHoldsUpNobody) {
  const std::shared_ptr<Client> other = Connect();
  Process mute = StartClient("mute");
  ASSERT_TRUE(Eventually([this] { return Stats().gangs > 10; })) << ClientsLog();
  for (const std::vector<uint32_t>& devices :
       std::vector<std::vector<uint32_t>>{{0, 1, 2, 3}, {2, 0}, {3, 2, 1, 0}, {1, 3}}) {
    for (int i = 0; i < 10; ++i) {
      const absl::Status status = AddUp(*other, devices);
      EXPECT_TRUE(status.ok()) << status;
    }
  }
  client::Function increment(other, [](const client::Tensor& x) { return x + 1; });
  const absl::StatusOr<Array> two = increment(*other->Upload(Floats({1})));
  ASSERT_TRUE(two.ok()) << two.status();
  EXPECT_EQ(*two->Fetch(), Floats({2}));
  mute.Signal(SIGKILL);
  EXPECT_TRUE(Eventually([this] { return !FindSession("mute"); }));
}

TEST_F(DaemonGangsTest, ProgramsOfOneAndOfSeveralDevicesStarveNeitherOnes) {
  constexpr uint64_t kMany = 200;
  std::atomic<uint64_t> gangs{0}, single[2] = {0, 0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    const std::shared_ptr<Client> client = Connect();
    while (!stop) {
      const absl::Status status = AddUp(*client, {1, 0});
      EXPECT_TRUE(status.ok()) << status;
      ++gangs;
    }
  });
  for (const uint32_t device : {0, 1}) {
    threads.emplace_back([&, device] {
      // Several are queued at a time.
      const std::shared_ptr<Client> client = Connect();
      const Program increment = Parse(kIncrementText);
      const absl::StatusOr<Array> x = client->Upload(Floats(std::vector<float>(16, 1)), device);
      ASSERT_TRUE(x.ok()) << x.status();
      while (!stop) {
        std::vector<Array> results;
        for (int i = 0; i < 16; ++i) {
          const auto result = client->Execute(increment, {*x}, device);
          ASSERT_TRUE(result.ok()) << result.status();
          results.push_back(result->front());
        }
        for (const Array& result : results) EXPECT_TRUE(result.Await().ok());
        single[device] += results.size();
      }
    });
  }
  EXPECT_TRUE(Eventually([&] { return gangs > kMany && single[0] > kMany && single[1] > kMany; }));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  GTEST_LOG_(INFO) << gangs << " launches on both devices beside " << single[0] << " and "
                   << single[1] << " on one";
}

class DaemonGangQuotaTest : public DaemonGangsTest {
 protected:
  void SetUp() override {
    const std::string config = folder_.path() + "/acceld.toml";
    std::ofstream(config) << "[quota.default]\nmax-execution-seconds = 0.2\n";
    ASSERT_NO_FATAL_FAILURE(StartOnFourDevices({"--config", config}));
  }
};

// Gangs do not take turns as executions of one device do.
TEST_F(DaemonGangQuotaTest, AGangThatTakesLongerThanItsQuotaAllowsMakesRoomForOthers) {
  const std::shared_ptr<Client> client = Connect(), other = Connect();
  const std::vector<uint32_t> devices = {0, 1};
  const absl::StatusOr<Shards> values = UploadShards(*client, devices);
  ASSERT_TRUE(values.ok()) << values.status();
  const absl::StatusOr<Shards> results =
      client->ExecuteSharded(Parse(EndlessExchangeText(2)), *values, devices);
  ASSERT_TRUE(results.ok()) << results.status();
  const absl::Status status = AddUp(*other, {1, 2});
  EXPECT_TRUE(status.ok()) << status;
  for (const std::vector<Array>& result : *results) {
    EXPECT_EQ(result[0].Await().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(result[0].Await().message()),
                ::testing::HasSubstr("max-execution-seconds"));
  }
}

}  // namespace
}  // namespace acceld::testing

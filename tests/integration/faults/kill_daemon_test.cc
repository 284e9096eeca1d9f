// The daemon killed in the middle of anything, and started again on the same cache folder.

#include <signal.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <random>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/integration/faults/fault_fixture.h"

namespace acceld::testing {
namespace {

namespace fs = std::filesystem;
using client::Array;
using client::Client;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

class FaultKillDaemonTest : public FaultTest {
 protected:
  std::shared_ptr<Client> ConnectWithLease(milliseconds lease) {
    auto client = Client::Connect({.address = address(), .client_name = "test", .lease = lease});
    EXPECT_TRUE(client.ok()) << client.status();
    return client.ok() ? *std::move(client) : nullptr;
  }
  void Kill() {
    daemon_->process.Signal(SIGKILL);
    EXPECT_EQ(daemon_->process.Wait(), 128 + SIGKILL);
  }
  // x + `number`, which nobody has compiled before if the number is new.
  static client::Program Add(int number) {
    return Parse(absl::StrCat("func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {\n",
                              "  %c = stablehlo.constant dense<", number, ".0> : tensor<16xf32>\n",
                              "  %y = stablehlo.add %x, %c : tensor<16xf32>\n",
                              "  return %y : tensor<16xf32>\n}\n"));
  }
  static absl::Status RunAdd(Client& client, int number) {
    ACCELD_ASSIGN_OR_RETURN(const Array x, client.Upload(Floats(std::vector<float>(16, 1))));
    ACCELD_ASSIGN_OR_RETURN(const std::vector<Array> y, client.Execute(Add(number), {x}));
    ACCELD_ASSIGN_OR_RETURN(const ir::Literal value, y.front().Fetch());
    const auto expected = static_cast<float>(number + 1);
    if (value == Floats(std::vector<float>(16, expected))) return absl::OkStatus();
    return absl::InternalError(absl::StrCat("x + ", number, " is wrong"));
  }
  size_t Entries() const {
    size_t count = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator files(cache_folder(), error), none;
         !error && files != none; files.increment(error)) {
      count += files->path().extension() == ".exe";
    }
    return count;
  }
};

TEST_F(FaultKillDaemonTest, UploadsInFlightFailAndASessionWithALeaseHearsOfTheRestart) {
  ASSERT_NO_FATAL_FAILURE(Start());
  for (bool local_transport : {false, true}) {
    const auto without = *Client::Connect(
        {.address = address(), .lease = milliseconds(0), .local_transport = local_transport});
    const auto with = *Client::Connect(
        {.address = address(), .lease = milliseconds(60'000), .local_transport = local_transport});
    const ir::Literal large =
        Floats(std::vector<float>(size_t{8} << 20, local_transport ? 1.0f : 2.0f));
    const Array kept = *with->Upload(Floats({1, 2, 3}));
    ASSERT_TRUE(kept.Await().ok());
    std::vector<Array> uploads;
    for (int i = 0; i < 8; ++i) {
      uploads.push_back(*without->Upload(large));
      uploads.push_back(*with->Upload(large));
    }
    EXPECT_TRUE(Eventually([&] { return Stats().arrays > 8; }));
    Kill();
    // What has no lease hears it at once, though no daemon listens.
    EXPECT_TRUE(absl::IsUnavailable(uploads[14].Await())) << uploads[14].Await();
    EXPECT_TRUE(absl::IsUnavailable(without->Upload(large).status()));
    ASSERT_NO_FATAL_FAILURE(Start());
    const absl::Status status = uploads[15].Await();
    EXPECT_TRUE(absl::IsUnavailable(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("the daemon was restarted"));
    const absl::Status lost = kept.Fetch().status();
    EXPECT_TRUE(absl::IsUnavailable(lost)) << lost;
    EXPECT_THAT(std::string(lost.message()), HasSubstr("the daemon was restarted"));
    ExpectServes();
  }
}

TEST_F(FaultKillDaemonTest, ALeaseThatNobodyAnswersEnds) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const auto client = ConnectWithLease(milliseconds(1500));
  const Array kept = *client->Upload(Floats({1, 2, 3}));
  ASSERT_TRUE(kept.Await().ok());
  Kill();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(absl::IsUnavailable(kept.Fetch().status())) << kept.Fetch().status();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST_F(FaultKillDaemonTest, KilledDuringCompilesAndCacheWritesItLeavesAnIntactFolder) {
  constexpr int kRounds = 8, kThreads = 3;
  std::mt19937 random(7);
  std::atomic<int> next{1};
  std::vector<int> done(1, 0);
  Mutex mutex;
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_NO_FATAL_FAILURE(Start());
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, client = Connect()] {
        absl::Status status;
        while (status.ok()) {
          const int number = next++;
          status = RunAdd(*client, number);
          MutexLock lock(mutex);
          if (status.ok()) done.push_back(number);
        }
        EXPECT_TRUE(absl::IsUnavailable(status)) << status;
      });
    }
    std::this_thread::sleep_for(milliseconds(20 + random() % 300));
    Kill();
    for (std::thread& thread : threads) thread.join();
  }
  ASSERT_NO_FATAL_FAILURE(Start());
  const std::shared_ptr<Client> client = Connect();
  const size_t entries = Entries();
  EXPECT_GT(entries, 0u);
  EXPECT_TRUE(Eventually([&] { return Stats().cache_disk_entries == entries; }))
      << Stats().cache_disk_entries << " of " << entries << " are in the index";
  for (size_t i = 1; i < done.size(); ++i) {
    const absl::Status status = RunAdd(*client, done[i]);
    EXPECT_TRUE(status.ok()) << status;
  }
  // Files appear whole or not at all: what is there is good, and what was answered is mostly there.
  const client::ServerStats stats = Stats();
  EXPECT_EQ(stats.cache_dropped, 0u);
  EXPECT_GT(stats.cache_hits_disk, 0u);
  EXPECT_LE(stats.compiles, uint64_t{kRounds} * (kThreads + 2));
  GTEST_LOG_(INFO) << done.size() - 1 << " programs, " << entries << " entries, "
                   << stats.cache_hits_disk << " from disk, " << stats.compiles << " compiled anew";
}

TEST_F(FaultKillDaemonTest, ClientsOfAllKindsHearUnavailable) {
  for (int round = 0; round < 3; ++round) {
    ASSERT_NO_FATAL_FAILURE(Start());
    std::vector<Process> processes;
    for (int i = 0; i < 6; ++i) {
      processes.push_back(StartClient("mix", {absl::StrCat(i), i % 2 == 0 ? "0" : "2000"}));
    }
    EXPECT_TRUE(Eventually([&] { return Admin().GetStats()->executions > 200; }));
    Kill();
    for (Process& process : processes) EXPECT_EQ(process.Wait(), 1);
    EXPECT_THAT(ClientsLog(), HasSubstr("UNAVAILABLE"));
    EXPECT_THAT(ClientsLog(), ::testing::Not(HasSubstr("INTERNAL"))) << ClientsLog();
  }
}

}  // namespace
}  // namespace acceld::testing

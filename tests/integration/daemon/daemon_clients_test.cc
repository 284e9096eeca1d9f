// Many client processes at one daemon, some of which die in the middle.

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "absl/strings/str_cat.h"
#include "client/tracing.h"
#include "tests/integration/daemon/daemon_fixture.h"

namespace acceld::testing {
namespace {

using client::Array;
using client::Client;

class DaemonClientsTest : public DaemonTest {
 protected:
  // Nothing is held by anyone.
  bool AllIsFree() {
    const client::ServerStats stats = Stats();
    if (stats.arrays != 0 || stats.array_bytes != 0) return false;
    for (const client::DeviceInfo& device : Devices()) {
      if (device.memory_used_bytes != 0 || device.queued != 0) return false;
    }
    return true;
  }
};

TEST_F(DaemonClientsTest, EightProcessesWithTheSameNewProgramCompileItOnce) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const std::string gate = folder_.path() + "/gate";
  ASSERT_EQ(mkfifo(gate.c_str(), 0600), 0);
  std::vector<Process> processes;
  for (int i = 0; i < 8; ++i) processes.push_back(StartClient("submit", {gate, absl::StrCat(i)}));
  ASSERT_TRUE(Eventually([&] { return Stats().sessions == 8; }));
  const int opened = open(gate.c_str(), O_RDWR);
  for (Process& process : processes) EXPECT_EQ(process.Wait(), 0) << ClientsLog();
  close(opened);
  const client::ServerStats stats = Stats();
  EXPECT_EQ(stats.compiles, 1u);
  EXPECT_EQ(stats.cache_misses, 1u);
  EXPECT_EQ(stats.cache_hits_memory + stats.cache_hits_inflight, 7u);
  EXPECT_EQ(stats.executions, 8u);
}

TEST_F(DaemonClientsTest, AKilledClientFreesAllAndDisturbsNobody) {
  ASSERT_NO_FATAL_FAILURE(Start());
  std::atomic<bool> stop{false};
  std::thread other([&] {
    const std::shared_ptr<Client> client = Connect();
    client::Function increment(client, [](const client::Tensor& x) { return x + 1; });
    float rounds = 0;
    Array y = *client->Upload(Floats({0}));
    while (!stop) {
      y = *increment(y);
      EXPECT_TRUE(*y.Fetch() == Floats({++rounds}));
    }
  });
  Process stalled = StartClient("stall");
  EXPECT_TRUE(Eventually([&] {
    const auto session = FindSession("stall");
    return session && session->arrays == 202 && session->queued == 100 &&
           ClientsLog().find("uploading") != std::string::npos;
  }));
  stalled.Signal(SIGKILL);
  const auto killed_at = std::chrono::steady_clock::now();
  // The other client holds a few arrays of one number each.
  EXPECT_TRUE(Eventually([&] {
    const client::ServerStats stats = Stats();
    return stats.sessions == 1 && stats.arrays < 100 && stats.array_bytes < 1024;
  }));
  const std::chrono::duration<double, std::milli> took =
      std::chrono::steady_clock::now() - killed_at;
  GTEST_LOG_(INFO) << "all freed " << took.count() << " ms after the kill";
  EXPECT_FALSE(FindSession("stall"));
  stop = true;
  other.join();
  EXPECT_TRUE(Eventually([this] { return AllIsFree(); }));
  EXPECT_EQ(Stats().execution_failures, 0u);
}

TEST_F(DaemonClientsTest, ClientsKilledAtAnyTimeLeaveNothing) {
  ASSERT_NO_FATAL_FAILURE(Start());
  for (uint64_t executions : {0, 1, 25, 60}) {
    Process process = StartClient("churn");
    EXPECT_TRUE(Eventually([&] {
      const auto session = FindSession("churn");
      return session && session->executions >= executions;
    }));
    process.Signal(SIGKILL);
    EXPECT_TRUE(Eventually([&] { return !FindSession("churn") && AllIsFree(); }));
    EXPECT_EQ(process.Wait(), 128 + SIGKILL) << ClientsLog();
  }
  // A compile that nobody waits for any more is stopped.
  const client::ServerStats stats = Stats();
  EXPECT_LE(stats.compiles, 1 + stats.compiles_stopped);
}

TEST_F(DaemonClientsTest, TheEndlessLoopOfAKilledClientIsStopped) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const std::shared_ptr<Client> other = Connect();
  Process spinning = StartClient("spin");
  // Compiled, so the loop runs or is about to, and what needs its result waits.
  EXPECT_TRUE(Eventually([&] {
    const auto session = FindSession("spin");
    return Stats().compiles == 1 && session && session->queued == 2;
  }));
  const Array x = *other->Upload(Floats(std::vector<float>(16, 1)));
  const Array y = other->Execute(Parse(kIncrementText), {x})->front();
  spinning.Signal(SIGKILL);
  EXPECT_TRUE(*y.Fetch() == Floats(std::vector<float>(16, 2)));
  EXPECT_TRUE(Eventually([&] { return !FindSession("spin"); }));
}

TEST_F(DaemonClientsTest, ANamedArrayOutlivesTheClientThatMadeIt) {
  ASSERT_NO_FATAL_FAILURE(Start());
  {
    const auto publisher = Connect();
    const client::Array weights = *publisher->Upload(Floats(std::vector<float>(100'000, 3)));
    EXPECT_TRUE(publisher->Publish(weights, "weights").ok());
    EXPECT_TRUE(
        absl::IsAlreadyExists(publisher->Publish(*publisher->Upload(Floats({1})), "weights")));
  }
  const auto client = Connect();
  ASSERT_TRUE(Eventually([&] { return Stats().sessions == 1; }));
  const auto names = Admin().ListNames();
  ASSERT_TRUE(names.ok()) << names.status();
  ASSERT_EQ(names->size(), 1u);
  EXPECT_EQ((*names)[0].name, "weights");
  EXPECT_EQ((*names)[0].type.ToString(), "tensor<100000xf32>");
  {
    const absl::StatusOr<client::Array> opened = client->Open("weights");
    ASSERT_TRUE(opened.ok()) << opened.status();
    EXPECT_EQ(*opened->Fetch(), Floats(std::vector<float>(100'000, 3)));
    EXPECT_TRUE(client->DropName("weights").ok());
    EXPECT_TRUE(absl::IsNotFound(client->Open("weights").status()));
    EXPECT_TRUE(opened->Fetch().ok());
  }
  EXPECT_TRUE(Eventually([&] { return Stats().array_bytes == 0; }));
}

TEST_F(DaemonClientsTest, EqualContentIsSentAndStoredOnce) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const ir::Literal weights = Floats(std::vector<float>(1 << 20, 0.5f));
  const auto first = Connect(), second = Connect();
  const client::Array mine = *first->Upload(weights, 0, {.deduplicate = true});
  ASSERT_TRUE(mine.Await().ok());
  const uint64_t used = Admin().ListDevices()->front().memory_used_bytes;
  const client::Array same = *second->Upload(weights, 0, {.deduplicate = true});
  EXPECT_EQ(*same.Fetch(), weights);
  EXPECT_EQ(Admin().ListDevices()->front().memory_used_bytes, used);
  EXPECT_EQ(*mine.Fetch(), weights);
}

}  // namespace
}  // namespace acceld::testing

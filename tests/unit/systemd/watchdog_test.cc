#include "server/systemd/watchdog.h"

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "tests/support/daemon/notify_socket.h"
#include "tests/support/daemon/process.h"
#include "tests/support/eventually.h"

namespace acceld::systemd {
namespace {

using testing::Eventually;
using testing::NotifySocket;

class WatchdogTest : public ::testing::Test {
 protected:
  Manager MakeManager(const char* interval_us) {
    setenv("NOTIFY_SOCKET", path_.c_str(), 1);
    setenv("WATCHDOG_USEC", interval_us, 1);
    return *Manager::FromEnvironment();
  }
  testing::TempDir folder_;
  const std::string path_ = folder_.path() + "/notify";
  NotifySocket socket_{path_};
};

TEST_F(WatchdogTest, SaysAgainAndAgainThatTheDaemonLives) {
  const Manager manager = MakeManager("2000");
  std::atomic<int> probes{0};
  const Watchdog watchdog(manager, [&] { ++probes; });
  for (int i = 0; i < 5; ++i) EXPECT_EQ(socket_.Next(), "WATCHDOG=1");
  EXPECT_GE(probes, 5);
}

TEST_F(WatchdogTest, SaysNothingWhileTheProbeHangs) {
  const Manager manager = MakeManager("1000");
  std::atomic<bool> begun{false}, go_on{false};
  const Watchdog watchdog(manager, [&] {
    begun = true;
    while (!go_on) std::this_thread::yield();
  });
  ASSERT_TRUE(Eventually([&] { return begun.load(); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  // Any that was sent before would come first.
  manager.Ready("now");
  go_on = true;
  EXPECT_EQ(socket_.Next(), "READY=1\nSTATUS=now");
  EXPECT_EQ(socket_.Next(), "WATCHDOG=1");
}

TEST_F(WatchdogTest, WithoutAnIntervalItDoesNothing) {
  unsetenv("WATCHDOG_USEC");
  setenv("NOTIFY_SOCKET", path_.c_str(), 1);
  const Manager manager = *Manager::FromEnvironment();
  const Watchdog watchdog(manager, [] { FAIL(); });
}

TEST_F(WatchdogTest, EndsWithoutWaitingForItsNextTurn) {
  const Manager manager = MakeManager("3600000000");
  const Watchdog watchdog(manager, [] {});
  EXPECT_EQ(socket_.Next(), "WATCHDOG=1");
}

}  // namespace
}  // namespace acceld::systemd

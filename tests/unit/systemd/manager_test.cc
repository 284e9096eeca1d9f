#include "server/systemd/manager.h"

#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/daemon/notify_socket.h"
#include "tests/support/daemon/process.h"
#include "tests/unit/status_matchers.h"

namespace acceld::systemd {
namespace {

using testing::NotifySocket;
using ::testing::StartsWith;
using testing::TempDir;

class ManagerTest : public ::testing::Test {
 protected:
  ~ManagerTest() override {
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) unsetenv(name);
  }
  std::string path() const { return folder_.path() + "/notify"; }
  TempDir folder_;
};

TEST_F(ManagerTest, HearsWhatTheDaemonDoes) {
  NotifySocket socket(path());
  setenv("NOTIFY_SOCKET", path().c_str(), 1);
  const auto manager = Manager::FromEnvironment();
  ASSERT_THAT(manager, IsOk());
  EXPECT_EQ(getenv("NOTIFY_SOCKET"), nullptr);
  manager->Ready("2 devices");
  EXPECT_EQ(socket.Next(), "READY=1\nSTATUS=2 devices");
  manager->Alive();
  EXPECT_EQ(socket.Next(), "WATCHDOG=1");
  manager->Stopping(std::chrono::milliseconds(2500));
  EXPECT_EQ(socket.Next(),
            "STOPPING=1\nSTATUS=finishing work in flight\nEXTEND_TIMEOUT_USEC=2500000");
}

TEST_F(ManagerTest, HearsWhenAReloadBegan) {
  NotifySocket socket(path());
  setenv("NOTIFY_SOCKET", path().c_str(), 1);
  const auto manager = Manager::FromEnvironment();
  ASSERT_THAT(manager, IsOk());
  timespec before{}, after{};
  clock_gettime(CLOCK_MONOTONIC, &before);
  manager->Reloading();
  clock_gettime(CLOCK_MONOTONIC, &after);
  const std::string message = socket.Next();
  const std::string begin = "RELOADING=1\nMONOTONIC_USEC=";
  ASSERT_THAT(message, StartsWith(begin));
  int64_t microseconds = 0;
  ASSERT_TRUE(absl::SimpleAtoi(message.substr(begin.size()), &microseconds));
  EXPECT_GE(microseconds, before.tv_sec * 1'000'000 + before.tv_nsec / 1000);
  EXPECT_LE(microseconds, after.tv_sec * 1'000'000 + after.tv_nsec / 1000);
}

TEST_F(ManagerTest, SocketsWithoutAFileServe) {
  const std::string name = absl::StrCat("@acceld-test-", getpid());
  NotifySocket socket(name);
  setenv("NOTIFY_SOCKET", name.c_str(), 1);
  const auto manager = Manager::FromEnvironment();
  ASSERT_THAT(manager, IsOk());
  manager->Alive();
  EXPECT_EQ(socket.Next(), "WATCHDOG=1");
}

TEST_F(ManagerTest, WithoutOneNothingIsSaid) {
  const auto manager = Manager::FromEnvironment();
  ASSERT_THAT(manager, IsOk());
  manager->Ready("");
  manager->Stopping(std::chrono::milliseconds(1));
  EXPECT_EQ(manager->watchdog().count(), 0);
}

TEST_F(ManagerTest, OneThatIsGoneHoldsNothingUp) {
  {
    const NotifySocket gone(path());
  }
  setenv("NOTIFY_SOCKET", path().c_str(), 1);
  const auto manager = Manager::FromEnvironment();
  ASSERT_THAT(manager, IsOk());
  manager->Ready("");
}

TEST_F(ManagerTest, AddressesThatAreNoneAreRefused) {
  for (const std::string& text : {std::string("notify"), std::string("/"), std::string("vsock:2:3"),
                                  absl::StrCat("/", std::string(200, 'a'))}) {
    setenv("NOTIFY_SOCKET", text.c_str(), 1);
    EXPECT_THAT(Manager::FromEnvironment(), IsRefused(text));
  }
}

TEST_F(ManagerTest, TheWatchdogIsForTheProcessThatItNames) {
  const auto interval = [this](const std::string& usec, const std::string& pid) {
    setenv("NOTIFY_SOCKET", path().c_str(), 1);
    setenv("WATCHDOG_USEC", usec.c_str(), 1);
    if (!pid.empty()) setenv("WATCHDOG_PID", pid.c_str(), 1);
    const auto manager = Manager::FromEnvironment();
    return manager.ok() ? manager->watchdog().count() : -1;
  };
  EXPECT_EQ(interval("3000000", absl::StrCat(getpid())), 3000000);
  EXPECT_EQ(interval("3000000", ""), 3000000);
  EXPECT_EQ(interval("3000000", "1"), 0);
  EXPECT_EQ(interval("soon", ""), -1);
  EXPECT_EQ(interval("0", ""), -1);
}

}  // namespace
}  // namespace acceld::systemd

// Daemons of one process.

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/embedded/private_daemon.h"
#include "common/net/address.h"
#include "tests/integration/embedded/embedded_fixture.h"

namespace acceld::testing {
namespace {

using client::Autostart;
using client::ConnectOrStart;
using client::PrivateDaemon;
using ::testing::HasSubstr;

class EmbeddedPrivateTest : public EmbeddedTest {
 protected:
  EmbeddedPrivateTest() { setenv("TMPDIR", folder_.path().c_str(), 1); }
  ~EmbeddedPrivateTest() override { unsetenv("TMPDIR"); }

  // Whether the daemon's process has ended: it has a lock as long as it lives.
  static bool HasEnded(const std::string& address) {
    const std::string lock = std::string(absl::StripPrefix(address, "unix:")) + ".lock";
    const int fd = open(lock.c_str(), O_RDWR | O_CLOEXEC);
    const bool ended = fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (fd >= 0) close(fd);
    return ended;
  }
  static bool IsThere(const std::string& address) { return Probe(*ParseAddress(address)).ok(); }
};

TEST_F(EmbeddedPrivateTest, EachProcessHasItsOwnBesideThatOfTheUser) {
  const auto shared = Connect();
  auto first = Connect({.autostart = Autostart::kPrivate});
  auto second = Connect({.autostart = Autostart::kPrivate});
  ASSERT_TRUE(shared != nullptr && first != nullptr && second != nullptr);
  const std::string one = first->address(), other = second->address();
  EXPECT_NE(one, other);
  EXPECT_NE(one, address());
  EXPECT_NE(Incarnation(one), Incarnation(other));

  first.reset();
  EXPECT_FALSE(IsThere(one));
  EXPECT_TRUE(IsThere(other));
  struct stat info;
  const std::string socket(absl::StripPrefix(one, "unix:"));
  EXPECT_NE(stat(socket.substr(0, socket.rfind('/')).c_str(), &info), 0);
}

TEST_F(EmbeddedPrivateTest, ItEndsWithItsProcessHoweverThatEnds) {
  setenv("ACCELD_AUTOSTART", "private", 1);
  Process process = StartClient("hold", "killed");
  ASSERT_TRUE(Eventually([this] { return OutputOf("killed").find('\n') != std::string::npos; }));
  const std::vector<std::string> said = absl::StrSplit(OutputOf("killed"), absl::ByAnyChar(" \n"));
  ASSERT_TRUE(IsThere(said[1]));
  EXPECT_FALSE(HasEnded(said[1]));
  process.Signal(SIGKILL);
  EXPECT_EQ(process.Wait(), 128 + SIGKILL);
  EXPECT_TRUE(Eventually([&] { return HasEnded(said[1]); }));
  EXPECT_FALSE(IsThere(said[1]));
}

TEST_F(EmbeddedPrivateTest, AForkedProcessDoesNotEndIt) {
  auto daemon = PrivateDaemon::Start({});
  ASSERT_TRUE(daemon.ok()) << daemon.status();
  const std::string at = (*daemon)->address();
  const pid_t child = fork();
  if (child == 0) {
    daemon->reset();
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(IsThere(at));
  // Nor does one keep it when its owner lets go of it.
  const pid_t sleeper = fork();
  if (sleeper == 0) {
    while (true) pause();
  }
  daemon->reset();
  EXPECT_FALSE(IsThere(at));
  kill(sleeper, SIGKILL);
  waitpid(sleeper, nullptr, 0);
}

TEST_F(EmbeddedPrivateTest, OneThatCannotStartIsQuoted) {
  const absl::Status failed = PrivateDaemon::Start({.flags = {"--cpu-devices=0"}}).status();
  EXPECT_EQ(failed.code(), absl::StatusCode::kFailedPrecondition) << failed;
  EXPECT_THAT(std::string(failed.message()),
              HasSubstr("option '--cpu-devices' of `acceld`: '0' is out of range"));
}

TEST_F(EmbeddedPrivateTest, ADaemonThatIsNamedAndPrivateIsRefused) {
  setenv("ACCELD_ADDRESS", address().c_str(), 1);
  const absl::Status refused = ConnectOrStart({}, {.autostart = Autostart::kPrivate}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("ACCELD_AUTOSTART"));
}

}  // namespace
}  // namespace acceld::testing

// The daemon that a user's processes start and share.

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/embedded/retire_daemon.h"
#include "common/net/address.h"
#include "tests/integration/embedded/embedded_fixture.h"

namespace acceld::testing {
namespace {

using client::Autostart;
using client::ConnectOrStart;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

using EmbeddedSharedTest = EmbeddedTest;

TEST_F(EmbeddedSharedTest, ManyProcessesThatComeAtOnceShareOneDaemon) {
  constexpr int kProcesses = 16;
  std::vector<Process> processes;
  for (int i = 0; i < kProcesses; ++i) processes.push_back(StartClient("once", absl::StrCat(i)));
  for (Process& process : processes) EXPECT_EQ(process.Wait(), 0);
  std::set<std::string> outputs;
  for (int i = 0; i < kProcesses; ++i) outputs.insert(OutputOf(absl::StrCat(i)));
  EXPECT_EQ(outputs.size(), 1u) << absl::StrJoin(outputs, "\n");
  EXPECT_EQ(OutputOf("0"), absl::StrCat(Incarnation(address()), " ", address(), "\n"));
}

TEST_F(EmbeddedSharedTest, TheDaemonOutlivesWhoStartedItAndIsFoundByTheNext) {
  Process first = StartClient("hold", "first");
  ASSERT_TRUE(Eventually([this] { return !OutputOf("first").empty(); }));
  first.Signal(SIGKILL);
  EXPECT_EQ(first.Wait(), 128 + SIGKILL);
  EXPECT_EQ(StartClient("once", "second").Wait(), 0);
  EXPECT_EQ(OutputOf("first"), OutputOf("second"));
}

TEST_F(EmbeddedSharedTest, AProcessThatIsKilledWhileItStartsOneHoldsUpNobody) {
  for (const int after_ms : {0, 2, 5, 10, 30, 100}) {
    Process victim = StartClient("once", absl::StrCat("victim", after_ms));
    std::this_thread::sleep_for(milliseconds(after_ms));
    victim.Signal(SIGKILL);
    (void)victim.Wait();
    auto client = Connect();
    ASSERT_NE(client, nullptr) << after_ms;
    EXPECT_TRUE(client->status().ok());
    client.reset();
    // So that the next victim finds none.
    ASSERT_TRUE(client::RetireIdleDaemon(address(), {}, std::chrono::seconds(30)).ok());
  }
}

TEST_F(EmbeddedSharedTest, NoSignalOfTheStartersTerminalReachesIt) {
  const auto client = Connect();
  ASSERT_NE(client, nullptr);
  // Ctrl-C goes to the group of the process in the foreground.
  struct sigaction ignore = {}, before = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignore, &before);
  setpgid(0, 0);
  kill(0, SIGINT);
  sigaction(SIGINT, &before, nullptr);
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_NE(Incarnation(address()), 0u);
}

TEST_F(EmbeddedSharedTest, WhoRefusesGetsNoneAndHearsHowToStartOne) {
  setenv("ACCELD_AUTOSTART", "off", 1);
  const absl::Status refused = ConnectOrStart().status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnavailable) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("ACCELD_AUTOSTART is off"));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("start one with `acceld`"));
  EXPECT_FALSE(IsAnybodyThere());
  // One that is there is used.
  const auto started = Connect({.autostart = Autostart::kOn});
  EXPECT_NE(Connect(), nullptr);

  setenv("ACCELD_AUTOSTART", "maybe", 1);
  const absl::Status unknown = ConnectOrStart().status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kInvalidArgument) << unknown;
  EXPECT_THAT(std::string(unknown.message()), HasSubstr("'maybe'"));
}

TEST_F(EmbeddedSharedTest, WhereADaemonIsNamedNoneIsStarted) {
  const std::string nowhere = absl::StrCat("unix:", folder_.path(), "/none.sock");
  setenv("ACCELD_ADDRESS", nowhere.c_str(), 1);
  const absl::Status absent = ConnectOrStart().status();
  EXPECT_EQ(absent.code(), absl::StatusCode::kUnavailable) << absent;
  EXPECT_THAT(std::string(absent.message()), HasSubstr(nowhere));
  EXPECT_FALSE(IsAnybodyThere());
}

TEST_F(EmbeddedSharedTest, AnIdleDaemonEndsAndLeavesNoSocket) {
  auto client = Connect({.idle_timeout = milliseconds(300)});
  ASSERT_NE(client, nullptr);
  // A session keeps it, whatever it does.
  std::this_thread::sleep_for(milliseconds(1000));
  EXPECT_TRUE(client->status().ok());
  EXPECT_NE(Incarnation(address()), 0u);
  client.reset();
  EXPECT_TRUE(Eventually([this] { return access(socket().c_str(), F_OK) != 0; }));
  EXPECT_THAT(ReadText(log_path()), HasSubstr("nobody uses the daemon"));
}

TEST_F(EmbeddedSharedTest, WhoComesWhileAnIdleDaemonEndsGetsASession) {
  std::mt19937 random(1);
  std::set<uint64_t> incarnations;
  for (int i = 0; i < 25; ++i) {
    auto client = Connect({.idle_timeout = milliseconds(50)});
    ASSERT_NE(client, nullptr) << i;
    const absl::StatusOr<client::Array> array =
        client->Upload(ir::Literal::Filled({ir::DType::kF32, {4}}, 1));
    ASSERT_TRUE(array.ok() && array->Fetch().ok()) << i;
    incarnations.insert(Incarnation(address()));
    client.reset();
    // About when it ends: before, at the same time, and after.
    std::this_thread::sleep_for(milliseconds(random() % 200));
  }
  EXPECT_GT(incarnations.size(), 1u);
}

TEST_F(EmbeddedSharedTest, ADaemonThatCannotStartIsQuoted) {
  const absl::Status failed = ConnectOrStart({}, {.flags = {"--no-such-flag"}}).status();
  EXPECT_EQ(failed.code(), absl::StatusCode::kFailedPrecondition) << failed;
  EXPECT_THAT(std::string(failed.message()), HasSubstr(log_path()));
  EXPECT_THAT(std::string(failed.message()), HasSubstr("unknown option '--no-such-flag'"));

  setenv("ACCELD_DAEMON", "/no/such/acceld", 1);
  const absl::Status missing = ConnectOrStart().status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound) << missing;
  EXPECT_THAT(std::string(missing.message()), HasSubstr("/no/such/acceld"));
}

TEST_F(EmbeddedSharedTest, ItStartsInAProcessThatIgnoresItsChildren) {
  struct sigaction ignore = {}, before = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &ignore, &before);
  const absl::Status failed = ConnectOrStart({}, {.flags = {"--no-such-flag"}}).status();
  EXPECT_EQ(failed.code(), absl::StatusCode::kFailedPrecondition) << failed;
  EXPECT_THAT(std::string(failed.message()), HasSubstr("unknown option '--no-such-flag'"));
  EXPECT_NE(Connect(), nullptr);
  sigaction(SIGCHLD, &before, nullptr);
}

TEST_F(EmbeddedSharedTest, ADaemonThatDoesNotAnswerInTimeIsAnError) {
  const std::string sleeper = folder_.path() + "/sleeper";
  std::ofstream(sleeper) << "#!/bin/sh\necho no answer from this one\nexec sleep 3\n";
  chmod(sleeper.c_str(), 0700);
  setenv("ACCELD_DAEMON", sleeper.c_str(), 1);
  const absl::Status late = ConnectOrStart({}, {.start_timeout = milliseconds(500)}).status();
  EXPECT_EQ(late.code(), absl::StatusCode::kDeadlineExceeded) << late;
  EXPECT_THAT(std::string(late.message()), HasSubstr("no answer from this one"));
}

TEST_F(EmbeddedSharedTest, FilesThatAreLeftFromBeforeAreNoObstacle) {
  for (const char* suffix : {".lock", ".start"}) std::ofstream(socket() + suffix) << "";
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  std::strncpy(name.sun_path, socket().c_str(), sizeof(name.sun_path) - 1);
  const int dead = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(dead, reinterpret_cast<const sockaddr*>(&name), sizeof(name)), 0);
  close(dead);
  EXPECT_NE(Connect(), nullptr);
}

TEST_F(EmbeddedSharedTest, NoneIsStartedWhereOthersCouldPutASocket) {
  ASSERT_EQ(chmod((folder_.path() + "/run").c_str(), 0777), 0);
  const absl::Status refused = ConnectOrStart().status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kPermissionDenied) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr(folder_.path()));
  ASSERT_EQ(chmod((folder_.path() + "/run").c_str(), 0700), 0);
}

TEST_F(EmbeddedSharedTest, ItInheritsNoFilesAndNoPartOfTheStartersFolder) {
  const int file = open("/dev/null", O_RDONLY);  // Not closed by exec.
  const auto client = Connect();
  ASSERT_NE(client, nullptr);
  close(file);
  // The kernel says who listens.
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  std::strncpy(name.sun_path, socket().c_str(), sizeof(name.sun_path) - 1);
  const int connection = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(connect(connection, reinterpret_cast<const sockaddr*>(&name), sizeof(name)), 0);
  ucred peer = {};
  socklen_t size = sizeof(peer);
  ASSERT_EQ(getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size), 0);
  close(connection);
  const auto link = [&](const std::string& of) {
    char target[4096];
    const ssize_t length =
        readlink(absl::StrCat("/proc/", peer.pid, "/", of).c_str(), target, sizeof(target));
    return std::string(target, static_cast<size_t>(std::max<ssize_t>(length, 0)));
  };
  EXPECT_EQ(link("cwd"), "/");
  EXPECT_EQ(link("fd/0"), "/dev/null");
  EXPECT_EQ(link("fd/1"), log_path());
  EXPECT_EQ(link("fd/2"), log_path());
  EXPECT_NE(link(absl::StrCat("fd/", file)), "/dev/null");
  // A session of its own, without a terminal; nobody's child who would have to wait for it.
  EXPECT_NE(getsid(peer.pid), getsid(0));
  const std::string status = ReadText(absl::StrCat("/proc/", peer.pid, "/status"));
  EXPECT_THAT(status, ::testing::Not(HasSubstr(absl::StrCat("PPid:\t", getpid(), "\n"))));
}

}  // namespace
}  // namespace acceld::testing

// What a service manager gives a daemon and hears from it: listening sockets, readiness.

#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <filesystem>
#include <thread>

#include "common/memory/segment_messages.h"
#include "common/net/packet_socket.h"
#include "server/systemd/manager.h"
#include "tests/integration/daemon/daemon_fixture.h"
#include "tests/integration/raw_segments.h"
#include "tests/support/daemon/notify_socket.h"

namespace acceld::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class DaemonSystemdTest : public DaemonTest {
 protected:
  DaemonSystemdTest() { setenv("ACCELD_CUDA_DEVICES", "none", /*replace=*/0); }

  std::string path() const { return folder_.path() + "/passed.sock"; }
  std::string segments_path() const { return path() + segment::kSocketSuffix; }
  std::string Log() const { return ReadText(folder_.path() + "/acceld.log"); }

  // As a unit of sockets does.
  void BindSockets() {
    sockaddr_un address{.sun_family = AF_UNIX};
    path().copy(address.sun_path, sizeof(address.sun_path) - 1);
    streams_ = UniqueFd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(bind(streams_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    ASSERT_EQ(listen(streams_.get(), 128), 0);
    packets_ = *ListenPacketSocket(segments_path(), 0600);
  }

  // Does not wait for it to listen.
  void StartWith(Inheritance inherited, const std::vector<std::string>& flags = {}) {
    std::vector<std::string> argv = {BinDir() + "/acceld", "--cache-dir", cache_folder()};
    argv.insert(argv.end(), flags.begin(), flags.end());
    absl::StatusOr<Process> process =
        Process::Start(std::move(argv), folder_.path() + "/acceld.log", inherited);
    ASSERT_TRUE(process.ok()) << process.status();
    daemon_ = std::make_unique<Daemon>(
        Daemon{*std::move(process), "unix:" + path(), folder_.path() + "/acceld.log"});
  }

  void Increment() {
    RunOnce(Parse(kIncrementText), Floats(std::vector<float>(16, 1)),
            Floats(std::vector<float>(16, 2)));
  }
  // Large enough for shared memory.
  void MoveBytes() {
    const ir::Literal large = Floats(std::vector<float>(1 << 20, 3));
    const std::shared_ptr<client::Client> client = Connect();
    ASSERT_NE(client, nullptr);
    const absl::StatusOr<ir::Literal> back = client->Upload(large)->Fetch();
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_TRUE(*back == large);
  }

  UniqueFd streams_, packets_;
};

TEST_F(DaemonSystemdTest, ServesOnSocketsThatArePassed) {
  BindSockets();
  StartWith({.sockets = {streams_.get(), packets_.get()}});
  Increment();
  MoveBytes();
  EXPECT_NE(RawSegments(path()).Attach("nobody's"), absl::StatusCode::kCancelled);
  EXPECT_THAT(Log(), HasSubstr("listening on unix:" + path()));
  EXPECT_THAT(Log(), Not(HasSubstr("acceld.sock")));
  EXPECT_EQ(Stop(), 0);
}

TEST_F(DaemonSystemdTest, ClientsMayComeBeforeTheDaemonDoes) {
  BindSockets();
  std::thread early([this] {
    auto client = client::Client::Connect(
        {.address = "unix:" + path(), .connect_timeout = std::chrono::seconds(60)});
    EXPECT_TRUE(client.ok()) << client.status();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  StartWith({.sockets = {streams_.get(), packets_.get()}});
  early.join();
  EXPECT_EQ(Stop(), 0);
}

TEST_F(DaemonSystemdTest, TheNextDaemonServesOnTheSameSockets) {
  BindSockets();
  for (int i = 0; i < 2; ++i) {
    StartWith({.sockets = {streams_.get(), packets_.get()}});
    Increment();
    EXPECT_EQ(Stop(), 0);
    EXPECT_TRUE(std::filesystem::exists(path()));
    EXPECT_TRUE(std::filesystem::exists(segments_path()));
  }
}

TEST_F(DaemonSystemdTest, WithoutTheSecondSocketItMakesThatItself) {
  BindSockets();
  std::filesystem::remove(segments_path());
  StartWith({.sockets = {streams_.get()}});
  MoveBytes();
  EXPECT_NE(RawSegments(path()).Attach("nobody's"), absl::StatusCode::kCancelled);
  EXPECT_EQ(Stop(), 0);
  EXPECT_TRUE(std::filesystem::exists(path()));
  EXPECT_FALSE(std::filesystem::exists(segments_path()));
}

TEST_F(DaemonSystemdTest, WithoutSharedMemoryTheSecondSocketTurnsClientsAway) {
  BindSockets();
  StartWith({.sockets = {streams_.get(), packets_.get()}}, {"--segment-size", "0"});
  MoveBytes();
  EXPECT_EQ(RawSegments(path()).Attach("nobody's"), absl::StatusCode::kCancelled);
  EXPECT_EQ(Stop(), 0);
}

TEST_F(DaemonSystemdTest, PassedSocketsStandBesideAddressesOfTheSettings) {
  BindSockets();
  const std::string own = "unix:" + folder_.path() + "/own.sock";
  StartWith({.sockets = {streams_.get(), packets_.get()}},
            {"--listen", own, "--listen", "unix:" + path()});
  Increment();
  EXPECT_TRUE(client::Client::Connect({.address = own}).ok());
  EXPECT_EQ(Stop(), 0);
  EXPECT_TRUE(std::filesystem::exists(path()));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/own.sock"));
}

TEST_F(DaemonSystemdTest, ASecondSocketWithoutItsFirstIsRefused) {
  BindSockets();
  StartWith({.sockets = {packets_.get()}});
  EXPECT_EQ(daemon_->process.Wait(), 1);
  EXPECT_THAT(Log(), HasSubstr(segments_path() + " was passed, but not the one it belongs to"));
}

TEST_F(DaemonSystemdTest, ASocketThatIsOfNoUseIsRefused) {
  const UniqueFd datagrams(socket(AF_UNIX, SOCK_DGRAM, 0));
  StartWith({.sockets = {datagrams.get()}});
  EXPECT_EQ(daemon_->process.Wait(), 2);
  EXPECT_THAT(Log(), HasSubstr("is neither a stream nor one of sequential packets"));
}

TEST_F(DaemonSystemdTest, TheManagerHearsOfStartReloadAndEnd) {
  BindSockets();
  NotifySocket manager(folder_.path() + "/notify");
  StartWith({.sockets = {streams_.get(), packets_.get()},
             .environment = {"NOTIFY_SOCKET=" + folder_.path() + "/notify"}},
            {"--shutdown-grace", "2"});
  const std::string ready = "READY=1\nSTATUS=1 device, listening on unix:" + path();
  EXPECT_EQ(manager.Next(), ready);
  // It is ready when it says so.
  EXPECT_TRUE(client::Client::Connect({.address = address()}).ok());
  daemon_->process.Signal(SIGHUP);
  EXPECT_THAT(manager.Next(), StartsWith("RELOADING=1\nMONOTONIC_USEC="));
  EXPECT_EQ(manager.Next(), ready);
  daemon_->process.Signal(SIGTERM);
  // The grace, and what may come after it.
  EXPECT_EQ(manager.Next(),
            "STOPPING=1\nSTATUS=finishing work in flight\nEXTEND_TIMEOUT_USEC=5000000");
  EXPECT_EQ(daemon_->process.Wait(), 0);
}

TEST_F(DaemonSystemdTest, TheWatchdogIsFedUntilTheEnd) {
  BindSockets();
  NotifySocket manager(folder_.path() + "/notify");
  StartWith({.sockets = {streams_.get(), packets_.get()},
             .environment = {"NOTIFY_SOCKET=" + folder_.path() + "/notify", "WATCHDOG_USEC=20000"}},
            {"--shutdown-grace", "120"});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(manager.Next("WATCHDOG"), "WATCHDOG=1");
  // While it finishes what runs, too.
  const std::shared_ptr<client::Client> client = Connect();
  ASSERT_NE(client, nullptr);
  const auto count = client->Execute(Parse(kCountText), {*client->Upload(Int64(100'000'000))});
  const auto ready = count->front().Ready();
  ASSERT_TRUE(IsQueued(1));
  daemon_->process.Signal(SIGTERM);
  EXPECT_THAT(manager.Next("STOPPING"), StartsWith("STOPPING=1"));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(manager.Next("WATCHDOG"), "WATCHDOG=1");
  EXPECT_EQ(daemon_->process.Wait(), 0);
  EXPECT_TRUE(ready.Await().ok()) << ready.Await().status();
}

TEST_F(DaemonSystemdTest, ADaemonThatDoesNotStartIsNeverReady) {
  NotifySocket manager(folder_.path() + "/notify");
  StartWith({.environment = {"NOTIFY_SOCKET=" + folder_.path() + "/notify"}},
            {"--listen", "unix:/nowhere/at/all.sock"});
  EXPECT_EQ(daemon_->process.Wait(), 1);
  // It would have come before this.
  setenv("NOTIFY_SOCKET", (folder_.path() + "/notify").c_str(), 1);
  systemd::Manager::FromEnvironment()->Alive();
  EXPECT_EQ(manager.Next(), "WATCHDOG=1");
}

}  // namespace
}  // namespace acceld::testing

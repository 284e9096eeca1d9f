// Other users who listen where a client expects its daemon: none of them is sent a byte, whichever
// socket they have taken and whenever they took it. And a daemon does not listen where they could.

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "client/admin.h"
#include "client/client.h"
#include "common/memory/segment_messages.h"
#include "tests/integration/security/access_fixture.h"
#include "tests/support/eventually.h"

namespace acceld::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr uid_t kOther = 65534;
constexpr char kToken[] = "a-token-that-nobody-else-may-see";

// A process of another user that listens on a unix socket and passes on what it is sent.
class UnixImpostor {
 public:
  enum class Bound {
    kByOther,  // the impostor has made the socket file
    kByRoot,   // somebody trusted has, and the impostor got hold of the socket
  };
  UnixImpostor(const std::string& path, Bound bound, int type = SOCK_STREAM) {
    int pipe_ends[2];
    EXPECT_EQ(pipe(pipe_ends), 0);
    unlink(path.c_str());
    sockaddr_un address{.sun_family = AF_UNIX};
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    pid_ = fork();
    if (pid_ == 0) {
      if (bound == Bound::kByOther) Become();
      const int listener = socket(AF_UNIX, type, 0);
      if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) _exit(1);
      if (bound == Bound::kByRoot) Become();
      if (listen(listener, 8) != 0 || write(pipe_ends[1], "!", 1) != 1) _exit(1);
      for (int peer; (peer = accept(listener, nullptr, nullptr)) >= 0; close(peer)) {
        char bytes[4096];
        const ssize_t got = recv(peer, bytes, sizeof(bytes), 0);
        if (got > 0 && write(pipe_ends[1], bytes, static_cast<size_t>(got)) != got) _exit(1);
      }
      _exit(0);
    }
    close(pipe_ends[1]);
    heard_ = pipe_ends[0];
    char ready = 0;
    EXPECT_EQ(read(heard_, &ready, 1), 1) << "the impostor could not listen at " << path;
  }
  ~UnixImpostor() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(heard_);
  }
  // What it has been sent so far.
  std::string Heard() {
    pollfd readable{.fd = heard_, .events = POLLIN, .revents = 0};
    while (poll(&readable, 1, 50) == 1) {
      char bytes[4096];
      const ssize_t got = read(heard_, bytes, sizeof(bytes));
      if (got <= 0) break;
      bytes_.append(bytes, static_cast<size_t>(got));
    }
    return bytes_;
  }

 private:
  static void Become() {
    if (setgid(kOther) != 0 || setuid(kOther) != 0) _exit(1);
  }

  pid_t pid_ = 0;
  int heard_ = -1;
  std::string bytes_;
};

using Bound = UnixImpostor::Bound;

class ImpostorTest : public AccessTest {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can be another user";
    chmod(folder_.path().c_str(), 0755);
  }
  // A folder with this owner and mode, and the path of a socket in it.
  std::string SocketIn(const std::string& name, uid_t owner, mode_t mode) {
    const std::string folder = folder_.path() + "/" + name;
    EXPECT_EQ(mkdir(folder.c_str(), 0700), 0);
    EXPECT_EQ(chown(folder.c_str(), owner, owner), 0);
    EXPECT_EQ(chmod(folder.c_str(), mode), 0);
    return folder + "/acceld.sock";
  }
  static client::Credentials Login(const std::string& server_user = "") {
    return {.token = kToken, .server_user = server_user};
  }
  static absl::Status ConnectAt(const std::string& path, const client::Credentials& credentials) {
    return client::Client::Connect({.address = "unix:" + path,
                                    .credentials = credentials,
                                    .connect_timeout = std::chrono::milliseconds(500)})
        .status();
  }
  static absl::Status AskAt(const std::string& path, const client::Credentials& credentials) {
    absl::StatusOr<std::unique_ptr<client::Admin>> admin =
        client::Admin::Connect({.address = "unix:" + path,
                                .credentials = credentials,
                                .connect_timeout = std::chrono::milliseconds(500)});
    return admin.ok() ? (*admin)->GetStats().status() : admin.status();
  }
  static void ExpectSilence(const std::string& path, UnixImpostor& impostor,
                            const std::string& why) {
    for (const absl::Status& status : {ConnectAt(path, Login()), AskAt(path, Login())}) {
      EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << status;
      EXPECT_THAT(std::string(status.message()),
                  AllOf(HasSubstr(path), HasSubstr(why), HasSubstr("(uid 0)"),
                        HasSubstr("ACCELD_SERVER_USER"), HasSubstr("--server-user")));
    }
    EXPECT_EQ(impostor.Heard(), "");
  }
};

TEST_F(ImpostorTest, AFolderOfAnotherUserIsNotTrusted) {
  const std::string path = SocketIn("taken", kOther, 0755);
  UnixImpostor impostor(path, Bound::kByOther);
  ExpectSilence(
      path, impostor,
      absl::StrCat("its folder ", folder_.path(), "/taken belongs to nobody (uid 65534)"));
}

TEST_F(ImpostorTest, AFolderThatOthersMayWriteIsNotTrusted) {
  for (const mode_t mode : {0777, 01777, 0775, 0773}) {
    SCOPED_TRACE(mode);
    const std::string path = SocketIn(absl::StrCat("open", mode), 0, mode);
    UnixImpostor impostor(path, (mode & 02) != 0 ? Bound::kByOther : Bound::kByRoot);
    ExpectSilence(path, impostor, "others may put a socket there");
  }
}

TEST_F(ImpostorTest, ASocketFileOfAnotherUserIsNotTrusted) {
  const std::string path = SocketIn("given", 0, 0777);
  UnixImpostor impostor(path, Bound::kByOther);
  ASSERT_EQ(chmod((folder_.path() + "/given").c_str(), 0755), 0);
  ExpectSilence(path, impostor, "it belongs to nobody (uid 65534)");
}

TEST_F(ImpostorTest, ALinkToASocketOfAnotherUserIsNotTrusted) {
  const std::string real = SocketIn("real", kOther, 0755), link = SocketIn("link", 0, 0755);
  UnixImpostor impostor(real, Bound::kByOther);
  ASSERT_EQ(symlink(real.c_str(), link.c_str()), 0);
  for (const absl::Status& status : {ConnectAt(link, Login()), AskAt(link, Login())}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("belongs to nobody (uid 65534)"));
  }
  EXPECT_EQ(impostor.Heard(), "");
}

TEST_F(ImpostorTest, AListenerOfAnotherUserIsNotTrustedWhateverTheFilesAre) {
  const std::string path = SocketIn("held", 0, 0755);
  UnixImpostor impostor(path, Bound::kByRoot);
  ExpectSilence(path, impostor, "who listens there is a process of nobody (uid 65534)");
}

TEST_F(ImpostorTest, TheUserThatTheConfigurationNamesIsTrusted) {
  const std::string path = SocketIn("named", kOther, 0755);
  for (const char* name : {"nobody", "65534"}) {
    UnixImpostor daemon(path, Bound::kByOther);
    const absl::Status status = ConnectAt(path, Login(name));
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;  // It speaks no protocol.
    EXPECT_NE(daemon.Heard(), "");
  }
  UnixImpostor impostor(path, Bound::kByOther);
  EXPECT_EQ(ConnectAt(path, Login("1")).code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(ConnectAt(path, Login("nobody-of-that-name")).code(),
            absl::StatusCode::kInvalidArgument);
  setenv("ACCELD_SERVER_USER", "nobody", 1);
  EXPECT_EQ(ConnectAt(path, Login()).code(), absl::StatusCode::kUnavailable);
  unsetenv("ACCELD_SERVER_USER");
  EXPECT_THAT(RunCommand({BinDir() + "/accelctl", "--address", "unix:" + path, "stats"}).output,
              HasSubstr("is not trusted"));
  EXPECT_THAT(RunCommand({BinDir() + "/accelctl", "--address", "unix:" + path, "--server-user",
                          "nobody", "stats"})
                  .output,
              ::testing::Not(HasSubstr("is not trusted")));
}

TEST_F(ImpostorTest, ASessionIsNotResumedWithAnImpostor) {
  ASSERT_NO_FATAL_FAILURE(StartDaemon());
  for (const bool local : {true, false}) {
    SCOPED_TRACE(local);
    if (!local) {
      ASSERT_NO_FATAL_FAILURE(StartDaemon());
    }
    absl::StatusOr<std::shared_ptr<client::Client>> session =
        client::Client::Connect({.address = address(),
                                 .credentials = Login(),
                                 .lease = std::chrono::seconds(20),
                                 .local_transport = local});
    ASSERT_TRUE(session.ok()) << session.status();
    daemon_->process.Signal(SIGKILL);
    daemon_->process.Wait();
    const std::string path = folder_.path() + "/acceld.sock";
    UnixImpostor impostor(path, Bound::kByRoot);
    ASSERT_TRUE(Eventually([&] { return !(*session)->status().ok(); }));
    EXPECT_THAT((*session)->status().ToString(), HasSubstr("is not trusted"));
    EXPECT_EQ(impostor.Heard(), "");
  }
}

TEST_F(ImpostorTest, AnImpostorBesideTheDaemonGetsNoSessionsToken) {
  ASSERT_NO_FATAL_FAILURE(StartDaemon());
  const std::string segments = absl::StrCat(folder_.path(), "/acceld.sock", segment::kSocketSuffix);
  UnixImpostor impostor(segments, Bound::kByRoot, SOCK_SEQPACKET);
  const std::shared_ptr<client::Client> session = Connect();
  // The session goes on past it, through gRPC.
  const ir::TensorType type(ir::DType::kF32, {1 << 18});
  const std::string bytes(size_t{4} << 18, 'x');
  absl::StatusOr<client::Array> array = session->Upload(type, bytes);
  ASSERT_TRUE(array.ok()) << array.status();
  const Future<ir::Literal> fetched = array->Fetch();
  ASSERT_TRUE(fetched.Await().ok()) << fetched.Await().status();
  EXPECT_EQ(impostor.Heard(), "");
}

class WhereDaemonsListenTest : public AccessTest {};

TEST_F(WhereDaemonsListenTest, NotInAFolderThatOthersMayWrite) {
  for (const mode_t mode : {0777, 01777, 0770, 0772}) {
    const std::string folder = absl::StrCat(folder_.path(), "/mode", mode);
    ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
    ASSERT_EQ(chmod(folder.c_str(), mode), 0);
    const CommandResult result = RunCommand({BinDir() + "/acceld", "--no-disk-cache", "--listen",
                                             absl::StrCat("unix:", folder, "/acceld.sock")});
    EXPECT_NE(result.exit_code, 0);
    EXPECT_THAT(result.output,
                AllOf(HasSubstr(folder), HasSubstr("others may put a socket there")));
    EXPECT_TRUE(std::filesystem::is_empty(folder));
  }
}

TEST_F(WhereDaemonsListenTest, NotInAFolderOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make folders of another user";
  ASSERT_EQ(chown(folder_.path().c_str(), kOther, kOther), 0);
  const CommandResult result = RunCommand({BinDir() + "/acceld", "--no-disk-cache", "--listen",
                                           absl::StrCat("unix:", folder_.path(), "/acceld.sock")});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.output,
              AllOf(HasSubstr(folder_.path()), HasSubstr("belongs to nobody (uid 65534)")));
}

}  // namespace
}  // namespace acceld::testing

#include "server/systemd/listen_fds.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/net/packet_socket.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/daemon/process.h"

namespace acceld::systemd {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::TempDir;

UniqueFd ListenForStreams(const std::string& path) {
  sockaddr_un address{.sun_family = AF_UNIX};
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM, 0));
  EXPECT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(listen(fd.get(), 1), 0);
  return fd;
}

// What a child makes of sockets that are passed to it: a line for each, or the error. `prepare` may
// change the environment that it finds.
std::string TakeInChild(
    const std::vector<int>& passed, const std::function<void()>& prepare = [] {}) {
  int answer[2];
  EXPECT_EQ(pipe(answer), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    const int out = fcntl(answer[1], F_DUPFD, 200);
    std::vector<int> copies;
    for (const int fd : passed) copies.push_back(fcntl(fd, F_DUPFD, 100));
    for (size_t i = 0; i < copies.size(); ++i) dup2(copies[i], 3 + static_cast<int>(i));
    setenv("LISTEN_PID", absl::StrCat(getpid()).c_str(), 1);
    setenv("LISTEN_FDS", absl::StrCat(passed.size()).c_str(), 1);
    setenv("LISTEN_FDNAMES", "first:second", 1);
    prepare();
    const auto sockets = TakePassedSockets();
    std::string text;
    if (sockets.ok()) {
      for (const InheritedSocket& socket : *sockets) {
        absl::StrAppend(&text, socket.fd.get(), " ", socket.type, " ", socket.path, " ",
                        (fcntl(socket.fd.get(), F_GETFL) & O_NONBLOCK) != 0,
                        (fcntl(socket.fd.get(), F_GETFD) & FD_CLOEXEC) != 0, "\n");
      }
    } else {
      text = std::string(sockets.status().message());
    }
    if (getenv("LISTEN_FDS") != nullptr) text += "LISTEN_FDS is still set";
    (void)!write(out, text.data(), text.size());
    _exit(0);
  }
  close(answer[1]);
  std::string text(4096, '\0');
  size_t size = 0;
  for (ssize_t got; (got = read(answer[0], text.data() + size, text.size() - size)) > 0;) {
    size += static_cast<size_t>(got);
  }
  text.resize(size);
  close(answer[0]);
  EXPECT_EQ(waitpid(pid, nullptr, 0), pid);
  return text;
}

class ListenFdsTest : public ::testing::Test {
 protected:
  std::string path() const { return folder_.path() + "/s"; }
  TempDir folder_;
};

TEST_F(ListenFdsTest, SocketsComeInOrderWithTypeAndPath) {
  const UniqueFd streams = ListenForStreams(path());
  const UniqueFd packets = *ListenPacketSocket(path() + ".segments", 0600);
  EXPECT_EQ(TakeInChild({streams.get(), packets.get()}),
            absl::StrCat("3 ", SOCK_STREAM, " ", path(), " 11\n4 ", SOCK_SEQPACKET, " ", path(),
                         ".segments 11\n"));
}

TEST_F(ListenFdsTest, WhatIsMeantForAnotherProcessIsNotTaken) {
  const UniqueFd streams = ListenForStreams(path());
  EXPECT_EQ(TakeInChild({streams.get()}, [] { setenv("LISTEN_PID", "1", 1); }), "");
  EXPECT_EQ(TakeInChild({streams.get()}, [] { unsetenv("LISTEN_PID"); }), "");
}

TEST_F(ListenFdsTest, NumbersThatAreNoneAreRefused) {
  for (const char* text : {"", "-1", "x", "65", "99999999999"}) {
    EXPECT_THAT(TakeInChild({}, [text] { setenv("LISTEN_FDS", text, 1); }),
                StartsWith(absl::StrCat("LISTEN_FDS is '", text, "'")));
  }
}

TEST_F(ListenFdsTest, WhatIsNoListeningUnixSocketIsRefusedByName) {
  const UniqueFd good = ListenForStreams(path());
  const UniqueFd tcp(socket(AF_INET, SOCK_STREAM, 0));
  EXPECT_THAT(TakeInChild({good.get(), tcp.get()}),
              StartsWith("descriptor 4 (second) that was passed is no unix socket"));
  const UniqueFd datagrams(socket(AF_UNIX, SOCK_DGRAM, 0));
  EXPECT_THAT(TakeInChild({datagrams.get()}), HasSubstr("(first) that was passed is neither"));
  const UniqueFd connected(socket(AF_UNIX, SOCK_STREAM, 0));
  EXPECT_THAT(TakeInChild({connected.get()}), HasSubstr("does not listen"));
  const UniqueFd file(open("/dev/null", O_RDONLY));
  EXPECT_THAT(TakeInChild({file.get()}), HasSubstr("is no unix socket"));
  EXPECT_THAT(TakeInChild({},
                          [] {
                            close(3);
                            setenv("LISTEN_FDS", "1", 1);
                          }),
              HasSubstr("(first) that was passed is not open"));
}

TEST_F(ListenFdsTest, SocketsWithoutAFileAreRefused) {
  sockaddr_un address{.sun_family = AF_UNIX};
  const std::string name = absl::StrCat("acceld-test-", getpid());
  name.copy(address.sun_path + 1, sizeof(address.sun_path) - 2);
  const UniqueFd fd(socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(listen(fd.get(), 1), 0);
  EXPECT_THAT(TakeInChild({fd.get()}), HasSubstr("has no path"));
}

}  // namespace
}  // namespace acceld::systemd

#pragma once

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <thread>

#include "common/files/unique_fd.h"

namespace acceld::testing {

// Runs `work` on a thread that acts as another user, for tests that run as root. The others of the
// process stay who they are: this asks the kernel, and not the library, which would tell them all.
template <typename Work>
void AsUser(uid_t uid, const Work& work) {
  std::thread([&] {
    if (syscall(SYS_setresuid, -1, uid, -1) == 0) work();
  }).join();
}

// A connection of that user to a unix socket; none when the system refuses it.
inline UniqueFd ConnectAsUser(uid_t uid, const std::string& path, int type) {
  UniqueFd connected;
  AsUser(uid, [&] {
    UniqueFd fd(socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
    sockaddr_un name = {.sun_family = AF_UNIX};
    std::strncpy(name.sun_path, path.c_str(), sizeof(name.sun_path) - 1);
    if (fd.valid() &&
        connect(fd.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)) == 0) {
      connected = std::move(fd);
    }
  });
  return connected;
}

// Whether the other side has closed it. What it has sent is left out of account.
inline bool IsClosed(int fd) {
  char bytes[4096];
  while (true) {
    const ssize_t got = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
    if (got > 0) continue;
    return got == 0 || (errno != EAGAIN && errno != EINTR);
  }
}

}  // namespace acceld::testing

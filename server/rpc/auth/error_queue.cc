#include "server/rpc/auth/error_queue.h"

#include <dlfcn.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>

namespace {

std::atomic<bool> refuses{false};

bool IsUnixSocket(int fd) {
  int domain = 0;
  socklen_t size = sizeof(domain);
  return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX;
}

}  // namespace

// Every library of this process calls this function, because the dynamic linker searches the
// program for a symbol before it searches the libraries.
extern "C" __attribute__((visibility("default"))) ssize_t recvmsg(int fd, msghdr* message,
                                                                  int flags) {
  using Function = ssize_t (*)(int, msghdr*, int);
  static const auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "recvmsg"));
  if ((flags & MSG_ERRQUEUE) != 0 && refuses.load(std::memory_order_relaxed) && IsUnixSocket(fd)) {
    errno = EAGAIN;
    return -1;
  }
  return next(fd, message, flags);
}

namespace acceld::rpc {

void DisableUnixSocketErrorQueues() { refuses.store(true, std::memory_order_relaxed); }

}  // namespace acceld::rpc

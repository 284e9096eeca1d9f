#include "server/lifetime/exit_with_fd.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/threads/start_thread.h"

namespace acceld::lifetime {

absl::StatusOr<std::unique_ptr<ExitWithFd>> ExitWithFd::Start(int fd,
                                                              std::function<void()> on_close) {
  struct stat info;
  if (fstat(fd, &info) != 0 || !(S_ISSOCK(info.st_mode) || S_ISFIFO(info.st_mode))) {
    return absl::InvalidArgumentError(
        absl::StrCat("exit-with-fd ", fd, ": it is no pipe or socket that this process has open"));
  }
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  int stop[2];
  if (pipe2(stop, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  return std::unique_ptr<ExitWithFd>(
      new ExitWithFd(fd, UniqueFd(stop[0]), UniqueFd(stop[1]), std::move(on_close)));
}

ExitWithFd::ExitWithFd(int fd, UniqueFd stop_read, UniqueFd stop_write,
                       std::function<void()> on_close)
    : fd_(fd),
      stop_read_(std::move(stop_read)),
      stop_write_(std::move(stop_write)),
      on_close_(std::move(on_close)),
      thread_(StartThread("exit-with-fd", [this] { Watch(); })) {}

ExitWithFd::~ExitWithFd() {
  close(stop_write_.Release());
  thread_.join();
}

void ExitWithFd::Watch() {
  pollfd watched[] = {{.fd = fd_, .events = POLLRDHUP, .revents = 0},
                      {.fd = stop_read_.get(), .events = 0, .revents = 0}};
  while (poll(watched, 2, -1) < 0 && errno == EINTR) {
  }
  if (watched[1].revents == 0) on_close_();
}

}  // namespace acceld::lifetime

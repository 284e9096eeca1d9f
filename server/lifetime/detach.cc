#include "server/lifetime/detach.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

namespace acceld::lifetime {
namespace {

// Exit status for a child that was killed by a signal, plus the signal's number, as in shells.
constexpr int kSignalExit = 128;

// Waits for the child to be ready or to end, and exits.
[[noreturn]] void WaitFor(pid_t background, int ready) {
  char byte = 0;
  ssize_t got = 0;
  do {
    got = read(ready, &byte, 1);
  } while (got < 0 && errno == EINTR);
  if (got == 1) _exit(EXIT_SUCCESS);
  int status = 0;
  while (waitpid(background, &status, 0) < 0 && errno == EINTR) {
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : kSignalExit + WTERMSIG(status));
}

}  // namespace

absl::StatusOr<Background> Background::Enter() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  UniqueFd read_end(ends[0]), write_end(ends[1]);
  const pid_t child = fork();
  if (child < 0) return absl::ErrnoToStatus(errno, "cannot go to the background");
  if (child > 0) {
    close(write_end.Release());
    WaitFor(child, read_end.get());
  }
  setsid();
  const UniqueFd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing.valid() || dup2(nothing.get(), STDIN_FILENO) < 0) {
    return absl::ErrnoToStatus(errno, "/dev/null");
  }
  return Background(std::move(write_end));
}

void Background::Ready() {
  const char byte = 1;
  // The waiting parent may have been killed meanwhile.
  (void)!write(ready_.get(), &byte, 1);
  ready_ = UniqueFd();
}

}  // namespace acceld::lifetime

#include "client/tools/accelctl/top.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_replace.h"
#include "client/tools/accelctl/top_frame.h"

namespace acceld::tools {
namespace {

absl::StatusOr<Sample> TakeSample(client::Admin& admin) {
  Sample sample;
  ACCELD_ASSIGN_OR_RETURN(sample.stats, admin.GetStats());
  ACCELD_ASSIGN_OR_RETURN(sample.devices, admin.ListDevices());
  ACCELD_ASSIGN_OR_RETURN(sample.sessions, admin.ListSessions());
  sample.time = std::chrono::steady_clock::now();
  return sample;
}

// While it lives, the signals that end a program wait to be asked for. Made before any other
// thread, which would take them.
class EndSignals {
 public:
  EndSignals() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~EndSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  // Waits; true when a signal came meanwhile.
  bool ComeWithin(double seconds) {
    timespec time;
    time.tv_sec = static_cast<time_t>(seconds);
    time.tv_nsec = static_cast<long>((seconds - std::floor(seconds)) * 1e9);
    return sigtimedwait(&signals_, nullptr, &time) > 0;
  }

 private:
  sigset_t signals_, before_;
};

// While it lives, the terminal shows another page, without a cursor.
class Screen {
 public:
  Screen() { std::cout << "\x1b[?1049h\x1b[?25l" << std::flush; }
  ~Screen() { std::cout << "\x1b[?25h\x1b[?1049l" << std::flush; }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Over the last one, each line to its end, so that nothing flickers.
  void Show(const std::string& frame) {
    std::cout << "\x1b[H" << absl::StrReplaceAll(frame, {{"\n", "\x1b[K\n"}}) << "\x1b[J"
              << std::flush;
  }
};

size_t TerminalLines() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 2) return 24;
  return size.ws_row;
}

}  // namespace

absl::Status Top(const ConnectionFlags& connection_flags, const TopFlags& flags) {
  const bool live = !flags.once && isatty(STDOUT_FILENO) != 0;
  std::optional<EndSignals> signals;
  if (live) signals.emplace();
  ACCELD_ASSIGN_OR_RETURN(const std::unique_ptr<Connection> connection,
                          Connection::OpenAdmin(connection_flags));
  ACCELD_ASSIGN_OR_RETURN(Sample now, TakeSample(connection->admin()));
  if (!live) {
    std::cout << TopFrame(now, nullptr, 0);
    return absl::OkStatus();
  }
  Screen screen;
  std::optional<Sample> before;
  while (true) {
    // A line is left free: an end of line in the last one would scroll.
    screen.Show(TopFrame(now, before ? &*before : nullptr, TerminalLines() - 1));
    if (signals->ComeWithin(flags.interval_s)) return absl::OkStatus();
    before = std::move(now);
    ACCELD_ASSIGN_OR_RETURN(now, TakeSample(connection->admin()));
  }
}

}  // namespace acceld::tools

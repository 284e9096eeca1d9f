#include "client/tools/accelctl/top.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_replace.h"
#include "client/tools/accelctl/termination_signals.h"
#include "client/tools/accelctl/views/top_frame.h"
#include "common/cli/terminal.h"
#include "common/cli/text.h"

namespace acceld::tools {
namespace {

absl::StatusOr<Sample> TakeSample(client::Admin& admin) {
  Sample sample;
  ACCELD_ASSIGN_OR_RETURN(sample.stats, admin.GetStats());
  ACCELD_ASSIGN_OR_RETURN(sample.devices, admin.ListDevices());
  ACCELD_ASSIGN_OR_RETURN(sample.sessions, admin.ListSessions());
  ACCELD_ASSIGN_OR_RETURN(sample.running, admin.ListRunning());
  ACCELD_ASSIGN_OR_RETURN(sample.ended, admin.ListEndedSessions());
  sample.address = admin.address();
  sample.time = std::chrono::steady_clock::now();
  return sample;
}

// Switches the terminal to its alternate screen and hides the cursor, for the lifetime of the
// object.
class Screen {
 public:
  Screen() { std::cout << "\x1b[?1049h\x1b[?25l" << std::flush; }
  ~Screen() { std::cout << "\x1b[?25h\x1b[?1049l" << std::flush; }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Overwrites the previous frame and clears the rest of each line, so that nothing flickers.
  void Show(const std::string& frame) {
    std::cout << "\x1b[H" << absl::StrReplaceAll(frame, {{"\n", "\x1b[K\n"}}) << "\x1b[J"
              << std::flush;
  }
};

}  // namespace

absl::Status Top(const ConnectionFlags& connection_flags, const TopFlags& flags) {
  const bool live = !flags.once && isatty(STDOUT_FILENO) != 0;
  std::optional<TerminationSignals> signals;
  if (live) signals.emplace();
  ACCELD_ASSIGN_OR_RETURN(const std::unique_ptr<Connection> connection,
                          Connection::OpenAdmin(connection_flags));
  ACCELD_ASSIGN_OR_RETURN(Sample now, TakeSample(connection->admin()));
  if (!live) {
    std::cout << TopFrame(now, nullptr, 0,
                          flags.wide ? cli::kUnlimitedColumns : cli::OutputSize().columns);
    return absl::OkStatus();
  }
  const auto interval = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(flags.interval_s));
  Screen screen;
  std::optional<Sample> before;
  while (true) {
    // The terminal's size may have changed. One line is left free, because a line end in the last
    // line would scroll.
    const cli::TerminalSize size = cli::OutputSize();
    screen.Show(TopFrame(now, before ? &*before : nullptr, std::max<size_t>(size.lines, 2) - 1,
                         size.columns));
    if (signals->WaitForSignal(interval) != 0) return absl::OkStatus();
    before = std::move(now);
    ACCELD_ASSIGN_OR_RETURN(now, TakeSample(connection->admin()));
  }
}

}  // namespace acceld::tools

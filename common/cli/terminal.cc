#include "common/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace acceld::cli {

TerminalSize OutputSize() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {};
  }
  return {.columns = size.ws_col, .lines = size.ws_row};
}

}  // namespace acceld::cli

#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/status.h"

// Options for starting daemons from a client process.
namespace acceld::client {

// Whether a client may start a daemon.
enum class Autostart {
  kOn,       // One for all processes of the user, if none is running.
  kOff,      // Never.
  kPrivate,  // One for this process alone, even if another is running.
};
// Parses "on", "off" or "private"; an empty text means kOn. INVALID_ARGUMENT names the variable
// ACCELD_AUTOSTART.
absl::StatusOr<Autostart> ParseAutostart(absl::string_view text);

// How a client starts a daemon.
struct StartOptions {
  // nullopt means the value of $ACCELD_AUTOSTART, or kOn if that is not set.
  absl::optional<Autostart> autostart;
  // The daemon's executable; if empty, it is searched for (find_daemon.h).
  std::string daemon_path;
  // A daemon for all processes of the user exits when it has been idle for this long.
  std::chrono::milliseconds idle_timeout = std::chrono::minutes(10);
  // How long to wait until the daemon answers. This may include waiting for the end of another
  // daemon.
  std::chrono::milliseconds start_timeout = std::chrono::seconds(60);
  // The version with which the daemon must be compatible; empty means this library's version.
  std::string client_version;
  // Additional command-line flags for the daemon. Like every daemon it also reads settings from its
  // environment, which it inherits from this process, and from the user's configuration file. Paths
  // in all of these should be absolute, because the working directory of the daemon is the root
  // folder, unless it is a private one.
  std::vector<std::string> flags;
};

}  // namespace acceld::client

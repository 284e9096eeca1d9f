#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/status.h"

// What a process says about a daemon that it may start.
namespace acceld::client {

enum class Autostart {
  kOn,       // one for all processes of the user, where there is none
  kOff,      // none
  kPrivate,  // one of this process's own, also where there is another
};
// "on", "off", "private"; empty: on. INVALID_ARGUMENT, naming the variable ACCELD_AUTOSTART.
absl::StatusOr<Autostart> ParseAutostart(absl::string_view text);

struct StartOptions {
  // None: what $ACCELD_AUTOSTART says, else kOn.
  absl::optional<Autostart> autostart;
  // The daemon's binary; find_daemon.h says where one is looked for besides.
  std::string daemon_path;
  // A daemon for all processes of the user ends when nobody has used it for so long.
  std::chrono::milliseconds idle_timeout = std::chrono::minutes(10);
  // Until the daemon answers. It may have to wait for one that ends.
  std::chrono::milliseconds start_timeout = std::chrono::seconds(60);
  // What the daemon's version has to go with; empty: this library's.
  std::string client_version;
  // Further flags for it. Its settings come, besides, from this process's environment and from the
  // user's configuration file, as those of every daemon. Paths in these are to be absolute: but for
  // a private one it runs in the root folder.
  std::vector<std::string> flags;
};

}  // namespace acceld::client

#pragma once

#include <chrono>
#include <string>

#include "absl/strings/string_view.h"
#include "common/log.h"
#include "common/status.h"
#include "server/engine/engine.h"
#include "server/rpc/options.h"

namespace acceld {

// What the command line of the daemon says.
struct DaemonFlags {
  engine::EngineOptions engine;
  rpc::RpcOptions rpc;
  LogLevel log_level = LogLevel::kInfo;
  std::chrono::milliseconds shutdown_grace{10000};
};

enum class FlagsOutcome { kRun, kExitOk, kExitUsage };

// Reads the command line. Help, version and usage errors are printed here.
FlagsOutcome ParseDaemonFlags(int argc, char** argv, absl::string_view version, DaemonFlags& flags);

// Bytes: "4096", "512KiB", "64MiB", "2GiB", "1TiB" (a trailing B alone or lower case is fine).
// INVALID_ARGUMENT quotes what is not a size: signs, fractions, other units, past 2^63.
absl::StatusOr<int64_t> ParseSizeBytes(absl::string_view text);

// $XDG_CACHE_HOME/acceld, else ~/.cache/acceld, else empty.
std::string DefaultCacheFolder();

}  // namespace acceld

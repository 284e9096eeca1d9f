#include "server/flags/daemon_flags.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "server/compiler/pipeline.h"

namespace acceld {
namespace {

constexpr char kDescription[] =
    "acceld owns this machine's accelerators, compiles each program once for everyone and runs "
    "the\nwork of many clients.";

constexpr char kFooter[] = R"(
Examples:
  acceld                                   on the default socket, one CPU device
  acceld --listen unix:/run/me/acceld.sock --listen 127.0.0.1:7070
  acceld --cpu-devices 2 --device-memory 4GiB --cache-dir /var/cache/acceld

Clients look at $ACCELD_ADDRESS, then at $XDG_RUNTIME_DIR/acceld.sock, then at
/tmp/acceld-<uid>/acceld.sock, which is also where the daemon listens by default.
SIGTERM or Ctrl-C stops it after the work in flight (--shutdown-grace); a second one at once.)";

// As ParseSizeBytes reads it, in the largest unit that gives a whole number.
std::string SizeText(int64_t bytes) {
  const std::pair<int, const char*> units[] = {{40, "TiB"}, {30, "GiB"}, {20, "MiB"}, {10, "KiB"}};
  for (const auto& [shift, unit] : units) {
    if (bytes != 0 && bytes % (int64_t{1} << shift) == 0) return absl::StrCat(bytes >> shift, unit);
  }
  return absl::StrCat(bytes);
}

// More than any machine has; sums of a few of these still fit into 64 bits.
constexpr int64_t kMaxSizeBytes = int64_t{1} << 50;

struct SizeRange {
  int64_t min_bytes = 0, max_bytes = kMaxSizeBytes;
};

// A flag that holds a size with a unit.
void AddSize(CLI::App& app, const std::string& name, int64_t& bytes, const std::string& help,
             SizeRange range = {}) {
  app.add_option_function<std::string>(
         name,
         [&bytes, name, range](const std::string& text) {
           absl::StatusOr<int64_t> parsed = ParseSizeBytes(text);
           if (parsed.ok() && (*parsed < range.min_bytes || *parsed > range.max_bytes)) {
             parsed = absl::InvalidArgumentError(
                 absl::StrCat("'", text, "' is out of range; the least is ",
                              SizeText(range.min_bytes), ", the most ", SizeText(range.max_bytes)));
           }
           if (!parsed.ok()) {
             throw CLI::ValidationError(name, std::string(parsed.status().message()));
           }
           bytes = *parsed;
         },
         help)
      ->type_name("SIZE");
}

// Seconds. CLI11's range check lets NaN pass.
void AddSeconds(CLI::App& app, const std::string& name, double& seconds, double max_seconds,
                const std::string& help) {
  app.add_option(name, seconds, help)
      ->check([max_seconds](const std::string& text) -> std::string {
        double value = 0;
        if (absl::SimpleAtod(text, &value) && value >= 0 && value <= max_seconds) return "";
        return absl::StrCat("'", text, "' is not a number of seconds from 0 to ", max_seconds);
      })
      ->capture_default_str();
}

absl::Status SetAddresses(std::vector<std::string> texts, std::vector<Address>& addresses) {
  if (texts.empty()) texts.push_back(DefaultAddress());
  for (const std::string& text : texts) {
    ACCELD_ASSIGN_OR_RETURN(Address address, ParseAddress(text));
    addresses.push_back(std::move(address));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<int64_t> ParseSizeBytes(absl::string_view text) {
  const std::string lower = absl::AsciiStrToLower(text);
  absl::string_view digits = lower;
  int shift = 0;
  const std::pair<absl::string_view, int> units[] = {
      {"kib", 10}, {"mib", 20}, {"gib", 30}, {"tib", 40}, {"b", 0}};
  for (const auto& [unit, bits] : units) {
    if (absl::ConsumeSuffix(&digits, unit)) {
      shift = bits;
      break;
    }
  }
  // SimpleAtoi alone would take signs and white space too.
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), &absl::ascii_isdigit)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not a size; write it like 4096, 512KiB, 64MiB or 2GiB"));
  }
  int64_t value = 0;
  if (!absl::SimpleAtoi(digits, &value) || value > (std::numeric_limits<int64_t>::max() >> shift)) {
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' is more than 2^63 bytes"));
  }
  return value << shift;
}

std::string DefaultCacheFolder() {
  if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder && *folder) {
    return absl::StrCat(folder, "/acceld");
  }
  if (const char* home = std::getenv("HOME"); home && *home) {
    return absl::StrCat(home, "/.cache/acceld");
  }
  return "";
}

FlagsOutcome ParseDaemonFlags(int argc, char** argv, absl::string_view version,
                              DaemonFlags& flags) {
  CLI::App app(kDescription, "acceld");
  app.footer(kFooter);
  app.set_version_flag("--version", absl::StrCat("acceld ", std::string(version)));
  std::vector<std::string> listen;
  engine::EngineOptions& engine = flags.engine;
  engine.cache_dir = DefaultCacheFolder();
  std::string log_level = "info";
  double grace_s = 10;
  bool no_disk_cache = false;

  app.add_option("--listen", listen,
                 "where to listen; may be given several times: unix:PATH or 127.0.0.1:PORT "
                 "(TCP is loopback only, it is not encrypted)")
      ->type_name("ADDRESS");
  app.add_option("--cpu-devices", engine.cpu_devices,
                 "CPU devices to offer; they share the machine's cores")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--threads-per-device", engine.threads_per_device,
                 "threads of one CPU device; 0: cores / devices")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  AddSize(app, "--device-memory", engine.device_memory_bytes,
          "memory of one device; 0: 3/4 of the machine's memory / devices [0]");
  app.add_option("--compile-threads", engine.compile_threads,
                 "programs compiled at the same time; 0: as many as cores")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_option("--cache-dir", engine.cache_dir, "folder of compiled programs, kept over restarts")
      ->type_name("FOLDER")
      ->capture_default_str();
  AddSize(app, "--cache-disk-size", engine.cache_disk_bytes,
          "the folder's limit; the least recently used go first; 0: no disk cache [4GiB]");
  AddSize(app, "--cache-memory-size", engine.cache_memory_bytes,
          "compiled programs kept loaded; 0: none but those in use [1GiB]");
  app.add_flag("--no-disk-cache", no_disk_cache, "keep compiled programs in memory only");
  app.add_option("--dump-dir", engine.dump_dir,
                 "write every stage of each compilation there as text, for debugging")
      ->type_name("FOLDER");
  app.add_option("--disable-pass", engine.disabled_passes,
                 "compile without this pass, to find the one behind a wrong result: fuse gives "
                 "slower code, others may leave programs that cannot be compiled; repeatable")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->check([](const std::string& name) {
        return compiler::FindPass(name) == nullptr
                   ? std::string(compiler::NoSuchPass(name).message())
                   : "";
      });
  app.add_option("--max-sessions", engine.max_sessions, "clients at the same time")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000}))
      ->capture_default_str();
  app.add_option("--max-session-handles", engine.max_handles, "live arrays of one client")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000'000}))
      ->capture_default_str();
  app.add_option("--max-session-programs", engine.max_programs, "programs of one client")
      ->check(CLI::Range(int64_t{1}, int64_t{10'000'000}))
      ->capture_default_str();
  AddSize(app, "--max-session-memory", engine.max_session_bytes,
          "device memory of one client; 0: all of it [0]");
  AddSize(app, "--max-message-size", flags.rpc.max_message_bytes,
          "largest message taken from a client [64MiB]", {65536, std::numeric_limits<int>::max()});
  app.add_option("--log-level", log_level, "debug, info, warning or error")->capture_default_str();
  AddSeconds(app, "--shutdown-grace", grace_s, 86400,
             "seconds that work in flight may take to finish after SIGTERM");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? FlagsOutcome::kExitOk : FlagsOutcome::kExitUsage;
  }
  absl::Status status = SetAddresses(std::move(listen), flags.rpc.listen);
  absl::StatusOr<LogLevel> level = ParseLogLevel(log_level);
  if (level.ok()) {
    flags.log_level = *level;
  } else {
    status.Update(level.status());
  }
  if (!status.ok()) {
    std::cerr << "acceld: " << status.message() << "\nRun with --help for more information.\n";
    return FlagsOutcome::kExitUsage;
  }
  if (no_disk_cache) engine.cache_dir.clear();
  flags.rpc.version = std::string(version);
  flags.shutdown_grace = std::chrono::milliseconds(static_cast<int64_t>(grace_s * 1000));
  return FlagsOutcome::kRun;
}

}  // namespace acceld

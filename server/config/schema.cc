#include "server/config/schema.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/net/address.h"
#include "server/compiler/pipeline.h"
#include "server/config/access_settings.h"
#include "server/config/remote_cache_settings.h"
#include "server/config/setting_table.h"
#include "server/hal/cpu/host_info.h"
#include "server/hal/cuda/driver/device_selection.h"
#include "server/observability/metrics_server.h"

namespace acceld::config {
namespace {

// More than any machine has; the sum of a few such sizes still fits into 64 bits.
constexpr double kMaxSizeBytes = static_cast<double>(int64_t{1} << 50);
constexpr int64_t kMostPreparedBytes = int64_t{1} << 30;
constexpr double kMaxIdleSeconds = 86400 * 365;
constexpr double kMaxMessageBytes = std::numeric_limits<int>::max();

// $XDG_CACHE_HOME/acceld, else ~/.cache/acceld, else empty.
std::string DefaultCacheFolder() {
  if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder && *folder) {
    return absl::StrCat(folder, "/acceld");
  }
  if (const char* home = std::getenv("HOME"); home && *home) {
    return absl::StrCat(home, "/.cache/acceld");
  }
  return "";
}

void AddBasics(SettingTable& table) {
  table.Group("Daemon");
  Setting& listen = table.Add("listen", SettingType::kList,
                              "where to listen; may be given several times: unix:PATH, "
                              "tls://HOST:PORT, or 127.0.0.1:PORT (loopback only: not encrypted)");
  listen.value_name = "ADDRESS";
  listen.fallback = std::vector<std::string>{DefaultAddress()};
  listen.fallback_note =
      "$ACCELD_ADDRESS, else unix:$XDG_RUNTIME_DIR/acceld.sock where that is a folder, else "
      "unix:/tmp/acceld-UID/acceld.sock; with sockets that systemd passes: none beside those";
  listen.check = [](absl::string_view text) { return ParseAddress(text).status(); };
  listen.apply = [](const Value& value, DaemonConfig& config) {
    for (const std::string& text : std::get<std::vector<std::string>>(value)) {
      config.rpc.listen.push_back(*ParseAddress(text));  // `check` has parsed it before
    }
  };

  Setting& level = table.Add("log-level", SettingType::kText, "debug, info, warning or error");
  level.value_name = "LEVEL";
  level.fallback = "info";
  level.reloadable = true;
  level.check = [](absl::string_view text) { return ParseLogLevel(text).status(); };
  level.apply = [](const Value& value, DaemonConfig& config) {
    config.log_level = *ParseLogLevel(std::get<std::string>(value));
  };

  Setting& format = table.Add("log-format", SettingType::kText,
                              "text (message key=value ...) or json (an object a line)");
  format.value_name = "FORMAT";
  format.fallback = "text";
  format.reloadable = true;
  format.check = [](absl::string_view text) { return ParseLogFormat(text).status(); };
  format.apply = [](const Value& value, DaemonConfig& config) {
    config.log_format = *ParseLogFormat(std::get<std::string>(value));
  };

  table.Text(
      "log-file", "FILE", [](DaemonConfig& c) -> auto& { return c.log_file; },
      "write the log there; empty: to standard error");
  table.Size(
      "log-file-size", {4096, kMaxSizeBytes},
      [](DaemonConfig& c) -> auto& { return c.log_file_bytes; },
      "a log-file that has grown to this goes on in a new one; its name with .old has what was "
      "before, and what was there goes");

  Setting& metrics = table.Text(
      "metrics-listen", "[HOST:]PORT", [](DaemonConfig& c) -> auto& { return c.metrics_listen; },
      "serve metrics for Prometheus (/metrics), a status page for people (/) and the same as JSON "
      "(/status.json) over HTTP there: not encrypted, for everybody who can connect, who then sees "
      "devices, identities, cache and the latest warnings; without HOST on 127.0.0.1; port 0: a "
      "free one; empty: nowhere");
  metrics.check = [](absl::string_view text) {
    return text.empty() ? absl::OkStatus() : observability::ParseMetricsAddress(text).status();
  };

  table.Count(
      "trace-spans", {0, 1 << 24}, [](DaemonConfig& c) -> auto& { return c.engine.trace_spans; },
      "how many of the last executions, copies and compiler passes are kept for accelctl trace, in "
      "128 bytes each; 0: none");

  Setting& grace = table.Seconds(
      "shutdown-grace", {0, 86400}, [](DaemonConfig& c) -> auto& { return c.shutdown_grace; },
      "seconds that work in flight may take to finish after SIGTERM");
  grace.reloadable = true;
  table.Seconds(
      "exit-when-idle", {0, kMaxIdleSeconds},
      [](DaemonConfig& c) -> auto& { return c.exit_when_idle; },
      "seconds without a session and without a call after which the daemon ends by itself, with "
      "the named arrays that clients have left; while it drains it ends as soon as there are none; "
      "0: never");
  table.Count(
      "exit-with-fd", {0, 1 << 20}, [](DaemonConfig& c) -> auto& { return c.exit_with_fd; },
      "a pipe or socket that the daemon is started with, by the number of its file descriptor: it "
      "ends when all who have the other side have closed it, or have ended; 0: none");
}

void AddDevices(SettingTable& table) {
  table.Group("Devices");
  table.Count(
      "cpu-devices", {1, 64}, [](DaemonConfig& c) -> auto& { return c.engine.cpu_devices; },
      "CPU devices to offer; they share the machine's cores");
  table.Count(
      "threads-per-device", {0, 4096},
      [](DaemonConfig& c) -> auto& { return c.engine.threads_per_device; },
      "threads of one CPU device; 0: cores / devices");
  table.Size(
      "device-memory", {0, kMaxSizeBytes},
      [](DaemonConfig& c) -> auto& { return c.engine.device_memory_bytes; },
      "memory of one CPU device; 0: 3/4 of the machine's memory / devices");
  Setting& prepared = table.Size(
      "prepared-memory", {0, kMaxSizeBytes},
      [](DaemonConfig& c) -> auto& { return c.engine.prepared_memory_bytes; },
      "of that memory, what a device takes from the system when the daemon starts, little by "
      "little, "
      "so that the first programs do not wait for it; it goes back when it was not used for a "
      "minute or two. 0: none");
  prepared.fallback = std::min(hal::cpu::AvailableMemoryBytes() / 32, kMostPreparedBytes);
  prepared.fallback_note = "1/32 of the machine's memory, at most 1 GiB";
  Setting& gpus = table.Text(
      "cuda-devices", "GPUS", [](DaemonConfig& c) -> auto& { return c.engine.cuda_devices; },
      "GPUs to offer, before the CPU devices: all that can be used, none, or numbers as in 0,2, "
      "without which the daemon does not start");
  gpus.check = [](absl::string_view text) {
    return hal::cuda::ParseDeviceSelection(text).status();
  };
  table.Size(
      "cuda-memory", {0, kMaxSizeBytes},
      [](DaemonConfig& c) -> auto& { return c.engine.cuda_memory_bytes; },
      "memory of one GPU; 0: 9/10 of what is free there when the daemon starts");
  Setting& host = table.Size(
      "host-memory", {0, kMaxSizeBytes},
      [](DaemonConfig& c) -> auto& { return c.engine.host_memory_bytes; },
      "memory of the machine for arrays that give way to others when a device is full, until they "
      "are used again; as much of it as identity-share is kept for those who have less than their "
      "share of the device; 0: none do");
  host.fallback = hal::cpu::AvailableMemoryBytes() / 8;
  host.fallback_note = "1/8 of the machine's memory";
}

void AddCompiler(SettingTable& table) {
  table.Group("Compiler and cache");
  table.Count(
      "compile-threads", {0, 1024},
      [](DaemonConfig& c) -> auto& { return c.engine.compile_threads; },
      "programs compiled at the same time, and a few more while others wait for long ones; 0: as "
      "many as there are cores");
  Setting& memory = table.Size(
      "max-compile-memory", {0, kMaxSizeBytes},
      [](DaemonConfig& c) -> auto& { return c.engine.max_compile_bytes; },
      "memory that the compile of one program may take; it fails when it takes more; 0: no limit");
  memory.fallback = std::max<int64_t>(
      hal::cpu::AvailableMemoryBytes() / 4 / std::max(1u, std::thread::hardware_concurrency()),
      int64_t{1} << 30);
  memory.fallback_note = "1/4 of the machine's memory divided by its cores, at least 1 GiB";
  Setting& cold =
      table.Add("no-warm-up", SettingType::kSwitch,
                "do not compile a small program when the daemon starts: a client's first "
                "one takes some milliseconds more then");
  cold.fallback = false;
  cold.apply = [](const Value& value, DaemonConfig& config) {
    config.engine.warm_up = !std::get<bool>(value);
  };
  Setting& folder = table.Text(
      "cache-dir", "FOLDER", [](DaemonConfig& c) -> auto& { return c.engine.cache_dir; },
      "folder of compiled programs, kept over restarts");
  folder.fallback = DefaultCacheFolder();
  folder.fallback_note = "$XDG_CACHE_HOME/acceld, else ~/.cache/acceld";
  table.Size(
      "cache-disk-size", {0, kMaxSizeBytes},
      [](DaemonConfig& c) -> auto& { return c.engine.cache_disk_bytes; },
      "the folder's limit; the least recently used go first; 0: no disk cache");
  table.Size(
      "cache-memory-size", {0, kMaxSizeBytes},
      [](DaemonConfig& c) -> auto& { return c.engine.cache_memory_bytes; },
      "compiled programs kept loaded; 0: none but those in use");
  Setting& memory_only =
      table.Add("no-disk-cache", SettingType::kSwitch, "keep compiled programs in memory only");
  memory_only.fallback = false;
  memory_only.apply = [](const Value& value, DaemonConfig& config) {
    config.disk_cache = !std::get<bool>(value);
  };
  table.Text(
      "dump-dir", "FOLDER", [](DaemonConfig& c) -> auto& { return c.engine.dump_dir; },
      "write every stage of each compilation there as text, for debugging");
  Setting& passes = table.List(
      "disable-pass", "NAME", [](DaemonConfig& c) -> auto& { return c.engine.disabled_passes; },
      "compile without this pass, to find the one behind a wrong result: fuse gives slower code, "
      "others may leave programs that cannot be compiled; repeatable");
  passes.check = [](absl::string_view name) {
    return compiler::FindPass(name) == nullptr ? compiler::NoSuchPass(name) : absl::OkStatus();
  };
}

void AddSessionLimits(SettingTable& table) {
  table.Group("Limits");
  table.Count(
      "max-sessions", {1, 1'000'000},
      [](DaemonConfig& c) -> auto& { return c.engine.max_sessions; }, "clients at the same time");
  Setting& share = table.Count(
      "identity-share", {1, 100},
      [](DaemonConfig& c) -> auto& { return c.engine.identity_share_percent; },
      "percent of max-sessions, max-handles, max-queued, max-named-arrays, max-intake-memory, "
      "max-program-memory, max-descriptors, max-segment-connections, shared-array-size, "
      "max-shared-arrays, max-queued-decodes and max-queued-copies that one identity may have, at "
      "least one of each, unless its quota says otherwise; of a device's memory that it gets back "
      "from others who have more; and of the cache's tiers that it keeps while others have more; "
      "admins may have all");
  share.apply = [](const Value& value, DaemonConfig& config) {
    config.engine.identity_share_percent = static_cast<int>(std::get<int64_t>(value));
    config.rpc.identity_share_percent = config.engine.identity_share_percent;
  };
  table.Size(
      "max-intake-memory", {0, kMaxSizeBytes},
      [](DaemonConfig& c) -> auto& { return c.engine.max_receive_bytes; },
      "memory for programs and large messages of all clients, from their first byte until they are "
      "decoded; 0: as much as host-memory, at least 256 MiB");
  table.Size(
      "max-program-memory", {0, kMaxSizeBytes},
      [](DaemonConfig& c) -> auto& { return c.engine.max_program_memory_bytes; },
      "memory for the programs that sessions of all clients have registered; an equal one counts "
      "once for each identity; 0: as much as host-memory, at least 256 MiB");
  table.Count(
      "max-handles", {1, 1'000'000'000},
      [](DaemonConfig& c) -> auto& { return c.engine.max_handles; }, "live arrays of all clients");
  table.Count(
      "max-queued", {1, 1'000'000'000},
      [](DaemonConfig& c) -> auto& { return c.engine.max_queued; },
      "executions and uploads of all clients that have not ended; one with many arguments and "
      "results counts once more for each 64 of them");
  table.Seconds(
      "stall-timeout", {0, 86400}, [](DaemonConfig& c) -> auto& { return c.engine.stall_timeout; },
      "seconds after which an execution is ended that keeps short ones of others from a GPU, where "
      "nothing can be made to pause, or another identity from its share of a device's memory; 0: "
      "never");
  table.Count(
      "max-descriptors", {0, 1'000'000'000},
      [](DaemonConfig& c) -> auto& { return c.engine.max_descriptors; },
      "file descriptors for the connections of all clients: one for each connection, and three for "
      "each that shares memory, so four for a usual client on this host; 0: as many as the system "
      "lets the daemon open (its hard limit), less descriptor-reserve and a few of its own");
  table.Count(
      "descriptor-reserve", {0, 1'000'000},
      [](DaemonConfig& c) -> auto& { return c.rpc.descriptor_reserve; },
      "of the file descriptors that the daemon may open, the last ones, which are for metrics, for "
      "its own files, and for root and the daemon's user on the unix socket; at most a quarter");
  table.Count(
      "max-session-handles", {1, 1'000'000'000},
      [](DaemonConfig& c) -> auto& { return c.engine.max_session_handles; },
      "live arrays of one client");
  table.Count(
      "max-session-programs", {1, 10'000'000},
      [](DaemonConfig& c) -> auto& { return c.engine.max_programs; }, "programs of one client");
  table.Count(
      "max-session-queued", {1, 1'000'000'000},
      [](DaemonConfig& c) -> auto& { return c.engine.max_queued_executions; },
      "executions of one client that have not ended, and likewise its answers that are due");
  table.Size(
      "max-session-memory", {0, kMaxSizeBytes},
      [](DaemonConfig& c) -> auto& { return c.engine.max_session_bytes; },
      "device memory of one client, and host memory of its uploads; 0: as much as there "
      "is");
  table.Seconds(
      "max-session-lease", {0, 86400}, [](DaemonConfig& c) -> auto& { return c.rpc.max_lease; },
      "seconds that a session may outlive a lost connection, if its client asks for that");
  table.Size(
      "max-program-size", {65536, kMaxSizeBytes},
      [](DaemonConfig& c) -> auto& { return c.rpc.max_program_bytes; },
      "one program, as it is sent");
  table.Size(
      "max-kept-programs", {0, kMaxSizeBytes},
      [](DaemonConfig& c) -> auto& { return c.engine.program_bytes; },
      "programs that are kept for clients to come, which then need not send them; the least "
      "recently used go first");
  table.Count(
      "max-named-arrays", {0, 10'000'000},
      [](DaemonConfig& c) -> auto& { return c.engine.max_named_arrays; },
      "arrays that have a name, of all clients");
  table.Size(
      "max-session-transfers", {0, kMaxSizeBytes},
      [](DaemonConfig& c) -> auto& { return c.rpc.max_transfer_bytes; },
      "fetched arrays of one client that wait for their download, beyond a single one");
  table.Count(
      "max-session-refusals", {1, 10'000'000},
      [](DaemonConfig& c) -> auto& { return c.rpc.max_refusals; },
      "refused commands of one client that are remembered for those who name their results; with "
      "more its session ends");
  table.Count(
      "max-queued-copies", {1, 10'000'000},
      [](DaemonConfig& c) -> auto& { return c.engine.max_queued_copies; },
      "large arrays of all clients that wait to be read back");
  table.Count(
      "max-deadlines", {1, 100'000'000},
      [](DaemonConfig& c) -> auto& { return c.engine.max_deadlines; },
      "executions of all clients that have a timeout and are not done");
  table.Count(
      "max-queued-decodes", {1, 10'000'000},
      [](DaemonConfig& c) -> auto& { return c.rpc.max_queued_decodes; },
      "batches and runs of all clients that wait to be decoded");
}

void AddTransport(SettingTable& table) {
  table.Group("Transport");
  table.Size(
      "max-message-size", {65536, kMaxMessageBytes},
      [](DaemonConfig& c) -> auto& { return c.rpc.max_message_bytes; },
      "largest message taken from a client, and largest answer to a run");
  table.Size(
      "max-inline-size", {0, 16 << 20},
      [](DaemonConfig& c) -> auto& { return c.rpc.max_inline_bytes; },
      "fetched arrays up to this size come in the answer, larger ones by a download");
  table.Count(
      "max-unidentified", {1, 100'000},
      [](DaemonConfig& c) -> auto& { return c.rpc.max_unidentified; },
      "connections of those who have not shown yet who they are: over TCP until the first call "
      "that is let in; with more, the oldest is ended");
  table.Seconds(
      "identify-timeout", {0.1, 3600},
      [](DaemonConfig& c) -> auto& { return c.rpc.identify_timeout; },
      "seconds that they have for it, and a channel for its first command");
  table.Seconds(
      "connection-idle", {0, 86400 * 7},
      [](DaemonConfig& c) -> auto& { return c.rpc.connection_idle; },
      "seconds after which a gRPC connection without calls is closed, which a client does not "
      "notice, and an upload whose next bytes do not come is ended; 0: never");
  table.Count(
      "command-window", {1, 1'000'000},
      [](DaemonConfig& c) -> auto& { return c.rpc.command_window; },
      "commands that a client may send before the daemon has taken them in; one that sends more "
      "breaks the protocol");
  table.Count(
      "channel-requests", {1, 10'000'000},
      [](DaemonConfig& c) -> auto& { return c.rpc.max_requests; },
      "answers due to a client above which its commands are not read for a while");
  table.Count(
      "channel-executions", {1, 10'000'000},
      [](DaemonConfig& c) -> auto& { return c.rpc.max_executions; },
      "executions of a client above which its commands are not read for a while");
  table.Size(
      "channel-event-size", {1, kMaxSizeBytes},
      [](DaemonConfig& c) -> auto& { return c.rpc.max_event_bytes; },
      "unsent answers to a client above which its commands are not read for a while");
  table.Count(
      "decode-threads", {1, 1024}, [](DaemonConfig& c) -> auto& { return c.rpc.decode_threads; },
      "threads that decode large programs");
  table.Size(
      "segment-size", {0, 1 << 30}, [](DaemonConfig& c) -> auto& { return c.rpc.segment_bytes; },
      "memory that a connection of a client on this host shares with the daemon for bulk bytes; 0: "
      "these and commands go over gRPC, as those of other hosts do");
  table.Count(
      "segment-threads", {1, 1024}, [](DaemonConfig& c) -> auto& { return c.rpc.segment_threads; },
      "threads that copy bulk bytes from and to shared memory");
  table.Count(
      "channel-threads", {1, 1024}, [](DaemonConfig& c) -> auto& { return c.rpc.channel_threads; },
      "threads that read and decode the commands of clients on this host");
  table.Count(
      "channel-poll-us", {0, 10'000},
      [](DaemonConfig& c) -> auto& { return c.rpc.channel_poll_us; },
      "microseconds for which one of these threads, awake, polls for the next commands of a "
      "client that has just been answered, while that pays; 0: it sleeps at once, which costs "
      "short calls some tens of microseconds");
  table.Count(
      "max-segment-connections", {1, 1'000'000},
      [](DaemonConfig& c) -> auto& { return c.rpc.max_segment_connections; },
      "connections that share memory with the daemon; clients beyond it use gRPC");
  table.Size(
      "shared-array-size", {0, kMaxSizeBytes},
      [](DaemonConfig& c) -> auto& { return c.rpc.shared_array_bytes; },
      "memory for the arrays that clients on this host map, each once for all of them; those "
      "beyond it are copied to each client");
  table.Count(
      "max-shared-arrays", {0, 100'000},
      [](DaemonConfig& c) -> auto& { return c.rpc.max_shared_arrays; },
      "arrays that clients on this host map; each takes a file descriptor");
}

}  // namespace

const std::vector<Setting>& Settings() {
  static const std::vector<Setting>* const settings = [] {
    SettingTable table;
    AddBasics(table);
    AddAccessSettings(table);
    AddDevices(table);
    AddCompiler(table);
    AddRemoteCacheSettings(table);
    AddSessionLimits(table);
    AddTransport(table);
    return new std::vector<Setting>(table.Take());
  }();
  return *settings;
}

const Setting* FindSetting(absl::string_view name) {
  for (const Setting& setting : Settings()) {
    if (setting.name == name) return &setting;
  }
  return nullptr;
}

}  // namespace acceld::config

// The daemon: configuration, engine, server, signals.

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/files/file_watch.h"
#include "common/log/log.h"
#include "common/threads/thread_stack.h"
#include "grpc/grpc.h"
#include "server/config/command_line.h"
#include "server/config/effective.h"
#include "server/config/schema.h"
#include "server/engine/engine.h"
#include "server/lifetime/detach.h"
#include "server/lifetime/end_request.h"
#include "server/lifetime/exit_with_fd.h"
#include "server/lifetime/idle_exit.h"
#include "server/observability/metrics_server.h"
#include "server/rpc/server.h"
#include "server/systemd/listen_fds.h"
#include "server/systemd/manager.h"
#include "server/systemd/watchdog.h"

namespace acceld {
namespace {

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;
constexpr int kExitTaken = 3;  // another daemon listens at the address
// How long open streams have to end after the engine has drained.
constexpr std::chrono::milliseconds kStreamGrace{1000};
// How long work that is told to end has: kernels check between two polls, the compiler between two
// passes. Work that has not ended by then is inside something that cannot be interrupted, and ends
// with the process.
constexpr std::chrono::milliseconds kEndMargin{2'000};

// Blocks the daemon's signals in this thread and in all threads that it starts.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  // SIGIO reports a broken lease on a file (SharedArrays).
  signal(SIGIO, SIG_IGN);
  return signals;
}

int WaitForSignal(const sigset_t& signals) {
  int signal = 0;
  while (sigwait(&signals, &signal) != 0) {
  }
  return signal;
}

void LogDevices(const engine::Introspection& engine) {
  for (const DeviceInfo& device : engine.Devices()) {
    LogEvent(LogLevel::kInfo, "device",
             {{"device", device.id},
              {"kind", device.kind},
              {"name", device.name},
              {"memory_bytes", device.memory_limit_bytes},
              {"architecture", device.architecture}});
  }
  for (const MissingDevices& missing : engine.Missing()) {
    if (missing.library.empty()) {
      LogEvent(LogLevel::kInfo, "no device", {{"kind", missing.kind}, {"reason", missing.reason}});
    } else {
      LogEvent(LogLevel::kInfo, "no library",
               {{"kind", missing.kind}, {"library", missing.library}, {"reason", missing.reason}});
    }
  }
}

// Raises the limit of open files as far as allowed, and logs how many clients that is enough for.
// Sets `config.engine.max_descriptors`, the number of descriptors for clients.
void PrepareDescriptors(config::DaemonConfig& config) {
  // Descriptors of the engine, gRPC, the log and the cache.
  constexpr int64_t kOwnDescriptors = 64;
  // A client on this host has a gRPC connection, and a shared-memory connection with three
  // descriptors.
  constexpr int64_t kPerLocalClient = 4;
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  if (files.rlim_cur < files.rlim_max) {
    const rlimit all = {.rlim_cur = files.rlim_max, .rlim_max = files.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &all) == 0) files = all;
  }
  const bool is_bounded = files.rlim_cur != RLIM_INFINITY;
  int64_t& for_clients = config.engine.max_descriptors;
  if (for_clients == 0 && is_bounded) {
    const auto all = static_cast<int64_t>(files.rlim_cur);
    const int64_t reserve = std::min(static_cast<int64_t>(config.rpc.descriptor_reserve), all / 4);
    for_clients = std::max<int64_t>(kPerLocalClient, all - reserve - kOwnDescriptors);
  }
  LogEvent(LogLevel::kInfo, "open files",
           {{"limit", is_bounded ? absl::StrCat(files.rlim_cur) : "none"},
            {"for_clients", for_clients},
            {"clients_on_this_host", for_clients / kPerLocalClient},
            {"clients_over_tcp", for_clients}});
}

// Takes the keys that their file has now.
void ReloadTeamKeys(engine::CacheAdmin& engine) {
  const absl::Status status = engine.ReloadTeamKeys();
  if (status.ok()) return LogInfo("the team's keys were read again");
  LogError("the team's keys stay as they are: ", status.message());
}

// Reads the configuration file again and applies the reloadable settings. If the file cannot be
// read nothing changes.
void Reload(const config::FixedSources& sources, config::Effective& effective,
            config::DaemonConfig& running, engine::Engine& engine, rpc::Server& server) {
  absl::StatusOr<config::Effective> read = config::Effective::Load(sources);
  if (!read.ok()) {
    return LogError("got SIGHUP; the configuration stays as it is: ", read.status().message());
  }
  // Settings that are not reloadable keep their values.
  config::Effective next = effective;
  next.TakeReloadable(*read);
  const config::DaemonConfig wanted = next.ToDaemonConfig();
  const absl::Status access = server.Reload(wanted.rpc.access);
  if (!access.ok()) {
    return LogError("got SIGHUP; the configuration stays as it is: ", access.message());
  }
  SetLogLevel(wanted.log_level);
  SetLogFormat(wanted.log_format);
  running.shutdown_grace = wanted.shutdown_grace;
  engine.SetQuotas(wanted.engine.quotas);
  if (!running.engine.remote_cache.key_file.empty()) ReloadTeamKeys(engine);
  const config::Changes changes = config::Compare(effective, *read);
  LogInfo("got SIGHUP: ", changes.applied.size(), " settings have changed");
  for (const std::string& change : changes.applied) LogInfo("setting ", change);
  for (const std::string& change : changes.need_restart) {
    LogWarning("setting ", change, " needs a restart");
  }
  // A setting that needs a restart is reported again by the next reload.
  effective = std::move(next);
}

// What the service manager shows of a daemon that serves.
std::string StatusLine(const engine::Introspection& engine, const rpc::Server& server) {
  const size_t devices = engine.Devices().size();
  return absl::StrCat(devices, devices == 1 ? " device" : " devices", ", listening on ",
                      absl::StrJoin(server.addresses(), ", ", [](std::string* out, const auto& a) {
                        out->append(a.ToString());
                      }));
}

// Ends the daemon when nobody has used it for the time `idle`.
std::unique_ptr<lifetime::IdleExit> ExitWhenIdle(std::chrono::milliseconds idle,
                                                 const engine::Introspection& engine,
                                                 rpc::Server& server, lifetime::EndRequest& end) {
  if (idle.count() == 0) return nullptr;
  return std::make_unique<lifetime::IdleExit>(
      idle, lifetime::IdleExit::Hooks{.current_use =
                                          [&engine, &server] {
                                            // Read before the sessions, so that a session left by a
                                            // call that has just ended is counted.
                                            const rpc::Server::Calls calls = server.calls();
                                            const EngineStats stats = engine.Stats();
                                            return lifetime::IdleExit::Use{
                                                .open = calls.open + stats.sessions,
                                                .begun = calls.begun + stats.sessions_total,
                                                .draining = !server.accepting()};
                                          },
                                      .pause = [&server] { server.PauseAccepting(); },
                                      .resume = [&server] { server.ResumeAccepting(); },
                                      .exit = [&end] { end.Ask("nobody uses the daemon"); }});
}

// What the daemon got from the process that started it.
struct Starter {
  systemd::Manager manager;
  std::vector<InheritedSocket> sockets;
  std::optional<lifetime::Background> background;  // if --detach was given

  // Must be called before any thread is started.
  static absl::StatusOr<Starter> Find(bool detach) {
    Starter starter;
    if (detach) {
      ACCELD_ASSIGN_OR_RETURN(starter.background, lifetime::Background::Enter());
    }
    ACCELD_ASSIGN_OR_RETURN(starter.sockets, systemd::TakePassedSockets());
    ACCELD_ASSIGN_OR_RETURN(starter.manager, systemd::Manager::FromEnvironment());
    return starter;
  }
};

int Run(const config::FixedSources& sources, config::Effective effective, Starter starter) {
  const sigset_t signals = BlockSignals();
  // Sockets and cached code are accessible to this user only.
  umask(077);
  const systemd::Manager& manager = starter.manager;
  config::DaemonConfig config = effective.ToDaemonConfig();
  // Passed sockets replace the default of --listen.
  if (!starter.sockets.empty() && effective.at(*config::FindSetting("listen")).is_default()) {
    config.rpc.listen.clear();
  }
  config.rpc.version = ACCELD_VERSION;
  config.rpc.ends_when_idle = config.exit_when_idle.count() > 0;
  if (!config.log_file.empty()) {
    const absl::Status status = SetLogFile(config.log_file, config.log_file_bytes);
    if (!status.ok()) {
      LogError("cannot start: ", status.message());
      return kExitFailure;
    }
  }
  SetLogLevel(config.log_level);
  SetLogFormat(config.log_format);
  if (!effective.file().empty()) LogInfo("configuration from ", effective.file());
  PrepareDescriptors(config);
  absl::StatusOr<std::unique_ptr<engine::Engine>> engine = engine::Engine::Create(config.engine);
  if (!engine.ok()) {
    LogError("cannot start: ", engine.status().ToString());
    return kExitFailure;
  }
  LogDevices(**engine);
  // gRPC is never shut down, as that may take ten seconds: it waits for a thread of its own that
  // sleeps.
  grpc_init();
  absl::StatusOr<std::unique_ptr<rpc::Server>> server =
      rpc::Server::Start(**engine, config.rpc, std::move(starter.sockets));
  if (!server.ok()) {
    LogError("cannot start: ", server.status().message());
    return absl::IsAlreadyExists(server.status()) ? kExitTaken : kExitFailure;
  }
  for (const Address& address : (*server)->addresses()) {
    LogInfo("listening on ", address.ToString());
  }
  std::unique_ptr<observability::MetricsServer> metrics;
  if (!config.metrics_listen.empty()) {
    auto started = observability::MetricsServer::Start(
        config.metrics_listen, **engine, (*server)->instruments(), ACCELD_VERSION,
        [&running = **server] { return running.accepting(); });
    if (!started.ok()) {
      LogError("cannot start: ", started.status().message());
      return kExitFailure;
    }
    metrics = *std::move(started);
    LogInfo("metrics on ", metrics->url());
  }

  std::vector<std::string> key_files;
  if (const std::string& file = config.engine.remote_cache.key_file; !file.empty()) {
    key_files.push_back(file);
  }
  auto key_watch = std::make_unique<FileWatch>(std::move(key_files),
                                               [&engine = **engine] { ReloadTeamKeys(engine); });

  // A daemon with an engine that does not answer must be restarted.
  auto watchdog = std::make_unique<systemd::Watchdog>(manager, [&engine = **engine] {
    (void)engine.Stats();
    (void)engine.Devices();
  });
  lifetime::EndRequest end;
  std::unique_ptr<lifetime::ExitWithFd> exit_with_fd;
  if (config.exit_with_fd != 0) {
    auto started = lifetime::ExitWithFd::Start(
        config.exit_with_fd, [&end] { end.Ask("who has started the daemon has ended"); });
    if (!started.ok()) {
      LogError("cannot start: ", started.status().message());
      return kExitUsage;
    }
    exit_with_fd = *std::move(started);
  }
  std::unique_ptr<lifetime::IdleExit> idle_exit =
      ExitWhenIdle(config.exit_when_idle, **engine, **server, end);
  const std::string status_line = StatusLine(**engine, **server);
  manager.Ready(status_line);
  if (starter.background.has_value()) starter.background->Ready();
  int signal = WaitForSignal(signals);
  for (; signal == SIGHUP; signal = WaitForSignal(signals)) {
    manager.Reloading();
    Reload(sources, effective, config, **engine, **server);
    manager.Ready(status_line);
  }
  const std::string reason = end.reason();
  idle_exit.reset();
  exit_with_fd.reset();
  LogInfo(reason.empty() ? (signal == SIGTERM ? "got SIGTERM" : "got SIGINT") : reason,
          ": finishing work in flight; once more to stop at once");
  std::thread([signals] {
    while (WaitForSignal(signals) == SIGHUP) {
    }
    _exit(kExitFailure);
  }).detach();
  const std::chrono::milliseconds time_to_end = config.shutdown_grace + kStreamGrace + kEndMargin;
  manager.Stopping(time_to_end);
  std::thread([time_to_end] {
    std::this_thread::sleep_for(time_to_end);
    LogWarning("the daemon ends without what cannot be interrupted");
    _exit(EXIT_SUCCESS);
  }).detach();
  (*server)->StopAccepting();
  (*engine)->Shutdown(config.shutdown_grace);
  for (const RunningExecution& running : (*engine)->Running()) {
    LogWarning("session ", running.session, " of ", running.identity, " still has device ",
               running.device, " for program ", running.program);
  }
  (*server)->Shutdown(kStreamGrace);
  watchdog.reset();
  key_watch.reset();
  metrics.reset();
  server->reset();
  engine->reset();
  LogInfo("stopped");
  return EXIT_SUCCESS;
}

int Main(int argc, char** argv) {
  EnsureThreadStacks();
  config::FixedSources sources;
  const config::CommandLineOutcome outcome =
      config::ParseCommandLine(argc, argv, ACCELD_VERSION, sources);
  if (outcome == config::CommandLineOutcome::kExitOk) return EXIT_SUCCESS;
  if (outcome == config::CommandLineOutcome::kExitUsage) return kExitUsage;
  absl::StatusOr<config::Effective> effective = config::Effective::Load(sources);
  if (!effective.ok()) {
    std::cerr << "acceld: " << effective.status().message() << "\n";
    return kExitUsage;
  }
  if (outcome == config::CommandLineOutcome::kPrintConfig) {
    std::cout << effective->Print();
    return EXIT_SUCCESS;
  }
  absl::StatusOr<Starter> starter =
      Starter::Find(outcome == config::CommandLineOutcome::kRunDetached);
  if (!starter.ok()) {
    std::cerr << "acceld: " << starter.status().message() << "\n";
    return kExitUsage;
  }
  return Run(sources, *std::move(effective), *std::move(starter));
}

}  // namespace
}  // namespace acceld

int main(int argc, char** argv) { return acceld::Main(argc, argv); }

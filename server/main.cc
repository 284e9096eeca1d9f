// The daemon: flags, engine, server, signals.

#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "server/engine/engine.h"
#include "server/flags/daemon_flags.h"
#include "server/rpc/server.h"

namespace acceld {
namespace {

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;
// What remains for open streams to hear the end, after the engine has drained.
constexpr std::chrono::milliseconds kStreamGrace{1000};

// Blocks the signals that end the daemon in this thread and all that it starts.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return signals;
}

int WaitForSignal(const sigset_t& signals) {
  int signal = 0;
  while (sigwait(&signals, &signal) != 0) {
  }
  return signal;
}

void LogDevices(const engine::Engine& engine) {
  for (const engine::DeviceInfo& device : engine.Devices()) {
    LogInfo("device ", device.id, ": ", device.kind, ", ", device.name, ", ",
            device.memory_limit_bytes >> 20, " MiB, code for ", device.architecture);
  }
}

int Run(DaemonFlags flags) {
  const sigset_t signals = BlockSignals();
  umask(077);  // Sockets and cached code are this user's alone.
  SetLogLevel(flags.log_level);
  absl::StatusOr<std::unique_ptr<engine::Engine>> engine = engine::Engine::Create(flags.engine);
  if (!engine.ok()) {
    LogError("cannot start: ", engine.status().ToString());
    return kExitFailure;
  }
  LogDevices(**engine);
  absl::StatusOr<std::unique_ptr<rpc::Server>> server =
      rpc::Server::Start(**engine, std::move(flags.rpc));
  if (!server.ok()) {
    LogError("cannot start: ", server.status().message());
    return kExitFailure;
  }
  for (const Address& address : (*server)->addresses()) {
    LogInfo("listening on ", address.ToString());
  }

  const int signal = WaitForSignal(signals);
  LogInfo("got ", signal == SIGTERM ? "SIGTERM" : "SIGINT",
          ": finishing work in flight; once more to stop at once");
  std::thread([signals] {
    WaitForSignal(signals);
    _exit(kExitFailure);
  }).detach();
  (*server)->StopAccepting();
  (*engine)->Shutdown(flags.shutdown_grace);
  (*server)->Shutdown(kStreamGrace);
  server->reset();
  engine->reset();
  LogInfo("stopped");
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace acceld

int main(int argc, char** argv) {
  acceld::DaemonFlags flags;
  switch (acceld::ParseDaemonFlags(argc, argv, ACCELD_VERSION, flags)) {
    case acceld::FlagsOutcome::kExitOk:
      return EXIT_SUCCESS;
    case acceld::FlagsOutcome::kExitUsage:
      return acceld::kExitUsage;
    case acceld::FlagsOutcome::kRun:
      break;
  }
  return acceld::Run(std::move(flags));
}

#include "tests/support/daemon/daemon_process.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/client.h"

namespace acceld::testing {

std::string Daemon::Log() const { return ReadText(log_path); }

absl::StatusOr<Daemon> StartDaemon(const std::string& folder,
                                   const std::vector<std::string>& flags) {
  const std::string address = absl::StrCat("unix:", folder, "/acceld.sock");
  const std::string log_path = folder + "/acceld.log";
  std::vector<std::string> argv = {BinDir() + "/acceld", "--listen", address, "--cache-dir",
                                   folder + "/cache"};
  argv.insert(argv.end(), flags.begin(), flags.end());
  // Hundreds of daemons of a second each need no memory in advance.
  setenv("ACCELD_PREPARED_MEMORY", "0", /*replace=*/0);
  const char* const device = getenv("ACCELD_DEVICE");
  if (device != nullptr && absl::StartsWith(device, "cuda")) {
    // What is said of the CPU's memory is meant of the device's.
    const auto memory = std::find(flags.begin(), flags.end(), "--device-memory");
    if (memory != flags.end()) argv.insert(argv.end(), {"--cuda-memory", *(memory + 1)});
  } else {
    // Devices are numbered from the GPUs on, which a machine may have: none, unless the test is
    // about one.
    setenv("ACCELD_CUDA_DEVICES", "none", /*replace=*/0);
  }
  ACCELD_ASSIGN_OR_RETURN(Process process, Process::Start(std::move(argv), log_path));
  Daemon daemon{std::move(process), address, log_path};
  const absl::Status answered =
      client::Client::Connect({.address = address,
                               .client_name = "start",
                               .connect_timeout = std::chrono::seconds(30),
                               .wait_for_daemon = true})
          .status();
  if (!answered.ok()) return Annotate(answered, daemon.Log());
  return daemon;
}

}  // namespace acceld::testing

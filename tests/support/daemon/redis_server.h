#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/status.h"
#include "tests/support/daemon/process.h"

namespace acceld::testing {

// The distribution's redis-server as a child process, on a port of the loopback that was free,
// keeping everything in memory. Killed with this object. One thread.
class RedisServer {
 public:
  // Returns when it takes connections. `flags` are added to its command line; NOT_FOUND when it is
  // not installed.
  static absl::StatusOr<RedisServer> Start(const std::string& folder,
                                           const std::vector<std::string>& flags = {});

  uint16_t port() const { return port_; }
  std::string address() const;  // "127.0.0.1:PORT"
  Process& process() { return process_; }
  // Kills it and starts it anew at the same port, empty.
  absl::Status Restart();

 private:
  RedisServer(std::vector<std::string> argv, std::string log_path, uint16_t port, Process process)
      : argv_(std::move(argv)),
        log_path_(std::move(log_path)),
        port_(port),
        process_(std::move(process)) {}

  static absl::StatusOr<Process> Run(const std::vector<std::string>& argv,
                                     const std::string& log_path, uint16_t port);

  std::vector<std::string> argv_;
  std::string log_path_;
  uint16_t port_;
  Process process_;
};

// A port of the loopback that nobody listens on now.
uint16_t FreePort();

}  // namespace acceld::testing

#include "tests/support/daemon/redis_server.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"

namespace acceld::testing {
namespace {

constexpr char kProgram[] = "/usr/bin/redis-server";
constexpr std::chrono::seconds kStartTime{20};
// Nodes of a cluster talk to each other at a port that is 10,000 higher.
constexpr uint16_t kLastPort = 65'535 - 10'000;

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

bool TakesConnections(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = Loopback(port);
  const bool connected =
      connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  close(fd);
  return connected;
}

}  // namespace

uint16_t FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof(address);
  ACCELD_CHECK(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  ACCELD_CHECK(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  close(fd);
  return ntohs(address.sin_port);
}

absl::StatusOr<RedisServer> RedisServer::Start(const std::string& folder,
                                               const std::vector<std::string>& flags) {
  if (access(kProgram, X_OK) != 0) {
    return absl::NotFoundError(absl::StrCat(kProgram, " is not installed"));
  }
  uint16_t port = FreePort();
  while (port > kLastPort) port = FreePort();
  const std::string log_path = absl::StrCat(folder, "/redis-", port, ".log");
  std::vector<std::string> argv = {kProgram, "--bind", "127.0.0.1", "--port", absl::StrCat(port),
                                   "--dir",  folder,   "--save",    "",       "--appendonly",
                                   "no"};
  for (const std::string& flag : flags) {
    argv.push_back(flag == "PORT" ? absl::StrCat(port) : flag);
  }
  ACCELD_ASSIGN_OR_RETURN(Process process, Run(argv, log_path, port));
  return RedisServer(std::move(argv), log_path, port, std::move(process));
}

absl::StatusOr<Process> RedisServer::Run(const std::vector<std::string>& argv,
                                         const std::string& log_path, uint16_t port) {
  ACCELD_ASSIGN_OR_RETURN(Process process, Process::Start(argv, log_path));
  const auto deadline = std::chrono::steady_clock::now() + kStartTime;
  while (!TakesConnections(port)) {
    if (process.HasEnded() || std::chrono::steady_clock::now() > deadline) {
      return absl::InternalError(absl::StrCat("redis-server: ", ReadText(log_path)));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return process;
}

std::string RedisServer::address() const { return absl::StrCat("127.0.0.1:", port_); }

absl::Status RedisServer::Restart() {
  process_.Signal(9);
  process_.Wait();
  ACCELD_ASSIGN_OR_RETURN(process_, Run(argv_, log_path_, port_));
  return absl::OkStatus();
}

}  // namespace acceld::testing

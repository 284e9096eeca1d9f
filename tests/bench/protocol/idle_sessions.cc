#include "tests/bench/protocol/idle_sessions.h"

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <list>
#include <memory>
#include <sstream>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/client.h"
#include "client/tracing.h"
#include "common/check.h"
#include "tests/bench/protocol/report.h"
#include "tests/bench/protocol/servers.h"

namespace acceld::bench {
namespace {

using client::Array;
using client::Client;
using client::Function;
using client::Tensor;

// After this time the daemon's heap has returned to the system what it no longer uses.
constexpr std::chrono::seconds kSettle{12};

// The resident memory of a process that belongs to no file.
double AnonymousKib(pid_t pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/status"));
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    double kib = 0;
    if (words >> name >> kib && name == "RssAnon:") return kib;
  }
  ACCELD_CHECK(false);
  return 0;
}

// Opens sessions, each of which executes a program and fetches the result.
std::vector<std::shared_ptr<Client>> OpenAndUse(const client::ConnectOptions& options, int count) {
  std::vector<std::shared_ptr<Client>> clients;
  for (int i = 0; i < count; ++i) {
    clients.push_back(*Client::Connect(options));
    Function next(clients.back(), [](const Tensor& x) { return x + 1; });
    const Array x = *clients.back()->Upload(ir::Literal::Zeros({ir::DType::kF32, {8}}));
    ACCELD_CHECK(next(x)->Fetch().ok());
  }
  return clients;
}

// A daemon of its own, because the memory of other sessions that have ended would be reused.
struct Measurement {
  Measurement(const char* what, bool without_grpc, Transport transport,
              const testing::Authority& authority, const testing::CertificateFiles& certificate)
      : title(what),
        daemon(folder.path(), authority, certificate),
        options(without_grpc ? daemon.Local() : daemon.Over(transport)) {}

  const char* const title;
  const testing::TempDir folder;
  const BenchDaemon daemon;
  const client::ConnectOptions options;
  std::vector<std::shared_ptr<Client>> clients;
  double kib_before = 0;
};

}  // namespace

void MeasureIdleSessions(const testing::Authority& authority,
                         const testing::CertificateFiles& certificate, int sessions) {
  // All at the same time, because of the pauses.
  std::list<Measurement> measurements;
  const auto add = [&](const char* title, bool without_grpc, Transport transport) {
    Measurement& added =
        measurements.emplace_back(title, without_grpc, transport, authority, certificate);
    // What the first sessions need, such as memory of the daemon's threads, is not counted.
    added.clients = OpenAndUse(added.options, 16);
  };
  add("unix sockets, without gRPC", true, Transport::kUnix);
  add("gRPC over a unix socket", false, Transport::kUnix);
  add("gRPC over TCP", false, Transport::kTcp);
  add("gRPC over TLS", false, Transport::kTls);
  std::this_thread::sleep_for(kSettle);
  for (Measurement& one : measurements) {
    one.kib_before = AnonymousKib(one.daemon.pid());
    const auto opened = OpenAndUse(one.options, sessions);
    one.clients.insert(one.clients.end(), opened.begin(), opened.end());
  }
  std::this_thread::sleep_for(kSettle);
  for (const Measurement& one : measurements) {
    std::printf("  %-52s %9.1f KiB each\n", one.title,
                (AnonymousKib(one.daemon.pid()) - one.kib_before) / sessions);
  }
}

}  // namespace acceld::bench

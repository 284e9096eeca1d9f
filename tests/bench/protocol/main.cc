// What the protocol costs, beside what it is made of: a plain socket, a gRPC stream and memcpy. The
// daemon, the peer and most clients run in processes of their own; what is compared is measured in
// turns.
//
//   protocol_bench [--rounds N] [--only PART]
//
// uses the daemon `acceld` from the folder of this program. PART is one of: small (programs one
// after the other and at full speed), bulk, clients (many of them), idle (sessions' memory).

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "tests/bench/protocol/bulk.h"
#include "tests/bench/protocol/idle_sessions.h"
#include "tests/bench/protocol/many_clients.h"
#include "tests/bench/protocol/peer.h"
#include "tests/bench/protocol/report.h"
#include "tests/bench/protocol/servers.h"
#include "tests/bench/protocol/small_programs.h"

namespace acceld::bench {
namespace {

constexpr int kIdleSessions = 200;

struct TransportName {
  Transport transport;
  const char* name;
};
constexpr TransportName kTransports[] = {{Transport::kUnix, "gRPC over a unix socket"},
                                         {Transport::kTcp, "gRPC over TCP"},
                                         {Transport::kTls, "gRPC over TLS"}};

void MeasureSmallPrograms(const Peer& peer, const BenchDaemon& daemon, int rounds) {
  const auto measure = [&](const std::string& title, Transport transport,
                           const client::ConnectOptions& options) {
    const std::shared_ptr<client::Client> client = *client::Client::Connect(options);
    Heading((title + ": one client, small executions whose input is ready").c_str());
    MeasureSubmission(client, rounds * 100);
    Heading((title + ": one at a time (x: to the plain gRPC stream's ping-pong)").c_str());
    MeasureRoundTrips(peer.addresses, transport, client, rounds);
  };
  client::ConnectOptions local = daemon.Local();
  measure("Unix sockets, without a lease", Transport::kUnix, local);
  local.lease = std::chrono::seconds(30);
  measure("Unix sockets, with a lease", Transport::kUnix, local);
  for (const TransportName& row : kTransports) {
    measure(row.name, row.transport, daemon.Over(row.transport));
  }
}

void MeasureBulk(const Peer& peer, const BenchDaemon& daemon, int rounds) {
  const int transfers = std::clamp(rounds / 400, 3, 20);
  Heading("256 MiB through shared memory");
  MeasureBulkInMemory(daemon, transfers);
  for (const TransportName& row : kTransports) {
    Heading((std::string("256 MiB, ") + row.name).c_str());
    MeasureBulkOverGrpc(peer.addresses, row.transport, daemon, transfers);
  }
}

void MeasureClients(const std::string& folder, const BenchDaemon& daemon, int rounds) {
  const double seconds = std::clamp(rounds / 2000.0, 0.2, 2.0);
  Heading("Many processes, unix sockets");
  MeasureManyClients(folder, daemon.Local(), seconds);
  Heading("Many processes, gRPC over TCP");
  MeasureManyClients(folder, daemon.Over(Transport::kTcp), seconds);
}

int Main(const std::vector<std::string>& arguments) {
  const size_t count = arguments.size();
  if (count == 4 && arguments[0] == kPeerFlag) RunPeer(arguments[1], {arguments[2], arguments[3]});
  if (count == 3 && arguments[0] == kClientFlag) RunClient(arguments[1], std::stoi(arguments[2]));
  int rounds = 2000;
  std::string only;
  bool understood = count % 2 == 0;
  for (size_t i = 0; understood && i < count; i += 2) {
    if (arguments[i] == "--only") {
      only = arguments[i + 1];
    } else {
      understood =
          arguments[i] == "--rounds" && absl::SimpleAtoi(arguments[i + 1], &rounds) && rounds > 0;
    }
  }
  const std::vector<std::string> parts = {"small", "bulk", "clients", "idle"};
  understood &= only.empty() || std::find(parts.begin(), parts.end(), only) != parts.end();
  if (!understood) {
    std::fprintf(stderr, "usage: protocol_bench [--rounds N] [--only small|bulk|clients|idle]\n");
    return EXIT_FAILURE;
  }
  const auto wanted = [&only](absl::string_view part) { return only.empty() || only == part; };
  setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  setenv("ACCELD_BIN_DIR", self.parent_path().c_str(), /*replace=*/0);
  testing::TempDir folder;
  const testing::Authority authority(folder.path(), "authority");
  const testing::CertificateFiles certificate = authority.IssueForServer("server");
  const Peer peer = StartPeer(folder.path(), authority, certificate);
  const BenchDaemon daemon(folder.path(), authority, certificate);
  if (wanted("small")) MeasureSmallPrograms(peer, daemon, rounds);
  if (wanted("bulk")) MeasureBulk(peer, daemon, rounds);
  if (wanted("clients")) MeasureClients(folder.path(), daemon, rounds);
  if (wanted("idle")) {
    Heading("Idle sessions, memory of the daemon");
    MeasureIdleSessions(authority, certificate, kIdleSessions);
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace acceld::bench

int main(int argc, char** argv) {
  return acceld::bench::Main(std::vector<std::string>(argv + 1, argv + argc));
}

// What the protocol costs, beside what it is made of: a plain socket, a gRPC stream and memcpy. The
// daemon and the peer run in processes of their own; what is compared is measured in turns.
//
//   protocol_bench [--rounds N]      with the daemon `acceld` from the folder of this program

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "client/client.h"
#include "client/host_buffer.h"
#include "client/tracing.h"
#include "common/check.h"
#include "tests/bench/protocol/peer.h"
#include "tests/support/daemon/daemon_process.h"

namespace acceld::bench {
namespace {

using client::Array;
using client::Client;
using client::Function;
using client::HostBuffer;
using client::Tensor;
using Clock = std::chrono::steady_clock;

constexpr size_t kBulkBytes = size_t{256} << 20;
// About the bytes of Execute, Fetch and Release, and of their answer.
constexpr size_t kQuestionBytes = 60;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Samples {
  std::vector<double> seconds;
  void Add(double value) { seconds.push_back(value); }
  double Quantile(double q) {
    std::sort(seconds.begin(), seconds.end());
    return seconds[static_cast<size_t>(q * static_cast<double>(seconds.size() - 1))];
  }
  double Median() { return Quantile(0.5); }
};

void Heading(const char* text) { std::printf("\n%s\n", text); }

void Latency(const char* what, Samples& samples, double reference_s) {
  std::printf("  %-52s %9.2f us  p99 %9.2f us", what, samples.Median() * 1e6,
              samples.Quantile(0.99) * 1e6);
  if (reference_s > 0) std::printf("   x %.2f", samples.Median() / reference_s);
  std::printf("\n");
}

void Bulk(const char* what, Samples& samples, double reference_s) {
  std::printf("  %-52s %9.2f ms  %6.2f GB/s", what, samples.Median() * 1e3,
              static_cast<double>(kBulkBytes) / samples.Median() / 1e9);
  if (reference_s > 0) std::printf("   %3.0f %%", 100 * reference_s / samples.Median());
  std::printf("\n");
}

// One client submits ready small executions as fast as it can.
void MeasureSubmission(const std::shared_ptr<Client>& client, int executions) {
  Function next(client, [](const Tensor& x) { return x + 1; });
  const Array x = *client->Upload(ir::Literal::Zeros({ir::DType::kF32, {64}}));
  ACCELD_CHECK(next(x)->Await().ok());
  Samples submit;
  submit.seconds.reserve(executions);
  std::vector<Array> results;  // All of them: what nobody holds would not be executed.
  results.reserve(executions);
  const Clock::time_point start = Clock::now();
  Clock::time_point before = start;
  for (int i = 0; i < executions; ++i) {
    results.push_back(*next(x));
    const Clock::time_point after = Clock::now();
    submit.Add(std::chrono::duration<double>(after - before).count());
    before = after;
  }
  const double submitted_s = SecondsSince(start);
  ACCELD_CHECK(results.back().Await().ok());
  results.clear();
  const double finished_s = SecondsSince(start);
  Latency("submit, in the client", submit, 0);
  std::printf("  %-52s %9.0f /s\n", "submitted", executions / submitted_s);
  std::printf("  %-52s %9.0f /s\n", "submitted, executed and released", executions / finished_s);
}

void MeasureRoundTrips(const std::string& folder, const std::shared_ptr<Client>& client,
                       int rounds) {
  Function next(client, [](const Tensor& x) { return x + 1; });
  const Array x = *client->Upload(ir::Literal::Zeros({ir::DType::kF32, {8}}));
  ACCELD_CHECK(next(x)->Await().ok());
  GrpcPingPong stream(folder);
  SocketPingPong socket(folder);
  Samples raw_socket, raw_stream, result, await, fetch;
  // In turns of a few, so that each is measured in its own pace and all at the same time.
  constexpr int kTurn = 50;
  for (int round = 0; round < rounds; round += kTurn) {
    for (int i = 0; i < kTurn; ++i) raw_socket.Add(socket.Ask(kQuestionBytes));
    for (int i = 0; i < kTurn; ++i) raw_stream.Add(stream.Ask(kQuestionBytes));
    for (int i = 0; i < kTurn; ++i) {
      const Clock::time_point start = Clock::now();
      ACCELD_CHECK(next(x)->Fetch().ok());
      result.Add(SecondsSince(start));
    }
    for (int i = 0; i < kTurn; ++i) {
      const Array y = *next(x);
      ACCELD_CHECK(y.Fetch().ok());  // It is there.
      const Clock::time_point start = Clock::now();
      ACCELD_CHECK(y.Fetch().ok());
      fetch.Add(SecondsSince(start));
    }
    for (int i = 0; i < kTurn; ++i) {
      const Array y = *next(x);
      ACCELD_CHECK(y.Fetch().ok());
      const Clock::time_point start = Clock::now();
      ACCELD_CHECK(y.Await().ok());
      await.Add(SecondsSince(start));
    }
  }
  const double reference_s = raw_stream.Median();
  Latency("raw unix socket, ping-pong", raw_socket, reference_s);
  Latency("raw gRPC stream, ping-pong", raw_stream, reference_s);
  Latency("submit to result, a tiny program", result, reference_s);
  Latency("fetch of a ready array", fetch, reference_s);
  Latency("await of a ready array", await, reference_s);
}

// One array from memory that the daemon reads by itself, and back by mapping it twice.
void MeasureShared(const std::shared_ptr<Client>& client, const HostBuffer& buffer, Samples& upload,
                   Samples& map, Samples& map_again) {
  Clock::time_point start = Clock::now();
  const Array array = *client->UploadShared(
      {ir::DType::kF32, {static_cast<int64_t>(buffer.size_bytes() / 4)}}, buffer, 0, [] {});
  ACCELD_CHECK(array.Await().ok());
  upload.Add(SecondsSince(start));
  start = Clock::now();
  const SharedBytes first = *array.Map();
  map.Add(SecondsSince(start));
  start = Clock::now();
  const SharedBytes second = *array.Map();
  map_again.Add(SecondsSince(start));
  ACCELD_CHECK(first.view == buffer.bytes() && second.view == first.view);
}

// One array to the daemon and back.
void MeasureTransfer(const std::shared_ptr<Client>& client, std::string& bytes, std::string& copy,
                     Samples& upload, Samples& download) {
  Clock::time_point start = Clock::now();
  const Array array = *client->UploadShared(
      {ir::DType::kF32, {static_cast<int64_t>(bytes.size() / 4)}}, bytes, [] {});
  ACCELD_CHECK(array.Await().ok());
  upload.Add(SecondsSince(start));
  start = Clock::now();
  ACCELD_CHECK(array.FetchInto(absl::MakeSpan(copy.data(), copy.size())).ok());
  download.Add(SecondsSince(start));
  ACCELD_CHECK(copy == bytes);
}

void MeasureBulk(const std::string& folder, const std::string& address, int rounds) {
  // As a client on another host, and as one on this.
  const std::shared_ptr<Client> remote =
      *Client::Connect({.address = address, .local_transport = false});
  const std::shared_ptr<Client> local = *Client::Connect({.address = address});
  std::string bytes(kBulkBytes, 'x'), copy(kBulkBytes, 'y');
  const HostBuffer buffer = *HostBuffer::Allocate(kBulkBytes);
  Samples memory, send, receive, upload, download, local_upload, local_download;
  Samples lent_upload, map, map_again;
  for (int round = 0; round < rounds; ++round) {
    const Clock::time_point start = Clock::now();
    std::memcpy(copy.data(), bytes.data(), kBulkBytes);
    memory.Add(SecondsSince(start));
    send.Add(GrpcSend(folder, kBulkBytes));
    receive.Add(GrpcReceive(folder, absl::MakeSpan(copy.data(), copy.size())));
    MeasureTransfer(remote, bytes, copy, upload, download);
    MeasureTransfer(local, bytes, copy, local_upload, local_download);
    MeasureShared(local, buffer, lent_upload, map, map_again);
  }
  const double memory_s = memory.Median();
  Bulk("memcpy", memory, 0);
  Bulk("raw gRPC stream, sent (of memcpy)", send, memory_s);
  Bulk("raw gRPC stream, received (of memcpy)", receive, memory_s);
  Bulk("upload (of the stream)", upload, send.Median());
  Bulk("download (of the stream)", download, receive.Median());
  Bulk("upload through shared memory (of memcpy)", local_upload, memory_s);
  Bulk("download through shared memory (of memcpy)", local_download, memory_s);
  Bulk("upload from a HostBuffer (of memcpy)", lent_upload, memory_s);
  Bulk("map an array that nobody has mapped (of memcpy)", map, memory_s);
  Bulk("map it again (of memcpy)", map_again, memory_s);
}

int Main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--peer") == 0) RunPeer(argv[2]);
  int rounds = 2000;
  if (argc == 3 && std::strcmp(argv[1], "--rounds") == 0) rounds = std::atoi(argv[2]);
  if (rounds < 1 || (argc != 1 && argc != 3)) {
    std::fprintf(stderr, "usage: protocol_bench [--rounds N]\n");
    return EXIT_FAILURE;
  }
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  setenv("ACCELD_BIN_DIR", self.parent_path().c_str(), /*replace=*/0);
  testing::TempDir folder;
  const testing::Process peer = StartPeer(folder.path());
  const auto daemon = testing::StartDaemon(folder.path());
  ACCELD_CHECK(daemon.ok());
  struct Kind {
    const char* title;
    int lease_seconds;
    bool local;
  };
  for (const Kind& kind :
       {Kind{"A session without a lease", 0, true}, Kind{"\nA session with a lease", 30, true},
        Kind{"\nA session over gRPC, as those of other hosts", 30, false}}) {
    const std::shared_ptr<Client> client =
        *Client::Connect({.address = daemon->address,
                          .lease = std::chrono::seconds(kind.lease_seconds),
                          .local_transport = kind.local});
    std::printf("%s\n", kind.title);
    Heading("One client, small executions whose input is ready");
    MeasureSubmission(client, rounds * 100);
    Heading("One at a time (x: to the gRPC stream's ping-pong)");
    MeasureRoundTrips(folder.path(), client, rounds);
    if (kind.lease_seconds > 0) continue;
    Heading("256 MiB");
    MeasureBulk(folder.path(), daemon->address, std::clamp(rounds / 200, 3, 20));
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace acceld::bench

int main(int argc, char** argv) { return acceld::bench::Main(argc, argv); }

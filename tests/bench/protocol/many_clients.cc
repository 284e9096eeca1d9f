#include "tests/bench/protocol/many_clients.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/tracing.h"
#include "common/check.h"
#include "tests/bench/protocol/report.h"

namespace acceld::bench {
namespace {

using client::Array;
using client::Client;
using client::Function;
using client::Tensor;

constexpr int kMaxClients = 256;
// A process submits so many executions, then waits for the last of them.
constexpr int kGroup = 64;
constexpr size_t kMaxSamples = size_t{1} << 15;
constexpr size_t kMaxText = 512;
constexpr std::chrono::milliseconds kPoll{1};

// What the processes share: a file that all of them map. The parent fills in how to connect; the
// clients count themselves in, work while `phase` is kWork, and leave the times of their groups.
struct Board {
  enum Phase : int { kPrepare, kWork, kEnd };
  struct Client {
    std::atomic<uint64_t> groups;
    float seconds[kMaxSamples];  // of the first groups
  };
  char address[kMaxText], token[kMaxText], ca_file[kMaxText];
  bool local_transport;
  std::atomic<int> ready;
  std::atomic<int> phase;
  Client clients[kMaxClients];
};

Board* MapBoard(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ACCELD_CHECK(fd >= 0 && ftruncate(fd, sizeof(Board)) == 0);
  void* const board = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ACCELD_CHECK(board != MAP_FAILED);
  close(fd);
  return static_cast<Board*>(board);
}

void Write(const std::string& text, char (&to)[kMaxText]) {
  ACCELD_CHECK(text.size() < kMaxText);
  std::memcpy(to, text.c_str(), text.size() + 1);
}

struct Outcome {
  double executions_per_second = 0;
  Samples groups;
};

Outcome RunClients(const std::string& folder, const client::ConnectOptions& options, int count,
                   double seconds) {
  const std::string path = absl::StrCat(folder, "/clients");
  unlink(path.c_str());
  Board& board = *MapBoard(path);
  Write(options.address, board.address);
  Write(options.credentials.token, board.token);
  Write(options.credentials.ca_file, board.ca_file);
  board.local_transport = options.local_transport;
  std::vector<testing::Process> processes;
  for (int i = 0; i < count; ++i) {
    auto process = testing::Process::Start({"/proc/self/exe", kClientFlag, path, absl::StrCat(i)},
                                           absl::StrCat(folder, "/client.log"));
    ACCELD_CHECK(process.ok());
    processes.push_back(*std::move(process));
  }
  while (board.ready < count) {
    for (const testing::Process& process : processes) ACCELD_CHECK(!process.HasEnded());
    std::this_thread::sleep_for(kPoll);
  }
  const auto groups_so_far = [&board, count] {
    uint64_t groups = 0;
    for (int i = 0; i < count; ++i) groups += board.clients[i].groups;
    return groups;
  };
  board.phase = Board::kWork;
  const Clock::time_point start = Clock::now();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  Outcome outcome;
  outcome.executions_per_second =
      static_cast<double>(groups_so_far()) * kGroup / SecondsSince(start);
  board.phase = Board::kEnd;
  for (testing::Process& process : processes) ACCELD_CHECK(process.Wait() == 0);
  for (int i = 0; i < count; ++i) {
    const size_t kept = std::min<size_t>(board.clients[i].groups, kMaxSamples);
    for (size_t group = 0; group < kept; ++group) {
      outcome.groups.Add(board.clients[i].seconds[group]);
    }
  }
  munmap(&board, sizeof(Board));
  return outcome;
}

}  // namespace

void RunClient(const std::string& board_path, int number) {
  Board& board = *MapBoard(board_path);
  ACCELD_CHECK(number >= 0 && number < kMaxClients);
  Board::Client& mine = board.clients[number];
  auto client = Client::Connect({.address = board.address,
                                 .credentials = {.token = board.token, .ca_file = board.ca_file},
                                 .connect_timeout = std::chrono::seconds(60),
                                 .local_transport = board.local_transport});
  if (!client.ok()) std::fprintf(stderr, "%s\n", client.status().ToString().c_str());
  ACCELD_CHECK(client.ok());
  Function next(*client, [](const Tensor& x) { return x + 1; });
  const Array x = *(*client)->Upload(ir::Literal::Zeros({ir::DType::kF32, {64}}));
  ACCELD_CHECK(next(x)->Await().ok());
  ++board.ready;
  while (board.phase == Board::kPrepare) std::this_thread::sleep_for(kPoll);
  std::vector<Array> results;
  while (board.phase == Board::kWork) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < kGroup; ++i) results.push_back(*next(x));
    ACCELD_CHECK(results.back().Await().ok());
    results.clear();
    const uint64_t group = mine.groups;
    if (group < kMaxSamples) mine.seconds[group] = static_cast<float>(SecondsSince(start));
    mine.groups = group + 1;
  }
  // Neither the session's end nor gRPC's belongs to what is measured.
  _exit(0);
}

void MeasureManyClients(const std::string& folder, const client::ConnectOptions& options,
                        double seconds) {
  double best = 0;
  for (const int count : {1, 4, 16, 64, kMaxClients}) {
    Outcome outcome = RunClients(folder, options, count, seconds);
    best = std::max(best, outcome.executions_per_second);
    const double fair_s = count * kGroup / outcome.executions_per_second;
    const double p99_s = outcome.groups.Quantile(0.99);
    std::printf(
        "  %3d processes  %9.0f executions/s  %3.0f %% of the best   %d executions: median %8.2f "
        "ms  "
        "p99 %8.2f ms  x %.2f of the fair share\n",
        count, outcome.executions_per_second, 100 * outcome.executions_per_second / best, kGroup,
        outcome.groups.Median() * 1e3, p99_s * 1e3, p99_s / fair_s);
  }
}

}  // namespace acceld::bench

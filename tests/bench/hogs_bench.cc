// What endless programs of some sessions take from another one's short program, and what sharing
// the device costs the long programs themselves.
//
//   hogs_bench [--hogs MOST] [--seconds S] [--elements N] [--address ADDRESS]
//
// The short program is SELU; it is asked for and awaited again and again, with pauses. Without an
// address it starts the daemon `acceld` from its own folder; $ACCELD_DEVICE names the device.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/client.h"
#include "client/tracing.h"
#include "common/check.h"
#include "tests/support/daemon/daemon_process.h"

namespace acceld::bench {
namespace {

using client::Array;
using client::Client;
using client::Tensor;
using Clock = std::chrono::steady_clock;

// i64 -> i64: counts from 0 to the argument, some nanoseconds a step; to -1 for ever.
constexpr char kCount[] = R"(
func.func @main(%n: tensor<i64>) -> tensor<i64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %0 = stablehlo.while(%i = %zero) : tensor<i64>
   cond {
    %c = stablehlo.compare NE, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %next : tensor<i64>
  }
  return %0 : tensor<i64>
})";

double Ms(Clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

Array Count(Client& client, int64_t to) {
  const absl::StatusOr<client::Program> program = client::Program::FromText(kCount);
  ACCELD_CHECK(program.ok());
  const ir::Literal limit = *ir::Literal::FromBytes(
      {ir::DType::kI64, {}}, std::string(reinterpret_cast<const char*>(&to), sizeof(to)));
  return client.Execute(*program, {*client.Upload(limit)})->front();
}

// Prints quantiles of the time from the call to its awaited end.
void Measure(const auto& selu, const Array& x, int hogs, double seconds) {
  std::vector<double> times;
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(seconds));
  while (Clock::now() < end) {
    const Clock::time_point begin = Clock::now();
    ACCELD_CHECK(selu(x)->Await().ok());
    times.push_back(Ms(Clock::now() - begin));
    // Of no length that the slices have.
    std::this_thread::sleep_for(std::chrono::microseconds(2000 + times.size() * 7919 % 11000));
  }
  std::sort(times.begin(), times.end());
  std::printf("%-8d %10zu %10.2f %10.2f %10.2f\n", hogs, times.size(), times[times.size() / 2],
              times[times.size() * 99 / 100], times.back());
  std::fflush(stdout);
}

// How long so many sessions take to count to `to` at the same time.
double CountTogether(const std::string& address, int sessions, int64_t to) {
  std::vector<std::shared_ptr<Client>> clients;
  for (int i = 0; i < sessions; ++i) {
    clients.push_back(*Client::Connect({.address = address}));
    ACCELD_CHECK(Count(*clients.back(), 1).Await().ok());
  }
  const Clock::time_point begin = Clock::now();
  std::vector<Array> counts;
  for (const auto& client : clients) counts.push_back(Count(*client, to));
  for (const Array& count : counts) ACCELD_CHECK(count.Await().ok());
  return Ms(Clock::now() - begin);
}

int Main(int argc, char** argv) {
  CLI::App app("What long programs take from others, and from each other.");
  std::string address;
  int most = 3;
  double seconds = 5;
  int64_t elements = 1'000'000;
  app.add_option("--hogs", most, "Endless programs at a time, at most")
      ->check(CLI::Range(1, 32))
      ->capture_default_str();
  app.add_option("--seconds", seconds, "Of each measurement")
      ->check(CLI::Range(0.01, 600.0))
      ->capture_default_str();
  app.add_option("--elements", elements, "Of the short program")->capture_default_str();
  app.add_option("--address", address, "Of a daemon; else one is started")
      ->envname("ACCELD_ADDRESS");
  CLI11_PARSE(app, argc, argv);
  const std::string own_folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  for (const char* bin : {"", "/../bin"}) {
    if (access(absl::StrCat(own_folder, bin, "/acceld").c_str(), X_OK) == 0) {
      setenv("ACCELD_BIN_DIR", absl::StrCat(own_folder, bin).c_str(), /*overwrite=*/0);
    }
  }
  const testing::TempDir folder;
  absl::optional<testing::Daemon> daemon;
  if (address.empty()) {
    absl::StatusOr<testing::Daemon> started = testing::StartDaemon(folder.path());
    ACCELD_CHECK(started.ok());
    daemon = *std::move(started);
    address = daemon->address;
  }

  const std::shared_ptr<Client> client = *Client::Connect({.address = address});
  client::Function selu(
      client, [](const Tensor& x) { return 1.0507 * Where(x > 0.0, x, 1.6733 * (Exp(x) - 1.0)); });
  const Array x = *client->Upload(ir::Literal::Filled({ir::DType::kF32, {elements}}, 0.5));
  for (int i = 0; i < 10; ++i) ACCELD_CHECK(selu(x)->Await().ok());
  std::printf("SELU of %ld elements beside endless programs\n%-8s %10s %10s %10s %10s\n",
              static_cast<long>(elements), "endless", "calls", "p50 ms", "p99 ms", "most ms");
  std::vector<std::shared_ptr<Client>> greedy;
  std::vector<Array> endless;
  for (int hogs = 0; hogs <= most; ++hogs) {
    if (hogs > 0) {
      greedy.push_back(*Client::Connect({.address = address}));
      endless.push_back(Count(*greedy.back(), -1));
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    Measure(selu, x, hogs, seconds);
  }
  for (Array& array : endless) ACCELD_CHECK(array.Cancel().ok());
  greedy.clear();

  // A step takes nanoseconds or, where it is a launch, microseconds.
  int64_t probe = 1000;
  double probe_ms = 0;
  while ((probe_ms = CountTogether(address, 1, probe)) < 20) probe *= 4;
  const auto steps =
      static_cast<int64_t>(static_cast<double>(probe) * seconds * 1000 / 3 / probe_ms);
  const double alone = CountTogether(address, 1, steps);
  const double together = CountTogether(address, most, steps);
  std::printf(
      "\nlong programs: one takes %.0f ms, %d together %.0f ms: %.3f of the time of one after "
      "the other\n",
      alone, most, together, together / (alone * most));
  return 0;
}

}  // namespace
}  // namespace acceld::bench

int main(int argc, char** argv) { return acceld::bench::Main(argc, argv); }

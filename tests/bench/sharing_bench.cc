// What a device gives to several processes together, beside what it gives to one that does all the
// work: steps a second of all of them, for one process, two, and so on. Every process computes
// x = tanh(x w) on matrices of its own, some steps ahead of what it has seen done.
//
//   sharing_bench [--size N] [--seconds S] [--processes MOST] [--address ADDRESS]
//
// Without an address it starts the daemon `acceld` from its own folder; $ACCELD_DEVICE names the
// device.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/client.h"
#include "client/tracing.h"
#include "common/check.h"
#include "tests/support/daemon/daemon_process.h"

namespace acceld::bench {
namespace {

using client::Array;
using client::Client;
using client::Function;
using client::Tensor;
using Clock = std::chrono::steady_clock;

// From the start of the processes to that of the work: they connect and load in this time.
constexpr std::chrono::seconds kLead{3};
constexpr size_t kAhead = 16;

struct Work {
  int64_t size = 512;
  double seconds = 3;
};

// Steps a second of this process, from `begin` on.
double Run(const std::string& address, const Work& work, Clock::time_point begin) {
  const std::shared_ptr<Client> client = *Client::Connect({.address = address});
  Function step(client, [](const Tensor& x, const Tensor& w) { return Tanh(MatMul(x, w)); });
  const ir::TensorType type{ir::DType::kF32, {work.size, work.size}};
  const Array w = *client->Upload(ir::Literal::Filled(type, 1.0 / static_cast<double>(work.size)));
  Array x = *client->Upload(ir::Literal::Filled(type, 0.5));
  ACCELD_CHECK(step(x, w)->Await().ok());
  std::this_thread::sleep_until(begin);
  const Clock::time_point end = begin + std::chrono::duration_cast<Clock::duration>(
                                            std::chrono::duration<double>(work.seconds));
  std::deque<Array> ahead;
  int64_t steps = 0;
  while (Clock::now() < end) {
    x = *step(x, w);
    ahead.push_back(x);
    ++steps;
    if (ahead.size() < kAhead) continue;
    ACCELD_CHECK(ahead.front().Await().ok());
    ahead.pop_front();
  }
  ACCELD_CHECK(x.Await().ok());
  return static_cast<double>(steps) / std::chrono::duration<double>(Clock::now() - begin).count();
}

// The rates of so many processes at the same time.
std::vector<double> RunProcesses(const std::string& address, const Work& work, int processes,
                                 const std::string& folder) {
  const int64_t begin_ns = (Clock::now() + kLead).time_since_epoch().count();
  std::vector<testing::Process> children;
  std::vector<std::string> outputs;
  for (int i = 0; i < processes; ++i) {
    outputs.push_back(absl::StrCat(folder, "/", processes, "-", i));
    absl::StatusOr<testing::Process> child = testing::Process::Start(
        {"/proc/self/exe", "--address", address, "--size", absl::StrCat(work.size), "--seconds",
         absl::StrCat(work.seconds), "--begin-ns", absl::StrCat(begin_ns)},
        outputs.back());
    ACCELD_CHECK(child.ok());
    children.push_back(*std::move(child));
  }
  std::vector<double> rates;
  for (size_t i = 0; i < children.size(); ++i) {
    ACCELD_CHECK(children[i].Wait() == 0);
    ACCELD_CHECK(absl::SimpleAtod(testing::ReadText(outputs[i]), &rates.emplace_back()));
  }
  return rates;
}

void Compare(const std::string& address, const Work& work, int most, const std::string& folder) {
  std::printf("x = tanh(x w), f32[%ld,%ld], %.1f s each\n%-10s %14s %14s %14s\n",
              static_cast<long>(work.size), static_cast<long>(work.size), work.seconds, "processes",
              "steps/s of all", "x one process", "least / most");
  (void)Run(address, {.size = work.size, .seconds = 0}, Clock::now());  // which compiles
  double alone = 0;
  for (int processes = 1; processes <= most; processes *= 2) {
    const std::vector<double> rates = RunProcesses(address, work, processes, folder);
    double all = 0;
    for (const double rate : rates) all += rate;
    if (processes == 1) alone = all;
    const auto [least, largest] = std::minmax_element(rates.begin(), rates.end());
    std::printf("%-10d %14.1f %14.2f %14.2f\n", processes, all, all / alone, *least / *largest);
    std::fflush(stdout);
  }
}

int Main(int argc, char** argv) {
  CLI::App app("What a device gives to several processes, beside what it gives to one.");
  Work work;
  std::string address;
  int most = 4;
  int64_t begin_ns = 0;
  app.add_option("--size", work.size, "Rows and columns of the matrices")
      ->check(CLI::Range(1, 16384))
      ->capture_default_str();
  app.add_option("--seconds", work.seconds, "Of each measurement")
      ->check(CLI::Range(0.01, 600.0))
      ->capture_default_str();
  app.add_option("--processes", most, "The most at a time; from 1 on, each time twice as many")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--address", address, "Of a daemon; else one is started")
      ->envname("ACCELD_ADDRESS");
  app.add_option("--begin-ns", begin_ns)->group("");  // of the processes that this one starts
  CLI11_PARSE(app, argc, argv);
  if (begin_ns > 0) {
    const Clock::time_point begin{std::chrono::nanoseconds(begin_ns)};
    std::printf("%f", Run(address, work, begin));
    return 0;
  }
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
    if (!started.ok()) {
      std::fprintf(stderr, "%s\n", started.status().ToString().c_str());
      return 1;
    }
    daemon = *std::move(started);
    address = daemon->address;
  }
  Compare(address, work, most, folder.path());
  return 0;
}

}  // namespace
}  // namespace acceld::bench

int main(int argc, char** argv) { return acceld::bench::Main(argc, argv); }

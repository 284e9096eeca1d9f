// How long the first result of a program takes, by where its executable is found: nowhere (cold),
// in the cache that daemons share (remote), in the daemon's folder (disk), in its memory. Medians
// of several rounds, each with daemons and a Redis that know nothing.
//
//   first_result_bench [--rounds N] PROGRAM.mlir...
//
// Arguments are ones, and have been uploaded before; the clock runs from the call to the result.
// Needs redis-server; $ACCELD_DEVICE names the device.

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/admin.h"
#include "client/client.h"
#include "client/file.h"
#include "common/check.h"
#include "tests/support/daemon/daemon_process.h"
#include "tests/support/daemon/redis_server.h"
#include "tests/support/eventually.h"

namespace acceld::bench {
namespace {

using client::Client;
using Clock = std::chrono::steady_clock;
using testing::Daemon;

struct First {
  double milliseconds = 0;
  client::CacheVerdict verdict = client::CacheVerdict::kUnknown;
};

// The first result in a session of its own.
First Measure(const Daemon& daemon, const client::Program& program) {
  const std::shared_ptr<Client> client = *Client::Connect({.address = daemon.address});
  std::vector<client::Array> arguments;
  for (const ir::TensorType& type : program.parameter_types()) {
    arguments.push_back(*client->Upload(ir::Literal::Filled(type, 1)));
    ACCELD_CHECK(arguments.back().Await().ok());
  }
  const Clock::time_point begin = Clock::now();
  const std::vector<client::Array> results = *client->Execute(program, arguments);
  for (const client::Array& result : results) ACCELD_CHECK(result.Await().ok());
  return {std::chrono::duration<double, std::milli>(Clock::now() - begin).count(),
          results[0].Execution().value().verdict};
}

Daemon Start(const std::string& folder, const std::vector<std::string>& flags) {
  mkdir(folder.c_str(), 0700);
  absl::StatusOr<Daemon> daemon = testing::StartDaemon(folder, flags);
  ACCELD_CHECK(daemon.ok());
  return *std::move(daemon);
}

void Stop(Daemon daemon) {
  daemon.process.Signal(SIGTERM);
  ACCELD_CHECK(daemon.process.Wait() == 0);
}

uint64_t Saved(const Daemon& daemon) {
  const client::ServerStats stats =
      *(*client::Admin::Connect({.address = daemon.address}))->GetStats();
  for (const auto& [name, count] : stats.remote_cache->counts) {
    if (name == "saved") return count;
  }
  return 0;
}

// Milliseconds by tier and program.
using Times = std::map<client::CacheVerdict, std::map<std::string, std::vector<double>>>;

absl::Status Round(const std::map<std::string, client::Program>& programs, Times& times) {
  const testing::TempDir folder;
  ACCELD_ASSIGN_OR_RETURN(testing::RedisServer redis, testing::RedisServer::Start(folder.path()));
  const std::string key = folder.path() + "/team.key";
  std::ofstream(key) << std::string(64, 'k') << "\n";
  chmod(key.c_str(), 0600);
  const std::vector<std::string> team = {"--remote-cache-url",
                                         absl::StrCat("redis://", redis.address()),
                                         "--remote-cache-key-file", key};
  const auto run = [&](const Daemon& daemon, client::CacheVerdict expected) {
    for (const auto& [name, program] : programs) {
      const First first = Measure(daemon, program);
      ACCELD_CHECK(first.verdict == expected);
      times[expected][name].push_back(first.milliseconds);
    }
  };
  Daemon first = Start(folder.path() + "/1", team);
  run(first, client::CacheVerdict::kMiss);
  run(first, client::CacheVerdict::kMemory);
  ACCELD_CHECK(testing::Eventually([&] { return Saved(first) == programs.size(); }));
  Daemon second = Start(folder.path() + "/2", team);
  run(second, client::CacheVerdict::kRemote);
  Stop(std::move(second));
  Stop(std::move(first));
  run(Start(folder.path() + "/1", team), client::CacheVerdict::kDisk);
  return absl::OkStatus();
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int Main(int argc, char** argv) {
  CLI::App app("How long first results take, by where their executables are found.");
  std::vector<std::string> paths;
  int rounds = 5;
  app.add_option("programs", paths, "Files of StableHLO")->required();
  app.add_option("--rounds", rounds)->check(CLI::Range(1, 1000))->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const std::string own_folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  setenv("ACCELD_BIN_DIR", own_folder.c_str(), /*overwrite=*/0);
  std::map<std::string, client::Program> programs;
  for (const std::string& path : paths) {
    const absl::StatusOr<std::string> bytes = client::ReadFile(path);
    const absl::StatusOr<client::Program> program =
        bytes.ok() ? client::Program::FromBytes(*bytes, path) : bytes.status();
    if (!program.ok()) {
      std::fprintf(stderr, "%s\n", program.status().ToString().c_str());
      return 1;
    }
    programs.emplace(std::filesystem::path(path).stem().string(), *program);
  }
  Times times;
  for (int i = 0; i < rounds; ++i) {
    const absl::Status status = Round(programs, times);
    if (!status.ok()) {
      std::fprintf(stderr, "%s\n", status.ToString().c_str());
      return 1;
    }
  }
  std::printf("%-24s %10s %10s %10s %10s   ms, median of %d\n", "program", "cold", "remote", "disk",
              "memory", rounds);
  for (const auto& [name, program] : programs) {
    std::printf("%-24s", name.c_str());
    for (const client::CacheVerdict verdict :
         {client::CacheVerdict::kMiss, client::CacheVerdict::kRemote, client::CacheVerdict::kDisk,
          client::CacheVerdict::kMemory}) {
      std::printf(" %10.2f", Median(times[verdict][name]));
    }
    std::printf("\n");
  }
  return 0;
}

}  // namespace
}  // namespace acceld::bench

int main(int argc, char** argv) { return acceld::bench::Main(argc, argv); }

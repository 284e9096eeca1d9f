#include "tests/integration/team/team_fixture.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "common/check.h"

namespace acceld::testing {

void TeamTest::SetUp() {
  absl::StatusOr<RedisServer> redis = RedisServer::Start(folder_.path());
  if (absl::IsNotFound(redis.status())) GTEST_SKIP() << "redis-server is not installed";
  ASSERT_TRUE(redis.ok()) << redis.status();
  redis_ = std::make_unique<RedisServer>(*std::move(redis));
  std::ofstream(folder_.path() + "/team.key") << std::string(64, '7') << "\n";
  ASSERT_EQ(chmod((folder_.path() + "/team.key").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo((folder_.path() + "/gate").c_str(), 0600), 0);
}

void TeamTest::TearDown() {
  if (!HasFailure()) return;
  for (const Daemon& daemon : daemons_) {
    ADD_FAILURE() << daemon.address << " logged:\n" << daemon.Log();
  }
}

std::vector<std::string> TeamTest::TeamFlags() const {
  return {"--remote-cache-url",      absl::StrCat("redis://", redis_->address()),
          "--remote-cache-key-file", folder_.path() + "/team.key",
          "--remote-cache-lease",    "2"};
}

size_t TeamTest::AddDaemon(const std::vector<std::string>& flags) {
  const std::string folder = absl::StrCat(folder_.path(), "/", daemons_.size());
  ACCELD_CHECK(mkdir(folder.c_str(), 0700) == 0);
  std::vector<std::string> all = flags;
  const std::vector<std::string> team = TeamFlags();
  for (size_t i = 0; i < team.size(); i += 2) {
    if (std::find(flags.begin(), flags.end(), team[i]) == flags.end()) {
      all.insert(all.end(), {team[i], team[i + 1]});
    }
  }
  absl::StatusOr<Daemon> daemon = StartDaemon(folder, all);
  ACCELD_CHECK(daemon.ok());
  daemons_.push_back(*std::move(daemon));
  return daemons_.size() - 1;
}

Process TeamTest::StartClient(size_t daemon, const std::string& mode,
                              std::vector<std::string> arguments) {
  const char* binary = getenv("ACCELD_CLIENT_PROCESS");
  ACCELD_CHECK(binary != nullptr);  // set by the build for every test that needs it
  arguments.insert(arguments.begin(), {binary, mode, daemons_[daemon].address});
  absl::StatusOr<Process> process =
      Process::Start(std::move(arguments), folder_.path() + "/clients.log");
  ACCELD_CHECK(process.ok());
  return *std::move(process);
}

void TeamTest::RunPrograms(const std::vector<size_t>& daemons, int clients, int count) {
  const std::string gate = folder_.path() + "/gate";
  std::vector<Process> processes;
  for (const size_t daemon : daemons) {
    for (int i = 0; i < clients; ++i) {
      processes.push_back(StartClient(daemon, "programs", {gate, absl::StrCat(count)}));
    }
  }
  for (const size_t daemon : daemons) {
    EXPECT_TRUE(Eventually([&] {
      return Stats(daemon).sessions == static_cast<uint64_t>(clients);
    })) << "of daemon "
        << daemon;
  }
  const int opened = open(gate.c_str(), O_RDWR);
  for (Process& process : processes) {
    EXPECT_EQ(process.Wait(), 0) << ReadText(folder_.path() + "/clients.log");
  }
  close(opened);
}

client::ServerStats TeamTest::Stats(size_t daemon) {
  auto admin = client::Admin::Connect({.address = daemons_[daemon].address});
  EXPECT_TRUE(admin.ok()) << admin.status();
  if (!admin.ok()) return {};
  const absl::StatusOr<client::ServerStats> stats = (*admin)->GetStats();
  EXPECT_TRUE(stats.ok()) << stats.status();
  return stats.ok() ? *stats : client::ServerStats();
}

uint64_t TeamTest::Count(size_t daemon, const std::string& name) {
  const client::ServerStats stats = Stats(daemon);
  EXPECT_TRUE(stats.remote_cache.has_value());
  if (!stats.remote_cache.has_value()) return 0;
  for (const auto& [key, count] : stats.remote_cache->counts) {
    if (key == name) return count;
  }
  ADD_FAILURE() << "there is no count of " << name;
  return 0;
}

uint64_t TeamTest::Compiles() {
  uint64_t compiles = 0;
  for (size_t daemon = 0; daemon < daemons_.size(); ++daemon) compiles += Stats(daemon).compiles;
  return compiles;
}

CommandResult TeamTest::Accelctl(size_t daemon, const std::vector<std::string>& arguments) {
  std::vector<std::string> argv = {BinDir() + "/accelctl", "--address", daemons_[daemon].address};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return RunCommand(argv);
}

}  // namespace acceld::testing

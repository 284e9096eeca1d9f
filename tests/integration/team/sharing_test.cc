// Daemons that share what they compile.

#include <signal.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "nlohmann/json.hpp"
#include "tests/integration/team/team_fixture.h"
#include "tests/support/net/cutting_proxy.h"

namespace acceld::testing {
namespace {

using ::testing::HasSubstr;

TEST_F(TeamTest, TwentyFourClientsOfThreeDaemonsCompileFiftyProgramsOnce) {
  for (int i = 0; i < 3; ++i) AddDaemon();
  RunPrograms({0, 1, 2}, 8, 50);
  EXPECT_EQ(Compiles(), 50u);
  for (size_t daemon = 0; daemon < 3; ++daemon) EXPECT_GT(Stats(daemon).compiles, 0u);
  const size_t fourth = AddDaemon();
  RunPrograms({fourth}, 1, 50);
  EXPECT_EQ(Stats(fourth).compiles, 0u);
  EXPECT_EQ(Stats(fourth).cache_hits_remote, 50u);
  EXPECT_EQ(Count(fourth, "hits"), 50u);
}

TEST_F(TeamTest, WhatTheTeamHadIsOnDiskAfterwards) {
  AddDaemon();
  RunPrograms({0}, 1, 3);
  ASSERT_TRUE(Eventually([&] { return Count(0, "saved") == 3; }));
  const size_t second = AddDaemon();
  RunPrograms({second}, 1, 3);
  ASSERT_TRUE(Eventually([&] { return Stats(second).cache_disk_entries == 3; }));
}

TEST_F(TeamTest, AHolderThatIsKilledDelaysNobodyPastItsLease) {
  AddDaemon({"--compile-threads", "1"});
  AddDaemon();
  // Dies somewhere among its compiles.
  Process clients = StartClient(0, "programs", {folder_.path() + "/gate", "200"});
  ASSERT_TRUE(Eventually([&] { return Stats(0).sessions == 1; }));
  std::ofstream gate(folder_.path() + "/gate");
  ASSERT_TRUE(Eventually([&] { return Stats(0).compiles > 0; }));
  daemons_[0].process.Signal(SIGKILL);
  daemons_[0].process.Wait();
  clients.Wait();
  gate.close();
  RunPrograms({1}, 1, 50);
  EXPECT_EQ(Count(1, "waits_given_up"), 0u);
}

TEST_F(TeamTest, EntriesOfATeamWithAnotherKeyAreNotTaken) {
  AddDaemon();
  RunPrograms({0}, 1, 3);
  ASSERT_TRUE(Eventually([&] { return Count(0, "saved") == 3; }));
  const std::string key = folder_.path() + "/other.key";
  std::ofstream(key) << std::string(64, '8') << "\n";
  ASSERT_EQ(RunCommand({"/bin/chmod", "600", key}).exit_code, 0);
  const size_t foreign = AddDaemon({"--remote-cache-key-file", key, "--remote-cache-read-only"});
  RunPrograms({foreign}, 1, 3);
  EXPECT_EQ(Stats(foreign).compiles, 3u);
  EXPECT_EQ(Count(foreign, "refused"), 3u);
}

TEST_F(TeamTest, ClientsDoNotNoticeThatRedisDiesHangsOrForgets) {
  for (int i = 0; i < 2; ++i) {
    AddDaemon({"--remote-cache-timeout", "0.2", "--cache-memory-size", "0", "--no-disk-cache"});
  }
  RunPrograms({0, 1}, 2, 10);
  redis_->process().Signal(SIGSTOP);
  RunPrograms({0, 1}, 2, 10);
  redis_->process().Signal(SIGCONT);
  redis_->process().Signal(SIGKILL);
  RunPrograms({0, 1}, 2, 10);
  EXPECT_FALSE(Stats(0).remote_cache->up);
  ASSERT_TRUE(redis_->Restart().ok());
  ASSERT_TRUE(Eventually([&] {
    RunPrograms({0}, 1, 10);
    return Stats(0).remote_cache->up;
  }));
}

// A Redis that answers when the test lets it.
class SlowTeamTest : public TeamTest {
 protected:
  void SetUp() override {
    TeamTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    address_ = absl::StrCat("127.0.0.1:", FreePort());
    proxy_ = std::make_unique<CuttingProxy>(address_, redis_->address());
  }
  size_t AddFarDaemon() {
    return AddDaemon({"--remote-cache-url", absl::StrCat("redis://", address_),
                      "--remote-cache-timeout", "3600", "--shutdown-grace", "0.1"});
  }

  std::string address_;
  std::unique_ptr<CuttingProxy> proxy_;
};

TEST_F(SlowTeamTest, ExecutionsGoOnWhileASearchWaitsForRedis) {
  AddFarDaemon();
  RunPrograms({0}, 1, 5);
  ASSERT_TRUE(Eventually([&] { return Count(0, "saved") == 5; }));
  proxy_->Delay(std::chrono::hours(1));
  const uint64_t calls = Count(0, "calls");
  // One program more than those that are known.
  Process waiting = StartClient(0, "programs", {folder_.path() + "/gate", "6"});
  ASSERT_TRUE(Eventually([&] { return Stats(0).sessions == 1; }));
  std::ofstream(folder_.path() + "/gate").flush();
  ASSERT_TRUE(Eventually([&] { return Count(0, "calls") > calls; }));
  for (int i = 0; i < 3; ++i) {
    Process known = StartClient(0, "programs", {folder_.path() + "/gate", "5"});
    std::ofstream(folder_.path() + "/gate").flush();
    EXPECT_EQ(known.Wait(), 0);
  }
  EXPECT_EQ(Count(0, "misses"), 5u) << "the sixth program's search has not ended";
  EXPECT_EQ(Stats(0).compiles, 5u);
  proxy_->Delay(std::chrono::milliseconds(0));
  EXPECT_EQ(waiting.Wait(), 0);
  EXPECT_EQ(Stats(0).compiles, 6u);
  EXPECT_TRUE(Stats(0).remote_cache->up);
  ASSERT_TRUE(Eventually([&] { return Count(0, "saved") == 6; }));
}

TEST_F(SlowTeamTest, ADaemonEndsWhileASearchWaitsForRedis) {
  AddFarDaemon();
  RunPrograms({0}, 1, 1);
  proxy_->Delay(std::chrono::hours(1));
  const uint64_t calls = Count(0, "calls");
  Process waiting = StartClient(0, "programs", {folder_.path() + "/gate", "2"});
  ASSERT_TRUE(Eventually([&] { return Stats(0).sessions == 1; }));
  std::ofstream(folder_.path() + "/gate").flush();
  ASSERT_TRUE(Eventually([&] { return Count(0, "calls") > calls; }));
  daemons_[0].process.Signal(SIGTERM);
  EXPECT_EQ(daemons_[0].process.Wait(), 0);
  EXPECT_NE(waiting.Wait(), 0);
}

TEST_F(SlowTeamTest, ProgramsAreCompiledOnceThoughRedisIsSlow) {
  AddFarDaemon();
  AddFarDaemon();
  proxy_->Delay(std::chrono::milliseconds(20));
  RunPrograms({0, 1}, 2, 10);
  EXPECT_EQ(Compiles(), 10u);
}

TEST_F(TeamTest, AccelctlShowsHowTheRemoteCacheDoes) {
  AddDaemon();
  RunPrograms({0}, 1, 2);
  ASSERT_TRUE(Eventually([&] { return Count(0, "saved") == 2; }));
  const CommandResult text = Accelctl(0, {"cache", "stat"});
  EXPECT_EQ(text.exit_code, 0) << text.output;
  EXPECT_THAT(text.output, HasSubstr("remote redis://127.0.0.1:"));
  const CommandResult json = Accelctl(0, {"cache", "stat", "--json"});
  EXPECT_EQ(json.exit_code, 0) << json.output;
  EXPECT_EQ(nlohmann::json::parse(json.output)["remote"]["saved"], 2);
  const CommandResult entries = Accelctl(0, {"cache", "ls", "--json"});
  EXPECT_NE(nlohmann::json::parse(entries.output)["entries"][0]["producer"], "");
}

// What the daemon says when it cannot start with these flags.
class TeamConfigTest : public TeamTest {
 protected:
  std::string ErrorOf(const std::vector<std::string>& flags) {
    std::vector<std::string> argv = {BinDir() + "/acceld", "--listen",
                                     "unix:" + folder_.path() + "/x.sock", "--no-disk-cache"};
    argv.insert(argv.end(), flags.begin(), flags.end());
    const CommandResult result = RunCommand(argv);
    EXPECT_NE(result.exit_code, 0);
    return result.output;
  }
  std::string url() const { return "redis://" + redis_->address(); }
};

TEST_F(TeamConfigTest, AnUrlWithoutAKeyIsRefused) {
  EXPECT_THAT(ErrorOf({"--remote-cache-url", url()}), HasSubstr("remote-cache-key-file"));
}

TEST_F(TeamConfigTest, AKeyThatIsShortOrReadByOthersIsRefused) {
  const std::string key = folder_.path() + "/bad.key";
  std::ofstream(key) << "short\n";
  ASSERT_EQ(RunCommand({"/bin/chmod", "600", key}).exit_code, 0);
  EXPECT_THAT(ErrorOf({"--remote-cache-url", url(), "--remote-cache-key-file", key}),
              HasSubstr("line 1: a key of 5 characters"));
  ASSERT_EQ(RunCommand({"/bin/chmod", "644", folder_.path() + "/team.key"}).exit_code, 0);
  EXPECT_THAT(ErrorOf({"--remote-cache-url", url(), "--remote-cache-key-file",
                       folder_.path() + "/team.key"}),
              HasSubstr("chmod 600"));
}

TEST_F(TeamConfigTest, AnUrlThatIsNoneAndASaltThatIsNoneAreRefused) {
  EXPECT_THAT(ErrorOf({"--remote-cache-url", "http://host"}), HasSubstr("the scheme 'http'"));
  EXPECT_THAT(ErrorOf({"--remote-cache-url", url(), "--remote-cache-key-file",
                       folder_.path() + "/team.key", "--remote-cache-salt", "a b"}),
              HasSubstr("remote-cache-salt: 'a b'"));
}

}  // namespace
}  // namespace acceld::testing

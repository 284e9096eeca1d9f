// The cache folder over restarts of the daemon.

#include <filesystem>
#include <fstream>

#include "tests/integration/daemon/daemon_fixture.h"

namespace acceld::testing {
namespace {

namespace fs = std::filesystem;
using client::CacheVerdict;

class DaemonCacheTest : public DaemonTest {
 protected:
  // Starts a daemon, runs the program and gives what it says about the execution.
  client::ExecutionInfo RunOnFreshDaemon() {
    Start();
    return HasFatalFailure() ? client::ExecutionInfo{} : RunOnRunningDaemon();
  }
  client::ExecutionInfo RunOnRunningDaemon() {
    return RunOnce(Parse(kIncrementText), Floats(std::vector<float>(16, 1)),
                   Floats(std::vector<float>(16, 2)));
  }
  uint64_t Dropped() { return Stats().cache_dropped; }

  std::vector<fs::path> Entries() const {
    std::vector<fs::path> entries;
    for (const fs::directory_entry& file : fs::recursive_directory_iterator(cache_folder())) {
      if (file.path().extension() == ".exe") entries.push_back(file.path());
    }
    return entries;
  }

  // What is wrong with the only entry when the next daemon starts; that one must drop it, compile
  // anew and leave a good one.
  void ExpectRecovers() {
    const client::ExecutionInfo execution = RunOnFreshDaemon();
    EXPECT_EQ(execution.verdict, CacheVerdict::kMiss);
    EXPECT_EQ(Dropped(), 1u);
    EXPECT_EQ(Stats().compiles, 1u);
    EXPECT_EQ(RunOnRunningDaemon().verdict, CacheVerdict::kMemory);
    EXPECT_EQ(Stop(), 0);
    EXPECT_EQ(RunOnFreshDaemon().verdict, CacheVerdict::kDisk);
    EXPECT_EQ(Dropped(), 0u);
  }
};

TEST_F(DaemonCacheTest, ARestartFindsTheExecutableOnDisk) {
  const client::ExecutionInfo first = RunOnFreshDaemon();
  EXPECT_EQ(first.verdict, CacheVerdict::kMiss);
  EXPECT_EQ(Stop(), 0);
  const client::ExecutionInfo second = RunOnFreshDaemon();
  EXPECT_EQ(second.verdict, CacheVerdict::kDisk);
  EXPECT_EQ(second.cache_key, first.cache_key);
  const client::ServerStats stats = Stats();
  EXPECT_EQ(stats.compiles, 0u);
  EXPECT_EQ(stats.cache_hits_disk, 1u);
  EXPECT_EQ(stats.cache_dropped, 0u);
}

TEST_F(DaemonCacheTest, CodeMadeByOtherPassesIsAnotherExecutable) {
  const client::ExecutionInfo usual = RunOnFreshDaemon();
  EXPECT_EQ(Stop(), 0);
  ASSERT_NO_FATAL_FAILURE(Start({"--disable-pass", "fuse"}));
  const client::ExecutionInfo unfused = RunOnRunningDaemon();
  EXPECT_EQ(unfused.verdict, CacheVerdict::kMiss);
  EXPECT_EQ(unfused.fingerprint, usual.fingerprint);
  EXPECT_NE(unfused.cache_key, usual.cache_key);
  EXPECT_EQ(Stop(), 0);
  EXPECT_EQ(RunOnFreshDaemon().verdict, CacheVerdict::kDisk);
}

TEST_F(DaemonCacheTest, AKilledDaemonLeavesAUsableFolder) {
  RunOnFreshDaemon();
  // The answer does not wait for the disk.
  ASSERT_TRUE(Eventually([&] { return Entries().size() == 1; }));
  daemon_->process.Signal(SIGKILL);
  daemon_->process.Wait();
  EXPECT_EQ(RunOnFreshDaemon().verdict, CacheVerdict::kDisk);
}

TEST_F(DaemonCacheTest, ATruncatedEntryIsDroppedAndCompiledAnew) {
  RunOnFreshDaemon();
  EXPECT_EQ(Stop(), 0);
  ASSERT_EQ(Entries().size(), 1u);
  fs::resize_file(Entries()[0], fs::file_size(Entries()[0]) / 2);
  ExpectRecovers();
}

TEST_F(DaemonCacheTest, AnEmptyEntryIsDroppedAndCompiledAnew) {
  RunOnFreshDaemon();
  EXPECT_EQ(Stop(), 0);
  ASSERT_EQ(Entries().size(), 1u);
  fs::resize_file(Entries()[0], 0);
  ExpectRecovers();
}

TEST_F(DaemonCacheTest, AnEntryWithOneBitOfItsCodeFlippedIsDroppedAndCompiledAnew) {
  RunOnFreshDaemon();
  EXPECT_EQ(Stop(), 0);
  ASSERT_EQ(Entries().size(), 1u);
  std::string bytes = ReadText(Entries()[0]);
  bytes[bytes.size() * 3 / 4] ^= 4;
  std::ofstream(Entries()[0], std::ios::binary) << bytes;
  ExpectRecovers();
}

TEST_F(DaemonCacheTest, AnEntryAlteredUnderTheRunningDaemonIsDropped) {
  RunOnFreshDaemon();
  EXPECT_EQ(Stop(), 0);
  ASSERT_EQ(Entries().size(), 1u);
  ASSERT_NO_FATAL_FAILURE(Start());
  fs::resize_file(Entries()[0], fs::file_size(Entries()[0]) - 1);
  EXPECT_EQ(RunOnRunningDaemon().verdict, CacheVerdict::kMiss);
  EXPECT_EQ(Dropped(), 1u);
  EXPECT_EQ(RunOnRunningDaemon().verdict, CacheVerdict::kMemory);
}

TEST_F(DaemonCacheTest, AnEntryOfAnotherNodeIsDroppedAndCompiledAnew) {
  RunOnFreshDaemon();
  EXPECT_EQ(Stop(), 0);
  ASSERT_EQ(Entries().size(), 1u);
  const fs::path entry = Entries()[0];
  const fs::path foreign = folder_.path() + "/foreign";
  fs::copy_file(entry, foreign);
  // A folder made anew gets another key.
  fs::remove_all(cache_folder());
  RunOnFreshDaemon();
  EXPECT_EQ(Stop(), 0);
  ASSERT_EQ(Entries(), std::vector<fs::path>{entry});
  fs::copy_file(foreign, entry, fs::copy_options::overwrite_existing);
  ExpectRecovers();
}

}  // namespace
}  // namespace acceld::testing

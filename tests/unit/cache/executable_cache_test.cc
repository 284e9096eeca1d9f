#include "server/cache/executable_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "server/cache/cache_key.h"
#include "tests/support/eventually.h"
#include "tests/unit/cache/temporary_folder.h"
#include "tests/unit/runtime/fake_device.h"

namespace acceld::cache {
namespace {

namespace fs = std::filesystem;
using ::acceld::testing::FakeDevice;
using ::acceld::testing::TemporaryFolder;

// A cache over two fake devices with a compiler that counts.
class ExecutableCacheTest : public ::testing::Test {
 protected:
  ExecutableCacheTest() {
    for (FakeDevice& device : devices_) {
      device.kernels["code"] = [](const auto&) { return absl::OkStatus(); };
    }
  }

  std::unique_ptr<ExecutableCache> Open(int64_t memory_bytes = 1 << 20, int threads = 2) {
    return std::make_unique<ExecutableCache>(
        ExecutableCache::Options{.folder = folder_.path() + "/cache",
                                 .memory_bytes = memory_bytes,
                                 .compile_threads = threads},
        std::vector<hal::Device*>{&devices_[0], &devices_[1]}, "build-1");
  }
  Request RequestFor(const std::string& name, size_t device = 0) {
    return {.key = DigestOf(name),
            .fingerprint = DigestOf(name),
            .arguments = {testing::F32({2})},
            .architecture = "fake",
            .device = device,
            .compile = [this, name](const StopFlag&) -> absl::StatusOr<hal::Executable> {
              compiles_.fetch_add(1);
              (void)compile_may_end_.Await();
              if (name == "bad") return absl::UnimplementedError("no lowering");
              hal::Executable executable;
              executable.program_name = name;
              executable.architecture = "fake";
              executable.build_id = "build-1";
              executable.arguments = {testing::F32({2})};
              executable.constants = std::string(1000, 'c');
              executable.code = "code";
              return executable;
            }};
  }
  CacheVerdict VerdictOf(ExecutableCache& cache, const Request& request) {
    const auto ticket = cache.Get(request);
    EXPECT_TRUE(ticket.future.Await().ok()) << ticket.future.Await().status();
    return ticket.VerdictOf(*ticket.future.Await());
  }
  fs::path FileOf(const std::string& name) {
    const std::string hex = DigestOf(name).ToHex();
    return fs::path(folder_.path()) / "cache" / "v2" / hex.substr(0, 2) / (hex + ".exe");
  }

  TemporaryFolder folder_;
  FakeDevice devices_[2];
  std::atomic<int> compiles_{0};
  Future<Unit> compile_may_end_ = absl::StatusOr<Unit>(Unit{});
};

TEST_F(ExecutableCacheTest, MissThenMemoryThenDiskAfterARestart) {
  auto cache = Open();
  EXPECT_EQ(VerdictOf(*cache, RequestFor("f")), CacheVerdict::kMiss);
  EXPECT_EQ(VerdictOf(*cache, RequestFor("f")), CacheVerdict::kMemory);
  cache.reset();
  cache = Open();
  EXPECT_EQ(VerdictOf(*cache, RequestFor("f")), CacheVerdict::kDisk);
  EXPECT_EQ(compiles_, 1);
  EXPECT_EQ(cache->stats().hits_disk, 1u);
  EXPECT_EQ(cache->stats().compiles, 0u);
}

TEST_F(ExecutableCacheTest, ConcurrentMissesCompileOnce) {
  Promise<Unit> gate;
  compile_may_end_ = gate.future();
  auto cache = Open();
  std::vector<ExecutableCache::Ticket> tickets(8);
  std::vector<std::thread> threads;
  for (auto& ticket : tickets) {
    threads.emplace_back([&] { ticket = cache->Get(RequestFor("f")); });
  }
  for (std::thread& thread : threads) thread.join();
  gate.Set(Unit{});
  int misses = 0;
  for (const auto& ticket : tickets) {
    ASSERT_TRUE(ticket.future.Await().ok());
    misses += ticket.VerdictOf(*ticket.future.Await()) == CacheVerdict::kMiss;
  }
  EXPECT_EQ(misses, 1);
  EXPECT_EQ(compiles_, 1);
  EXPECT_EQ(cache->stats().hits_inflight, 7u);
}

TEST_F(ExecutableCacheTest, OneDevicesLeavingIsNotAnothers) {
  Promise<Unit> gate;
  compile_may_end_ = gate.future();
  auto cache = Open(1 << 20, 4);
  const auto first = cache->Get(RequestFor("f", 0));
  while (compiles_ == 0) std::this_thread::yield();
  const auto second = cache->Get(RequestFor("f", 1));
  // Until it waits for the first one's compile.
  ASSERT_TRUE(acceld::testing::Eventually([&] {
    const CompilePool::Stats pool = cache->stats().pool;
    return pool.queued == 0 && pool.running == 1;
  }));
  first.interest->Withdraw();
  gate.Set(Unit{});
  EXPECT_TRUE(second.future.Await().ok()) << second.future.Await().status();
  EXPECT_EQ(compiles_, 1);
  second.interest->Withdraw();  // Too late to matter.
  cache = nullptr;
  first.interest->Withdraw();
}

TEST_F(ExecutableCacheTest, WhatAllHaveLeftIsDroppedAndAnsweredAtOnce) {
  Promise<Unit> gate;
  compile_may_end_ = gate.future();
  auto cache = Open(1 << 20, 1);
  const auto blocker = cache->Get(RequestFor("blocker"));
  while (compiles_ == 0) std::this_thread::yield();
  const auto one = cache->Get(RequestFor("f")), other = cache->Get(RequestFor("f"));
  EXPECT_TRUE(other.joined);
  one.interest->Withdraw();
  one.interest->Withdraw();
  EXPECT_FALSE(one.future.IsReady());
  EXPECT_EQ(cache->stats().pool.queued, 1u);
  other.interest->Withdraw();
  ASSERT_TRUE(one.future.IsReady());
  EXPECT_TRUE(absl::IsCancelled(one.future.Await().status()));
  EXPECT_EQ(cache->stats().pool.queued, 0u);
  EXPECT_EQ(cache->stats().pool.dropped, 1u);
  const auto again = cache->Get(RequestFor("f"));
  EXPECT_FALSE(again.joined);
  gate.Set(Unit{});
  EXPECT_TRUE(again.future.Await().ok());
  EXPECT_TRUE(blocker.future.Await().ok());
}

TEST_F(ExecutableCacheTest, TwoDevicesShareOneCompileAndLoadEach) {
  Promise<Unit> gate;
  compile_may_end_ = gate.future();
  auto cache = Open();
  const auto first = cache->Get(RequestFor("f", 0));
  const auto second = cache->Get(RequestFor("f", 1));
  gate.Set(Unit{});
  ASSERT_TRUE(first.future.Await().ok());
  ASSERT_TRUE(second.future.Await().ok());
  EXPECT_EQ(compiles_, 1);
  EXPECT_EQ(devices_[0].loads, 1);
  EXPECT_EQ(devices_[1].loads, 1);
}

TEST_F(ExecutableCacheTest, AFailedCompileIsNotKept) {
  auto cache = Open();
  for (int i = 1; i <= 2; ++i) {
    const auto ticket = cache->Get(RequestFor("bad"));
    EXPECT_EQ(ticket.future.Await().status().message(), "no lowering");
    EXPECT_EQ(compiles_, i);
  }
  EXPECT_EQ(cache->stats().compile_failures, 2u);
  EXPECT_FALSE(fs::exists(FileOf("bad")));
}

TEST_F(ExecutableCacheTest, AWaiterThatGoesAwayDisturbsNobody) {
  Promise<Unit> gate;
  compile_may_end_ = gate.future();
  auto cache = Open();
  {
    const auto leader = cache->Get(RequestFor("f"));
  }
  const auto waiter = cache->Get(RequestFor("f"));
  gate.Set(Unit{});
  EXPECT_TRUE(waiter.future.Await().ok());
}

TEST_F(ExecutableCacheTest, ColdEntriesLeaveMemoryAndHeldOnesStay) {
  // Room for three entries of 2,104 bytes. One thread, so that no earlier job still holds its
  // entry.
  auto cache = Open(/*memory_bytes=*/6500, /*threads=*/1);
  std::shared_ptr<const hal::LoadedExecutable> held;
  {
    const auto ticket = cache->Get(RequestFor("held"));
    held = ticket.future.Await()->executable;
  }
  for (const char* name : {"a", "b", "c", "d"}) {
    EXPECT_EQ(VerdictOf(*cache, RequestFor(name)), CacheVerdict::kMiss);
  }
  EXPECT_EQ(VerdictOf(*cache, RequestFor("held")), CacheVerdict::kMemory);
  EXPECT_EQ(VerdictOf(*cache, RequestFor("a")), CacheVerdict::kDisk);
  EXPECT_LE(cache->stats().memory.bytes, 6500u);
}

TEST_F(ExecutableCacheTest, WhoHasManyProgramsLosesItsOwnAndNotThoseOfOthers) {
  // Room for eight entries.
  auto cache = Open(/*memory_bytes=*/8 * 2104 + 100, /*threads=*/1);
  const auto by = [&](const std::string& identity, const std::string& name) {
    Request request = RequestFor(name);
    request.requester.identity = identity;
    return VerdictOf(*cache, std::move(request));
  };
  for (const char* name : {"a", "b"}) EXPECT_EQ(by("modest", name), CacheVerdict::kMiss);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(by("greedy", absl::StrCat("g", i)), CacheVerdict::kMiss);
  // Whoever asks now.
  for (const char* name : {"a", "b"}) EXPECT_EQ(by("greedy", name), CacheVerdict::kMemory);
  EXPECT_EQ(by("greedy", "g0"), CacheVerdict::kDisk);
}

TEST_F(ExecutableCacheTest, ADeviceGetsTheMemoryOfAllThatNobodyHolds) {
  auto cache = Open();
  std::vector<std::shared_ptr<const hal::LoadedExecutable>> held;
  constexpr int kPrograms = 300;
  for (int i = 0; i < kPrograms; ++i) {
    const auto ticket = cache->Get(RequestFor(absl::StrCat("p", i)));
    if (i % 2 == 0) held.push_back(ticket.future.Await()->executable);
    (void)ticket.future.Await();
  }
  int64_t unloaded_bytes = 0;
  const auto all_are_unloaded = [&] {
    while (const int64_t bytes = cache->Unload(0, INT64_MAX)) unloaded_bytes += bytes;
    return unloaded_bytes == kPrograms / 2 * 1000;
  };
  // The compile thread lets go of each soon after the answer.
  EXPECT_TRUE(testing::Eventually(all_are_unloaded)) << unloaded_bytes;
  EXPECT_EQ(cache->Unload(1, INT64_MAX), 0);
  EXPECT_EQ(VerdictOf(*cache, RequestFor("p0")), CacheVerdict::kMemory);
  EXPECT_EQ(VerdictOf(*cache, RequestFor("p1")), CacheVerdict::kMemory);
  EXPECT_TRUE(testing::Eventually([&] { return cache->Unload(0, 1) == 1000; }));
}

TEST_F(ExecutableCacheTest, WithoutAMemoryTierNothingIsKeptButWhatIsInUse) {
  auto cache = Open(/*memory_bytes=*/0);
  std::weak_ptr<const hal::LoadedExecutable> used;
  {
    const auto ticket = cache->Get(RequestFor("f"));
    ASSERT_TRUE(ticket.future.Await().ok());
    used = ticket.future.Await()->executable;
    EXPECT_EQ(cache->stats().memory.entries, 0u);
    EXPECT_EQ(cache->stats().memory.bytes, 0u);
    EXPECT_FALSE(used.expired());
  }
  // The compile thread lets go of it soon after the answer.
  EXPECT_TRUE(testing::Eventually([&] { return used.expired(); }));
  // From disk, or from the search before, which ends a little after its answer.
  EXPECT_NE(VerdictOf(*cache, RequestFor("f")), CacheVerdict::kMiss);
  EXPECT_NE(VerdictOf(*cache, RequestFor("f", 1)), CacheVerdict::kMiss);
  EXPECT_EQ(cache->stats().hits_memory, 0u);
  EXPECT_EQ(compiles_, 1);
}

TEST_F(ExecutableCacheTest, WhatIsLargerThanTheMemoryTierIsNotKeptThere) {
  auto cache = Open(/*memory_bytes=*/1000);
  EXPECT_EQ(VerdictOf(*cache, RequestFor("f")), CacheVerdict::kMiss);
  EXPECT_EQ(cache->stats().memory.entries, 0u);
  EXPECT_EQ(cache->stats().memory.bytes, 0u);
}

TEST_F(ExecutableCacheTest, AnAlteredEntryIsDroppedCountedAndCompiledAgain) {
  auto cache = Open();
  VerdictOf(*cache, RequestFor("f"));
  cache.reset();
  {
    std::fstream file(FileOf("f"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-3, std::ios::end);
    file.put('!');
  }
  cache = Open();
  EXPECT_EQ(VerdictOf(*cache, RequestFor("f")), CacheVerdict::kMiss);
  EXPECT_EQ(compiles_, 2);
  EXPECT_EQ(cache->stats().disk.dropped, 1u);
  cache.reset();
  cache = Open();
  EXPECT_EQ(VerdictOf(*cache, RequestFor("f")), CacheVerdict::kDisk);
}

TEST_F(ExecutableCacheTest, CodeThatDoesNotLinkIsCompiledAgain) {
  auto cache = Open();
  VerdictOf(*cache, RequestFor("f"));
  cache.reset();
  // Signed and whole, but of a toolchain whose code this device cannot load.
  auto code = std::move(devices_[0].kernels["code"]);
  devices_[0].kernels.clear();
  cache = Open();
  EXPECT_FALSE(cache->Get(RequestFor("f")).future.Await().ok());
  EXPECT_EQ(compiles_, 2);
  EXPECT_EQ(cache->stats().disk.dropped, 1u);
}

TEST_F(ExecutableCacheTest, WithoutAUsableFolderItWorksInMemory) {
  std::ofstream(folder_.path() + "/cache") << "a file";
  auto cache = Open();
  EXPECT_EQ(VerdictOf(*cache, RequestFor("f")), CacheVerdict::kMiss);
  EXPECT_EQ(VerdictOf(*cache, RequestFor("f")), CacheVerdict::kMemory);
}

TEST_F(ExecutableCacheTest, ListsBothTiersMostRecentlyUsedFirst) {
  auto cache = Open();
  VerdictOf(*cache, RequestFor("f"));
  cache.reset();
  cache = Open();
  VerdictOf(*cache, RequestFor("g"));
  cache->WaitForIndex();
  const auto entries = cache->List();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].header.program_name, "g");
  EXPECT_TRUE(entries[0].in_memory);
  EXPECT_EQ(entries[1].header.program_name, "f");
  EXPECT_TRUE(entries[1].on_disk);
  EXPECT_FALSE(entries[1].in_memory);
  EXPECT_EQ(entries[1].header.architecture, "fake");
}

TEST_F(ExecutableCacheTest, ShutdownAnswersEveryRequest) {
  Promise<Unit> gate;
  compile_may_end_ = gate.future();
  auto cache = Open(1 << 20, /*threads=*/1);
  const auto running = cache->Get(RequestFor("f"));
  const auto queued = cache->Get(RequestFor("g"));
  std::thread closing([&] { cache.reset(); });
  gate.Set(Unit{});
  (void)running.future.Await();
  (void)queued.future.Await();
  closing.join();
}

TEST(CacheKeyTest, DependsOnEverythingThatChangesCodeAndOnNothingElse) {
  const Digest f = DigestOf("f"), g = DigestOf("g");
  const std::vector<ir::TensorType> a = {testing::F32({2, 3})};
  const std::vector<ir::TensorType> b = {testing::F32({3, 2})};
  const Digest key = MakeCacheKey(f, a, "arch", "build", "");
  EXPECT_EQ(key, MakeCacheKey(f, a, "arch", "build", ""));
  EXPECT_NE(key, MakeCacheKey(g, a, "arch", "build", ""));
  EXPECT_NE(key, MakeCacheKey(f, b, "arch", "build", ""));
  EXPECT_NE(key, MakeCacheKey(f, {}, "arch", "build", ""));
  EXPECT_NE(key, MakeCacheKey(f, a, "arch2", "build", ""));
  EXPECT_NE(key, MakeCacheKey(f, a, "arch", "build2", ""));
  EXPECT_NE(key, MakeCacheKey(f, a, "arch", "build", "fast"));
}

TEST_F(ExecutableCacheTest, UnusedExecutablesAreUnloadedOldestFirstAndLoadedAgain) {
  auto cache = Open(1 << 20, /*threads=*/1);
  for (const char* name : {"held", "old", "new"}) VerdictOf(*cache, RequestFor(name));
  const auto held = cache->Get(RequestFor("held")).future.Await()->executable;
  // The only compile thread has let go of the others when it has done something else.
  VerdictOf(*cache, RequestFor("other device", 1));
  EXPECT_TRUE(testing::Eventually([&] { return cache->Unload(0, 1) == 1000; }));
  EXPECT_EQ(VerdictOf(*cache, RequestFor("new")), CacheVerdict::kMemory);
  EXPECT_EQ(devices_[0].loads.load(), 3);
  EXPECT_EQ(VerdictOf(*cache, RequestFor("old")), CacheVerdict::kMemory);
  EXPECT_EQ(devices_[0].loads.load(), 4);
  EXPECT_EQ(compiles_.load(), 4);
  VerdictOf(*cache, RequestFor("one more", 1));
  EXPECT_EQ(cache->Unload(0, 1 << 20), 2000);
  EXPECT_EQ(cache->Unload(0, 1 << 20), 0);
  EXPECT_EQ(cache->stats().memory.unloads, 3u);
  EXPECT_EQ(cache->Unload(7, 1), 0);
}

TEST_F(ExecutableCacheTest, LoadingMakesRoomWhenTheDeviceIsFull) {
  FakeDevice small(1024);
  small.kernels["code"] = [](const auto&) { return absl::OkStatus(); };
  std::shared_ptr<hal::Buffer> blocking = *small.Allocate(512);
  int asked = 0;
  ExecutableCache cache({}, {&small}, "build-1");
  Request request = RequestFor("f");
  request.with_room = [&](int64_t size_bytes, absl::FunctionRef<absl::Status()> load) {
    EXPECT_EQ(size_bytes, 1000);
    ++asked;
    EXPECT_EQ(load().code(), absl::StatusCode::kResourceExhausted);
    blocking.reset();
    return load();
  };
  EXPECT_EQ(VerdictOf(cache, request), CacheVerdict::kMiss);
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace acceld::cache

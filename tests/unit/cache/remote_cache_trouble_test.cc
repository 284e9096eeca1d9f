// What may happen to the shared Redis, and to daemons that use it.

#include <signal.h>

#include "common/crypto/random_bytes.h"
#include "tests/support/net/cutting_proxy.h"
#include "tests/support/net/impostor.h"
#include "tests/unit/cache/remote_cache_fixture.h"

namespace acceld::cache {
namespace {

TEST_F(RemoteCacheTest, GoesOnWithoutRedisAndWithItAgain) {
  Node node(Options());
  server_->process().Signal(SIGKILL);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(node.VerdictOf(absl::StrCat("f", i)), CacheVerdict::kMiss);
  EXPECT_GE(node.stats().redis.breaker_openings, 1u);
  EXPECT_GE(node.stats().redis.refusals, 1u);
  ASSERT_TRUE(server_->Restart().ok());
  int i = 0;
  EXPECT_TRUE(Eventually([&] {
    node.VerdictOf(absl::StrCat("g", i++));
    return node.stats().entries.saved > 0;
  }));
}

TEST_F(RemoteCacheTest, ARedisThatDoesNotAnswerCostsABoundedTime) {
  RemoteTier::Options options = Options();
  options.redis.timeout = milliseconds(150);
  options.redis.breaker.first_pause = milliseconds(5'000);
  Node node(options);
  server_->process().Signal(SIGSTOP);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(node.VerdictOf(absl::StrCat("f", i)), CacheVerdict::kMiss);
  // The others did not wait: the breaker was open.
  EXPECT_LE(node.stats().redis.failures, 5u);
  EXPECT_TRUE(node.stats().redis.breaker_is_open);
  server_->process().Signal(SIGCONT);
}

TEST_F(RemoteCacheTest, AFullRedisCostsNothingButTheUpload) {
  Do({"CONFIG", "SET", "maxmemory", "1"});
  Node node(Options());
  EXPECT_EQ(node.VerdictOf("f"), CacheVerdict::kMiss);
  EXPECT_EQ(node.VerdictOf("f"), CacheVerdict::kMemory);
  ASSERT_TRUE(Eventually([&] { return node.stats().uploads_failed == 1; }));
  Do({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(node.VerdictOf("g"), CacheVerdict::kMiss);
  ASSERT_TRUE(Eventually([&] { return node.stats().entries.saved == 1; }));
}

TEST_F(RemoteCacheTest, WhatRedisForgetsIsCompiledAgainOnce) {
  Fill("f");
  Do({"FLUSHALL", "SYNC"});
  Node first(Options()), second(Options());
  EXPECT_EQ(first.VerdictOf("f"), CacheVerdict::kMiss);
  first.Close();
  EXPECT_EQ(second.VerdictOf("f"), CacheVerdict::kRemote);
}

TEST_F(RemoteCacheTest, ASlowRedisIsWaitedFor) {
  Fill("f");
  Node node(Options());
  Do({"CLIENT", "PAUSE", "300", "ALL"});
  EXPECT_EQ(node.VerdictOf("f"), CacheVerdict::kRemote);
  EXPECT_EQ(node.stats().redis.failures, 0u);
}

TEST_F(RemoteCacheTest, LargeEntriesHaveTimeToTravel) {
  const std::string address = absl::StrCat("127.0.0.1:", testing::FreePort());
  testing::CuttingProxy proxy(address, server_->address());
  proxy.Delay(milliseconds(6));  // for 64 KiB
  RemoteTier::Options options = OptionsFor(address);
  options.redis.timeout = milliseconds(250);
  redis::Store slow(options.redis);
  EntryStore store(options.entries, slow);
  const EntryHeader header{.key = DigestOf("f"), .build_id = "build-1", .architecture = "fake"};
  const std::string payload = RandomBytes(4 << 20);
  const absl::StatusOr<bool> saved = store.Save(header, payload);
  ASSERT_TRUE(saved.ok()) << saved.status();
  const absl::StatusOr<Entry> loaded = store.Load(header);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_TRUE(loaded->payload == payload);
}

TEST_F(RemoteCacheTest, ClocksOfOtherHostsDoNotMatter) {
  EntryStore store(Options().entries, *raw_);
  const std::string payload = hal::Serialize(Node::ExecutableOf("f"));
  for (const int64_t created : {int64_t{0}, int64_t{1} << 40, -(int64_t{1} << 40)}) {
    const EntryHeader header{.key = DigestOf(absl::StrCat(created)),
                             .build_id = "build-1",
                             .architecture = "fake",
                             .created_unix_s = created};
    ASSERT_TRUE(*store.Save(header, payload));
    EXPECT_TRUE(store.Load(header).ok()) << created;
    EXPECT_GT(Do({"PTTL", names_.Record(header.key)}).integer, 0);
  }
}

TEST_F(RemoteCacheTest, NothingThatAnswersInRedissPlaceIsBelieved) {
  for (const char* answer : {"HTTP/1.1 400 Bad Request\r\n\r\n", ":1\r\n", "+OK\r\n",
                             "$5\r\nhello\r\n", "*2\r\n$1\r\n0\r\n*0\r\n", "$-1\r\n", "-ERR no\r\n",
                             "$99999999999\r\n", "*-7\r\n", "\xff\xfe\x00garbage"}) {
    SCOPED_TRACE(answer);
    testing::Impostor impostor(answer);
    RemoteTier::Options options = OptionsFor(impostor.address());
    options.redis.timeout = milliseconds(200);
    options.max_wait = milliseconds(200);
    Node node(options);
    EXPECT_EQ(node.VerdictOf("f"), CacheVerdict::kMiss);
    EXPECT_EQ(node.VerdictOf("g"), CacheVerdict::kMiss);
    EXPECT_EQ(node.stats().hits, 0u);
    node.Close();
  }
}

TEST_F(RemoteCacheTest, UploadsBeyondTheirBoundAreDroppedAndCounted) {
  RemoteTier::Options options = Options();
  options.redis.timeout = milliseconds(60'000);
  options.max_upload_bytes = 1500;
  RemoteTier tier(options);
  server_->process().Signal(SIGSTOP);
  for (int i = 0; i < 3; ++i) {
    tier.Publish({.key = DigestOf(absl::StrCat(i))}, std::string(1000, 'x'), nullptr);
  }
  EXPECT_EQ(tier.stats().uploads_dropped, 2u);
  server_->process().Signal(SIGCONT);
  EXPECT_TRUE(Eventually([&] { return tier.stats().entries.saved == 1; }));
}

TEST_F(RemoteCacheTest, ClosingDoesNotWaitForARedisThatHangs) {
  Fill("f");
  RemoteTier::Options options = Options();
  options.redis.timeout = std::chrono::hours(1);
  options.shutdown_wait = milliseconds(100);
  auto tier = std::make_unique<RemoteTier>(options);
  server_->process().Signal(SIGSTOP);
  std::atomic<int> ended{0};
  for (int i = 0; i < 10; ++i) {
    tier->Publish({.key = DigestOf(absl::StrCat(i))}, "code", nullptr);
    tier->Find({.key = DigestOf("f"), .build_id = "build-1", .architecture = "fake"},
               [&](const RemoteTier::Outcome& outcome) {
                 EXPECT_FALSE(outcome.entry.has_value());
                 ++ended;
               });
    tier->List(10, [&](const auto& entries) {
      EXPECT_FALSE(entries.ok());
      ++ended;
    });
  }
  tier.reset();  // The test's own limit is far below the hour.
  EXPECT_EQ(ended, 20);
  server_->process().Signal(SIGCONT);
}

TEST_F(RemoteCacheTest, AListThatNeverEndsIsEnded) {
  // One page, of which there are always more.
  testing::Impostor impostor("*2\r\n$1\r\n7\r\n*0\r\n");
  redis::Store redis(OptionsFor(impostor.address()).redis);
  EntryStore store(Options().entries, redis);
  const absl::StatusOr<std::vector<EntryHeader>> found =
      store.List(10, redis::Clock::now() + milliseconds(50));
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_TRUE(found->empty());
}

TEST_F(RemoteCacheTest, CodeThatDoesNotLinkIsReplacedInEveryTier) {
  hal::Executable other = Node::ExecutableOf("f");
  other.code = "code of another toolchain";
  EntryStore store(Options().entries, *raw_);
  const EntryHeader header{.key = DigestOf("f"),
                           .fingerprint = DigestOf("f"),
                           .build_id = "build-1",
                           .architecture = "fake"};
  ASSERT_TRUE(*store.Save(header, hal::Serialize(other)));
  const std::string cache = folder_.path() + "/cache";
  Node node(Options(), 2, cache);
  EXPECT_EQ(node.VerdictOf("f"), CacheVerdict::kMiss);
  EXPECT_EQ(node.compiles(), 1);
  node.Close();
  Node again(Options(), 2, cache);
  EXPECT_EQ(again.VerdictOf("f"), CacheVerdict::kDisk);
  EXPECT_EQ(again.compiles(), 0);
}

TEST_F(RemoteCacheTest, ADeviceWithoutRoomDisownsNoEntry) {
  Fill("f");
  Node small(Options(), 2, "", /*memory_bytes=*/512);
  const auto ticket = small.cache().Get(small.RequestFor("f"));
  EXPECT_TRUE(absl::IsResourceExhausted(ticket.future.Await().status()));
  EXPECT_EQ(small.compiles(), 0);
  small.Close();
  EXPECT_TRUE(Has(names_.Record(DigestOf("f"))));
}

TEST_F(RemoteCacheTest, ClosingWhileOthersCompileEndsWhatWaits) {
  Do({"SET", names_.Lease(DigestOf("f")), "somebody who hangs"});
  auto node = std::make_unique<Node>(Options());
  const auto ticket = node->cache().Get(node->RequestFor("f"));
  ASSERT_TRUE(Eventually([&] { return node->stats().waits == 1; }));
  node->Close();
  // Where the pool has stopped before the wait has ended, it is not there any more for what
  // follows.
  const absl::Status status = ticket.future.Await().status();
  EXPECT_TRUE(absl::IsCancelled(status) || absl::IsUnavailable(status)) << status;
}

}  // namespace
}  // namespace acceld::cache

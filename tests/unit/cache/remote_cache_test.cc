// The caches of several daemons that share the distribution's Redis, and what may happen to it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/random_bytes.h"
#include "server/cache/executable_cache.h"
#include "server/cache/remote/compression.h"
#include "server/cache/remote/keys.h"
#include "server/cache/remote/names.h"
#include "tests/support/cutting_proxy.h"
#include "tests/support/eventually.h"
#include "tests/support/impostor.h"
#include "tests/support/redis_server.h"
#include "tests/unit/runtime/fake_device.h"

namespace acceld::cache {
namespace {

using std::chrono::milliseconds;
using testing::Eventually;
using testing::FakeDevice;
using testing::RedisServer;

const std::string kTeamKey(32, 'k');
const std::string kOtherKey(32, 'o');

// One daemon's cache, with a device and a compiler of its own that counts.
class Node {
 public:
  explicit Node(RemoteTier::Options remote, int threads = 2, const std::string& folder = "",
                int64_t memory_bytes = int64_t{1} << 30)
      : device_(memory_bytes) {
    for (const char* code : {"code", "other code"}) {
      device_.kernels[code] = [](const auto&) { return absl::OkStatus(); };
    }
    cache_ = std::make_unique<ExecutableCache>(ExecutableCache::Options{.folder = folder,
                                                                        .compile_threads = threads,
                                                                        .remote = std::move(remote),
                                                                        .producer = "here"},
                                               std::vector<hal::Device*>{&device_}, "build-1");
  }

  Request RequestFor(const std::string& name) {
    return {.key = DigestOf(name),
            .fingerprint = DigestOf(name),
            .arguments = {testing::F32({2})},
            .architecture = "fake",
            .device = 0,
            .compile = [this, name]() -> absl::StatusOr<hal::Executable> {
              compiles_.fetch_add(1);
              std::this_thread::sleep_for(compile_time);
              if (name == "bad") return absl::UnimplementedError("no lowering");
              return ExecutableOf(name);
            }};
  }
  static hal::Executable ExecutableOf(const std::string& name) {
    hal::Executable executable;
    executable.program_name = name;
    executable.architecture = "fake";
    executable.build_id = "build-1";
    executable.arguments = {testing::F32({2})};
    executable.constants = std::string(1000, 'c');
    executable.code = "code";
    return executable;
  }
  Verdict VerdictOf(const std::string& name) {
    const auto ticket = cache_->Get(RequestFor(name));
    const absl::StatusOr<Result>& result = ticket.future.Await();
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return Verdict::kMiss;
    EXPECT_EQ(result->executable->executable->code, "code");
    return ticket.VerdictOf(*result);
  }
  RemoteTier::Stats stats() const { return *cache_->stats().remote; }
  ExecutableCache& cache() { return *cache_; }
  int compiles() const { return compiles_; }
  void Close() { cache_.reset(); }

  milliseconds compile_time{0};

 private:
  std::atomic<int> compiles_{0};
  FakeDevice device_;
  std::unique_ptr<ExecutableCache> cache_;
};

class RemoteCacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<RedisServer> server = RedisServer::Start(folder_.path());
    if (absl::IsNotFound(server.status())) GTEST_SKIP() << "redis-server is not installed";
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = std::make_unique<RedisServer>(*std::move(server));
    raw_ = std::make_unique<redis::Store>(Options().redis);
  }

  RemoteTier::Options Options() const { return OptionsFor(server_->address()); }
  static RemoteTier::Options OptionsFor(absl::string_view address) {
    return {.redis = {.url = *redis::ParseUrl(absl::StrCat("redis://", address)),
                      .timeout = milliseconds(1000),
                      .breaker = {.failures = 2, .first_pause = milliseconds(50)}},
            .entries = {.salt = "s", .keys = DeriveSigningKeys({kTeamKey}, "s")},
            .lease = milliseconds(600)};
  }
  RemoteTier::Options ReadOnly() const {
    RemoteTier::Options options = Options();
    options.entries.read_only = true;
    return options;
  }
  // Compiles `name` for the team.
  void Fill(const std::string& name) {
    Node node(Options());
    EXPECT_EQ(node.VerdictOf(name), Verdict::kMiss);
    node.Close();  // waits for the upload
    ASSERT_TRUE(Has(names_.Record(DigestOf(name))));
  }
  redis::Reply Do(std::vector<absl::string_view> command) {
    absl::StatusOr<redis::Reply> reply = raw_->Call(command[1], command);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? *std::move(reply) : redis::Reply();
  }
  std::string Value(absl::string_view name) { return Do({"GET", name}).text; }
  int64_t NumKeys() { return Do({"EVAL", "return redis.call('DBSIZE')", "0"}).integer; }
  bool Has(absl::string_view name) { return Do({"EXISTS", name}).integer == 1; }
  static std::string BlobNameOf(const RemoteNames& names, absl::string_view record) {
    return names.Blob(absl::BytesToHexString(
        ParseRecord(record, DeriveSigningKeys({kTeamKey}, "s"))->payload_sha256));
  }
  // A node must compile `name` again, refuse what is there, and leave a good entry behind.
  void ExpectRefused(const std::string& name) {
    Node reader(Options());
    EXPECT_EQ(reader.VerdictOf(name), Verdict::kMiss);
    EXPECT_EQ(reader.stats().entries.refused, 1u);
    reader.Close();
    Node after(Options());
    EXPECT_EQ(after.VerdictOf(name), Verdict::kRemote);
  }

  testing::TempDir folder_;
  std::unique_ptr<RedisServer> server_;
  std::unique_ptr<redis::Store> raw_;
  const RemoteNames names_{"s"};
};

TEST_F(RemoteCacheTest, WhatOneCompilesTheOthersFind) {
  Fill("f");
  Node other(Options());
  EXPECT_EQ(other.VerdictOf("f"), Verdict::kRemote);
  EXPECT_EQ(other.VerdictOf("f"), Verdict::kMemory);
  EXPECT_EQ(other.compiles(), 0);
  EXPECT_EQ(other.stats().hits, 1u);
  EXPECT_EQ(other.cache().stats().hits_remote, 1u);
}

TEST_F(RemoteCacheTest, ManyNodesThatWantTheSameProgramsCompileEachOnce) {
  constexpr int kNodes = 3, kPrograms = 50, kClients = 4;
  std::vector<std::unique_ptr<Node>> nodes;
  for (int i = 0; i < kNodes; ++i) {
    nodes.push_back(std::make_unique<Node>(Options()));
    nodes.back()->compile_time = milliseconds(5);
  }
  std::vector<std::thread> clients;
  for (int i = 0; i < kNodes * kClients; ++i) {
    clients.emplace_back([&nodes, i] {
      for (int k = 0; k < kPrograms; ++k) {
        nodes[i % kNodes]->VerdictOf(absl::StrCat("f", (k + 7 * i) % kPrograms));
      }
    });
  }
  for (std::thread& client : clients) client.join();
  int compiles = 0;
  for (const auto& node : nodes) {
    compiles += node->compiles();
    EXPECT_GT(node->compiles(), 0);
    EXPECT_EQ(node->stats().uploads_failed, 0u);
  }
  EXPECT_EQ(compiles, kPrograms);
}

TEST_F(RemoteCacheTest, ALeaseLastsAsLongAsItsCompile) {
  Node slow(Options()), other(Options());
  slow.compile_time = milliseconds(2000);  // more than three leases
  const auto ticket = slow.cache().Get(slow.RequestFor("f"));
  ASSERT_TRUE(Eventually([&] { return slow.compiles() == 1; }));
  EXPECT_EQ(other.VerdictOf("f"), Verdict::kRemote);
  EXPECT_EQ(other.stats().waits, 1u);
  EXPECT_EQ(slow.stats().leases_lost, 0u);
}

TEST_F(RemoteCacheTest, ADeadHolderDelaysNobodyPastItsLease) {
  Do({"SET", names_.Lease(DigestOf("f")), "somebody who died", "PX", "600"});
  Node node(Options());
  EXPECT_EQ(node.VerdictOf("f"), Verdict::kMiss);
  EXPECT_EQ(node.stats().waits, 1u);
  EXPECT_EQ(node.stats().leases, 1u);
}

TEST_F(RemoteCacheTest, WhoWaitedForTooLongCompilesForItself) {
  Do({"SET", names_.Lease(DigestOf("f")), "somebody who hangs"});
  RemoteTier::Options options = Options();
  options.max_wait = milliseconds(100);
  Node node(options);
  EXPECT_EQ(node.VerdictOf("f"), Verdict::kMiss);
  EXPECT_EQ(node.stats().waits_given_up, 1u);
  EXPECT_EQ(node.stats().leases, 0u);
}

TEST_F(RemoteCacheTest, TheFirstEntryStaysAndTheOthersUseTheirOwn) {
  Do({"SET", names_.Lease(DigestOf("f")), "somebody who hangs"});
  RemoteTier::Options options = Options();
  options.max_wait = milliseconds(50);
  Node first(options), second(options);
  second.compile_time = milliseconds(300);
  const auto ticket = second.cache().Get(second.RequestFor("f"));
  ASSERT_TRUE(Eventually([&] { return second.compiles() == 1; }));
  EXPECT_EQ(first.VerdictOf("f"), Verdict::kMiss);
  ASSERT_TRUE(Eventually([&] { return first.stats().entries.saved == 1; }));
  const std::string record = Value(names_.Record(DigestOf("f")));
  ASSERT_TRUE(ticket.future.Await().ok());
  EXPECT_EQ(ticket.future.Await()->verdict, Verdict::kMiss);
  ASSERT_TRUE(Eventually([&] { return second.stats().entries.others_were_first == 1; }));
  EXPECT_TRUE(Value(names_.Record(DigestOf("f"))) == record);
}

TEST_F(RemoteCacheTest, AFailedCompileFreesItsLease) {
  Node node(Options());
  EXPECT_FALSE(node.cache().Get(node.RequestFor("bad")).future.Await().ok());
  EXPECT_TRUE(Eventually([&] { return !Has(names_.Lease(DigestOf("bad"))); }));
  EXPECT_FALSE(Has(names_.Record(DigestOf("bad"))));
}

TEST_F(RemoteCacheTest, EveryFlippedBitOfARecordIsRefused) {
  Fill("f");
  const std::string name = names_.Record(DigestOf("f"));
  const std::string good = Value(name);
  EntryStore store(Options().entries, *raw_);
  const EntryHeader wanted{.key = DigestOf("f"), .build_id = "build-1", .architecture = "fake"};
  ASSERT_TRUE(store.Load(wanted).ok());
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
    Do({"SET", name, bad});
    EXPECT_TRUE(absl::IsNotFound(store.Load(wanted).status())) << "byte " << i;
    EXPECT_FALSE(Has(name));
  }
  EXPECT_EQ(store.stats().refused, good.size());
}

TEST_F(RemoteCacheTest, ARecordCutShortIsRefusedAndReplaced) {
  Fill("f");
  const std::string name = names_.Record(DigestOf("f"));
  const std::string good = Value(name);
  Do({"SET", name, absl::string_view(good).substr(0, good.size() / 2)});
  ExpectRefused("f");
}

TEST_F(RemoteCacheTest, BytesAfterARecordAreRefused) {
  Fill("f");
  const std::string name = names_.Record(DigestOf("f"));
  Do({"APPEND", name, "x"});
  ExpectRefused("f");
}

TEST_F(RemoteCacheTest, EntriesSwappedBetweenKeysAreRefused) {
  Fill("f");
  Fill("g");
  Do({"SET", names_.Record(DigestOf("f")), Value(names_.Record(DigestOf("g")))});
  ExpectRefused("f");
}

TEST_F(RemoteCacheTest, AnAlteredBlobIsRefusedAndReplaced) {
  Fill("f");
  const std::string blob = BlobNameOf(names_, Value(names_.Record(DigestOf("f"))));
  std::string bytes = Value(blob);
  bytes[bytes.size() / 2] ^= 1;
  Do({"SET", blob, bytes});
  ExpectRefused("f");
}

TEST_F(RemoteCacheTest, OtherCodeInTheBlobOfARecordIsNeverLoaded) {
  Fill("f");
  hal::Executable other = Node::ExecutableOf("f");
  other.code = "other code";
  Do({"SET", BlobNameOf(names_, Value(names_.Record(DigestOf("f")))),
      Compress(hal::Serialize(other))});
  ExpectRefused("f");
}

TEST_F(RemoteCacheTest, AWholeEntrySignedWithAnotherKeyIsNeverLoaded) {
  hal::Executable other = Node::ExecutableOf("f");
  other.code = "other code";
  EntryStore planter({.salt = "s", .keys = DeriveSigningKeys({kOtherKey}, "s")}, *raw_);
  const EntryHeader header{.key = DigestOf("f"),
                           .fingerprint = DigestOf("f"),
                           .build_id = "build-1",
                           .architecture = "fake"};
  ASSERT_TRUE(*planter.Save(header, hal::Serialize(other)));
  ExpectRefused("f");
}

TEST_F(RemoteCacheTest, ARecordOfAnotherTypeIsRefusedAndReplaced) {
  Do({"LPUSH", names_.Record(DigestOf("f")), "x"});
  ExpectRefused("f");
}

TEST_F(RemoteCacheTest, RefusedRecordsCanBeKeptForInspection) {
  Fill("f");
  Do({"APPEND", names_.Record(DigestOf("f")), "x"});
  RemoteTier::Options options = Options();
  options.entries.quarantine = true;
  Node node(options);
  EXPECT_EQ(node.VerdictOf("f"), Verdict::kMiss);
  EXPECT_TRUE(absl::EndsWith(Value(names_.Quarantine(DigestOf("f"))), "x"));
  EXPECT_GT(Do({"PTTL", names_.Quarantine(DigestOf("f"))}).integer, 0);
}

TEST_F(RemoteCacheTest, ARecordWhoseBlobIsGoneIsAMiss) {
  Fill("f");
  Do({"DEL", BlobNameOf(names_, Value(names_.Record(DigestOf("f"))))});
  Node node(Options());
  EXPECT_EQ(node.VerdictOf("f"), Verdict::kMiss);
  EXPECT_EQ(node.stats().entries.lost_blobs, 1u);
  EXPECT_EQ(node.stats().entries.refused, 0u);
  node.Close();
  Node after(Options());
  EXPECT_EQ(after.VerdictOf("f"), Verdict::kRemote);
}

TEST_F(RemoteCacheTest, AnotherSaltDisownsAllEntries) {
  Fill("f");
  RemoteTier::Options options = Options();
  options.entries.salt = "t";
  options.entries.keys = DeriveSigningKeys({kTeamKey}, "t");
  {
    Node node(options);
    EXPECT_EQ(node.VerdictOf("f"), Verdict::kMiss);
  }
  // Not even by its name: a record carried over is not signed for this salt.
  const RemoteNames names("t");
  Do({"SET", names.Record(DigestOf("f")), Value(names_.Record(DigestOf("f")))});
  Node node(options);
  EXPECT_EQ(node.VerdictOf("f"), Verdict::kMiss);
  EXPECT_EQ(node.stats().entries.refused, 1u);
}

TEST_F(RemoteCacheTest, KeysAreRotatedByListingBoth) {
  Fill("f");
  RemoteTier::Options options = Options();
  options.entries.keys = DeriveSigningKeys({kOtherKey, kTeamKey}, "s");
  Node both(options);
  EXPECT_EQ(both.VerdictOf("f"), Verdict::kRemote);
  EXPECT_EQ(both.VerdictOf("g"), Verdict::kMiss);
  both.Close();
  options.entries.keys = DeriveSigningKeys({kOtherKey}, "s");
  Node only_new(options);
  EXPECT_EQ(only_new.VerdictOf("g"), Verdict::kRemote);
  EXPECT_EQ(only_new.VerdictOf("f"), Verdict::kMiss);
}

TEST_F(RemoteCacheTest, KeysAreReplacedWhileTheCacheIsUsed) {
  Fill("f");
  Node node(Options());
  EXPECT_EQ(node.VerdictOf("f"), Verdict::kRemote);
  node.cache().tools().ReplaceKeys(DeriveSigningKeys({kOtherKey, kTeamKey}, "s"));
  EXPECT_EQ(node.VerdictOf("g"), Verdict::kMiss);
  node.Close();
  RemoteTier::Options options = Options();
  options.entries.keys = DeriveSigningKeys({kOtherKey}, "s");
  Node only_new(options);
  EXPECT_EQ(only_new.VerdictOf("g"), Verdict::kRemote);
  EXPECT_EQ(only_new.VerdictOf("f"), Verdict::kMiss);
}

TEST_F(RemoteCacheTest, AReaderWritesNothing) {
  Fill("f");
  Do({"APPEND", names_.Record(DigestOf("f")), "x"});
  Fill("g");
  const int64_t before = NumKeys();
  Node reader(ReadOnly());
  EXPECT_EQ(reader.VerdictOf("f"), Verdict::kMiss);
  EXPECT_EQ(reader.VerdictOf("g"), Verdict::kRemote);
  EXPECT_EQ(reader.VerdictOf("h"), Verdict::kMiss);
  reader.Close();
  EXPECT_EQ(NumKeys(), before);
  EXPECT_TRUE(absl::EndsWith(Value(names_.Record(DigestOf("f"))), "x"));
}

TEST_F(RemoteCacheTest, AReaderWaitsForWhoCompiles) {
  Node writer(Options()), reader(ReadOnly());
  writer.compile_time = milliseconds(300);
  const auto ticket = writer.cache().Get(writer.RequestFor("f"));
  ASSERT_TRUE(Eventually([&] { return writer.compiles() == 1; }));
  EXPECT_EQ(reader.VerdictOf("f"), Verdict::kRemote);
  EXPECT_EQ(reader.compiles(), 0);
}

TEST_F(RemoteCacheTest, GoesOnWithoutRedisAndWithItAgain) {
  Node node(Options());
  server_->process().Signal(SIGKILL);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(node.VerdictOf(absl::StrCat("f", i)), Verdict::kMiss);
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
  for (int i = 0; i < 20; ++i) EXPECT_EQ(node.VerdictOf(absl::StrCat("f", i)), Verdict::kMiss);
  // The others did not wait: the breaker was open.
  EXPECT_LE(node.stats().redis.failures, 5u);
  EXPECT_TRUE(node.stats().redis.breaker_is_open);
  server_->process().Signal(SIGCONT);
}

TEST_F(RemoteCacheTest, AFullRedisCostsNothingButTheUpload) {
  Do({"CONFIG", "SET", "maxmemory", "1"});
  Node node(Options());
  EXPECT_EQ(node.VerdictOf("f"), Verdict::kMiss);
  EXPECT_EQ(node.VerdictOf("f"), Verdict::kMemory);
  ASSERT_TRUE(Eventually([&] { return node.stats().uploads_failed == 1; }));
  Do({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(node.VerdictOf("g"), Verdict::kMiss);
  ASSERT_TRUE(Eventually([&] { return node.stats().entries.saved == 1; }));
}

TEST_F(RemoteCacheTest, WhatRedisForgetsIsCompiledAgainOnce) {
  Fill("f");
  Do({"FLUSHALL", "SYNC"});
  Node first(Options()), second(Options());
  EXPECT_EQ(first.VerdictOf("f"), Verdict::kMiss);
  first.Close();
  EXPECT_EQ(second.VerdictOf("f"), Verdict::kRemote);
}

TEST_F(RemoteCacheTest, ASlowRedisIsWaitedFor) {
  Fill("f");
  Node node(Options());
  Do({"CLIENT", "PAUSE", "300", "ALL"});
  EXPECT_EQ(node.VerdictOf("f"), Verdict::kRemote);
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
    EXPECT_EQ(node.VerdictOf("f"), Verdict::kMiss);
    EXPECT_EQ(node.VerdictOf("g"), Verdict::kMiss);
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
  EXPECT_EQ(node.VerdictOf("f"), Verdict::kMiss);
  EXPECT_EQ(node.compiles(), 1);
  node.Close();
  Node again(Options(), 2, cache);
  EXPECT_EQ(again.VerdictOf("f"), Verdict::kDisk);
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
  EXPECT_TRUE(absl::IsCancelled(ticket.future.Await().status())) << ticket.future.Await().status();
}

}  // namespace
}  // namespace acceld::cache

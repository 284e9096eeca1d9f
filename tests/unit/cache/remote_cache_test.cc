// The caches of several daemons that share the distribution's Redis.

#include "tests/unit/cache/remote_cache_fixture.h"

namespace acceld::cache {
namespace {

TEST_F(RemoteCacheTest, WhatOneCompilesTheOthersFind) {
  Fill("f");
  Node other(Options());
  EXPECT_EQ(other.VerdictOf("f"), CacheVerdict::kRemote);
  EXPECT_EQ(other.VerdictOf("f"), CacheVerdict::kMemory);
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
  EXPECT_EQ(other.VerdictOf("f"), CacheVerdict::kRemote);
  EXPECT_EQ(other.stats().waits, 1u);
  EXPECT_EQ(slow.stats().leases_lost, 0u);
}

TEST_F(RemoteCacheTest, ADeadHolderDelaysNobodyPastItsLease) {
  Do({"SET", names_.Lease(DigestOf("f")), "somebody who died", "PX", "600"});
  Node node(Options());
  EXPECT_EQ(node.VerdictOf("f"), CacheVerdict::kMiss);
  EXPECT_EQ(node.stats().waits, 1u);
  EXPECT_EQ(node.stats().leases, 1u);
}

TEST_F(RemoteCacheTest, WhoWaitedForTooLongCompilesForItself) {
  Do({"SET", names_.Lease(DigestOf("f")), "somebody who hangs"});
  RemoteTier::Options options = Options();
  options.max_wait = milliseconds(100);
  Node node(options);
  EXPECT_EQ(node.VerdictOf("f"), CacheVerdict::kMiss);
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
  EXPECT_EQ(first.VerdictOf("f"), CacheVerdict::kMiss);
  ASSERT_TRUE(Eventually([&] { return first.stats().entries.saved == 1; }));
  const std::string record = Value(names_.Record(DigestOf("f")));
  ASSERT_TRUE(ticket.future.Await().ok());
  EXPECT_EQ(ticket.future.Await()->verdict, CacheVerdict::kMiss);
  ASSERT_TRUE(Eventually([&] { return second.stats().entries.others_were_first == 1; }));
  EXPECT_TRUE(Value(names_.Record(DigestOf("f"))) == record);
}

TEST_F(RemoteCacheTest, AFailedCompileFreesItsLease) {
  Node node(Options());
  EXPECT_FALSE(node.cache().Get(node.RequestFor("bad")).future.Await().ok());
  EXPECT_TRUE(Eventually([&] { return !Has(names_.Lease(DigestOf("bad"))); }));
  EXPECT_FALSE(Has(names_.Record(DigestOf("bad"))));
}

}  // namespace
}  // namespace acceld::cache

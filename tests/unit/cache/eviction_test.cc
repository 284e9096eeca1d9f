#include "server/cache/eviction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace acceld::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Entries of a tier, in the order of their last use.
struct Tier {
  void Add(const std::string& owner, int count, int64_t size_bytes = 1) {
    for (int i = 0; i < count; ++i) {
      const auto position = static_cast<int64_t>(entries.size());
      entries.push_back({DigestOf(std::to_string(position)), owner, position, size_bytes});
      bytes_by_owner[owner] += size_bytes;
    }
  }
  // The positions of what goes.
  std::vector<int64_t> Chosen(int64_t excess_bytes, const TierLimits& limits) const {
    std::vector<int64_t> positions;
    for (const Digest& key : ChooseEvicted(entries, bytes_by_owner, excess_bytes, limits)) {
      for (const Evictable& entry : entries) {
        if (entry.key == key) positions.push_back(entry.last_use);
      }
    }
    return positions;
  }

  std::vector<Evictable> entries;
  BytesByOwner bytes_by_owner;
};

constexpr int kMapSharedArray = 25;

TEST(EvictionTest, TheLeastRecentlyUsedGoFirst) {
  Tier tier;
  tier.Add("", 8);
  EXPECT_THAT(tier.Chosen(2, {8, kMapSharedArray}), ElementsAre(0, 1));
  EXPECT_THAT(tier.Chosen(0, {8, kMapSharedArray}), IsEmpty());
}

TEST(EvictionTest, OwnersWithMoreThanAShareLoseTheirsFirst) {
  Tier tier;
  tier.Add("modest", 2);
  tier.Add("", 1);
  tier.Add("greedy", 5);
  EXPECT_THAT(tier.Chosen(2, {8, kMapSharedArray}), ElementsAre(3, 4));
}

TEST(EvictionTest, WhenTheyHaveNoMoreThanTheirsTheOldestOfAllGo) {
  Tier tier;
  tier.Add("modest", 2);
  tier.Add("greedy", 3);
  tier.Add("", 3);
  EXPECT_THAT(tier.Chosen(3, {8, kMapSharedArray}), ElementsAre(2, 0, 1));
}

TEST(EvictionTest, WhatMayNotGoCountsForItsOwner) {
  Tier tier;
  tier.Add("modest", 2);
  tier.Add("greedy", 1);
  tier.bytes_by_owner["greedy"] += 5;
  EXPECT_THAT(tier.Chosen(1, {8, kMapSharedArray}), ElementsAre(2));
}

TEST(EvictionTest, WhereEntriesAreSmallSomeMoreGo) {
  Tier tier;
  tier.Add("modest", 100);
  tier.Add("greedy", 700);
  // Of one that has more than its share, and of all.
  EXPECT_EQ(tier.Chosen(1, {800, kMapSharedArray}).size(), 51u);
  EXPECT_EQ(tier.Chosen(1, {800, kMapSharedArray})[0], 100);
  tier.bytes_by_owner.clear();
  EXPECT_EQ(tier.Chosen(1, {800, kMapSharedArray}).size(), 51u);
  EXPECT_EQ(tier.Chosen(1, {800, kMapSharedArray})[0], 0);
  // Not the large ones for that.
  Tier large;
  large.Add("", 8, 100);
  EXPECT_THAT(large.Chosen(1, {800, kMapSharedArray}), ElementsAre(0));
}

TEST(EvictionTest, AnOwnerAtTheBoundOfItsShareIsNotGoneThroughForEveryEntry) {
  Tier tier;
  for (const char* modest : {"a", "b", "c"}) tier.Add(modest, 200);
  tier.Add("greedy", 201);
  EXPECT_GE(tier.Chosen(1, {800, kMapSharedArray}).size(), 50u);
  EXPECT_EQ(tier.Chosen(1, {800, kMapSharedArray})[0], 600);
}

}  // namespace
}  // namespace acceld::cache

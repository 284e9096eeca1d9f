#include "server/compiler/plan/arena.h"

#include <random>

#include "gtest/gtest.h"
#include "server/compiler/plan/moves.h"

namespace acceld::compiler {
namespace {

TEST(ArenaTest, TemporariesThatLiveAtTheSameTimeNeverOverlap) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<Interval> intervals;
    for (int i = 0; i < 60; ++i) {
      const auto first = static_cast<int32_t>(random() % 40);
      intervals.push_back({static_cast<int64_t>(random() % 500), first,
                           first + static_cast<int32_t>(random() % 10)});
    }
    const auto layout = LayOutArena(intervals);
    ASSERT_TRUE(layout.ok());
    for (size_t a = 0; a < intervals.size(); ++a) {
      EXPECT_EQ(layout->offsets[a] % 64, 0);
      EXPECT_LE(layout->offsets[a] + intervals[a].size_bytes, layout->size_bytes);
      for (size_t b = 0; b < a; ++b) {
        const bool same_time =
            intervals[a].first <= intervals[b].last && intervals[b].first <= intervals[a].last;
        const bool apart = layout->offsets[a] + intervals[a].size_bytes <= layout->offsets[b] ||
                           layout->offsets[b] + intervals[b].size_bytes <= layout->offsets[a];
        EXPECT_TRUE(!same_time || apart) << a << " and " << b;
      }
    }
  }
}

TEST(ArenaTest, PlacesAreReusedWhenTheirTimeIsOver) {
  std::vector<Interval> chain;
  for (int i = 0; i < 100; ++i) chain.push_back({1000, i, i + 1});
  const auto layout = LayOutArena(chain);
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->size_bytes, 2 * 1024);
}

TEST(ArenaTest, GapsThatTheirOrderInTimeWouldLeaveAreFilled) {
  // Where the first one was, the small one leaves no room for the last.
  const std::vector<Interval> intervals = {
      {2 << 10, 0, 1}, {3 << 10, 0, 9}, {1 << 10, 2, 9}, {2 << 10, 3, 9}};
  const auto layout = LayOutArena(intervals);
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->live_bytes, 6 << 10);
  EXPECT_EQ(layout->size_bytes, 6 << 10);
}

// Like a network's: what a layer computes is there for a few steps, or until its gradient.
TEST(ArenaTest, TakesHardlyEverATenthMoreThanWhatExistsAtTheSameTime) {
  std::mt19937 random(3);
  int above = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<Interval> intervals;
    const int32_t steps = 20 + static_cast<int32_t>(random() % 100);
    for (int32_t step = 0; step < steps; ++step) {
      const int64_t size = static_cast<int64_t>(1 + random() % 4) << (8 + random() % 8);
      intervals.push_back({size, step, step + 1 + static_cast<int32_t>(random() % 3)});
      if (step < steps / 2 && step % 3 == 0) intervals.push_back({2 * size, step, steps - step});
    }
    const auto layout = LayOutArena(intervals);
    ASSERT_TRUE(layout.ok());
    EXPECT_GE(layout->size_bytes, layout->live_bytes);
    above += layout->size_bytes * 10 > layout->live_bytes * 11;
  }
  EXPECT_LE(above, 2);
}

TEST(MovesTest, AnyParallelAssignmentReadsOldContents) {
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    const uint32_t n = 1 + random() % 7;
    std::vector<Move> moves;
    for (uint32_t to = 0; to < n; ++to) moves.push_back({to, static_cast<uint32_t>(random() % n)});
    std::vector<uint32_t> memory(n);
    for (uint32_t i = 0; i < n; ++i) memory[i] = i;
    const auto sequence = SequenceMoves(moves, [&](uint32_t) {
      memory.push_back(~0u);
      return static_cast<uint32_t>(memory.size() - 1);
    });
    for (const Move& move : sequence) memory[move.to] = memory[move.from];
    for (const Move& move : moves) EXPECT_EQ(memory[move.to], move.from);
  }
}

}  // namespace
}  // namespace acceld::compiler

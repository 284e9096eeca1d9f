#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "server/hal/free_blocks.h"

namespace acceld::hal {
namespace {

void* At(uintptr_t address) { return reinterpret_cast<void*>(address); }

TEST(FreeRangesTest, ABlockIsCutForASmallerOne) {
  FreeRanges ranges(1);
  ranges.Put({At(1000), 100});
  EXPECT_EQ(ranges.Take(30), At(1000));
  EXPECT_EQ(ranges.Take(70), At(1030));
  EXPECT_EQ(ranges.Take(1), nullptr);
  EXPECT_EQ(ranges.size_bytes(), 0);
}

TEST(FreeRangesTest, BlocksSideBySideServeALargerOne) {
  FreeRanges ranges(1);
  ranges.Put({At(1000), 100});
  ranges.Put({At(1200), 100});
  EXPECT_EQ(ranges.Take(300), nullptr);
  ranges.Put({At(1100), 100});
  EXPECT_EQ(ranges.Take(300), At(1000));
}

TEST(FreeRangesTest, TheSmallestThatIsLargeEnoughServes) {
  FreeRanges ranges(1);
  ranges.Put({At(1000), 100});
  ranges.Put({At(2000), 50});
  ranges.Put({At(3000), 40});
  EXPECT_EQ(ranges.Take(45), At(2000));
  EXPECT_EQ(ranges.Take(45), At(1000));
}

TEST(FreeRangesTest, TheHighestAddressesAreGivenBackFirst) {
  FreeRanges ranges(1);
  ranges.Put({At(1000), 100});
  ranges.Put({At(2000), 100});
  std::vector<MemoryRange> out;
  ranges.Shrink(70, out);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].address, At(2000));
  EXPECT_EQ(out[0].size_bytes, 100);
  EXPECT_EQ(out[1].address, At(1070));
  EXPECT_EQ(out[1].size_bytes, 30);
  EXPECT_EQ(ranges.Take(70), At(1000));
}

TEST(FreeRangesTest, OnlyWholeUnitsAreGivenBack) {
  FreeRanges ranges(10);
  ranges.Put({At(1000), 100});
  std::vector<MemoryRange> out;
  ranges.Shrink(75, out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].address, At(1070));
  EXPECT_EQ(out[0].size_bytes, 30);
  EXPECT_EQ(ranges.size_bytes(), 70);
}

TEST(FreeRangesTest, WhatWasInUseAtSomeTimeSinceStays) {
  FreeRanges ranges(1);
  ranges.Put({At(1000), 100});
  std::vector<MemoryRange> out;
  ranges.TakeUnused(out);
  EXPECT_TRUE(out.empty());  // It was in use before.
  ranges.Put({ranges.Take(60), 60});
  ranges.TakeUnused(out);
  EXPECT_EQ(ranges.size_bytes(), 60);
  ranges.TakeUnused(out);
  EXPECT_EQ(ranges.size_bytes(), 0);
}

// Against a picture with a letter for each byte.
TEST(FreeRangesTest, NoByteIsLostOrGivenTwice) {
  constexpr int kBytes = 400;
  enum class State : uint8_t { kFree, kUsed, kGivenBack };
  std::vector<State> bytes(kBytes, State::kFree);
  FreeRanges ranges(1);
  ranges.Put({At(1), kBytes});
  std::vector<MemoryRange> used;
  std::mt19937 random(7);
  const auto mark = [&](const MemoryRange& range, State from, State to) {
    for (int64_t i = 0; i < range.size_bytes; ++i) {
      State& byte = bytes[reinterpret_cast<uintptr_t>(range.address) - 1 + i];
      ASSERT_EQ(byte, from);
      byte = to;
    }
  };
  for (int step = 0; step < 20'000; ++step) {
    const uint32_t choice = random() % 100;
    if (choice < 50) {
      const int64_t size = 1 + random() % 20;
      if (void* const address = ranges.Take(size)) {
        used.push_back({address, size});
        mark(used.back(), State::kFree, State::kUsed);
      }
    } else if (choice < 99 && !used.empty()) {
      std::swap(used[random() % used.size()], used.back());
      mark(used.back(), State::kUsed, State::kFree);
      ranges.Put(used.back());
      used.pop_back();
    } else if (choice == 99) {
      std::vector<MemoryRange> out;
      ranges.Shrink(ranges.size_bytes() - std::min<int64_t>(ranges.size_bytes(), 10), out);
      for (const MemoryRange& range : out) {
        mark(range, State::kFree, State::kGivenBack);  // and new memory comes for it
        mark(range, State::kGivenBack, State::kFree);
        ranges.Put(range);
      }
    }
    ASSERT_EQ(ranges.size_bytes(), std::count(bytes.begin(), bytes.end(), State::kFree));
  }
}

}  // namespace
}  // namespace acceld::hal

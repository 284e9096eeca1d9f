#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>

#include "server/hal/cpu/host_memory.h"

namespace acceld::hal::cpu {
namespace {

using ::testing::HasSubstr;

TEST(MemoryPoolTest, BlocksAreAlignedAndZeroBytesAreFine) {
  auto pool = CreateHostMemoryPool(1 << 20, 1 << 20);
  for (const int64_t size : {0, 1, 63, 64, 65, 100'000}) {
    auto buffer = *pool->Allocate(size);
    EXPECT_EQ(buffer->size_bytes(), size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->address()) % 64, 0u);
  }
  EXPECT_EQ(pool->stats().used_bytes, 0);
}

TEST(MemoryPoolTest, FreedBlocksAreReused) {
  auto pool = CreateHostMemoryPool(1 << 20, 1 << 20);
  const void* address = (*pool->Allocate(5000))->address();
  EXPECT_EQ((*pool->Allocate(5000))->address(), address);
}

TEST(MemoryPoolTest, RefusalNamesSizeUseAndLimit) {
  auto pool = CreateHostMemoryPool(10 << 10, 0);
  auto held = *pool->Allocate(8 << 10);
  const absl::Status refused = pool->Allocate(4 << 10).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("4096 bytes do not fit, 8192 of 10240"));
  EXPECT_EQ(pool->Allocate(-1).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(pool->Allocate(INT64_MAX).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(MemoryPoolTest, RoundingNeverRefusesWhatFits) {
  auto pool = CreateHostMemoryPool(1'000'000, 0);
  EXPECT_TRUE(pool->Allocate(999'900).ok());
}

TEST(MemoryPoolTest, KeptBlocksGiveWayToRequests) {
  auto pool = CreateHostMemoryPool(1 << 20, 1 << 20);
  for (int64_t size = 1024; size < 512 << 10; size *= 2) pool->Allocate(size)->reset();
  EXPECT_GT(pool->kept_bytes(), 400 << 10);
  EXPECT_TRUE(pool->Allocate(1 << 20).ok());
  EXPECT_EQ(pool->stats().peak_bytes, 1 << 20);
}

TEST(MemoryPoolTest, SizesThatNobodyUsesAnyMoreAreGivenBack) {
  auto pool = CreateHostMemoryPool(1 << 20, 1 << 20);
  (void)pool->Allocate(1000);
  (void)pool->Allocate(5000);
  pool->ReleaseUnused();
  EXPECT_GT(pool->kept_bytes(), 6000);  // They were used since the beginning.
  (void)pool->Allocate(1000);
  pool->ReleaseUnused();
  EXPECT_GT(pool->kept_bytes(), 0);
  EXPECT_LT(pool->kept_bytes(), 5000);
  pool->ReleaseUnused();
  EXPECT_EQ(pool->kept_bytes(), 0);
  EXPECT_TRUE(pool->Allocate(1000).ok());
}

TEST(MemoryPoolTest, LargeFreedBlocksServeOtherSizes) {
  auto pool = CreateHostMemoryPool(64 << 20, 64 << 20);
  std::memset((*pool->Allocate(32 << 20))->address(), 1, 32 << 20);
  EXPECT_EQ(pool->kept_bytes(), 32 << 20);
  const auto large = *pool->Allocate(16 << 20);
  const auto small = *pool->Allocate(3 << 20);
  EXPECT_EQ(pool->kept_bytes(), (32 - 16 - 3) << 20);
  std::memset(large->address(), 2, 16 << 20);
  std::memset(small->address(), 3, 3 << 20);
  EXPECT_EQ(static_cast<const char*>(large->address())[(16 << 20) - 1], 2);
}

TEST(MemoryPoolTest, LargeBlocksThatNobodyUsesAnyMoreAreGivenBack) {
  auto pool = CreateHostMemoryPool(64 << 20, 64 << 20);
  (void)pool->Allocate(32 << 20);
  pool->ReleaseUnused();
  EXPECT_EQ(pool->kept_bytes(), 32 << 20);  // It was used since the beginning.
  std::memset((*pool->Allocate(8 << 20))->address(), 1, 8 << 20);
  pool->ReleaseUnused();
  EXPECT_EQ(pool->kept_bytes(), 8 << 20);
  std::memset((*pool->Allocate(32 << 20))->address(), 1, 32 << 20);
}

TEST(MemoryPoolTest, PagesAreGivenBackWholeBesideSmallBlocks) {
  const auto mapped_kib = [] {
    std::ifstream status("/proc/self/statm");
    int64_t pages = 0;
    status >> pages;
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
  };
  auto pool = CreateHostMemoryPool(64 << 20, 32 << 20);
  (void)pool->Allocate(1000);
  (void)pool->Allocate(48 << 20);
  const int64_t before = mapped_kib();
  for (int i = 0; i < 20; ++i) (void)pool->Allocate(48 << 20);
  EXPECT_LT(mapped_kib(), before + (64 << 10));
  EXPECT_LE(pool->kept_bytes(), 32 << 20);
}

TEST(MemoryPoolTest, ABlockLargerThanWhatIsKeptIsKeptInPart) {
  auto pool = CreateHostMemoryPool(64 << 20, 8 << 20);
  std::memset((*pool->Allocate(32 << 20))->address(), 1, 32 << 20);
  EXPECT_EQ(pool->kept_bytes(), 8 << 20);
  std::memset((*pool->Allocate(64 << 20))->address(), 1, 64 << 20);
}

TEST(MemoryPoolTest, PreparedPagesServeUnlessNobodyUsesThem) {
  auto pool = CreateHostMemoryPool(64 << 20, 32 << 20);
  pool->ReleaseUnused();
  ASSERT_TRUE(pool->Prepare(8 << 20).ok());
  ASSERT_TRUE(pool->Prepare(8 << 20).ok());
  EXPECT_EQ(pool->kept_bytes(), 16 << 20);
  EXPECT_EQ(pool->stats().peak_bytes, 0);
  {
    const auto buffer = *pool->Allocate(6 << 20);
    EXPECT_EQ(pool->kept_bytes(), 10 << 20);
  }
  pool->ReleaseUnused();
  pool->ReleaseUnused();
  EXPECT_EQ(pool->kept_bytes(), 0);
}

TEST(MemoryPoolTest, NothingIsPreparedThatDoesNotFit) {
  auto pool = CreateHostMemoryPool(32 << 20, 16 << 20);
  EXPECT_FALSE(pool->Prepare(24 << 20).ok());  // More than is kept.
  const auto buffer = *pool->Allocate(20 << 20);
  EXPECT_FALSE(pool->Prepare(16 << 20).ok());
  EXPECT_TRUE(pool->Prepare(8 << 20).ok());
  EXPECT_FALSE(pool->Prepare(8 << 20).ok());
  EXPECT_EQ(pool->kept_bytes(), 8 << 20);
}

TEST(MemoryPoolTest, WhatIsKeptIsBounded) {
  auto pool = CreateHostMemoryPool(1 << 30, 64 << 10);
  for (int64_t size = 1000; size < 100'000; size += 1000) pool->Allocate(size)->reset();
  EXPECT_LE(pool->kept_bytes(), 64 << 10);
}

}  // namespace
}  // namespace acceld::hal::cpu

#include "server/runtime/memory/meter.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace acceld::runtime {
namespace {

TEST(MeterTest, ARefusalSaysWhatWasAskedUseAndLimit) {
  Meter meter("quota of ann: host-memory", " bytes", 10);
  EXPECT_TRUE(meter.Charge(8).ok());
  const absl::Status refused = meter.Charge(3);
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(refused.message(), "quota of ann: host-memory: 3 bytes do not fit, 8 of 10 are in use");
  EXPECT_EQ(meter.used(), 8);
  EXPECT_TRUE(meter.Charge(2).ok());
}

TEST(MeterTest, WhatTheParentRefusesIsChargedNowhere) {
  const auto parent = std::make_shared<Meter>("all", "", 10);
  Meter a("a", "", 100, parent), b("b", "", 100, parent);
  EXPECT_TRUE(a.Charge(7).ok());
  EXPECT_EQ(b.Charge(4).message(), "all: 4 do not fit, 7 of 10 are in use");
  EXPECT_EQ(b.used(), 0);
  EXPECT_EQ(parent->used(), 7);
  b.ChargeAnyway(4);
  EXPECT_EQ(parent->used(), 11);
  a.Refund(7);
  b.Refund(4);
  EXPECT_EQ(parent->used(), 0);
}

TEST(MeterTest, ALowerLimitLeavesWhatIsInUse) {
  Meter meter("handles", "", 10);
  EXPECT_TRUE(meter.Charge(5).ok());
  meter.SetLimit(3);
  EXPECT_FALSE(meter.Charge(1).ok());
  EXPECT_TRUE(meter.Charge(0).ok());
  EXPECT_EQ(meter.used(), 5);
  meter.Refund(3);
  EXPECT_TRUE(meter.Charge(1).ok());
}

TEST(MeterTest, ChargesAreRefundedOnceHoweverTheyMove) {
  const auto meter = std::make_shared<Meter>("handles", "", 10);
  {
    Charge all;
    Charge first = *Charge::Take(meter, 2);
    all.Merge(std::move(first));
    all.Merge(*Charge::Take(meter, 3));
    EXPECT_EQ(meter->used(), 5);
    all.Refund(1);
    EXPECT_EQ(meter->used(), 4);
    Charge moved = std::move(all);
    EXPECT_EQ(meter->used(), 4);
    moved = *Charge::Take(meter, 1);
    EXPECT_EQ(meter->used(), 1);
  }
  EXPECT_EQ(meter->used(), 0);
  EXPECT_FALSE(Charge::Take(meter, 11).ok());
}

TEST(MeterTest, WhatManyThreadsChargeIsAllRefunded) {
  const auto meter = std::make_shared<Meter>("handles", "", 3);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&meter] {
      for (int i = 0; i < 10'000; ++i) {
        const absl::StatusOr<Charge> charge = Charge::Take(meter, 1);
        EXPECT_GE(meter->used(), charge.ok() ? 1 : 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(meter->used(), 0);
}

}  // namespace
}  // namespace acceld::runtime

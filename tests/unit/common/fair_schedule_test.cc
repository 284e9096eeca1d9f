#include "common/threads/fair_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

namespace acceld {
namespace {

using Flow = FairSchedule::Flow;
constexpr Priority kBatch = Priority::kBatch;
constexpr Priority kNormal = Priority::kNormal;
constexpr Priority kInteractive = Priority::kInteractive;

// Flows that always have work of one cost each, and the order in which they are served.
class Device {
 public:
  void Add(char name, Flow& flow, double cost = 1) {
    names_[&flow] = {name, cost};
    schedule_.Activate(flow);
  }
  void Remove(Flow& flow) { schedule_.Deactivate(flow); }
  std::string Serve(int times) {
    std::string order;
    for (int i = 0; i < times; ++i) {
      Flow* const flow = schedule_.Next();
      if (flow == nullptr) return order;
      order += names_[flow].first;
      schedule_.Charge(*flow, names_[flow].second);
    }
    return order;
  }
  int CountOf(char name, int times) {
    const std::string order = Serve(times);
    return static_cast<int>(std::count(order.begin(), order.end(), name));
  }
  FairSchedule& schedule() { return schedule_; }

 private:
  FairSchedule schedule_;
  std::map<Flow*, std::pair<char, double>> names_;
};

TEST(FairScheduleTest, FlowsOfEqualCostTakeTurns) {
  Device device;
  Flow a(kNormal), b(kNormal), c(kNormal);
  device.Add('a', a);
  device.Add('b', b);
  device.Add('c', c);
  EXPECT_EQ(device.Serve(7), "abcabca");
  device.Remove(b);
  EXPECT_EQ(device.Serve(4), "caca");
}

TEST(FairScheduleTest, WhatCostsMoreIsServedLessOften) {
  Device device;
  Flow small(kNormal), large(kNormal);
  device.Add('s', small, 1);
  device.Add('l', large, 10);
  EXPECT_NEAR(device.CountOf('l', 1100), 100, 1);
}

TEST(FairScheduleTest, ClassesShareAsTheirWeightsSayHoweverManyFlowsTheyHave) {
  Device device;
  Flow batch(kBatch), interactive(kInteractive);
  Flow normal[] = {Flow(kNormal), Flow(kNormal), Flow(kNormal), Flow(kNormal)};
  device.Add('b', batch);
  device.Add('i', interactive);
  for (Flow& flow : normal) device.Add('n', flow);
  const std::string order = device.Serve(7300);
  EXPECT_NEAR(std::count(order.begin(), order.end(), 'i'), 6400, 2);
  EXPECT_NEAR(std::count(order.begin(), order.end(), 'n'), 800, 2);
  EXPECT_NEAR(std::count(order.begin(), order.end(), 'b'), 100, 2);
}

TEST(FairScheduleTest, AHigherClassGoesFirstWhenItComes) {
  Device device;
  Flow batch(kBatch), normal(kNormal), interactive(kInteractive);
  device.Add('b', batch);
  (void)device.Serve(1000);
  device.Add('n', normal);
  EXPECT_EQ(device.Serve(1), "n");
  device.Add('i', interactive);
  EXPECT_EQ(device.Serve(3), "iii");
}

TEST(FairScheduleTest, IdlenessEarnsNoCredit) {
  Device device;
  Flow a(kNormal), b(kNormal);
  device.Add('a', a);
  device.Add('b', b);
  (void)device.Serve(2);
  device.Remove(b);
  (void)device.Serve(1000);
  device.Add('b', b);
  EXPECT_NEAR(device.CountOf('b', 100), 50, 1);
}

TEST(FairScheduleTest, WhatWasUsedWhileNobodyElseWantedItIsForgottenWithTheBusyPeriod) {
  Device device;
  Flow a(kNormal), b(kNormal);
  device.Add('a', a, 1000);
  (void)device.Serve(1);
  device.Remove(a);
  device.schedule().EndBusyPeriod();
  device.Add('b', b, 1);
  device.Add('a', a, 1);
  EXPECT_NEAR(device.CountOf('a', 100), 50, 1);
}

TEST(FairScheduleTest, AFlowPaysForWhatItTookNotForWhatWasExpected) {
  Device device;
  Flow a(kNormal), b(kNormal);
  device.Add('a', a);
  device.Add('b', b);
  EXPECT_EQ(device.Serve(2), "ab");
  device.schedule().Charge(a, 3);
  EXPECT_EQ(device.Serve(5), "bbbab");
  device.schedule().Charge(a, -3);
  EXPECT_EQ(device.Serve(3), "aaa");
}

TEST(FairScheduleTest, AFlowIsDueUntilItHasHadItsShareAndTheLead) {
  Device device;
  Flow busy(kNormal), same(kNormal);
  device.Add('b', busy);
  device.Serve(100);
  FairSchedule& schedule = device.schedule();
  EXPECT_TRUE(schedule.IsDue(same, 1));
  schedule.Activate(same);
  schedule.Charge(same, 10);
  EXPECT_FALSE(schedule.IsDue(same, 9));
  EXPECT_TRUE(schedule.IsDue(same, 12));
  schedule.Deactivate(same);
  // Service of others brings it nearer.
  device.Serve(20);
  EXPECT_TRUE(schedule.IsDue(same, 2));
}

// What is served out of turn does not move on the virtual time of its group and class.
TEST(FairScheduleTest, AFlowIsDueAsLongAsItIsServedBesideNobodyOfItsOwn) {
  for (const bool same_class : {true, false}) {
    FairSchedule schedule;
    FairSchedule::Group group, others;
    Flow flow(kInteractive, &group), sibling(kInteractive, &group);
    Flow busy(same_class ? kInteractive : kNormal, &others);
    // One that runs and has no more to do for now.
    schedule.Activate(busy);
    (void)schedule.Next();
    schedule.Deactivate(busy);
    const auto serve_out_of_turn = [&](Flow& served) {
      schedule.Activate(served);
      schedule.Charge(served, 10);
      schedule.Deactivate(served);
    };
    for (int i = 0; i < 50; ++i) {
      EXPECT_TRUE(schedule.IsDue(flow, 1, &busy)) << i;
      serve_out_of_turn(flow);
      // As much, and no more, is charged to the other.
      schedule.Charge(busy, same_class ? 10 : 2);
      schedule.Continue(busy);
    }
    // Another of its group that waits goes first.
    schedule.Activate(sibling);
    EXPECT_FALSE(schedule.IsDue(flow, 1, &busy));
    EXPECT_TRUE(schedule.IsDue(sibling, 1, &busy));
    schedule.Deactivate(sibling);
    // More than its share beside the one that is being served.
    for (int i = 0; i < 50; ++i) serve_out_of_turn(flow);
    EXPECT_FALSE(schedule.IsDue(flow, 1, &busy));
    EXPECT_TRUE(schedule.IsDue(flow, 1)) << "nobody is";
  }
}

TEST(FairScheduleTest, AGroupHasOneShareHoweverManyFlowsItHas) {
  FairSchedule::Group many, few;
  Flow of_many[] = {Flow(kNormal, &many), Flow(kNormal, &many), Flow(kNormal, &many)};
  Flow alone(kNormal, &few), without(kNormal);
  Device device;
  for (Flow& flow : of_many) device.Add('m', flow);
  device.Add('f', alone);
  device.Add('w', without);
  const std::string order = device.Serve(3000);
  for (const char name : {'m', 'f', 'w'}) {
    EXPECT_NEAR(std::count(order.begin(), order.end(), name), 1000, 2) << name;
  }
}

TEST(FairScheduleTest, GroupsShareAsTheirWeightsSay) {
  FairSchedule::Group light(0.5), heavy(2);
  Flow l(kNormal, &light), h(kNormal, &heavy), other(kBatch, &light);
  Device device;
  device.Add('l', l);
  device.Add('h', h);
  EXPECT_NEAR(device.CountOf('l', 1000), 200, 2);
  // The weight counts inside a class, not between classes.
  device.Remove(h);
  device.Add('b', other);
  EXPECT_NEAR(device.CountOf('b', 900), 100, 2);
}

TEST(FairScheduleTest, AHandicapChangesTheOrderAndNoShares) {
  FairSchedule::Group group;
  Flow a(kNormal, &group), b(kNormal);
  Device device;
  device.Add('a', a);
  device.Add('b', b);
  device.schedule().SetHandicap(a, 5);
  EXPECT_EQ(device.Serve(8), "bbbbbaba");
  EXPECT_NEAR(device.CountOf('a', 1000), 500, 5);
  device.schedule().SetHandicap(a, 0);
  EXPECT_EQ(device.Serve(4), "aaaa");
}

TEST(FairScheduleTest, WhatComesWhileOneIsServedForLongBeginsBesideIt) {
  Flow running(kNormal), other(kNormal);
  Device device;
  device.Add('r', running, 1);
  (void)device.Serve(1);
  device.schedule().Charge(running, 1000);
  device.schedule().Continue(running, /*cost=*/10);
  device.Add('o', other, 1);
  // Not a thousand times before it.
  EXPECT_EQ(device.Serve(12), "ooooooooooro");
}

TEST(FairScheduleTest, WithoutWorkNothingIsNext) {
  Device device;
  Flow a(kNormal);
  EXPECT_EQ(device.schedule().Next(), nullptr);
  device.Add('a', a);
  EXPECT_FALSE(device.schedule().empty());
  device.Remove(a);
  EXPECT_EQ(device.schedule().Next(), nullptr);
  EXPECT_TRUE(device.schedule().empty());
}

}  // namespace
}  // namespace acceld

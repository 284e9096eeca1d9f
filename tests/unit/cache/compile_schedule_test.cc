#include "server/cache/compile_schedule.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::cache {
namespace {

using ::testing::HasSubstr;

// A schedule, and the threads that it is for, by hand: time passes when a test says so.
class CompileScheduleTest : public ::testing::Test {
 protected:
  using JobPtr = CompileSchedule::JobPtr;

  void Open(size_t threads, size_t max_queued = 100'000) {
    schedule_ = std::make_unique<CompileSchedule>(threads, max_queued);
  }
  JobPtr Add(const Requester& requester) {
    auto job = std::make_shared<CompileJob>([] {});
    const absl::Status added = schedule_->Add(job, requester);
    EXPECT_TRUE(added.ok()) << added;
    owners_[job.get()] = requester.identity;
    return job;
  }
  void AddMany(const Requester& requester, int count) {
    for (int i = 0; i < count; ++i) Add(requester);
  }
  // For whom the next job is; "" when there is none.
  std::string TakeOne() { return Begin(schedule_->Take()); }
  std::string TakeOneOfIdle() { return Begin(schedule_->TakeOfIdle()); }
  std::string Begin(JobPtr job) {
    if (job == nullptr) return "";
    running_.push_back(job);
    return owners_.at(job.get());
  }
  void EndOldest(double took_ms = 10) {
    schedule_->End(*running_.front(), took_ms);
    running_.erase(running_.begin());
  }
  // The owners of so many jobs, one run after the other.
  std::vector<std::string> Run(int count, double took_ms = 10) {
    std::vector<std::string> owners;
    for (int i = 0; i < count; ++i) {
      owners.push_back(TakeOne());
      if (!owners.back().empty()) EndOldest(took_ms);
    }
    return owners;
  }

  std::unique_ptr<CompileSchedule> schedule_;
  std::vector<JobPtr> running_;
  std::map<const CompileJob*, std::string> owners_;
};

int Count(const std::vector<std::string>& all, const std::string& one) {
  return static_cast<int>(std::count(all.begin(), all.end(), one));
}

TEST_F(CompileScheduleTest, AFewJobsDoNotWaitForAnothersThousands) {
  Open(1);
  AddMany({"hog"}, 3000);
  Run(100);
  AddMany({"ann"}, 3);
  EXPECT_EQ(Count(Run(6), "ann"), 3);
}

TEST_F(CompileScheduleTest, IdentitiesShareTimeAndNotJobs) {
  Open(1);
  AddMany({"long"}, 1000);
  AddMany({"short"}, 1000);
  double used[2] = {};
  for (int i = 0; i < 400; ++i) {
    const bool is_long = TakeOne() == "long";
    EndOldest(is_long ? 50 : 5);
    used[is_long ? 0 : 1] += is_long ? 50 : 5;
  }
  EXPECT_NEAR(used[0] / (used[0] + used[1]), 0.5, 0.1);
}

TEST_F(CompileScheduleTest, InteractiveGoesBeforeBatchWhichDoesNotStarve) {
  Open(1);
  AddMany({"batch", Priority::kBatch}, 1000);
  AddMany({"normal", Priority::kNormal}, 1000);
  AddMany({"interactive", Priority::kInteractive}, 1000);
  const std::vector<std::string> order = Run(730);
  EXPECT_NEAR(Count(order, "interactive"), 640, 20);
  EXPECT_NEAR(Count(order, "normal"), 80, 10);
  EXPECT_NEAR(Count(order, "batch"), 10, 3);
  EXPECT_EQ(order[0], "interactive");
}

TEST_F(CompileScheduleTest, OneIdentityHasAllThreadsOnlyWhileNobodyElseWaits) {
  Open(4);
  AddMany({"hog"}, 100);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(TakeOne(), "hog");
  AddMany({"ann"}, 100);
  // What runs is not taken away; what ends makes room for others, up to the half.
  for (int i = 0; i < 2; ++i) {
    EndOldest();
    EXPECT_EQ(TakeOne(), "ann");
  }
  // From now on each has its half, whoever used less.
  for (int i = 0; i < 20; ++i) {
    const std::string ended = owners_.at(running_.front().get());
    EndOldest(ended == "hog" ? 1 : 1000);
    EXPECT_EQ(TakeOne(), ended);
  }
}

TEST_F(CompileScheduleTest, NoThreadIsIdleWhenAllWhoWaitHaveTheirShare) {
  Open(3);  // A share is one.
  AddMany({"ann"}, 10);
  AddMany({"bob"}, 10);
  EXPECT_NE(TakeOne(), TakeOne());
  EXPECT_NE(TakeOne(), "");
}

TEST_F(CompileScheduleTest, OnlyWhoHasNothingRunningIsIdle) {
  Open(2);
  EXPECT_FALSE(schedule_->HasIdle());
  AddMany({"ann"}, 3);
  EXPECT_TRUE(schedule_->HasIdle());
  EXPECT_EQ(TakeOne(), "ann");
  EXPECT_FALSE(schedule_->HasIdle());
  EXPECT_EQ(TakeOneOfIdle(), "");
  AddMany({"bob"}, 2);
  EXPECT_TRUE(schedule_->HasIdle());
  EXPECT_EQ(TakeOneOfIdle(), "bob");
  EXPECT_FALSE(schedule_->HasIdle());
  EXPECT_EQ(TakeOneOfIdle(), "");
  EXPECT_EQ(schedule_->running(), 2u);
  EndOldest();
  EXPECT_EQ(TakeOneOfIdle(), "ann");
  EndOldest();
  EXPECT_EQ(TakeOneOfIdle(), "bob");
  EXPECT_EQ(TakeOne(), "ann");  // What was passed over is still in the queue.
  EXPECT_EQ(schedule_->queued(), 0u);
}

TEST_F(CompileScheduleTest, IdleIdentitiesHaveTheirTurnsByClass) {
  Open(1);
  AddMany({"hog", Priority::kBatch}, 3);
  EXPECT_EQ(TakeOne(), "hog");
  Add({"batch", Priority::kBatch});
  Add({"normal", Priority::kNormal});
  Add({"interactive", Priority::kInteractive});
  EXPECT_EQ(TakeOneOfIdle(), "interactive");
  EXPECT_EQ(TakeOneOfIdle(), "normal");
  EXPECT_EQ(TakeOneOfIdle(), "batch");
  EXPECT_EQ(TakeOneOfIdle(), "");
}

TEST_F(CompileScheduleTest, WhoIsIdleHasAJobThatItSharesWithOneWhoIsNot) {
  Open(1);
  AddMany({"hog"}, 10);
  EXPECT_EQ(TakeOne(), "hog");
  const JobPtr job = Add({"hog"});
  EXPECT_FALSE(schedule_->HasIdle());
  schedule_->AddRequester(job, {"ann"});
  EXPECT_TRUE(schedule_->HasIdle());
  EXPECT_EQ(schedule_->TakeOfIdle(), job);
  EXPECT_FALSE(schedule_->HasIdle());
}

TEST_F(CompileScheduleTest, WhatIdleOnesHadCountsInTheirShares) {
  Open(1);
  AddMany({"ann"}, 100);
  AddMany({"bob"}, 100);
  EXPECT_EQ(TakeOne(), "ann");
  EXPECT_EQ(TakeOneOfIdle(), "bob");
  EndOldest(10);
  EndOldest(1000);
  EXPECT_EQ(Count(Run(50), "bob"), 0);
}

TEST_F(CompileScheduleTest, WhatNobodyAsksForAnyMoreLeavesTheQueue) {
  Open(1);
  const JobPtr dead = Add({"hog"});
  Add({"ann"});
  EXPECT_EQ(schedule_->queued(), 2u);
  EXPECT_TRUE(schedule_->RemoveRequester(dead, {"hog"}));
  EXPECT_EQ(schedule_->queued(), 1u);
  EXPECT_EQ(Run(2), (std::vector<std::string>{"ann", ""}));
}

TEST_F(CompileScheduleTest, WhatOneOfSeveralAsksForStays) {
  Open(1);
  const JobPtr job = Add({"hog"});
  schedule_->AddRequester(job, {"hog"});
  schedule_->AddRequester(job, {"ann"});
  EXPECT_EQ(schedule_->queued(), 1u);
  EXPECT_FALSE(schedule_->RemoveRequester(job, {"hog"}));
  EXPECT_FALSE(schedule_->RemoveRequester(job, {"hog"}));
  EXPECT_FALSE(schedule_->RemoveRequester(job, {"nobody"}));
  EXPECT_TRUE(schedule_->RemoveRequester(job, {"ann"}));
  EXPECT_EQ(schedule_->Take(), nullptr);
}

TEST_F(CompileScheduleTest, WhoJoinsAJobInALongQueueHasItInHisTurn) {
  Open(1);
  AddMany({"hog", Priority::kBatch}, 1000);
  const JobPtr job = Add({"hog", Priority::kBatch});
  schedule_->AddRequester(job, {"ann", Priority::kInteractive});
  EXPECT_EQ(schedule_->Take(), job);
  schedule_->End(*job, 10);
  EXPECT_EQ(Count(Run(1001), "hog"), 1000);  // It is run once.
}

TEST_F(CompileScheduleTest, AJobThatRunsHasNoMoreAskers) {
  Open(1);
  const JobPtr job = Add({"ann"});
  EXPECT_EQ(schedule_->Take(), job);
  EXPECT_FALSE(schedule_->RemoveRequester(job, {"ann"}));
  EXPECT_EQ(schedule_->running(), 1u);
  schedule_->End(*job, 1);
  EXPECT_EQ(schedule_->running(), 0u);
}

TEST_F(CompileScheduleTest, OneIdentityFillsAQuarterOfTheQueue) {
  Open(1, 8);
  AddMany({"hog"}, 2);
  const absl::Status refused =
      schedule_->Add(std::make_shared<CompileJob>([] {}), Requester{.identity = "hog"});
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("2 compiles of hog are queued"));
  for (const char* other : {"ann", "bob", "cid"}) AddMany({other}, 2);
  EXPECT_THAT(
      std::string(schedule_->Add(std::make_shared<CompileJob>([] {}), Requester{"dan"}).message()),
      HasSubstr("8 of 8 compiles are queued"));
}

}  // namespace
}  // namespace acceld::cache

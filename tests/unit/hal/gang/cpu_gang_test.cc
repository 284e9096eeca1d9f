#include "server/hal/cpu/cpu_gang.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "common/threads/future.h"
#include "tests/unit/hal/gang/collective_reference.h"
#include "tests/unit/hal/gang/participants.h"
#include "tests/unit/status_matchers.h"

namespace acceld::hal::cpu {
namespace {

using ::acceld::testing::Counting;
using ::acceld::testing::Exchange;
using ::acceld::testing::ResultsOf;
using ::acceld::testing::RunParticipants;
using ::acceld::testing::RunParticipantsInline;
using ::acceld::testing::SameTypeCollective;
using ::acceld::testing::Tensor;
using kernels::Collective;
using Groups = std::vector<std::vector<int64_t>>;
using Kind = Collective::Kind;

// Long enough that a participant which waits has gone to sleep.
constexpr std::chrono::milliseconds kUntilAsleep{20};

Collective AllReduce(Groups groups, int64_t count = 1) {
  return SameTypeCollective(Kind::kAllReduce, std::move(groups), {ir::DType::kI32, {count}});
}

// A group of all participants.
Groups All(int count) {
  std::vector<int64_t> group(static_cast<size_t>(count));
  std::iota(group.begin(), group.end(), 0);
  return {group};
}

// Sums `value` over the group of the participant; returns -1 on failure.
int32_t Sum(CpuGang& gang, int participant, const Collective& collective, int64_t site,
            int32_t value) {
  std::vector<int32_t> result(1);
  const absl::Status status =
      Exchange<int32_t>(gang, participant, collective, site, {value}, result);
  return status.ok() ? result[0] : -1;
}

TEST(CpuGangTest, ParticipantsMeetAgainAndAgainAtTheSameStep) {
  for (const int count : {1, 2, 3, 4, 8}) {
    const Collective collective = AllReduce(All(count));
    for (const auto& run_all : {RunParticipants, RunParticipantsInline}) {
      CpuGang gang(count);
      const auto statuses = run_all(gang, count, [&](int p) {
        for (int round = 0; round < 1000; ++round) {
          const int32_t expected = count * round + count * (count - 1) / 2;
          if (Sum(gang, p, collective, 7, round + p) != expected) {
            return absl::InternalError(absl::StrCat("round ", round));
          }
        }
        gang.Finish(p);
        return absl::OkStatus();
      });
      for (const absl::Status& status : statuses) EXPECT_THAT(status, IsOk());
      EXPECT_EQ(gang.stats().collectives, 1000 * count);
      EXPECT_EQ(gang.stats().bytes, 4 * 1000 * count);
    }
  }
}

// A collective of a random kind with random groups for `count` participants, on operands of type
// i32 with dimensions that all kinds accept.
Collective RandomCollective(int count, std::mt19937& random, ir::Dims& dims) {
  std::vector<int64_t> numbers = All(count)[0];
  std::shuffle(numbers.begin(), numbers.end(), random);
  Collective collective{.kind = static_cast<Kind>(random() % 6),
                        .dimension = static_cast<int64_t>(random() % 2),
                        .concat_dimension = static_cast<int64_t>(random() % 2)};
  // Few exchanges are so large that participants share the work.
  const int64_t scale = random() % 50 == 0 ? 120 : 1 + static_cast<int64_t>(random() % 5);
  dims = {count * scale, count * (1 + static_cast<int64_t>(random() % 5))};
  if (collective.kind == Kind::kPermute) {
    std::vector<int64_t> targets = numbers;
    std::shuffle(targets.begin(), targets.end(), random);
    for (size_t i = random() % 2; i < numbers.size(); ++i) {
      collective.groups.push_back({numbers[i], targets[i]});
    }
    return collective;
  }
  // Equal sizes, or any for the kinds that allow it.
  size_t size = 1 + random() % numbers.size();
  while (numbers.size() % size != 0) --size;
  const bool is_even = collective.kind != Kind::kAllReduce && collective.kind != Kind::kBroadcast;
  for (size_t begin = 0; begin < numbers.size(); begin += size) {
    if (!is_even) size = 1 + random() % (numbers.size() - begin);
    const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(begin);
    collective.groups.emplace_back(first, first + static_cast<std::ptrdiff_t>(size));
  }
  if (collective.kind == Kind::kBroadcast && collective.groups.size() > 1 && random() % 2 == 0) {
    collective.groups.pop_back();
  }
  return collective;
}

TEST(CpuGangTest, RandomCollectivesOfRandomGroupsGiveWhatTheReferenceGives) {
  for (const int count : {2, 3, 4, 6, 8}) {
    constexpr int kRounds = 200;
    std::mt19937 random(static_cast<unsigned>(count));
    std::vector<Collective> collectives;
    std::vector<std::vector<Tensor>> operands, expected;
    for (int round = 0; round < kRounds; ++round) {
      ir::Dims dims;
      collectives.push_back(RandomCollective(count, random, dims));
      operands.emplace_back();
      for (int p = 0; p < count; ++p) {
        operands.back().push_back(Counting(dims, round * 7 + p * 1'000'003));
      }
      expected.push_back(ResultsOf(collectives.back(), operands.back()));
      collectives.back().operands = {operands.back()[0].type()};
      collectives.back().results = {expected.back()[0].type()};
      ASSERT_THAT(kernels::CheckCollective(collectives.back()), IsOk());
    }
    const auto run = [&](CpuGang& gang, int p) -> absl::Status {
      std::mt19937 delays(static_cast<unsigned>(p));
      const auto index = static_cast<size_t>(p);
      for (size_t round = 0; round < kRounds; ++round) {
        const unsigned delay = delays() % 16;
        if (delay == 0) std::this_thread::sleep_for(std::chrono::microseconds(delays() % 300));
        if (delay < 4) std::this_thread::yield();
        Tensor result(collectives[round].results[0].dims);
        ACCELD_RETURN_IF_ERROR(Exchange(gang, p, collectives[round], static_cast<int64_t>(round),
                                        operands[round][index].values, result.values));
        if (result != expected[round][index]) {
          return absl::DataLossError(absl::StrCat("participant ", p, " has a wrong result of ",
                                                  ToString(collectives[round])));
        }
      }
      gang.Finish(p);
      return absl::OkStatus();
    };
    for (const auto& run_all : {RunParticipants, RunParticipantsInline}) {
      CpuGang gang(count);
      const auto statuses = run_all(gang, count, [&](int p) { return run(gang, p); });
      for (const absl::Status& status : statuses) EXPECT_THAT(status, IsOk());
    }
  }
}

TEST(CpuGangTest, AllMembersGetTheBitsOfTheSumInTheirOrder) {
  constexpr int kMembers = 5;
  constexpr size_t kCount = 100'000;  // shared by the members
  const Collective collective =
      SameTypeCollective(Kind::kAllReduce, {{3, 0, 4, 1, 2}}, {ir::DType::kF32, {kCount}});
  std::vector<std::vector<float>> operands(kMembers), results(kMembers, std::vector<float>(kCount));
  std::mt19937 random(1);
  for (auto& operand : operands) {
    for (size_t i = 0; i < kCount; ++i) operand.push_back(static_cast<float>(random()) / 0x1p24f);
  }
  CpuGang gang(kMembers);
  const auto statuses = RunParticipants(gang, kMembers, [&](int p) {
    const auto index = static_cast<size_t>(p);
    return Exchange(gang, p, collective, 0, operands[index], results[index]);
  });
  for (const absl::Status& status : statuses) EXPECT_THAT(status, IsOk());
  for (size_t i = 0; i < kCount; ++i) {
    const float sum =
        (((operands[3][i] + operands[0][i]) + operands[4][i]) + operands[1][i]) + operands[2][i];
    for (const auto& result : results) {
      ASSERT_EQ(std::bit_cast<uint32_t>(result[i]), std::bit_cast<uint32_t>(sum)) << i;
    }
  }
}

TEST(CpuGangTest, APermuteWaitsForItsOwnSourceAndTargetOnly) {
  const Collective collective =
      SameTypeCollective(Kind::kPermute, {{0, 1}, {1, 2}}, {ir::DType::kI32, {1}});
  CpuGang gang(5);
  std::vector<int32_t> results[5];
  for (auto& result : results) result = {-1};
  const auto exchange = [&](int p) {
    return Exchange<int32_t>(gang, p, collective, 0, {p + 10}, results[p]);
  };
  EXPECT_THAT(exchange(4), IsOk());  // neither sends nor receives
  EXPECT_EQ(results[4][0], 0);
  std::atomic<bool> has_ended{false};
  std::thread second([&] {
    EXPECT_THAT(exchange(1), IsOk());
    has_ended = true;
  });
  EXPECT_THAT(exchange(0), IsOk());
  EXPECT_EQ(results[0][0], 0);
  std::this_thread::sleep_for(kUntilAsleep);
  EXPECT_FALSE(has_ended);  // its operand has not been received
  EXPECT_THAT(exchange(2), IsOk());
  second.join();
  EXPECT_EQ(results[1][0], 10);
  EXPECT_EQ(results[2][0], 11);
}

TEST(CpuGangTest, OthersOfABroadcastGetZerosAtOnce) {
  const Collective collective =
      SameTypeCollective(Kind::kBroadcast, {{0, 1}}, {ir::DType::kI32, {2}});
  CpuGang gang(3);
  std::vector<int32_t> result = {5, 6};
  EXPECT_THAT(Exchange<int32_t>(gang, 2, collective, 0, {1, 2}, result), IsOk());
  EXPECT_EQ(result, (std::vector<int32_t>{0, 0}));
}

TEST(CpuGangTest, AParticipantThatEndsEarlyLeavesTheOthersToTheirGroups) {
  CpuGang gang(3);
  const Collective collective = AllReduce({{0, 1}, {2}});
  gang.Finish(2);
  const auto statuses = RunParticipants(gang, 2, [&](int p) {
    for (int round = 0; round < 100; ++round) {
      if (Sum(gang, p, collective, 0, p + 1) != 3) return absl::InternalError("a wrong sum");
    }
    gang.Finish(p);
    return absl::OkStatus();
  });
  for (const absl::Status& status : statuses) EXPECT_THAT(status, IsOk());
}

TEST(CpuGangTest, WaitsForTheSlowestAreMeasured) {
  CpuGang gang(3);
  const Collective collective = AllReduce(All(3));
  EXPECT_EQ(gang.stats().wait_ns, 0);
  RunParticipants(gang, 3, [&](int p) {
    if (p == 1) std::this_thread::sleep_for(kUntilAsleep);
    EXPECT_EQ(Sum(gang, p, collective, 0, 1), 3);
    return absl::OkStatus();
  });
  EXPECT_GT(gang.stats().wait_ns, 0);
  EXPECT_EQ(gang.stats().collectives, 3);
  EXPECT_EQ(gang.stats().bytes, 12);
}

TEST(CpuGangTest, EmptyOperandsAreExchangedToo) {
  CpuGang gang(2);
  const Collective collective = AllReduce(All(2), 0);
  const auto statuses = RunParticipants(gang, 2, [&](int p) {
    std::vector<int32_t> result;
    if (p == 1) std::this_thread::sleep_for(kUntilAsleep);
    return Exchange<int32_t>(gang, p, collective, 0, {}, result);
  });
  for (const absl::Status& status : statuses) EXPECT_THAT(status, IsOk());
}

TEST(CpuGangTest, DifferentCollectivesAtOneStepAreABug) {
  CpuGang gang(2);
  const auto statuses = RunParticipants(gang, 2, [&](int p) {
    std::vector<int32_t> result(2);
    return Exchange<int32_t>(gang, p, AllReduce(All(2), p + 1), 3, {1, 2}, result);
  });
  for (const absl::Status& status : statuses) {
    EXPECT_THAT(status, FailsWith(absl::StatusCode::kInternal, "at step 3"));
  }
}

}  // namespace
}  // namespace acceld::hal::cpu

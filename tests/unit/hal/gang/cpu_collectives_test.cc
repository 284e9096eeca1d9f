#include "server/hal/cpu/cpu_collectives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "common/ir/types/element.h"
#include "server/hal/collective_role.h"
#include "tests/unit/hal/gang/collective_reference.h"
#include "tests/unit/status_matchers.h"

namespace acceld::hal::cpu {
namespace {

using ::acceld::testing::Counting;
using ::acceld::testing::ResultsOf;
using ::acceld::testing::Tensor;
using kernels::Collective;
using Kind = Collective::Kind;

// Executes a collective of one operand for all participants, one piece after the other in random
// order.
std::vector<Tensor> Execute(const Collective& collective, const std::vector<Tensor>& operands) {
  std::vector<Tensor> results;
  for (size_t i = 0; i < operands.size(); ++i) {
    results.emplace_back(collective.results[0].dims);
    std::fill(results[i].values.begin(), results[i].values.end(), -7);
  }
  const auto num_participants = static_cast<int>(operands.size());
  std::vector<const void*> operand_addresses;
  std::vector<void*> result_addresses;
  for (int i = 0; i < num_participants; ++i) {
    const auto p = static_cast<size_t>(i);
    operand_addresses.push_back(operands[p].values.data());
    result_addresses.push_back(results[p].values.data());
    const auto role = RoleOf(collective, i, num_participants);
    EXPECT_THAT(role, IsOk());
    if (!role->has_source) ClearResults(collective, &result_addresses[p]);
  }
  for (size_t g = 0; g < collective.groups.size(); ++g) {
    std::vector<MemberBuffers> members;
    for (const int64_t number : MembersOf(collective, static_cast<int64_t>(g))) {
      const auto p = static_cast<size_t>(number);
      members.push_back({&operand_addresses[p], &result_addresses[p]});
    }
    const CollectiveWork work(collective, members);
    std::vector<int64_t> pieces(static_cast<size_t>(work.num_pieces()));
    std::iota(pieces.begin(), pieces.end(), 0);
    std::shuffle(pieces.begin(), pieces.end(), std::mt19937(1));
    for (const int64_t piece : pieces) work.Run(piece);
  }
  return results;
}

// Executes a collective of participants whose operands have the given dimensions, and compares the
// results with the reference.
void Check(Collective collective, const ir::Dims& dims, int num_participants) {
  std::vector<Tensor> operands;
  for (int i = 0; i < num_participants; ++i) operands.push_back(Counting(dims, i * 1'000'003));
  const std::vector<Tensor> expected = ResultsOf(collective, operands);
  collective.operands = {operands[0].type()};
  collective.results = {expected[0].type()};
  ASSERT_THAT(kernels::CheckCollective(collective), IsOk());
  // Not EXPECT_EQ, which would print whole tensors.
  EXPECT_TRUE(Execute(collective, operands) == expected) << ToString(collective);
}

TEST(CpuCollectivesTest, AllReduceCombinesTheOperandsOfEachGroup) {
  for (const ir::Dims& dims : std::vector<ir::Dims>{{}, {1}, {5}, {3, 7}, {100'003}, {0, 4}}) {
    Check({.kind = Kind::kAllReduce, .groups = {{0, 1, 2, 3}}}, dims, 4);
    Check({.kind = Kind::kAllReduce, .groups = {{2, 0}, {1, 4, 3}}}, dims, 5);
    Check({.kind = Kind::kAllReduce, .groups = {{0}}}, dims, 1);
  }
}

TEST(CpuCollectivesTest, AllGatherPutsTheOperandsBehindEachOther) {
  for (int64_t d = 0; d < 3; ++d) {
    for (const ir::Dims& dims :
         std::vector<ir::Dims>{{1, 1, 1}, {2, 3, 5}, {40, 50, 30}, {3, 1, 20'001}, {2, 0, 3}}) {
      Check({.kind = Kind::kAllGather, .dimension = d, .groups = {{0, 1, 2}}}, dims, 3);
      Check({.kind = Kind::kAllGather, .dimension = d, .groups = {{3, 1}, {0, 2}}}, dims, 4);
    }
  }
}

TEST(CpuCollectivesTest, AllToAllExchangesParts) {
  for (int64_t split = 0; split < 4; ++split) {
    for (int64_t concat = 0; concat < 4; ++concat) {
      for (const ir::Dims& dims : std::vector<ir::Dims>{{6, 6, 6, 6}, {12, 6, 30, 18}}) {
        const Collective collective{
            .kind = Kind::kAllToAll, .dimension = split, .concat_dimension = concat};
        Collective three = collective, two = collective;
        three.groups = {{0, 1, 2}};
        two.groups = {{3, 1}, {2, 0}};
        Check(three, dims, 3);
        Check(two, dims, 4);
      }
    }
  }
  Check({.kind = Kind::kAllToAll, .concat_dimension = 1, .groups = {{0, 1}}}, {2, 50'001}, 2);
}

TEST(CpuCollectivesTest, ReduceScatterGivesEachMemberItsPart) {
  for (int64_t d = 0; d < 3; ++d) {
    for (const ir::Dims& dims : std::vector<ir::Dims>{
             {6, 6, 6}, {12, 6, 12}, {12, 60, 30}, {6, 6, 1200}, {6, 6, 6000}, {6, 0, 6}}) {
      Check({.kind = Kind::kReduceScatter, .dimension = d, .groups = {{0, 1, 2}}}, dims, 3);
      Check({.kind = Kind::kReduceScatter, .dimension = d, .groups = {{3, 1}, {0, 2}}}, dims, 4);
      Check({.kind = Kind::kReduceScatter, .dimension = d, .groups = {{0}, {1}}}, dims, 2);
    }
  }
  Check({.kind = Kind::kReduceScatter, .dimension = 2, .groups = {{2, 0, 1}}}, {100, 60, 3}, 3);
}

TEST(CpuCollectivesTest, BroadcastAndPermuteGiveZerosToThoseWithoutASource) {
  for (const ir::Dims& dims : std::vector<ir::Dims>{{}, {5}, {300, 301}, {0}}) {
    Check({.kind = Kind::kBroadcast, .groups = {{2, 0}, {3, 4}}}, dims, 6);
    Check({.kind = Kind::kBroadcast}, dims, 2);
    Check({.kind = Kind::kPermute, .groups = {{0, 1}, {1, 2}, {2, 0}}}, dims, 4);
    Check({.kind = Kind::kPermute, .groups = {{0, 1}, {3, 3}}}, dims, 4);
    Check({.kind = Kind::kPermute}, dims, 2);
  }
}

// Sums of two operands of different types, of which the second begins with a piece of its own.
TEST(CpuCollectivesTest, OperandsAreExchangedEachByItself) {
  constexpr size_t kNumMembers = 3, kFirst = 40'000, kSecond = 7;
  std::vector<std::vector<double>> doubles(kNumMembers), double_results(kNumMembers);
  std::vector<std::vector<uint8_t>> bytes(kNumMembers), byte_results(kNumMembers);
  std::vector<const void*> operands;
  std::vector<void*> results;
  for (size_t m = 0; m < kNumMembers; ++m) {
    doubles[m].assign(kFirst, static_cast<double>(m) + 0.5);
    bytes[m].assign(kSecond, static_cast<uint8_t>(100 + m));
    double_results[m].resize(kFirst);
    byte_results[m].resize(kSecond);
    operands.insert(operands.end(), {doubles[m].data(), bytes[m].data()});
    results.insert(results.end(), {double_results[m].data(), byte_results[m].data()});
  }
  std::vector<MemberBuffers> members;
  for (size_t m = 0; m < kNumMembers; ++m) members.push_back({&operands[2 * m], &results[2 * m]});
  const std::vector<ir::TensorType> types = {{ir::DType::kF64, {kFirst}},
                                             {ir::DType::kUI8, {kSecond}}};
  const Collective collective{.groups = {{0, 1, 2}}, .operands = types, .results = types};
  EXPECT_EQ(OperandBytesOf(collective), static_cast<int64_t>(8 * kFirst + kSecond));
  const CollectiveWork work(collective, members);
  for (int64_t piece = 0; piece < work.num_pieces(); ++piece) work.Run(piece);
  for (size_t m = 0; m < kNumMembers; ++m) {
    EXPECT_EQ(double_results[m], std::vector<double>(kFirst, 4.5));
    EXPECT_EQ(byte_results[m], std::vector<uint8_t>(kSecond, 303 % 256));
  }
}

// Executes a collective of two members and one operand of bf16, whose element i of member m is
// value(m, i). Returns the results by member.
std::vector<std::vector<uint16_t>> ExecuteBf16(
    const Collective& collective, const std::function<double(size_t m, int64_t i)>& value) {
  std::vector<std::vector<uint16_t>> operands(2), results(2);
  for (size_t m = 0; m < 2; ++m) {
    operands[m].resize(static_cast<size_t>(collective.operands[0].num_elements()));
    results[m].resize(static_cast<size_t>(collective.results[0].num_elements()));
    for (int64_t i = 0; i < collective.operands[0].num_elements(); ++i) {
      ir::WriteFloat(ir::DType::kBF16, operands[m].data(), i, value(m, i));
    }
  }
  const void* const operand_addresses[] = {operands[0].data(), operands[1].data()};
  void* const result_addresses[] = {results[0].data(), results[1].data()};
  const std::vector<MemberBuffers> members = {{&operand_addresses[0], &result_addresses[0]},
                                              {&operand_addresses[1], &result_addresses[1]}};
  const CollectiveWork work(collective, members);
  for (int64_t piece = 0; piece < work.num_pieces(); ++piece) work.Run(piece);
  return results;
}

// Rows of reduce_scatter of all lengths relative to the blocks, in a type that is stored wider.
TEST(CpuCollectivesTest, NarrowFloatsAreReducedInRowsOfAnyLength) {
  for (const int64_t length : {1, 3, 500, 512, 513, 2000}) {
    const ir::TensorType operand{ir::DType::kBF16, {5, 2 * length}};
    const ir::TensorType result{ir::DType::kBF16, {5, length}};
    const Collective collective{.kind = Kind::kReduceScatter,
                                .dimension = 1,
                                .groups = {{0, 1}},
                                .operands = {operand},
                                .results = {result}};
    const auto results = ExecuteBf16(collective, [&](size_t m, int64_t i) {
      const int64_t row = i / (2 * length), column = i % (2 * length);
      return static_cast<double>(row + column % 50 + 50 * static_cast<int64_t>(m));
    });
    for (size_t m = 0; m < 2; ++m) {
      for (int64_t i = 0; i < result.num_elements(); ++i) {
        const int64_t row = i / length, column = i % length + length * static_cast<int64_t>(m);
        ASSERT_EQ(ir::ReadFloat(ir::DType::kBF16, results[m].data(), i),
                  static_cast<double>(2 * (row + column % 50) + 50))
            << length << " " << m << " " << i;
      }
    }
  }
}

// As a multiplication behind the collective would compute it: sums above 256 are rounded to even
// numbers before they are multiplied.
TEST(CpuCollectivesTest, SumsAreRoundedAndThenMultipliedByTheFactor) {
  const auto value = [](size_t m, int64_t i) { return m == 0 ? 256 : static_cast<double>(i % 50); };
  const auto expected = [](int64_t i) {
    uint16_t sum = 0, product = 0;
    ir::WriteFloat(ir::DType::kBF16, &sum, 0, static_cast<double>(256 + i % 50));
    ir::WriteFloat(ir::DType::kBF16, &product, 0, ir::ReadFloat(ir::DType::kBF16, &sum, 0) * 1.5);
    return product;
  };
  // Short and long rows, many bytes, which are copied past the cache, and parts that are scattered.
  for (const int64_t length : {1, 3, 500, 1500, 2'500'000}) {
    const ir::TensorType type{ir::DType::kBF16, {length}};
    const Collective all{.kind = Kind::kAllReduce,
                         .factor = 1.5,
                         .groups = {{0, 1}},
                         .operands = {type},
                         .results = {type}};
    for (const std::vector<uint16_t>& sums : ExecuteBf16(all, value)) {
      for (int64_t i = 0; i < length; ++i) {
        ASSERT_EQ(sums[static_cast<size_t>(i)], expected(i)) << length << " " << i;
      }
    }
    if (length > 2000) continue;
    const Collective parts{.kind = Kind::kReduceScatter,
                           .dimension = 1,
                           .factor = 1.5,
                           .groups = {{0, 1}},
                           .operands = {{ir::DType::kBF16, {3, 2 * length}}},
                           .results = {{ir::DType::kBF16, {3, length}}}};
    const std::vector<uint16_t> part = ExecuteBf16(parts, value)[1];
    for (int64_t i = 0; i < 3 * length; ++i) {
      const int64_t from = i / length * 2 * length + length + i % length;
      ASSERT_EQ(part[static_cast<size_t>(i)], expected(from)) << length << " " << i;
    }
  }
}

TEST(CpuCollectivesTest, WorkIsDividedIntoPiecesOfLimitedSize) {
  const ir::TensorType type{ir::DType::kF32, {1 << 20}};
  const Collective collective{.groups = {{0, 1}}, .operands = {type}, .results = {type}};
  const MemberBuffers members[2];
  const CollectiveWork work(collective, members);
  EXPECT_EQ(work.num_pieces(), 64);
  EXPECT_EQ(work.num_bytes(), int64_t{16} << 20);
}

TEST(CpuCollectivesTest, CollectivesForOtherParticipantsAreRefused) {
  const Collective reduce{.kind = Kind::kAllReduce, .groups = {{0, 1}, {2}}};
  EXPECT_THAT(RoleOf(reduce, 2, 3), IsOk());
  EXPECT_THAT(RoleOf(reduce, 0, 2), FailsWith(absl::StatusCode::kInternal, "2 participants"));
  EXPECT_THAT(RoleOf(reduce, 3, 4), FailsWith(absl::StatusCode::kInternal, "in no group"));
}

TEST(CpuCollectivesTest, AParticipantOfAPermuteSendsAndReceives) {
  const Collective permute{.kind = Kind::kPermute, .groups = {{0, 1}, {1, 2}}};
  const auto first = RoleOf(permute, 0, 4), second = RoleOf(permute, 1, 4),
             fourth = RoleOf(permute, 3, 4);
  EXPECT_EQ(first->memberships.size(), 1u);
  EXPECT_FALSE(first->has_source);
  EXPECT_EQ(second->memberships.size(), 2u);
  EXPECT_TRUE(second->has_source);
  EXPECT_TRUE(fourth->memberships.empty());
  EXPECT_FALSE(fourth->has_source);
}

}  // namespace
}  // namespace acceld::hal::cpu

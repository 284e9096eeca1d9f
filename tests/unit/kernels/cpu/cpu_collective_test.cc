// Collective steps: what generated code passes to the exchange, and what becomes of its errors.

#include <cstring>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/cpu/collective_key.h"
#include "tests/unit/kernels/cpu/cpu_runner.h"

namespace acceld::kernels::cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = Collective::Kind;
using Space = Slice::Space;

const ir::TensorType kPair{ir::DType::kI32, {2}};
const ir::TensorType kTwoPairs{ir::DType::kI32, {4}};

TEST(CollectiveKeyTest, KeepsAllFields) {
  const Collective scatter{.kind = Kind::kReduceScatter,
                           .combiner = Collective::Combiner::kMinimum,
                           .dimension = 3,
                           .concat_dimension = 4,
                           .factor = 0.1,
                           .groups = {{5, 6}, {}, {7}},
                           .operands = {{ir::DType::kF32, {}}, {ir::DType::kI8, {8, 9}}},
                           .results = {{ir::DType::kBF16, {0}}}};
  const CollectiveAtSite read = ReadCollective(CollectiveKeyOf(10, scatter).data());
  EXPECT_EQ(read.site, 10);
  EXPECT_EQ(read.collective, scatter);
  const CollectiveAtSite none = ReadCollective(CollectiveKeyOf(0, Collective()).data());
  EXPECT_EQ(none.collective, Collective());
}

// Stands for one other participant that always brings {100, 200}: gathers have its values behind
// the own ones, and everything else gives them.
class OtherParticipant final : public CollectiveExchange {
 public:
  explicit OtherParticipant(absl::Status status = absl::OkStatus()) : status_(std::move(status)) {}

  absl::Status Run(const Collective& collective, int64_t site, const void* const* operands,
                   void* const* results) override {
    collectives.push_back(ToString(collective));
    sites.push_back(site);
    for (size_t i = 0; i < collective.operands.size(); ++i) {
      auto* out = static_cast<char*>(results[i]);
      const auto bytes = static_cast<size_t>(collective.operands[i].size_bytes());
      if (collective.kind == Kind::kAllGather) {
        std::memcpy(out, operands[i], bytes);
        out += bytes;
      }
      const int32_t values[] = {100, 200};
      std::memcpy(out, values, sizeof(values));
    }
    return status_;
  }

  std::vector<std::string> collectives;
  std::vector<int64_t> sites;

 private:
  const absl::Status status_;
};

// result0, temporary = permute(argument0, argument1); result1 = gather(argument1).
Plan ExchangingPlan() {
  const Slice temporary = SliceOf(Space::kArena, 0, kPair);
  const CollectiveStep permute{
      .collective = {.kind = Kind::kPermute,
                     .groups = {{0, 1}, {1, 0}},
                     .operands = {kPair, kPair},
                     .results = {kPair, kPair}},
      .operands = {SliceOf(Space::kArgument, 0, kPair), SliceOf(Space::kArgument, 1, kPair)},
      .results = {SliceOf(Space::kResult, 0, kPair), temporary}};
  const CollectiveStep gather{.collective = {.kind = Kind::kAllGather,
                                             .groups = {{0, 1}},
                                             .operands = {kPair},
                                             .results = {kTwoPairs}},
                              .operands = {SliceOf(Space::kArgument, 1, kPair)},
                              .results = {SliceOf(Space::kResult, 1, kTwoPairs)}};
  Plan plan;
  PlanFunction main{"main", {kPair, kPair}, {kPair, kTwoPairs}, kBufferAlignment, {}};
  main.steps = {{permute, "permute"}, {gather, "gather"}};
  plan.functions.push_back(std::move(main));
  return plan;
}

const std::vector<std::string>& SomeArguments() {
  static const auto& arguments = *new std::vector<std::string>{BytesOf(std::vector<int32_t>{1, 2}),
                                                               BytesOf(std::vector<int32_t>{3, 4})};
  return arguments;
}

absl::StatusOr<std::vector<std::string>> RunWith(const Plan& plan, CollectiveExchange* exchange) {
  ACCELD_ASSIGN_OR_RETURN(const std::unique_ptr<CpuModule> module, CompileAndLoad(plan));
  return RunModule(*module, plan, SomeArguments(), 1, nullptr, exchange);
}

TEST(CpuCollectiveTest, StepsExchangeTheirBuffersAndAreToldApart) {
  OtherParticipant other;
  const auto results = RunWith(ExchangingPlan(), &other);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(ValuesOf<int32_t>((*results)[0]), (std::vector<int32_t>{100, 200}));
  EXPECT_EQ(ValuesOf<int32_t>((*results)[1]), (std::vector<int32_t>{3, 4, 100, 200}));
  EXPECT_THAT(other.collectives,
              ElementsAre("collective_permute {0, 1} {1, 0} (tensor<2xi32>, tensor<2xi32>) -> "
                          "(tensor<2xi32>, tensor<2xi32>)",
                          "all_gather dim=0 {0, 1} (tensor<2xi32>) -> (tensor<4xi32>)"));
  EXPECT_THAT(other.sites, ElementsAre(0, 1));
}

TEST(CpuCollectiveTest, AnErrorOfTheExchangeEndsTheRun) {
  OtherParticipant other(absl::CancelledError("the other one is gone"));
  const auto results = RunWith(ExchangingPlan(), &other);
  EXPECT_EQ(results.status(), absl::CancelledError("the other one is gone"));
  EXPECT_EQ(other.sites.size(), 1u);
}

TEST(CpuCollectiveTest, WithoutAnExchangeTheRunFails) {
  const auto results = RunWith(ExchangingPlan(), nullptr);
  EXPECT_EQ(results.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(results.status().message(), HasSubstr("collective_permute: "));
}

TEST(CpuCollectiveTest, MalformedStepsAreRefused) {
  const auto gather_of = [](Plan& plan) -> CollectiveStep& {
    return std::get<CollectiveStep>(plan.functions[0].steps[1].value);
  };
  Plan wrong_groups = ExchangingPlan();
  gather_of(wrong_groups).collective.groups = {{0, 1, 2}};
  EXPECT_EQ(CompileForHost(wrong_groups).status().code(), absl::StatusCode::kInternal);
  Plan wrong_size = ExchangingPlan();
  gather_of(wrong_size).results[0].size_bytes = 8;
  EXPECT_EQ(CompileForHost(wrong_size).status().code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace acceld::kernels::cpu

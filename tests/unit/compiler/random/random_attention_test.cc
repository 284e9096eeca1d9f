// Random attention, as plans say it and by the kernels on the host, against the reference
// interpreter. ACCELD_RANDOM_PROGRAMS="first:count" runs other seeds than the usual ones.
#include "tests/unit/compiler/random/random_attention.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/ir/interpreter.h"
#include "common/ir/types/element.h"
#include "gtest/gtest.h"
#include "kernels/cuda/attention/attention.h"
#include "kernels/cuda/emit/device_code.h"
#include "tests/support/fake_cuda/host_code.h"
#include "tests/unit/compiler/plan_runner.h"
#include "tests/unit/compiler/random/seeds.h"
#include "tests/unit/compiler/test_support.h"

namespace acceld::compiler {
namespace {

struct Planned {
  uint64_t seed;
  RandomAttention program;
  ir::Module module;
  kernels::Plan plan;
};

std::vector<kernels::AttentionShape> AttentionIn(const kernels::Plan& plan) {
  std::vector<kernels::AttentionShape> shapes;
  for (const kernels::Step& step : plan.entry().steps) {
    const auto* const attention = std::get_if<kernels::AttentionStep>(&step.value);
    if (attention != nullptr) shapes.push_back(attention->shape);
  }
  return shapes;
}

std::vector<Planned> PlanAll(const Seeds& seeds) {
  const CublasLtPlanGenerator target;
  std::vector<Planned> all;
  for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    Planned one{.seed = seed, .program = MakeRandomAttention(seed), .module = {}, .plan = {}};
    one.module = Parse(one.program.text);
    absl::StatusOr<kernels::Plan> plan = PlanOf(one.module, {}, target);
    if (!plan.ok()) {
      ADD_FAILURE() << "seed " << seed << ": " << plan.status() << "\n" << one.program.text;
      continue;
    }
    one.plan = *std::move(plan);
    all.push_back(std::move(one));
  }
  return all;
}

void ExpectResults(const Planned& one, const AttentionRunner& run) {
  const auto expected = ir::Interpret(one.module, "main", one.program.arguments);
  ASSERT_TRUE(expected.ok()) << expected.status();
  const auto actual = RunPlan(one.plan, one.program.arguments, kernels::RunKernel, run);
  ASSERT_TRUE(actual.ok()) << actual.status();
  const ir::Literal& a = (*expected)[0];
  const ir::Literal& b = (*actual)[0];
  const ir::DType dtype = a.type().dtype;
  const std::string x = a.DenseBytes(), y = b.DenseBytes();
  for (int64_t i = 0; i < a.type().num_elements(); ++i) {
    const double want = ir::ReadFloat(dtype, x.data(), i), got = ir::ReadFloat(dtype, y.data(), i);
    if (std::isnan(want) && std::isnan(got)) continue;
    ASSERT_NEAR(want, got, one.program.tolerance) << "seed " << one.seed << " element " << i << "\n"
                                                  << one.program.text << ToString(one.plan);
  }
}

TEST(RandomAttentionTest, PlansSayWhatProgramsSay) {
  const std::vector<Planned> all = PlanAll(SeedsToRun(300));
  size_t fused = 0;
  for (const Planned& one : all) {
    fused += AttentionIn(one.plan).size();
    ASSERT_NO_FATAL_FAILURE(ExpectResults(one, nullptr));
  }
  EXPECT_GE(fused, all.size() * 9 / 10);
}

TEST(RandomAttentionTest, KernelsGiveWhatProgramsSay) {
  std::vector<kernels::AttentionShape> shapes;
  std::vector<kernels::cuda::AttentionKernel> printed;
  std::string source =
      absl::StrCat(kernels::cuda::ModulePrelude(), kernels::cuda::AttentionPrelude());
  const std::vector<Planned> all = PlanAll(SeedsToRun(40, /*first=*/1000));
  for (const Planned& one : all) {
    for (const kernels::AttentionShape& shape : AttentionIn(one.plan)) {
      printed.push_back(
          kernels::cuda::PrintAttention(shape, absl::StrCat("attention_", shapes.size())));
      absl::StrAppend(&source, printed.back().source);
      shapes.push_back(shape);
    }
  }
  const auto code = testing::HostCode::Compile(source);
  ASSERT_TRUE(code.ok()) << code.status();
  const auto run = [&](const kernels::AttentionShape& shape, absl::Span<std::string> buffers) {
    const auto number =
        static_cast<size_t>(std::find(shapes.begin(), shapes.end(), shape) - shapes.begin());
    const auto* const kernel = (*code)->Find(absl::StrCat("attention_", number));
    if (kernel == nullptr) return absl::NotFoundError("no kernel of this shape");
    // As exact places at multiples of what a device's memory is at.
    std::vector<std::unique_ptr<char, decltype(&std::free)>> copies;
    std::vector<std::string> addresses;
    for (const std::string& buffer : buffers) {
      const size_t rounded = (buffer.size() + 63) / 64 * 64;
      char* const copy = static_cast<char*>(std::aligned_alloc(64, rounded));
      copies.emplace_back(copy, &std::free);
      std::copy(buffer.begin(), buffer.end(), copy);
      addresses.emplace_back(reinterpret_cast<const char*>(&copy), sizeof(copy));
    }
    kernel->Run(addresses, printed[number].blocks, printed[number].threads);
    buffers.back().assign(copies.back().get(), buffers.back().size());
    return absl::OkStatus();
  };
  for (const Planned& one : all) ASSERT_NO_FATAL_FAILURE(ExpectResults(one, run));
}

}  // namespace
}  // namespace acceld::compiler

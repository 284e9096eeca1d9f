// Random programs in generated CUDA C++, compiled by the host's compiler and run by the host,
// against the reference interpreter. ACCELD_RANDOM_PROGRAMS="first:count" runs other seeds than the
// usual ones.
#include <vector>

#include "common/ir/text.h"
#include "gtest/gtest.h"
#include "kernels/ir/analysis/input_output_aliases.h"
#include "tests/support/cuda_host_module.h"
#include "tests/support/daemon/eager_sharing.h"
#include "tests/unit/compiler/kernel_plan.h"
#include "tests/unit/compiler/plan_runner.h"
#include "tests/unit/compiler/random/check_program.h"
#include "tests/unit/compiler/random/random_program.h"
#include "tests/unit/compiler/random/seeds.h"

namespace acceld::compiler {
namespace {

// A program, and where in the module its kernels begin.
struct Planned {
  uint64_t seed;
  RandomProgram program;
  kernels::Plan plan;
  size_t first_kernel = 0;
};

// How much the threads of a block share: as on a GPU, and all that can be, however small.
class CudaRandomPrograms : public ::testing::TestWithParam<kernels::cuda::WorkDivision> {};

TEST_P(CudaRandomPrograms, ResultsAreThoseOfTheInterpreter) {
  const Seeds seeds = SeedsToRun(150);
  std::vector<Planned> all;
  for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    Planned one{.seed = seed, .program = MakeRandomProgram(seed)};
    absl::StatusOr<kernels::Plan> plan = PlanOfKernels(one.program.module, one.program.arguments);
    ASSERT_TRUE(plan.ok()) << "seed " << seed << ": " << plan.status();
    one.plan = *std::move(plan);
    all.push_back(std::move(one));
  }
  std::vector<const kernels::Kernel*> kernels;
  for (Planned& one : all) {
    one.first_kernel = kernels.size();
    for (const kernels::Kernel& kernel : one.plan.kernels) kernels.push_back(&kernel);
  }
  const auto module = testing::CudaHostModule::Compile(kernels, GetParam());
  ASSERT_TRUE(module.ok()) << module.status();
  for (const Planned& one : all) {
    const auto run = [&](const kernels::Kernel& kernel, absl::Span<std::string* const> buffers) {
      std::vector<char*> addresses;
      for (std::string* buffer : buffers) addresses.push_back(buffer->data());
      (*module)->Run(one.first_kernel + static_cast<size_t>(&kernel - one.plan.kernels.data()),
                     addresses);
      return absl::OkStatus();
    };
    for (const bool donates : {false, true}) {
      const auto shared = kernels::ChooseInputOutputAliases(
          one.plan.may_share, {}, [&](uint32_t i) { return donates && (i + one.seed) % 3 != 0; });
      const auto results = RunPlan(one.plan, one.program.arguments, run, nullptr, shared);
      if (absl::IsUnimplemented(results.status())) continue;  // It calls a routine.
      const auto failure = CheckResults(one.program, results);
      EXPECT_FALSE(failure.has_value())
          << "seed " << one.seed << (donates ? ", donated: " : ": ") << failure->message << "\n"
          << ir::PrintModule(one.program.module);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(WorkDivision, CudaRandomPrograms,
                         ::testing::Values(kernels::cuda::WorkDivision{}, testing::kEagerSharing));

}  // namespace
}  // namespace acceld::compiler

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/conformance/planned_programs.h"
#include "tests/support/cuda_host_module.h"
#include "tests/support/daemon/eager_sharing.h"
#include "tests/unit/compiler/plan_runner.h"

// The public conformance programs in generated CUDA C++. ACCELD_CONFORMANCE_DIR names the folder
// with stablehlo/ and extra/.
namespace acceld::testing {
namespace {

// Compiled by the host's compiler and run by the host: what a GPU would compute, but for the GPU.
// The programs are small: shared out as on a GPU, and, what does not change results, as if they
// were large.
class CudaConformance : public ::testing::TestWithParam<kernels::cuda::WorkDivision> {};

TEST_P(CudaConformance, PassesEveryProgramThatCallsNoLibrary) {
  const char* folder = std::getenv("ACCELD_CONFORMANCE_DIR");
  if (folder == nullptr) GTEST_SKIP() << "ACCELD_CONFORMANCE_DIR is not set";
  const absl::StatusOr<PlannedPrograms> planned = PlanConformancePrograms(folder);
  ASSERT_TRUE(planned.ok()) << planned.status();
  const auto module = CudaHostModule::Compile(planned->kernels, GetParam());
  ASSERT_TRUE(module.ok()) << module.status();

  int passed = 0, with_routines = 0;
  for (const PlannedProgram& program : planned->programs) {
    const auto run = [&](const kernels::Kernel& kernel, absl::Span<std::string* const> buffers) {
      std::vector<char*> addresses;
      for (std::string* buffer : buffers) addresses.push_back(buffer->data());
      const auto number = static_cast<size_t>(&kernel - program.plan.kernels.data());
      (*module)->Run(program.kernels[number], addresses);
      return absl::OkStatus();
    };
    const auto results = compiler::RunPlan(program.plan, program.parts.inputs, run);
    if (absl::IsUnimplemented(results.status())) {
      ++with_routines;
      continue;
    }
    ASSERT_TRUE(results.ok()) << program.name << ": " << results.status();
    const std::vector<std::string> failures =
        ir::FailedChecks(program.parts, *results, program.override);
    for (const std::string& failure : failures) ADD_FAILURE() << program.name << ": " << failure;
    passed += failures.empty();
  }
  EXPECT_GT(passed, 0);
  std::printf("%d passed with %zu kernels, %d call routines, %d skipped\n", passed,
              planned->kernels.size(), with_routines, planned->skipped);
}

INSTANTIATE_TEST_SUITE_P(WorkDivision, CudaConformance,
                         ::testing::Values(kernels::cuda::WorkDivision{}, kEagerElements));

}  // namespace
}  // namespace acceld::testing

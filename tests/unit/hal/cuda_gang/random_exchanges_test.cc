#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/ir/text.h"
#include "tests/unit/compiler/spmd/random_programs.h"
#include "tests/unit/hal/cuda_gang/cuda_gang_fixture.h"

namespace acceld::testing {
namespace {

using RandomExchangesTest = CudaGangTest;

// Programs of one process each, with collectives of all kinds, also in loops and branches.
TEST_F(RandomExchangesTest, GpusComputeWhatTheInterpreterComputes) {
  constexpr int kCount = 12;
  int devices = 0, count = 0;
  for (uint64_t seed = 0; count < kCount; ++seed) {
    const compiler::spmd::LocalProgram program = compiler::spmd::MakeLocalProgram(seed);
    const std::string text = ir::PrintModule(program.module);
    const auto processes = static_cast<int>(program.arguments.size());
    // Nobody answers calls of the host here.
    if (processes == 1 || compiler::spmd::CollectivesOf(program.module).empty() ||
        absl::StrContains(text, "host_callback")) {
      continue;
    }
    ++count;
    if (processes > devices) Open(devices = processes);
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    ASSERT_NO_FATAL_FAILURE(ExpectAsInterpreted(text, program.arguments, /*tolerance=*/1e-3));
  }
}

}  // namespace
}  // namespace acceld::testing

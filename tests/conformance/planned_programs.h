#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/ir/conformance/conformance.h"
#include "kernels/ir/plan.h"

// The public conformance programs as plans of kernels, for tests of what prints or runs those.
namespace acceld::testing {

struct PlannedProgram {
  std::string name;
  const ir::CheckOverride* override = nullptr;
  ir::ConformanceProgram parts;
  kernels::Plan plan;           // without libraries: all but routines are kernels
  std::vector<size_t> kernels;  // of PlannedPrograms::kernels, by the plan's
};

struct PlannedPrograms {
  std::unique_ptr<const ir::CheckOverrides> overrides;
  std::vector<PlannedProgram> programs;
  std::vector<const kernels::Kernel*> kernels;  // Of all plans, each once whatever its name.
  int skipped = 0;                              // by tests/conformance/overrides.txt
};

// Those in stablehlo/ and extra/ of `folder`. Any that does not compile is an error.
absl::StatusOr<PlannedPrograms> PlanConformancePrograms(const std::string& folder);

}  // namespace acceld::testing

#pragma once

#include <vector>

#include "common/ir/module.h"
#include "server/compiler/spmd/factor_axes.h"

namespace acceld::compiler::spmd {

// What an op's factors may be divided by: the layouts that its operands have, and those that its
// results shall have. Refers to its arguments.
struct AxesProblem {
  const ir::Function& function;
  const ir::Op& op;
  const FactorRule& rule;
  const CanonicalMesh& mesh;
  std::vector<Layout> operands, results;
  Axes parts;  // along which the op computes on parts; no factor can be divided along these
};

// Returns the axes along which each factor of the op is divided, so that the operands are given and
// the results are used with as little communication as one can know from the op alone. Each axis
// stands at one factor at most, and all tensors of the op can be divided along the axes of their
// factors.
FactorAxes ChooseAxes(const AxesProblem& problem);

}  // namespace acceld::compiler::spmd

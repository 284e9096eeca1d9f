#include "kernels/cuda/emit/statements/print_branch.h"

#include <cstddef>
#include <vector>

#include "kernels/cuda/emit/scalar_text.h"
#include "kernels/cuda/emit/statements/print_block.h"

namespace acceld::kernels::cuda {

void PrintBranch(PrintContext& context, const IfStatement& branch, ThreadGroup group) {
  CodeWriter& out = context.out;
  for (const Var result : branch.results) {
    out.Line(RegisterType(context.kernel.TypeOf(result)), " ", VariableName(result), ";");
  }
  const auto print_alternative = [&](const Block& body, const std::vector<Var>& values) {
    PrintBlock(context, body, group);
    for (size_t i = 0; i < values.size(); ++i) {
      out.Line(VariableName(branch.results[i]), " = ", VariableName(values[i]), ";");
    }
    out.Close();
  };
  const Effects before = context.barriers.since_barrier();
  out.Open("if (", VariableName(branch.condition), ")");
  print_alternative(branch.then_body, branch.then_values);
  const Effects after_then = context.barriers.since_barrier();
  context.barriers.set_since_barrier(before);
  if (!branch.else_body.empty() || !branch.else_values.empty()) {
    out.Open("else");
    print_alternative(branch.else_body, branch.else_values);
  }
  context.barriers.Add(after_then);
}

}  // namespace acceld::kernels::cuda

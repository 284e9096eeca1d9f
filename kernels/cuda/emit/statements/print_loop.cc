#include "kernels/cuda/emit/statements/print_loop.h"

#include <string>
#include <vector>

#include "kernels/cuda/emit/scalar_text.h"
#include "kernels/cuda/emit/statements/print_block.h"
#include "kernels/cuda/emit/statements/print_poll.h"
#include "kernels/cuda/emit/statements/print_reduction.h"

namespace acceld::kernels::cuda {
namespace {

// The variable of a carried value's result holds the value between iterations. It is declared
// before the loop, is copied to the current value at the beginning of an iteration, and gets the
// next value at its end.
void DeclareCarried(PrintContext& context, const std::vector<CarriedValue>& carried) {
  for (const CarriedValue& value : carried) {
    context.out.Line(RegisterType(context.kernel.TypeOf(value.result)), " ",
                     VariableName(value.result), " = ", VariableName(value.initial), ";");
  }
}

void DefineCurrent(PrintContext& context, const std::vector<CarriedValue>& carried) {
  for (const CarriedValue& value : carried) {
    context.out.Line(context.expressions.Definition(value.current), " = ",
                     VariableName(value.result), ";");
  }
}

void AssignNext(PrintContext& context, const std::vector<CarriedValue>& carried) {
  for (const CarriedValue& value : carried) {
    context.out.Line(VariableName(value.result), " = ", VariableName(value.next), ";");
  }
}

}  // namespace

void PrintLoop(PrintContext& context, const ForStatement& loop, ThreadGroup group) {
  const SharedReduction* reduction =
      group == ThreadGroup::kThread ? context.cooperative_work.ReductionOf(loop) : nullptr;
  if (reduction != nullptr && HasCompensatedSums(context.kernel, *reduction)) {
    return PrintReductionAlone(context, *reduction);
  }
  DeclareCarried(context, loop.carried);
  OpenLoop(context, loop, group);
  DefineCurrent(context, loop.carried);
  PrintBlock(context, loop.body, group);
  // Accesses of the next iteration may conflict with those of this one.
  if (group == ThreadGroup::kBlock) context.barriers.Print(context.out);
  AssignNext(context, loop.carried);
  context.out.Close();
}

void PrintWhile(PrintContext& context, const WhileStatement& loop) {
  context.polls = true;
  DeclareCarried(context, loop.carried);
  context.out.Open("while (*cancelled == 0)");
  DefineCurrent(context, loop.carried);
  PrintBlock(context, loop.condition_body, ThreadGroup::kThread);
  context.out.Line("if (!", VariableName(loop.condition), ") break;");
  PrintBlock(context, loop.body, ThreadGroup::kThread);
  AssignNext(context, loop.carried);
  context.out.Close();
}

void OpenLoop(PrintContext& context, const ForStatement& loop, ThreadGroup group) {
  const std::string i = VariableName(loop.induction);
  context.out.Open("for (", RegisterType(context.expressions.ComputedType(loop.induction)), " ", i,
                   " = 0; ", i, " < ", loop.extent, "; ++", i, ")");
  PrintPoll(context, i, static_cast<double>(loop.extent), loop.body, group);
}

}  // namespace acceld::kernels::cuda

#include "kernels/cuda/emit/statements/print_block.h"

#include <variant>

#include "kernels/cuda/emit/scalar_text.h"
#include "kernels/cuda/emit/statements/print_branch.h"
#include "kernels/cuda/emit/statements/print_for.h"
#include "kernels/cuda/emit/statements/print_loop.h"

namespace acceld::kernels::cuda {
namespace {

// Prints a statement of each kind.
struct StatementPrinter {
  PrintContext& context;
  const ThreadGroup group;

  void operator()(const ConstantStatement& constant) const {
    const DType dtype = context.expressions.ComputedType(constant.result);
    context.out.Line(context.expressions.Definition(constant.result), " = ",
                     ConstantText(dtype, constant.bits), ";");
  }
  void operator()(const ScalarStatement& scalar) const {
    context.out.Line(context.expressions.Definition(scalar.result), " = ",
                     context.expressions.ResultOf(scalar), ";");
  }
  void operator()(const LoadStatement& load) const {
    context.out.Line(context.expressions.Definition(load.result), " = ",
                     context.expressions.Element(load.buffer, load.index), ";");
  }
  void operator()(const StoreStatement& store) const {
    context.out.Line(IfFirst(group), context.expressions.Element(store.buffer, store.index), " = ",
                     VariableName(store.value), ";");
  }
  void operator()(const ForStatement& loop) const { PrintFor(context, loop, group); }
  void operator()(const WhileStatement& loop) const { PrintWhile(context, loop); }
  void operator()(const IfStatement& branch) const { PrintBranch(context, branch, group); }
};

}  // namespace

void PrintBlock(PrintContext& context, const Block& block, ThreadGroup group) {
  for (const Statement& statement : block) {
    if (group == ThreadGroup::kBlock) context.barriers.WaitBefore(statement, context.out);
    PrintStatement(context, statement, group);
  }
}

void PrintStatement(PrintContext& context, const Statement& statement, ThreadGroup group) {
  std::visit(StatementPrinter{context, group}, statement.value);
}

void PrintSlice(PrintContext& context, const Block& block,
                const absl::flat_hash_set<const Statement*>& statements) {
  for (const Statement& statement : block) {
    if (statements.contains(&statement)) PrintStatement(context, statement, ThreadGroup::kThread);
  }
}

}  // namespace acceld::kernels::cuda

#include <algorithm>

#include "server/compiler/spmd/rules/rules.h"

// Library routines, whose leading dimensions are batches, and ops that are not divided: those that
// other ops have replaced before a program is partitioned, and those that the partitioner treats
// separately.
namespace acceld::compiler::spmd {
namespace {

// Keeps all dimensions but the last `inner` ones.
void KeepBatches(const RuleContext& context, int64_t inner) {
  const int64_t rank = context.result().rank();
  for (int64_t i = 0; i < rank - inner; ++i) {
    context.Keep(i, i);
    const auto at = static_cast<size_t>(i);
    for (DimensionFactors& operand : context.rule.operands)
      operand[at] = context.rule.results[0][at];
  }
}

}  // namespace

void CholeskyFactors(const RuleContext& context) { KeepBatches(context, 2); }
void FftFactors(const RuleContext& context) {
  KeepBatches(context, static_cast<int64_t>(context.As<ir::FftAttributes>().fft_length.size()));
}
void TriangularSolveFactors(const RuleContext& context) { KeepBatches(context, 2); }

#define ACCELD_UNDIVIDED(Kind, ...) \
  void Kind##Factors(const RuleContext&) {}
#define ACCELD_ELEMENTWISE_OP(Kind, name, arity, Attributes, Infer, Operands)
#define ACCELD_INDEXING_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer)
#define ACCELD_NEST_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer)
#define ACCELD_CONTRACTION_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer)
#define ACCELD_ROUTINE_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer)
#define ACCELD_COLLECTIVE_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer)
#define ACCELD_OP ACCELD_UNDIVIDED
#include "common/ir/ops.def"

}  // namespace acceld::compiler::spmd

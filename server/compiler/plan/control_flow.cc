#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "server/compiler/plan/alternate_buffers.h"
#include "server/compiler/plan/function_planner.h"

// The part of FunctionPlanner that plans loops and branches.
namespace acceld::compiler {

using ir::OpKind;

std::vector<BufferId> FunctionPlanner::AllocateCarried(const ir::Op& op, Steps& steps) {
  std::vector<BufferId> carried(op.operands.size(), kNoBuffer);
  absl::flat_hash_set<BufferId> taken;
  // First keep the buffers of initial values that are not needed after the loop begins. Then give
  // the others the buffers in which the results are wanted, if these are free, or new ones, and
  // copy the initial values there. No copy overwrites an initial value, because the buffers of
  // initial values are chosen before.
  for (size_t i = 0; i < carried.size(); ++i) {
    const BufferId initial = BufferOf(op.operands[i]);
    const bool reserved = buffers_.IsReserved(initial) && hints_[op.results[i]] != initial;
    if (buffers_.IsWritable(initial) && buffers_.last_use(initial) <= now_ && !reserved &&
        taken.insert(initial).second) {
      carried[i] = initial;
    }
  }
  for (size_t i = 0; i < carried.size(); ++i) {
    if (carried[i] != kNoBuffer) continue;
    BufferId buffer = AllocateResult(op.results[i]);
    if (!taken.insert(buffer).second) buffer = buffers_.AddArena(buffers_.size_bytes(buffer));
    carried[i] = buffer;
    NoteAligned(BufferOf(op.operands[i]), carried[i]);
    EmitCopy(BufferOf(op.operands[i]), carried[i], steps, "initial value");
  }
  return carried;
}

absl::Status FunctionPlanner::PlanWhile(const ir::Op& op, Steps& steps) {
  const ir::Region& condition = op.regions[0];
  const ir::Region& body = op.regions[1];
  const int32_t begin = now_;
  const std::vector<BufferId> carried = AllocateCarried(op, steps);
  buffers_.BeginLoop(begin);
  for (BufferId b : carried) buffers_.Touch(b, begin);
  ++now_;
  kernels::WhileStep loop;

  for (size_t i = 0; i < carried.size(); ++i) {
    BindParameter(condition.parameters[i], carried[i]);
    buffers_.Freeze(carried[i]);
  }
  ACCELD_RETURN_IF_ERROR(PlanOps(condition, loop.condition));
  loop.predicate = Touched(BufferOf(condition.results[0]));
  for (BufferId b : carried) buffers_.Thaw(b);
  ++now_;

  for (size_t i = 0; i < carried.size(); ++i) BindParameter(body.parameters[i], carried[i]);
  ACCELD_RETURN_IF_ERROR(PlanInto(body, carried, loop.body));
  AvoidCopiesBack(loop);

  for (BufferId b : carried) buffers_.Touch(b, now_);
  buffers_.EndLoop(now_);
  for (size_t i = 0; i < carried.size(); ++i) Bind(op.results[i], carried[i]);
  ++now_;
  steps.push_back({std::move(loop), DescribeOp(op)});
  return absl::OkStatus();
}

void FunctionPlanner::AvoidCopiesBack(kernels::WhileStep& loop) {
  std::vector<CopiedBack> values = FindCopiedBack(loop, context_.generator.min_alternating_bytes());
  values.erase(std::remove_if(values.begin(), values.end(),
                              [&](const CopiedBack& value) {
                                // Until the arena is laid out, the index is the number of the
                                // buffer.
                                return !buffers_.KeepThroughLoop(value.temporary.index);
                              }),
               values.end());
  if (!values.empty()) AlternateBuffers(values, loop);
}

absl::Status FunctionPlanner::PlanSwitch(const ir::Op& op, Steps& steps) {
  kernels::SwitchStep choice;
  choice.index = Touched(BufferOf(op.operands[0]));
  choice.index_is_predicate = op.kind == OpKind::kIf;
  std::vector<BufferId> results;
  absl::flat_hash_set<BufferId> taken;
  for (ir::ValueId id : op.results) {
    BufferId buffer = AllocateResult(id);
    if (!taken.insert(buffer).second) {
      buffer = buffers_.AddArena(buffers_.size_bytes(buffer));
    }
    buffers_.Touch(buffer, now_);
    results.push_back(buffer);
  }
  ++now_;
  for (const ir::Region& branch : op.regions) {
    ACCELD_RETURN_IF_ERROR(PlanInto(branch, results, choice.branches.emplace_back()));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    Bind(op.results[i], results[i]);
    buffers_.Touch(results[i], now_);
  }
  ++now_;
  steps.push_back({std::move(choice), DescribeOp(op)});
  return absl::OkStatus();
}

}  // namespace acceld::compiler

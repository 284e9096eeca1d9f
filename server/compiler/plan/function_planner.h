#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "common/ir/module.h"
#include "common/status.h"
#include "kernels/ir/plan.h"
#include "server/codegen/target.h"
#include "server/compiler/fusion/groups/groups.h"
#include "server/compiler/plan/buffers.h"
#include "server/compiler/plan/constants.h"
#include "server/compiler/plan/kernel_table.h"
#include "server/compiler/plan/liveness.h"

namespace acceld::compiler {

// The state that the planners of all functions of one plan share.
struct PlanContext {
  const codegen::Target& generator;
  const ir::ProcessGrid grid;
  KernelTable kernels;
  ConstantBlock constants;
  struct Callee {
    uint32_t function;    // the number of the function in the plan
    int64_t arena_bytes;  // the size of its arena
  };
  // Returns the planned function of this name. Plans it when it is asked for the first time.
  std::function<absl::StatusOr<Callee>(const std::string& name)> callee;
};

// Plans one function: turns its ops into steps and assigns a buffer to each value. It walks over
// the regions once, in the order of the program, and counts ticks as Liveness does. Use an object
// once, in one thread. Keeps references to the function and the context.
class FunctionPlanner {
 public:
  FunctionPlanner(const ir::Function& function, PlanContext& context);
  // Plans the function. Returns UNIMPLEMENTED for an op without a lowering, and the other errors of
  // lowering.
  absl::StatusOr<kernels::PlanFunction> Run();
  // Returns which results may be written over which arguments (Plan::may_share). Call it after Run.
  std::vector<kernels::InputOutputAlias> FindInputOutputAliases() const;

 private:
  using Steps = kernels::Steps;

  absl::Status PlanOps(const ir::Region& region, Steps& steps);
  // Notes which of the region's collectives do what ops behind them say (scales_).
  void FindScales(const ir::Region& region);
  // Plans the region's ops, and then moves the region's results to `targets` (one per result).
  absl::Status PlanInto(const ir::Region& region, const std::vector<BufferId>& targets,
                        Steps& steps);
  absl::Status PlanOp(const ir::Op& op, Steps& steps);
  // Plans the op as launches of kernels.
  absl::Status PlanKernels(const ir::Op& op, Steps& steps);
  // Returns false if the op is not a matrix product that the target's library supports.
  bool PlanMatmul(const ir::Op& op, Steps& steps);
  // Returns false if the op is not attention.
  bool PlanAttention(const ir::Op& op, Steps& steps);
  // Returns false if the op is not an uninitialized tensor (common/ir/calls/uninitialized.h).
  bool PlanUninitialized(const ir::Op& op);
  // Returns false if the op is not a host callback.
  absl::StatusOr<bool> PlanHostCall(const ir::Op& op, Steps& steps);
  // Returns false if the op is not of family Collective. Returns UNIMPLEMENTED for collectives that
  // normalize_collectives.h replaces.
  absl::StatusOr<bool> PlanCollective(const ir::Op& op, Steps& steps);
  // Returns false if the op is not a convolution that the target's library supports.
  bool PlanConvolution(const ir::Op& op, Steps& steps);
  // Returns false if the op is not a routine. Returns UNIMPLEMENTED for an unknown custom call.
  absl::StatusOr<bool> PlanRoutine(const ir::Op& op, Steps& steps);
  absl::Status PlanCall(const ir::Op& op, Steps& steps);
  absl::Status PlanWhile(const ir::Op& op, Steps& steps);
  // Makes the loop alternate between two buffers for each value that its body copies back, if that
  // is worthwhile. Called between BeginLoop and EndLoop, when the body is planned.
  void AvoidCopiesBack(kernels::WhileStep& loop);
  absl::Status PlanSwitch(const ir::Op& op, Steps& steps);
  // Chooses the buffers of a loop's carried values. Copies initial values that cannot stay in their
  // buffers.
  std::vector<BufferId> AllocateCarried(const ir::Op& op, Steps& steps);

  // Returns the buffer of a value. Adds a constant to the constant block on first use.
  BufferId BufferOf(ir::ValueId id);
  // Records that a value is computed at the current tick into the buffer.
  void Bind(ir::ValueId id, BufferId buffer);
  // Records that a parameter is in the buffer.
  void BindParameter(ir::ValueId id, BufferId buffer);
  // As AllocateResult, but prefers the buffer of `operand` to a new one, if the operand is not
  // needed after the current tick and has the size of the result.
  BufferId AllocateResultOver(ir::ValueId id, BufferId operand);
  // Returns a buffer for a result that is written at the current tick: the wanted one (hints_) if
  // it is free, else a new one. Does not bind the result.
  BufferId AllocateResult(ir::ValueId id);
  // Records, if the first buffer is an argument of the function and the second a result, that the
  // step at the current tick allows them to be the same memory: for each element of the result, it
  // reads no other element of the argument than that at the same position.
  void NoteAligned(BufferId argument, BufferId result);
  // Returns, for each result, the first arguments of its size whose last read is before the
  // result's first write, at most kMaxArgumentChoices.
  std::vector<std::vector<BufferId>> FindArgumentsReadBefore() const;
  // The last tick at which an argument may be read.
  int32_t LastRead(BufferId argument) const {
    return std::max(buffers_.last_use(argument), buffers_.last_touch(argument));
  }
  // Whether the values in the buffer are not needed any more.
  bool IsFree(BufferId buffer) const { return buffers_.last_use(buffer) < now_; }
  // Records an access at the current tick and returns the memory of the buffer.
  kernels::Slice Touched(BufferId buffer);
  // Adds a copy at the current tick. Does not record that the two buffers may be the same memory:
  // whoever else uses the buffers at this tick decides that.
  void EmitCopy(BufferId from, BufferId to, Steps& steps, const std::string& comment);
  // Copies from[i] to to[i], as if all at the same time.
  void EmitMoves(const std::vector<BufferId>& to, const std::vector<BufferId>& from, Steps& steps,
                 const std::string& comment);

  const ir::Function& function_;
  PlanContext& context_;
  const Liveness liveness_;
  BufferTable buffers_;
  std::vector<BufferId> buffer_of_;            // by value; kNoBuffer if not known yet
  std::vector<BufferId> hints_;                // by value: the wanted buffer (PropagateHints)
  std::vector<OpIndex> scratch_;               // for RegionGraph
  std::vector<const ir::Literal*> constants_;  // by value; nullptr if the value is no constant
  std::vector<BufferId> arguments_, results_;
  // What collectives do besides, by the value of the collective; and the ops that need no steps
  // because of that.
  struct Scale {
    ir::ValueId result;  // of the op that scales
    double factor;
  };
  absl::flat_hash_map<ir::ValueId, Scale> scales_;
  absl::flat_hash_set<const ir::Op*> done_by_collectives_;
  // Arguments, results and ticks that were recorded by NoteAligned.
  absl::flat_hash_set<std::tuple<BufferId, BufferId, int32_t>> same_element_accesses_;
  int32_t now_ = 0;  // the current tick
};

// Returns a description of the op for people, like "stablehlo.add (line 3)".
std::string DescribeOp(const ir::Op& op);

}  // namespace acceld::compiler

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

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

// What the functions of one plan share.
struct PlanContext {
  const codegen::Target& generator;
  KernelTable kernels;
  ConstantBlock constants;
  struct Callee {
    uint32_t function;
    int64_t arena_bytes;
  };
  // The plan of a function of the module, made on first use.
  std::function<absl::StatusOr<Callee>(const std::string& name)> callee;
};

// Plans one function: one walk over its regions in program order, counting ticks as Liveness does.
// Single use, one thread.
class FunctionPlanner {
 public:
  FunctionPlanner(const ir::Function& function, PlanContext& context);
  absl::StatusOr<kernels::PlanFunction> Run();
  // Of what Run has planned: which results may be written over which arguments (Plan::may_share).
  std::vector<kernels::SharedPlace> FindSharedPlaces() const;

 private:
  using Steps = kernels::Steps;

  absl::Status PlanOps(const ir::Region& region, Steps& steps);
  // The region's ops, and then its results moved to `targets` (one per result).
  absl::Status PlanInto(const ir::Region& region, const std::vector<BufferId>& targets,
                        Steps& steps);
  absl::Status PlanOp(const ir::Op& op, Steps& steps);
  absl::Status PlanKernels(const ir::Op& op, Steps& steps);
  // False when the op is no matrix product, or none that the target's library runs.
  bool PlanMatmul(const ir::Op& op, Steps& steps);
  // False when the op is no attention.
  bool PlanAttention(const ir::Op& op, Steps& steps);
  // False when the op is no place without content.
  bool PlanUnwritten(const ir::Op& op);
  // False when the op is no host callback.
  absl::StatusOr<bool> PlanHostCall(const ir::Op& op, Steps& steps);
  bool PlanConvolution(const ir::Op& op, Steps& steps);
  // False when the op is no routine.
  absl::StatusOr<bool> PlanRoutine(const ir::Op& op, Steps& steps);
  absl::Status PlanCall(const ir::Op& op, Steps& steps);
  absl::Status PlanWhile(const ir::Op& op, Steps& steps);
  absl::Status PlanSwitch(const ir::Op& op, Steps& steps);
  // The fixed places of what a loop carries; copies initial values where they cannot stay.
  std::vector<BufferId> PlaceCarried(const ir::Op& op, Steps& steps);

  // The buffer of a value; constants get theirs on first use.
  BufferId BufferOf(ir::ValueId id);
  // Puts a value that is made now into a buffer. A parameter is there before it is read.
  void Bind(ir::ValueId id, BufferId buffer);
  void BindParameter(ir::ValueId id, BufferId buffer);
  // PlaceResult, or the place of an operand of the result's size that dies here.
  BufferId PlaceResultOver(ir::ValueId id, BufferId operand);
  // A buffer for a result that is written at the current tick: the wanted one if it is free, else a
  // new one. Not bound yet.
  BufferId PlaceResult(ir::ValueId id);
  // The step that is planned now reads the one, if it is an argument, only at the element that it
  // writes of the other: the two may be one place as far as this step goes.
  void NoteAligned(BufferId argument, BufferId result);
  bool IsFree(BufferId buffer) const { return buffers_.last_use(buffer) < now_; }
  kernels::Slice Touched(BufferId buffer);
  void EmitCopy(BufferId from, BufferId to, Steps& steps, const std::string& comment);
  void EmitMoves(const std::vector<BufferId>& to, const std::vector<BufferId>& from, Steps& steps,
                 const std::string& comment);

  const ir::Function& function_;
  PlanContext& context_;
  const Liveness liveness_;
  BufferTable buffers_;
  std::vector<BufferId> buffer_of_;            // by value
  std::vector<BufferId> hints_;                // by value
  std::vector<OpIndex> scratch_;               // of RegionGraph
  std::vector<const ir::Literal*> constants_;  // by value: not yet in the block
  std::vector<BufferId> arguments_, results_;
  // An argument and a result, and when a step was planned that goes with both in one place.
  absl::flat_hash_set<std::tuple<BufferId, BufferId, int32_t>> aligned_;
  int32_t now_ = 0;
};

// "stablehlo.add (line 3)".
std::string DescribeOp(const ir::Op& op);

}  // namespace acceld::compiler

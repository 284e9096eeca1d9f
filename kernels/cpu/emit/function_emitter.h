#pragma once

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "kernels/cpu/emit/buffer_facts.h"
#include "kernels/cpu/emit/code_context.h"
#include "kernels/cpu/emit/nests/accumulations.h"
#include "kernels/cpu/emit/nests/tile_nest.h"
#include "kernels/cpu/emit/nests/transposed_nest.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cpu {

// Prints statements of one kernel into one LLVM function (-> i32, a CodeStatus). A parallel loop
// with enough work becomes a function of its own, printed by another FunctionEmitter, that the
// run-time support calls for each tile. The kernel must have passed VerifyKernel.
class FunctionEmitter {
 public:
  // `context` is the function's LaunchContext, `buffers` the addresses of kernel.buffers, and of
  // kernel.scratch where there is some already. `in_parallel`: the function already runs on one of
  // several threads. Rare branches are printed into `rare_code` if that is another.
  FunctionEmitter(CodeContext& code, CodeContext& rare_code, const Kernel& kernel,
                  const std::vector<BufferFacts>& facts, llvm::Function* function,
                  llvm::Value* context, std::vector<llvm::Value*> buffers, bool in_parallel);

  void EmitBlock(const Block& block);
  // Runs one tile of `nest`.
  void EmitTile(const TileNest& nest, llvm::Value* tile);
  // Runs one strip of blocks.
  void EmitStrip(const TransposedNest& transposed, llvm::Value* strip);
  // Ends the function, returning kOk.
  void Finish();

  void Bind(Var var, llvm::Value* value) { values_[var] = value; }
  // Whether some path returns another status than kOk.
  bool can_fail() const { return can_fail_; }

 private:
  // statements.cc
  void Emit(const ConstantStatement& statement);
  void Emit(const ScalarStatement& statement);
  void Emit(const LoadStatement& statement);
  void Emit(const StoreStatement& statement);
  void Emit(const IfStatement& statement);
  llvm::Value* ElementAddress(uint32_t buffer, Var index);
  // Scratch arrays come into being on first use.
  llvm::Value* Buffer(uint32_t buffer);
  // Of the element at `address`, which holds what `statement` loads.
  void EmitLoad(const LoadStatement& statement, llvm::Value* address);
  void NoteAccess(llvm::Instruction* access, uint32_t buffer);
  // No other iteration of the parallel loops around touches what `access` writes.
  void NoteParallelAccess(llvm::Instruction* access);

  // loops.cc
  void Emit(const ForStatement& loop);
  void Emit(const WhileStatement& loop);
  // Iterations from `begin` to `end` of a loop; at least one, and `most` at most.
  struct Iterations {
    llvm::Value *begin, *end;
    int64_t most;
  };
  // A loop of much work polls whether the run is interrupted: each iteration where these are long,
  // otherwise between pieces of it.
  void EmitRange(const ForStatement& loop, Iterations iterations);
  // `work`: of an iteration (EstimateWork), as `emit_body` emits it.
  void EmitRange(const ForStatement& loop, Iterations iterations, double work,
                 absl::FunctionRef<void()> emit_body);
  // The loop itself. `polls`: at the end of each iteration.
  void EmitLoop(const ForStatement& loop, Iterations iterations, bool polls,
                const std::vector<llvm::Value*>& initial, absl::FunctionRef<void()> emit_body);
  // The same in pieces of `piece` iterations, with a poll before each.
  void EmitPieces(const ForStatement& loop, Iterations iterations, int64_t piece,
                  const std::vector<llvm::Value*>& initial, absl::FunctionRef<void()> emit_body);
  void Poll();
  std::vector<llvm::Value*> Initial(const std::vector<CarriedValue>& carried) const;
  std::vector<llvm::PHINode*> EmitCurrent(const std::vector<CarriedValue>& carried,
                                          const std::vector<llvm::Value*>& initial,
                                          llvm::BasicBlock* before);
  // Finds the operations of a reduction that may be reordered, and those that are to be done with
  // keys: of each carried value, the extremum that it is if its keys are carried.
  std::vector<absl::optional<ScalarOp>> MarkAccumulations(const ForStatement& loop);

  // parallel_loop.cc
  // `emit_task` emits what a thread does with a number below `num_tasks`.
  using EmitTask = absl::FunctionRef<void(FunctionEmitter&, llvm::Value* number)>;
  void EmitParallel(const ForStatement& loop, int64_t num_tasks, EmitTask emit_task);
  llvm::Function* EmitTaskFunction(const ForStatement& loop, const std::vector<Var>& captured,
                                   EmitTask emit_task);
  // Memory on the stack that holds `fields`.
  std::pair<llvm::StructType*, llvm::Value*> EmitFrame(const std::vector<llvm::Value*>& fields);
  void EmitNestLevel(const TileNest& nest, size_t level,
                     const std::vector<llvm::Value*>& outer_indices, llvm::Value* begin,
                     llvm::Value* end);

  // rare_branches.cc
  // Calls a function of `rare_code_` that does what `body` says.
  void EmitApart(const Block& body);

  // transposed_loops.cc
  struct Range {
    llvm::Value *begin, *end;  // begin < end
  };
  // What a load brings for a block: `pitch` elements for each iteration of the last loop.
  struct Copy {
    const Statement* load;
    llvm::AllocaInst* array;
    int64_t pitch;
  };
  void EmitBlockOf(const TransposedNest& transposed, const std::vector<Copy>& copies, Range across,
                   Range last);
  // for (begin = range.begin; begin < range.end; begin += step)
  void EmitSteps(Range range, int64_t step, absl::FunctionRef<void(llvm::Value* begin)> emit_body);

  void Return(llvm::Value* status);
  // Goes on only when `status` is kOk, else returns it.
  void ReturnUnlessOk(llvm::Value* status);
  llvm::BasicBlock* NewBlock(const char* name);
  llvm::Value* In(Var var) const { return values_[var]; }

  CodeContext& code_;
  CodeContext& rare_code_;
  const Kernel& kernel_;
  const std::vector<BufferFacts>& facts_;
  llvm::Function* function_;
  llvm::Value* context_;
  std::vector<llvm::Value*> buffers_;  // and scratch; null while unused
  std::vector<llvm::Value*> heap_scratch_;
  std::vector<llvm::Value*> values_;            // by Var
  std::vector<llvm::Metadata*> access_groups_;  // of the parallel loops around
  absl::flat_hash_set<Var> reorderable_;
  // Whose result and current value are keys (extremum_keys.h).
  absl::flat_hash_map<Var, Accumulation::Step> key_steps_;
  bool in_parallel_;      // where loops are not shared out any more
  bool is_rare_ = false;  // where code should be short
  bool can_fail_ = false;
  Builder entry_;  // makes scratch
  llvm::BasicBlock* start_;
  llvm::BasicBlock* exit_;
  llvm::PHINode* status_;               // in exit_
  llvm::Value* interrupted_ = nullptr;  // LaunchContext's field, loaded on first use
  Builder b_;
};

// The attributes that `facts` justify, for the parameters of `function` from `first` on.
void SetBufferAttributes(const Kernel& kernel, const std::vector<BufferFacts>& facts,
                         llvm::Function& function, unsigned first);

}  // namespace acceld::kernels::cpu

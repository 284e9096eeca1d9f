#include <algorithm>

#include "kernels/cpu/emit/function_emitter.h"
#include "kernels/cpu/emit/launch_context.h"
#include "kernels/cpu/emit/math/extremum_keys.h"
#include "kernels/cpu/emit/nests/work_estimate.h"

namespace acceld::kernels::cpu {

using llvm::Value;

namespace {
// Shorter loops are unrolled instead of vectorized, so that the surrounding loop can be vectorized:
// a vector of several sums is faster than a vector whose elements have to be added up at the end.
constexpr int64_t kShortestVector = 4;
constexpr int64_t kLongestUnrolledReduction = 8;
}  // namespace

void FunctionEmitter::Emit(const ForStatement& loop) {
  if (loop.kind == ForStatement::Kind::kParallel && !in_parallel_) {
    if (absl::optional<TransposedNest> transposed = FindTransposedNest(kernel_, loop)) {
      EmitParallel(loop, transposed->num_strips, [&](FunctionEmitter& inner, Value* strip) {
        inner.EmitStrip(*transposed, strip);
      });
      return;
    }
    if (absl::optional<TileNest> nest = FindTileNest(kernel_, loop)) {
      EmitParallel(loop, nest->num_tiles,
                   [&](FunctionEmitter& inner, Value* tile) { inner.EmitTile(*nest, tile); });
      return;
    }
    // The loops inside share the scratch arrays, of which one thread has one copy.
    if (!kernel_.scratch.empty() && loop.extent > 0) {
      in_parallel_ = true;
      EmitRange(loop, {code_.Int64(0), code_.Int64(loop.extent), loop.extent});
      in_parallel_ = false;
      return;
    }
  }
  if (loop.extent == 0) {
    for (const CarriedValue& carried : loop.carried) Bind(carried.result, In(carried.initial));
    return;
  }
  EmitRange(loop, {code_.Int64(0), code_.Int64(loop.extent), loop.extent});
}

void FunctionEmitter::EmitRange(const ForStatement& loop, Iterations iterations) {
  EmitRange(loop, iterations, EstimateWork(kernel_, loop.body), [&] { EmitBlock(loop.body); });
}

void FunctionEmitter::EmitRange(const ForStatement& loop, Iterations iterations, double work,
                                absl::FunctionRef<void()> emit_body) {
  const std::vector<absl::optional<ScalarOp>> keyed = MarkAccumulations(loop);
  if (loop.extent == 1) {
    Bind(loop.induction, iterations.begin);
    for (const CarriedValue& carried : loop.carried) Bind(carried.current, In(carried.initial));
    emit_body();
    for (const CarriedValue& carried : loop.carried) Bind(carried.result, In(carried.next));
    return;
  }

  std::vector<Value*> initial = Initial(loop.carried);
  for (size_t i = 0; i < initial.size(); ++i) {
    if (keyed[i].has_value()) initial[i] = KeyOf(b_, *keyed[i], initial[i]);
  }
  work = std::max(1.0, work);
  const bool is_long = static_cast<double>(iterations.most) * work > kPollWork;
  if (is_long && work < kMinPolledWork) {
    EmitPieces(loop, iterations, static_cast<int64_t>(kPollWork / work), initial, emit_body);
  } else {
    EmitLoop(loop, iterations, /*polls=*/is_long, initial, emit_body);
  }
  for (size_t i = 0; i < initial.size(); ++i) {
    if (!keyed[i].has_value()) continue;
    const CarriedValue& carried = loop.carried[i];
    Bind(carried.result,
         ValueOfKey(b_, *keyed[i], In(carried.result), In(carried.initial)->getType()));
  }
}

void FunctionEmitter::EmitPieces(const ForStatement& loop, Iterations iterations, int64_t piece,
                                 const std::vector<Value*>& initial,
                                 absl::FunctionRef<void()> emit_body) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* next_piece = NewBlock("piece");
  llvm::BasicBlock* after = NewBlock("after");
  b_.CreateBr(next_piece);
  b_.SetInsertPoint(next_piece);
  llvm::PHINode* begin = b_.CreatePHI(b_.getInt64Ty(), 2);
  begin->addIncoming(iterations.begin, before);
  std::vector<llvm::PHINode*> phis;
  for (Value* value : initial) {
    phis.push_back(b_.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
  }
  Poll();
  Value* end = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin,
                                        b_.CreateAdd(begin, b_.getInt64(piece), "", true, true),
                                        iterations.end);
  EmitLoop(loop, {begin, end, std::min(piece, iterations.most)}, /*polls=*/false,
           {phis.begin(), phis.end()}, emit_body);
  begin->addIncoming(end, b_.GetInsertBlock());
  for (size_t i = 0; i < phis.size(); ++i) {
    phis[i]->addIncoming(In(loop.carried[i].result), b_.GetInsertBlock());
  }
  b_.CreateCondBr(b_.CreateICmpULT(end, iterations.end), next_piece, after);
  b_.SetInsertPoint(after);
}

void FunctionEmitter::EmitLoop(const ForStatement& loop, Iterations iterations, bool polls,
                               const std::vector<Value*>& initial,
                               absl::FunctionRef<void()> emit_body) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* body = NewBlock("loop");
  llvm::BasicBlock* after = NewBlock("after");
  b_.CreateBr(body);
  b_.SetInsertPoint(body);
  llvm::PHINode* induction = b_.CreatePHI(b_.getInt64Ty(), 2);
  induction->addIncoming(iterations.begin, before);
  Bind(loop.induction, induction);
  const std::vector<llvm::PHINode*> phis = EmitCurrent(loop.carried, initial, before);

  // An iteration of a parallel loop never accesses what another one writes. With this information
  // LLVM vectorizes without proofs, even where an input and an output are the same memory.
  llvm::SmallVector<llvm::Metadata*, 2> properties = {nullptr};
  if (loop.kind == ForStatement::Kind::kParallel) {
    llvm::MDNode* group = llvm::MDNode::getDistinct(code_.llvm(), {});
    access_groups_.push_back(group);
    properties.push_back(llvm::MDNode::get(
        code_.llvm(), {llvm::MDString::get(code_.llvm(), "llvm.loop.parallel_accesses"), group}));
  }
  if (is_rare_) {
    properties.push_back(llvm::MDNode::get(
        code_.llvm(), {llvm::MDString::get(code_.llvm(), "llvm.loop.unroll.disable")}));
  }
  if (loop.extent <= (loop.carried.empty() ? kShortestVector - 1 : kLongestUnrolledReduction)) {
    properties.push_back(llvm::MDNode::get(
        code_.llvm(), {llvm::MDString::get(code_.llvm(), "llvm.loop.vectorize.enable"),
                       llvm::ConstantAsMetadata::get(llvm::ConstantInt::getFalse(code_.llvm()))}));
  }
  emit_body();
  if (loop.kind == ForStatement::Kind::kParallel) access_groups_.pop_back();
  if (polls) Poll();

  Value* next = b_.CreateAdd(induction, b_.getInt64(1), "", /*HasNUW=*/true, /*HasNSW=*/true);
  llvm::BasicBlock* latch = b_.GetInsertBlock();
  llvm::BranchInst* branch = b_.CreateCondBr(b_.CreateICmpULT(next, iterations.end), body, after);
  llvm::MDNode* id = llvm::MDNode::getDistinct(code_.llvm(), properties);
  id->replaceOperandWith(0, id);
  branch->setMetadata(llvm::LLVMContext::MD_loop, id);
  induction->addIncoming(next, latch);
  for (size_t i = 0; i < phis.size(); ++i) {
    phis[i]->addIncoming(In(loop.carried[i].next), latch);
  }
  b_.SetInsertPoint(after);
  for (const CarriedValue& carried : loop.carried) Bind(carried.result, In(carried.next));
}

void FunctionEmitter::EmitSteps(Range range, int64_t step,
                                absl::FunctionRef<void(Value* begin)> emit_body) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* body = NewBlock("steps");
  llvm::BasicBlock* after = NewBlock("after");
  b_.CreateBr(body);
  b_.SetInsertPoint(body);
  llvm::PHINode* begin = b_.CreatePHI(b_.getInt64Ty(), 2);
  begin->addIncoming(range.begin, before);
  emit_body(begin);
  Value* next = b_.CreateAdd(begin, b_.getInt64(step), "", /*HasNUW=*/true, /*HasNSW=*/true);
  begin->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpULT(next, range.end), body, after);
  b_.SetInsertPoint(after);
}

std::vector<Value*> FunctionEmitter::Initial(const std::vector<CarriedValue>& carried) const {
  std::vector<Value*> initial;
  for (const CarriedValue& value : carried) initial.push_back(In(value.initial));
  return initial;
}

std::vector<llvm::PHINode*> FunctionEmitter::EmitCurrent(const std::vector<CarriedValue>& carried,
                                                         const std::vector<Value*>& initial,
                                                         llvm::BasicBlock* before) {
  std::vector<llvm::PHINode*> phis;
  for (size_t i = 0; i < carried.size(); ++i) {
    phis.push_back(b_.CreatePHI(initial[i]->getType(), 2));
    phis.back()->addIncoming(initial[i], before);
    Bind(carried[i].current, phis.back());
  }
  return phis;
}

void FunctionEmitter::Poll() {
  if (interrupted_ == nullptr) {
    interrupted_ = LoadField(code_, entry_, context_, ContextField::kInterrupted);
  }
  EmitPoll(code_, b_, context_, interrupted_, [this](Value* status) { ReturnUnlessOk(status); });
}

void FunctionEmitter::Emit(const WhileStatement& loop) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* condition = NewBlock("while");
  llvm::BasicBlock* body = NewBlock("do");
  llvm::BasicBlock* after = NewBlock("after");
  b_.CreateBr(condition);
  b_.SetInsertPoint(condition);
  const std::vector<llvm::PHINode*> phis = EmitCurrent(loop.carried, Initial(loop.carried), before);
  Poll();
  EmitBlock(loop.condition_body);
  b_.CreateCondBr(In(loop.condition), body, after);
  b_.SetInsertPoint(body);
  EmitBlock(loop.body);
  for (size_t i = 0; i < phis.size(); ++i) {
    phis[i]->addIncoming(In(loop.carried[i].next), b_.GetInsertBlock());
  }
  b_.CreateBr(condition);
  b_.SetInsertPoint(after);
  for (size_t i = 0; i < phis.size(); ++i) Bind(loop.carried[i].result, phis[i]);
}

std::vector<absl::optional<ScalarOp>> FunctionEmitter::MarkAccumulations(const ForStatement& loop) {
  std::vector<absl::optional<ScalarOp>> keyed(loop.carried.size());
  if (loop.kind != ForStatement::Kind::kReduction) return keyed;
  const std::vector<absl::optional<Accumulation>> found = FindAccumulations(kernel_, loop);
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i].has_value()) continue;
    const bool is_extremum = found[i]->op == ScalarOp::kMax || found[i]->op == ScalarOp::kMin;
    if (!is_extremum) {
      for (const Accumulation::Step& step : found[i]->steps) reorderable_.insert(step.result);
    } else if (found[i]->is_private && loop.extent > 1 && ShouldCarryKeys(code_)) {
      for (const Accumulation::Step& step : found[i]->steps) key_steps_.emplace(step.result, step);
      keyed[i] = found[i]->op;
    }
  }
  return keyed;
}

}  // namespace acceld::kernels::cpu

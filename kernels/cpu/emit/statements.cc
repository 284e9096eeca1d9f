#include <utility>

#include "kernels/cpu/emit/function_emitter.h"
#include "kernels/cpu/emit/math/extremum_keys.h"
#include "kernels/cpu/emit/plan_split.h"
#include "kernels/cpu/emit/scalar_ops.h"
#include "kernels/cpu/support_abi.h"
#include "llvm/IR/MDBuilder.h"

namespace acceld::kernels::cpu {

using ir::DType;
using llvm::Value;

namespace {
// Larger scratch arrays are allocated on the heap, as the threads of the pool have stacks of
// ordinary size.
constexpr int64_t kMaxStackScratchBytes = 32 * 1024;
}  // namespace

FunctionEmitter::FunctionEmitter(CodeContext& code, CodeContext& rare_code, const Kernel& kernel,
                                 const std::vector<BufferFacts>& facts, llvm::Function* function,
                                 Value* context, std::vector<Value*> buffers, bool in_parallel)
    : code_(code),
      rare_code_(rare_code),
      kernel_(kernel),
      facts_(facts),
      function_(function),
      context_(context),
      buffers_(std::move(buffers)),
      values_(kernel.var_types.size()),
      in_parallel_(in_parallel),
      entry_(llvm::BasicBlock::Create(code.llvm(), "entry", function)),
      start_(llvm::BasicBlock::Create(code.llvm(), "start", function)),
      exit_(llvm::BasicBlock::Create(code.llvm(), "exit", function)),
      b_(start_) {
  buffers_.resize(kernel.buffers.size() + kernel.scratch.size());
  Builder exit(exit_);
  status_ = exit.CreatePHI(exit.getInt32Ty(), 2);
}

llvm::BasicBlock* FunctionEmitter::NewBlock(const char* name) {
  return llvm::BasicBlock::Create(code_.llvm(), name, function_);
}

void FunctionEmitter::EmitBlock(const Block& block) {
  for (const Statement& statement : block) {
    std::visit([this](const auto& value) { Emit(value); }, statement.value);
  }
}

void FunctionEmitter::Emit(const ConstantStatement& statement) {
  llvm::Type* type = code_.RegisterType(kernel_.TypeOf(statement.result));
  const unsigned bits = type->getPrimitiveSizeInBits();
  const llvm::APInt value = llvm::APInt(64, statement.bits).trunc(bits);
  Bind(statement.result,
       llvm::ConstantExpr::getBitCast(llvm::ConstantInt::get(code_.llvm(), value), type));
}

void FunctionEmitter::Emit(const ScalarStatement& statement) {
  if (const auto step = key_steps_.find(statement.result); step != key_steps_.end()) {
    const auto id = statement.op == ScalarOp::kMax ? llvm::Intrinsic::smax : llvm::Intrinsic::smin;
    Value* key = KeyOf(b_, statement.op, In(step->second.element));
    return Bind(statement.result, b_.CreateBinaryIntrinsic(id, In(step->second.current), key));
  }
  llvm::SmallVector<Value*, 3> operands;
  for (Var operand : statement.operands) operands.push_back(In(operand));
  const llvm::IRBuilderBase::FastMathFlagGuard guard(b_);
  llvm::FastMathFlags flags;
  flags.setAllowReassoc(reorderable_.contains(statement.result));
  // LLVM's code generator fuses a product and a sum if both have the flag.
  flags.setAllowContract(statement.may_contract || statement.op == ScalarOp::kAdd ||
                         statement.op == ScalarOp::kSubtract);
  b_.setFastMathFlags(flags);
  Value* result = EmitScalarOp(code_, b_, statement.op, kernel_.TypeOf(statement.operands.back()),
                               kernel_.TypeOf(statement.result), operands);
  // A math function that is inlined here may load from tables. These loads do not depend on other
  // iterations.
  if (auto* call = llvm::dyn_cast<llvm::CallInst>(result)) NoteParallelAccess(call);
  Bind(statement.result, result);
}

Value* FunctionEmitter::Buffer(uint32_t buffer) {
  Value*& address = buffers_[buffer];
  if (address != nullptr) return address;
  const BufferParameter& scratch = kernel_.Buffer(buffer);
  llvm::Type* type = code_.StorageType(scratch.dtype);
  const int64_t bytes = scratch.num_elements * ir::StorageBytesOf(scratch.dtype);
  if (bytes <= kMaxStackScratchBytes) {
    llvm::AllocaInst* array = entry_.CreateAlloca(llvm::ArrayType::get(type, scratch.num_elements));
    array->setAlignment(llvm::Align(kBufferAlignment));
    return address = array;
  }
  can_fail_ = true;
  address = entry_.CreateCall(
      code_.RunTimeFunction(
          kAllocateSymbol,
          llvm::FunctionType::get(code_.pointer(), {code_.pointer(), code_.Int(64)}, false),
          /*pure=*/false),
      {context_, code_.Int64(bytes)});
  llvm::BasicBlock* failed = NewBlock("no_memory");
  llvm::BasicBlock* allocated = NewBlock("allocated");
  entry_.CreateCondBr(entry_.CreateIsNull(address), failed, allocated);
  entry_.SetInsertPoint(failed);
  // Frees the arrays that were allocated before this one.
  for (Value* earlier : heap_scratch_) {
    entry_.CreateCall(code_.module().getFunction(kReleaseSymbol), {earlier});
  }
  entry_.CreateRet(entry_.getInt32(static_cast<int32_t>(CodeStatus::kFailed)));
  entry_.SetInsertPoint(allocated);
  code_.RunTimeFunction(kReleaseSymbol,
                        llvm::FunctionType::get(entry_.getVoidTy(), {code_.pointer()}, false),
                        /*pure=*/false);
  heap_scratch_.push_back(address);
  return address;
}

Value* FunctionEmitter::ElementAddress(uint32_t buffer, Var index) {
  return b_.CreateInBoundsGEP(code_.StorageType(kernel_.Buffer(buffer).dtype), Buffer(buffer),
                              In(index));
}

void FunctionEmitter::NoteAccess(llvm::Instruction* access, uint32_t buffer) {
  // Accesses to scratch may depend on other iterations: those that run in one function share it.
  if (buffer < kernel_.buffers.size()) NoteParallelAccess(access);
}

void FunctionEmitter::NoteParallelAccess(llvm::Instruction* access) {
  if (access_groups_.empty()) return;
  llvm::MDNode* groups = access_groups_.size() == 1
                             ? llvm::cast<llvm::MDNode>(access_groups_[0])
                             : llvm::MDNode::get(code_.llvm(), access_groups_);
  access->setMetadata(llvm::LLVMContext::MD_access_group, groups);
}

void FunctionEmitter::Emit(const LoadStatement& statement) {
  EmitLoad(statement, ElementAddress(statement.buffer, statement.index));
}

void FunctionEmitter::EmitLoad(const LoadStatement& statement, Value* address) {
  const DType dtype = kernel_.Buffer(statement.buffer).dtype;
  llvm::Type* storage = code_.StorageType(dtype);
  llvm::LoadInst* load =
      b_.CreateAlignedLoad(storage, address, llvm::Align(ir::StorageBytesOf(dtype)));
  NoteAccess(load, statement.buffer);
  llvm::Type* type = code_.RegisterType(dtype);
  Value* value = load;
  if (dtype == DType::kI1) {
    value = b_.CreateICmpNE(load, b_.getInt8(0));
  } else if (type != storage) {
    value = b_.CreateTrunc(load, type);
  }
  Bind(statement.result, value);
}

void FunctionEmitter::Emit(const StoreStatement& statement) {
  const DType dtype = kernel_.Buffer(statement.buffer).dtype;
  llvm::Type* storage = code_.StorageType(dtype);
  Value* value = In(statement.value);
  if (value->getType() != storage) value = b_.CreateIntCast(value, storage, ir::IsSigned(dtype));
  NoteAccess(b_.CreateAlignedStore(value, ElementAddress(statement.buffer, statement.index),
                                   llvm::Align(ir::StorageBytesOf(dtype))),
             statement.buffer);
}

void FunctionEmitter::Emit(const IfStatement& statement) {
  llvm::BasicBlock* then_block = NewBlock("then");
  llvm::BasicBlock* else_block = NewBlock("else");
  llvm::BasicBlock* join = NewBlock("join");
  b_.CreateCondBr(In(statement.condition), then_block, else_block);
  b_.SetInsertPoint(then_block);
  const bool was_rare = std::exchange(is_rare_, is_rare_ || statement.is_rare);
  if (CanBeOutlined(statement) && &rare_code_ != &code_) {
    EmitOutlined(statement.then_body);
  } else {
    EmitBlock(statement.then_body);
  }
  is_rare_ = was_rare;
  llvm::BasicBlock* then_end = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(else_block);
  EmitBlock(statement.else_body);
  llvm::BasicBlock* else_end = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  for (size_t i = 0; i < statement.results.size(); ++i) {
    llvm::PHINode* phi = b_.CreatePHI(In(statement.then_values[i])->getType(), 2);
    phi->addIncoming(In(statement.then_values[i]), then_end);
    phi->addIncoming(In(statement.else_values[i]), else_end);
    Bind(statement.results[i], phi);
  }
}

void FunctionEmitter::Return(Value* status) {
  status_->addIncoming(status, b_.GetInsertBlock());
  b_.CreateBr(exit_);
}

void FunctionEmitter::ReturnUnlessOk(Value* status) {
  can_fail_ = true;
  llvm::BasicBlock* leave = NewBlock("leave");
  llvm::BasicBlock* go_on = NewBlock("go_on");
  llvm::MDNode* rare = llvm::MDBuilder(code_.llvm()).createBranchWeights(1, 2000);
  b_.CreateCondBr(b_.CreateIsNotNull(status), leave, go_on, rare);
  b_.SetInsertPoint(leave);
  Return(status);
  b_.SetInsertPoint(go_on);
}

void FunctionEmitter::Finish() {
  Return(b_.getInt32(static_cast<int32_t>(CodeStatus::kOk)));
  entry_.CreateBr(start_);
  b_.SetInsertPoint(exit_);
  for (Value* scratch : heap_scratch_) {
    b_.CreateCall(code_.module().getFunction(kReleaseSymbol), {scratch});
  }
  b_.CreateRet(status_);
}

}  // namespace acceld::kernels::cpu

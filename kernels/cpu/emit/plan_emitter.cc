#include "kernels/cpu/emit/plan_emitter.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "kernels/cpu/collective_key.h"
#include "kernels/cpu/convolution_descriptor.h"
#include "kernels/cpu/emit/buffer_facts.h"
#include "kernels/cpu/emit/function_emitter.h"
#include "kernels/cpu/emit/launch_context.h"
#include "kernels/cpu/emit/launching_functions.h"
#include "kernels/cpu/emit/nests/overlap_rows.h"
#include "kernels/cpu/emit/nests/scan_in_blocks.h"
#include "kernels/cpu/emit/nests/split_at_conditions.h"
#include "kernels/cpu/emit/nests/sum_in_blocks.h"
#include "kernels/cpu/emit/nests/widen_products.h"
#include "kernels/cpu/emit/nests/work_estimate.h"
#include "kernels/cpu/emit/step_groups.h"
#include "kernels/cpu/host_call_key.h"
#include "kernels/cpu/matmul_key.h"
#include "kernels/cpu/routine_key.h"
#include "kernels/cpu/support_abi.h"
#include "llvm/IR/MDBuilder.h"

namespace acceld::kernels::cpu {
namespace {

using llvm::Value;

// The most launches of one kernel that are generated in its callers instead of in a function of its
// own: each function takes a third of a millisecond to compile.
constexpr size_t kMaxInlinedLaunches = 4;
// The most bytes that generated code copies itself, in some microseconds. Larger ranges are copied
// by the run-time support, which does nothing if both are the same, and uses several threads.
constexpr int64_t kMaxInlineCopyBytes = int64_t{64} << 10;
// The work that is assumed of a library call. Large calls poll by themselves; after eight small
// ones a poll is worth it.
constexpr double kLibraryCallWork = kPollWork / 8;

struct EmittedKernel {
  // (context, buffers...) -> status
  llvm::Function* function = nullptr;
  bool can_fail = false;
  double work = 0;  // the most work between two polls
  // The launches that the kernel consists of, if there are few. Its callers then execute them, and
  // there is no function.
  std::vector<TileLaunch> launches;
};

struct EmittedFunctions {
  std::vector<EmittedKernel> kernels;
  // (context, arguments, results, arena) -> status
  std::vector<llvm::Function*> functions;
  int64_t num_collectives = 0;  // how many collective steps have code so far
};

// (context, buffers...) -> status
llvm::FunctionType* TypeOf(const CodeContext& code, const Kernel& kernel) {
  std::vector<llvm::Type*> parameters(1 + kernel.buffers.size(), code.pointer());
  return llvm::FunctionType::get(code.Int(32), parameters, false);
}

EmittedKernel EmitKernel(CodeContext& code, CodeContext& rare_code, const Kernel& lowered,
                         const std::vector<BufferFacts>& facts) {
  const absl::optional<Kernel> overlapped = OverlapRows(lowered, facts);
  const Kernel kernel = ScanInBlocks(SumInBlocks(
      WidenProducts(SplitAtConditions(overlapped.has_value() ? *overlapped : lowered))));
  llvm::Function* function =
      code.NewFunction(absl::StrCat("kernel.", kernel.name), TypeOf(code, kernel));
  function->addFnAttr(llvm::Attribute::NoInline);
  SetBufferAttributes(kernel, facts, *function, 1);
  std::vector<Value*> buffers;
  for (unsigned i = 0; i < kernel.buffers.size(); ++i) buffers.push_back(function->getArg(1 + i));
  FunctionEmitter emitter(code, rare_code, kernel, facts, function, function->getArg(0),
                          std::move(buffers), /*in_parallel=*/false);
  emitter.EmitBlock(kernel.body);
  emitter.Finish();
  std::vector<TileLaunch> launches = FindLaunches(*function);
  const double work = std::min(EstimateWork(kernel, kernel.body), kPollWork);
  if (launches.empty() || launches.size() > kMaxInlinedLaunches) {
    return {function, emitter.can_fail(), work};
  }
  function->eraseFromParent();
  return {.work = work, .launches = std::move(launches)};
}

// Makes a constant array of `fields`. Not inlined: GCC then warns of LLVM's operator delete.
[[gnu::noinline]] Value* NewDescriptor(CodeContext& code, llvm::ArrayRef<int64_t> fields,
                                       const char* name) {
  auto* data = llvm::ConstantDataArray::get(
      code.llvm(),
      llvm::ArrayRef<uint64_t>(reinterpret_cast<const uint64_t*>(fields.data()), fields.size()));
  auto* descriptor = new llvm::GlobalVariable(code.module(), data->getType(), /*isConstant=*/true,
                                              llvm::GlobalValue::PrivateLinkage, data, name);
  descriptor->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return descriptor;
}

// Generates the code of the steps of one plan function, or of some of them. Many steps become
// several functions that a function calls one after another (step_groups.h).
class StepEmitter {
 public:
  StepEmitter(CodeContext& code, EmittedFunctions& emitted, llvm::Function* function)
      : code_(code),
        emitted_(emitted),
        function_(function),
        entry_(llvm::BasicBlock::Create(code.llvm(), "entry", function)),
        b_(llvm::BasicBlock::Create(code.llvm(), "steps", function)),
        exit_(llvm::BasicBlock::Create(code.llvm(), "exit", function)) {
    start_ = b_.GetInsertBlock();
    Builder exit(exit_);
    status_ = exit.CreatePHI(exit.getInt32Ty(), 8);
    exit.CreateRet(status_);
  }

  void EmitFunction(absl::Span<const Step> steps) {
    EmitSteps(steps);
    Finish();
  }

 private:
  void Finish() {
    if (call_table_ != nullptr) call_table_->setOperand(0, b_.getInt64(call_table_size_));
    status_->addIncoming(b_.getInt32(static_cast<int32_t>(CodeStatus::kOk)), b_.GetInsertBlock());
    b_.CreateBr(exit_);
    entry_.CreateBr(start_);
  }

  void EmitSteps(absl::Span<const Step> steps) {
    const std::vector<size_t> groups = GroupSteps(steps);
    if (groups.size() > 1) {
      for (size_t begin = 0; const size_t size : groups) {
        EmitCall(
            [group = steps.subspan(begin, size)](StepEmitter& inner) { inner.EmitSteps(group); });
        begin += size;
      }
      return;
    }
    for (const Step& step : steps) {
      std::visit([this](const auto& value) { Emit(value); }, step.value);
    }
  }

  // Generates a function of what `emit` generates, and a call of it.
  void EmitCall(absl::FunctionRef<void(StepEmitter&)> emit) {
    llvm::Type* pointer = code_.pointer();
    llvm::Function* function = code_.NewFunction(
        absl::StrCat(std::string(function_->getName()), ".steps"),
        llvm::FunctionType::get(code_.Int(32), {pointer, pointer, pointer, pointer}, false));
    function->addFnAttr(llvm::Attribute::NoInline);
    StepEmitter inner(code_, emitted_, function);
    inner.work_since_poll_ = work_since_poll_;
    emit(inner);
    inner.Finish();
    work_since_poll_ = inner.work_since_poll_;
    LeaveUnlessOk(b_.CreateCall(
        function, {context(), Table(1, ContextField::kArguments), Table(2, ContextField::kResults),
                   Table(3, ContextField::kArena)}));
  }

  Value* context() const { return function_->getArg(0); }

  // Returns the array of addresses for a space other than constants: a parameter of the function,
  // or, in the exported entry, a field of the context.
  Value* Table(unsigned parameter, ContextField field) {
    if (function_->arg_size() > 1) return function_->getArg(parameter);
    Value*& table = tables_[parameter];
    if (table == nullptr) table = LoadField(code_, entry_, context(), field);
    return table;
  }

  // Base addresses are loaded once, at the function's entry.
  Value* SpaceBase(Slice::Space space, uint32_t index) {
    Value*& base = bases_[{space, index}];
    if (base != nullptr) return base;
    switch (space) {
      case Slice::Space::kArgument:
      case Slice::Space::kResult: {
        Value* table = space == Slice::Space::kArgument ? Table(1, ContextField::kArguments)
                                                        : Table(2, ContextField::kResults);
        base = entry_.CreateLoad(code_.pointer(),
                                 entry_.CreateConstInBoundsGEP1_64(code_.pointer(), table, index));
        break;
      }
      case Slice::Space::kArena:
        base = Table(3, ContextField::kArena);
        break;
      case Slice::Space::kConstant:
        base = LoadField(code_, entry_, context(), ContextField::kConstants);
        break;
    }
    return base;
  }

  Value* Address(const Slice& slice) {
    Value* base = SpaceBase(slice.space, slice.index);
    if (slice.offset_bytes == 0) return base;
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), base, slice.offset_bytes);
  }

  void LeaveUnlessOk(Value* status) {
    llvm::BasicBlock* go_on = NewBlock("go_on");
    llvm::MDNode* rare = llvm::MDBuilder(code_.llvm()).createBranchWeights(1, 2000);
    status_->addIncoming(status, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateIsNotNull(status), exit_, go_on, rare);
    b_.SetInsertPoint(go_on);
  }

  void Poll() {
    if (interrupted_ == nullptr) {
      interrupted_ = LoadField(code_, entry_, context(), ContextField::kInterrupted);
    }
    EmitPoll(code_, b_, context(), interrupted_, [this](Value* status) { LeaveUnlessOk(status); });
    work_since_poll_ = 0;
  }

  // Called before a step of this much work. Generates a poll if the steps since the last one may
  // have taken long.
  void PollBefore(double work) {
    if (work_since_poll_ + work > kPollWork && work_since_poll_ > 0) Poll();
    work_since_poll_ += work;
  }

  void Emit(const LaunchStep& step) {
    const EmittedKernel& kernel = emitted_.kernels[step.kernel];
    PollBefore(kernel.work);
    llvm::SmallVector<Value*, 8> arguments = {context()};
    for (const Slice& slice : step.buffers) arguments.push_back(Address(slice));
    for (const TileLaunch& launch : kernel.launches) EmitLaunch(launch, arguments);
    if (!kernel.launches.empty()) return;
    Value* status = b_.CreateCall(kernel.function, arguments);
    if (kernel.can_fail) LeaveUnlessOk(status);
  }

  // The frame holds the function and its pointers. It can be used again after the call.
  void EmitLaunch(const TileLaunch& launch, llvm::ArrayRef<Value*> pointers) {
    auto* type = llvm::ArrayType::get(code_.pointer(), 1 + kMaxTilePointers);
    if (frame_ == nullptr) frame_ = entry_.CreateAlloca(type);
    b_.CreateStore(launch.tile, frame_);
    for (unsigned i = 0; i < pointers.size(); ++i) {
      b_.CreateStore(pointers[i], b_.CreateConstInBoundsGEP2_64(type, frame_, 0, 1 + i));
    }
    llvm::FunctionCallee parallel_for = ParallelForPointers(code_);
    LeaveUnlessOk(b_.CreateCall(
        parallel_for, {context(), frame_, code_.Int64(static_cast<int64_t>(pointers.size())),
                       code_.Int64(launch.num_tiles)}));
  }

  void Emit(const MatmulStep& step) {
    const MatmulKey key = MatmulKeyOf(step);
    EmitLibraryCall(kMatmulSymbol, key.fields, step.lhs, step.rhs, step.out);
  }

  void Emit(const ConvolutionStep& step) {
    EmitLibraryCall(kConvolutionSymbol, ConvolutionDescriptor::Of(step).fields(), step.lhs,
                    step.rhs, step.out);
  }

  // CheckPlan refuses plans with attention.
  void Emit(const AttentionStep&) { ACCELD_CHECK(false); }

  // Generates a call of the run-time support: (context, descriptor, lhs, rhs, out) -> CodeStatus.
  void EmitLibraryCall(const char* symbol, absl::Span<const int64_t> fields, const Slice& lhs,
                       const Slice& rhs, const Slice& out) {
    PollBefore(kLibraryCallWork);
    Value* descriptor = NewDescriptor(code_, {fields.data(), fields.size()}, "shape");
    llvm::Type* pointer = code_.pointer();
    llvm::FunctionCallee function = code_.RunTimeFunction(
        symbol,
        llvm::FunctionType::get(code_.Int(32), {pointer, pointer, pointer, pointer, pointer},
                                false),
        /*pure=*/false);
    LeaveUnlessOk(
        b_.CreateCall(function, {context(), descriptor, Address(lhs), Address(rhs), Address(out)}));
  }

  void Emit(const RoutineStep& step) {
    PollBefore(kLibraryCallWork);
    EmitCallWithAddresses(kRoutineSymbol, NewDescriptor(code_, RoutineKeyOf(step.call), "routine"),
                          step.operands, step.results);
  }

  // No poll is needed: a run can be cancelled while it waits for the host.
  void Emit(const HostCallStep& step) {
    EmitCallWithAddresses(kHostCallSymbol,
                          NewDescriptor(code_, HostCallKeyOf(step.call), "host_call"),
                          step.operands, step.results);
  }

  // No poll is needed: a run can be cancelled while it waits for other participants.
  void Emit(const CollectiveStep& step) {
    const int64_t site = emitted_.num_collectives++;
    EmitCallWithAddresses(
        kCollectiveSymbol,
        NewDescriptor(code_, CollectiveKeyOf(site, step.collective), "collective"), step.operands,
        step.results);
  }

  // Generates a call of the run-time support: (context, descriptor, addresses of operands and
  // results) -> CodeStatus.
  void EmitCallWithAddresses(const char* symbol, Value* descriptor, std::vector<Slice> slices,
                             const std::vector<Slice>& results) {
    slices.insert(slices.end(), results.begin(), results.end());
    llvm::Type* pointer = code_.pointer();
    llvm::FunctionCallee function = code_.RunTimeFunction(
        symbol, llvm::FunctionType::get(code_.Int(32), {pointer, pointer, pointer}, false),
        /*pure=*/false);
    LeaveUnlessOk(b_.CreateCall(function, {context(), descriptor, CallTable(slices)}));
  }

  // Stores the addresses of `slices` to a table on the stack, which is valid until the next call of
  // this kind. All calls of a function, which may be very many, share one table.
  Value* CallTable(const std::vector<Slice>& slices) {
    if (call_table_ == nullptr) call_table_ = entry_.CreateAlloca(code_.pointer(), b_.getInt64(1));
    call_table_size_ = std::max(call_table_size_, slices.size());
    for (unsigned i = 0; i < slices.size(); ++i) {
      b_.CreateStore(Address(slices[i]),
                     b_.CreateConstInBoundsGEP1_64(code_.pointer(), call_table_, i));
    }
    return call_table_;
  }

  void Emit(const CopyStep& step) {
    if (step.from.size_bytes == 0 || step.from == step.to) return;
    PollBefore(static_cast<double>(step.from.size_bytes));
    if (step.from.size_bytes > kMaxInlineCopyBytes) {
      llvm::Type* pointer = code_.pointer();
      llvm::FunctionCallee copy = code_.RunTimeFunction(
          kCopySymbol,
          llvm::FunctionType::get(code_.Int(32), {pointer, pointer, pointer, code_.Int(64)}, false),
          /*pure=*/false);
      return LeaveUnlessOk(b_.CreateCall(copy, {context(), Address(step.to), Address(step.from),
                                                code_.Int64(step.from.size_bytes)}));
    }
    // The ranges may be the same under different names, such as an argument and a result of a
    // callee.
    b_.CreateMemMove(Address(step.to), llvm::MaybeAlign(1), Address(step.from), llvm::MaybeAlign(1),
                     step.from.size_bytes);
  }

  void Emit(const WhileStep& step) {
    llvm::BasicBlock* header = NewBlock("while");
    llvm::BasicBlock* body = NewBlock("body");
    llvm::BasicBlock* after = NewBlock("after");
    b_.CreateBr(header);
    b_.SetInsertPoint(header);
    Poll();
    EmitSteps(step.condition);
    Value* predicate =
        b_.CreateAlignedLoad(b_.getInt8Ty(), Address(step.predicate), llvm::Align(1));
    b_.CreateCondBr(b_.CreateIsNotNull(predicate), body, after);
    b_.SetInsertPoint(body);
    EmitSteps(step.body);
    b_.CreateBr(header);
    b_.SetInsertPoint(after);
  }

  void Emit(const SwitchStep& step) {
    const std::vector<size_t> groups = GroupBranches(step);
    if (groups.size() == 1) return EmitBranches(step, 0, step.branches.size());
    // Each group becomes a function, which looks at the index again.
    llvm::BasicBlock* after = NewBlock("after");
    llvm::SwitchInst* choice = b_.CreateSwitch(BranchIndex(step), after, step.branches.size());
    for (size_t begin = 0; const size_t size : groups) {
      llvm::BasicBlock* block = NewBlock("branches");
      for (size_t i = begin; i < begin + size; ++i) choice->addCase(b_.getInt32(i), block);
      choice->setDefaultDest(block);  // in the end the last group
      b_.SetInsertPoint(block);
      EmitCall([&](StepEmitter& inner) { inner.EmitBranches(step, begin, begin + size); });
      b_.CreateBr(after);
      begin += size;
    }
    b_.SetInsertPoint(after);
  }

  // Returns the number of the branch to run, as i32.
  Value* BranchIndex(const SwitchStep& step) {
    if (!step.index_is_predicate) {
      return b_.CreateAlignedLoad(b_.getInt32Ty(), Address(step.index), llvm::Align(4));
    }
    Value* flag = b_.CreateAlignedLoad(b_.getInt8Ty(), Address(step.index), llvm::Align(1));
    return b_.CreateZExt(b_.CreateIsNull(flag), b_.getInt32Ty());
  }

  // Generates a choice among the branches [begin, end), of which an index out of range selects the
  // last one.
  void EmitBranches(const SwitchStep& step, size_t begin, size_t end) {
    Value* index = BranchIndex(step);
    llvm::BasicBlock* after = NewBlock("after");
    std::vector<llvm::BasicBlock*> blocks;
    for (size_t i = begin; i < end; ++i) blocks.push_back(NewBlock("branch"));
    llvm::SwitchInst* choice = b_.CreateSwitch(index, blocks.back(), blocks.size());
    for (size_t i = begin; i + 1 < end; ++i) choice->addCase(b_.getInt32(i), blocks[i - begin]);
    for (size_t i = begin; i < end; ++i) {
      b_.SetInsertPoint(blocks[i - begin]);
      EmitSteps(step.branches[i]);
      b_.CreateBr(after);
    }
    b_.SetInsertPoint(after);
  }

  void Emit(const CallStep& step) {
    // However little work a function does, it may be called very often, as the number of call paths
    // to it may be large.
    Poll();
    Value* arguments = PointerTable(step.arguments);
    Value* results = PointerTable(step.results);
    LeaveUnlessOk(b_.CreateCall(emitted_.functions[step.function],
                                {context(), arguments, results, Address(step.arena)}));
  }

  // Stores the addresses of `slices` to an array on the stack.
  Value* PointerTable(const std::vector<Slice>& slices) {
    auto* type = llvm::ArrayType::get(code_.pointer(), slices.size());
    Value* table = entry_.CreateAlloca(type);
    for (unsigned i = 0; i < slices.size(); ++i) {
      b_.CreateStore(Address(slices[i]), b_.CreateConstInBoundsGEP2_64(type, table, 0, i));
    }
    return table;
  }

  llvm::BasicBlock* NewBlock(const char* name) {
    return llvm::BasicBlock::Create(code_.llvm(), name, function_);
  }

  CodeContext& code_;
  EmittedFunctions& emitted_;
  llvm::Function* function_;
  Builder entry_;
  Builder b_;
  llvm::BasicBlock* start_;
  llvm::BasicBlock* exit_;
  llvm::PHINode* status_;
  Value* interrupted_ = nullptr;
  double work_since_poll_ = 0;
  Value* frame_ = nullptr;                  // used by one launch at a time
  llvm::AllocaInst* call_table_ = nullptr;  // large enough for the largest call
  size_t call_table_size_ = 1;
  Value* tables_[4] = {};  // of the exported entry, by Table's parameter
  absl::flat_hash_map<std::pair<Slice::Space, uint32_t>, Value*> bases_;
};

// acceld_entry(context) -> status
llvm::Function* NewEntry(const CodeContext& code) {
  llvm::Function* entry =
      llvm::Function::Create(llvm::FunctionType::get(code.Int(32), {code.pointer()}, false),
                             llvm::Function::ExternalLinkage, kEntrySymbol, code.module());
  code.SetTargetAttributes(*entry);
  return entry;
}

}  // namespace

void EmitPlan(absl::Span<const std::unique_ptr<CodeContext>> parts, const PlanSplit& split,
              const Plan& plan) {
  CodeContext& code = *parts[0];
  const PlanFacts facts = FindPlanFacts(plan);
  EmittedFunctions emitted;
  for (size_t k = 0; k < plan.kernels.size(); ++k) {
    const Kernel& kernel = plan.kernels[k];
    const bool launched = !facts.kernels[k].empty() || kernel.buffers.empty();
    const size_t part = split.part_of_kernel[k];
    EmittedKernel printed;
    if (launched) {
      printed = EmitKernel(*parts[part], *parts[split.part_of_rare[k]], kernel, facts.kernels[k]);
    }
    if (part != 0) {
      if (printed.function != nullptr) printed.function = code.Import(*printed.function);
      for (TileLaunch& launch : printed.launches) launch.tile = code.Import(*launch.tile);
    }
    emitted.kernels.push_back(std::move(printed));
  }
  llvm::Type* pointer = code.pointer();
  for (const PlanFunction& function : plan.functions) {
    const bool is_entry = emitted.functions.empty();
    emitted.functions.push_back(
        is_entry
            ? NewEntry(code)
            : code.NewFunction(absl::StrCat("function.", function.name),
                               llvm::FunctionType::get(
                                   code.Int(32), {pointer, pointer, pointer, pointer}, false)));
  }
  for (size_t f = 0; f < plan.functions.size(); ++f) {
    StepEmitter(code, emitted, emitted.functions[f]).EmitFunction(plan.functions[f].steps);
  }
}

}  // namespace acceld::kernels::cpu

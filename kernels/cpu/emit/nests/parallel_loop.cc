#include "absl/strings/str_cat.h"
#include "kernels/cpu/emit/function_emitter.h"
#include "kernels/cpu/emit/launch_context.h"
#include "kernels/cpu/emit/llvm_passes/stream_stores.h"
#include "kernels/cpu/emit/nests/work_estimate.h"
#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {

using llvm::Value;

void SetBufferAttributes(const Kernel& kernel, const std::vector<BufferFacts>& facts,
                         llvm::Function& function, unsigned first) {
  for (unsigned i = 0; i < kernel.buffers.size(); ++i) {
    const BufferParameter& buffer = kernel.buffers[i];
    const unsigned parameter = first + i;
    const int64_t bytes = buffer.num_elements * ir::StorageBytesOf(buffer.dtype);
    llvm::AttrBuilder attributes(function.getContext());
    if (facts[i].no_alias) attributes.addAttribute(llvm::Attribute::NoAlias);
    if (facts[i].aligned) attributes.addAlignmentAttr(llvm::Align(kBufferAlignment));
    if (bytes > 0) attributes.addDereferenceableAttr(bytes);
    if (buffer.access == BufferParameter::Access::kRead) {
      attributes.addAttribute(llvm::Attribute::ReadOnly);
    }
    function.addParamAttrs(parameter, attributes);
    if (buffer.access == BufferParameter::Access::kWrite && bytes >= kMinStreamedBytes) {
      MarkStreamed(function, parameter);
    }
  }
}

// The frame holds the context, the buffers, and the values from outside that the loop uses. The
// outlined function has them as parameters, whose attributes say what is known of the buffers. If
// all are pointers, the run-time support unpacks the frame; otherwise a generated function does.
void FunctionEmitter::EmitParallel(const ForStatement& loop, int64_t num_tasks,
                                   EmitTask emit_task) {
  const std::vector<Var> captured = FreeVars(kernel_, loop);
  std::vector<Value*> fields = {context_};
  fields.insert(fields.end(), buffers_.begin(), buffers_.begin() + kernel_.buffers.size());
  const int64_t num_pointers = static_cast<int64_t>(fields.size());
  for (Var var : captured) {
    if (!llvm::isa<llvm::Constant>(In(var))) fields.push_back(In(var));
  }
  llvm::Function* body = EmitTaskFunction(loop, captured, emit_task);
  llvm::Type* i32 = code_.Int(32);
  if (num_pointers == static_cast<int64_t>(fields.size()) && num_pointers <= kMaxTilePointers) {
    fields.insert(fields.begin(), body);
    ReturnUnlessOk(b_.CreateCall(
        ParallelForPointers(code_),
        {context_, EmitFrame(fields).second, code_.Int64(num_pointers), code_.Int64(num_tasks)}));
    return;
  }
  const auto [frame_type, frame] = EmitFrame(fields);
  llvm::Function* unpack =
      code_.NewFunction(absl::StrCat(std::string(body->getName()), ".task"),
                        llvm::FunctionType::get(i32, {code_.pointer(), code_.Int(64)}, false));
  Builder u(llvm::BasicBlock::Create(code_.llvm(), "entry", unpack));
  std::vector<Value*> arguments;
  for (unsigned i = 0; i < fields.size(); ++i) {
    arguments.push_back(
        u.CreateLoad(fields[i]->getType(), u.CreateStructGEP(frame_type, unpack->getArg(0), i)));
  }
  arguments.push_back(unpack->getArg(1));
  u.CreateRet(u.CreateCall(body, arguments));
  llvm::FunctionCallee parallel_for = code_.RunTimeFunction(
      kParallelForSymbol,
      llvm::FunctionType::get(
          i32, {code_.pointer(), code_.pointer(), code_.pointer(), code_.Int(64)}, false),
      /*pure=*/false);
  ReturnUnlessOk(b_.CreateCall(parallel_for, {context_, unpack, frame, code_.Int64(num_tasks)}));
}

std::pair<llvm::StructType*, Value*> FunctionEmitter::EmitFrame(const std::vector<Value*>& fields) {
  std::vector<llvm::Type*> types;
  for (Value* field : fields) types.push_back(field->getType());
  llvm::StructType* type = llvm::StructType::get(code_.llvm(), types);
  Value* frame = entry_.CreateAlloca(type);
  for (unsigned i = 0; i < fields.size(); ++i) {
    b_.CreateStore(fields[i], b_.CreateStructGEP(type, frame, i));
  }
  return {type, frame};
}

llvm::Function* FunctionEmitter::EmitTaskFunction(const ForStatement& loop,
                                                  const std::vector<Var>& captured,
                                                  EmitTask emit_task) {
  std::vector<llvm::Type*> parameters(1 + kernel_.buffers.size(), code_.pointer());
  for (Var var : captured) {
    if (!llvm::isa<llvm::Constant>(In(var))) {
      parameters.push_back(code_.RegisterType(kernel_.TypeOf(var)));
    }
  }
  parameters.push_back(code_.Int(64));
  llvm::Function* function =
      code_.NewFunction(absl::StrCat(kernel_.name, ".loop", loop.induction),
                        llvm::FunctionType::get(code_.Int(32), parameters, false));
  // Inlining would turn the attributes of the parameters into weaker metadata.
  function->addFnAttr(llvm::Attribute::NoInline);
  SetBufferAttributes(kernel_, facts_, *function, 1);

  std::vector<Value*> buffers;
  for (unsigned i = 0; i < kernel_.buffers.size(); ++i) buffers.push_back(function->getArg(1 + i));
  FunctionEmitter inner(code_, rare_code_, kernel_, facts_, function, function->getArg(0),
                        std::move(buffers), /*in_parallel=*/true);
  unsigned parameter = 1 + kernel_.buffers.size();
  for (Var var : captured) {
    // Constants are not passed, but remain constants in the function.
    Value* outside = In(var);
    inner.Bind(var, llvm::isa<llvm::Constant>(outside) ? outside : function->getArg(parameter++));
  }
  emit_task(inner, function->getArg(function->arg_size() - 1));
  inner.Finish();
  return function;
}

void FunctionEmitter::EmitTile(const TileNest& nest, Value* tile) {
  // tile = (outer indices in row-major order) * tiles_of_last + run of the last loop.
  Value* runs = code_.Int64(nest.tiles_of_last);
  Value* begin = b_.CreateMul(b_.CreateURem(tile, runs), code_.Int64(nest.tile_extent), "",
                              /*HasNUW=*/true, /*HasNSW=*/true);
  Value* end = nullptr;
  if (nest.loops.back()->extent % nest.tile_extent != 0) {
    end = b_.CreateBinaryIntrinsic(
        llvm::Intrinsic::umin, b_.CreateAdd(begin, code_.Int64(nest.tile_extent), "", true, true),
        code_.Int64(nest.loops.back()->extent));
  }
  Value* rest = b_.CreateUDiv(tile, runs);
  std::vector<Value*> outer_indices(nest.loops.size() - 1);
  for (size_t level = outer_indices.size(); level-- > 0;) {
    Value* extent = code_.Int64(nest.loops[level]->extent);
    outer_indices[level] = b_.CreateURem(rest, extent);
    rest = b_.CreateUDiv(rest, extent);
  }
  EmitNestLevel(nest, 0, outer_indices, begin, end);
}

void FunctionEmitter::EmitNestLevel(const TileNest& nest, size_t level,
                                    const std::vector<Value*>& outer_indices, Value* begin,
                                    Value* end) {
  const ForStatement& loop = *nest.loops[level];
  if (level + 1 == nest.loops.size() && end != nullptr) {
    EmitRange(loop, {begin, end, nest.tile_extent});
    return;
  }
  if (level + 1 == nest.loops.size()) {
    // If the loop counts from zero, LLVM knows its trip count.
    EmitRange(loop, {code_.Int64(0), code_.Int64(nest.tile_extent), nest.tile_extent},
              EstimateWork(kernel_, loop.body), [&] {
                Bind(loop.induction, b_.CreateAdd(begin, In(loop.induction), "", true, true));
                EmitBlock(loop.body);
              });
    return;
  }
  Bind(loop.induction, outer_indices[level]);
  for (const Statement& statement : loop.body) {
    if (std::get_if<ForStatement>(&statement.value) == nest.loops[level + 1]) {
      EmitNestLevel(nest, level + 1, outer_indices, begin, end);
    } else {
      std::visit([this](const auto& value) { Emit(value); }, statement.value);
    }
  }
}

}  // namespace acceld::kernels::cpu

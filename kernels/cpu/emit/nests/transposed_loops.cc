// Generates the code of the blocks of a TransposedNest.
#include <algorithm>

#include "kernels/cpu/emit/function_emitter.h"
#include "kernels/cpu/emit/nests/work_estimate.h"
#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {

using ir::DType;
using llvm::Value;

namespace {

constexpr int64_t kCacheLineBytes = 64;

}  // namespace

void FunctionEmitter::EmitStrip(const TransposedNest& transposed, Value* strip) {
  const ParallelNest& nest = transposed.nest;
  // strip = (((other loops' indices in row-major order) * blocks of across) + block) * strips of
  // last + strip of last.
  const auto take = [&](int64_t extent) {
    Value* index = b_.CreateURem(strip, code_.Int64(extent));
    strip = b_.CreateUDiv(strip, code_.Int64(extent));
    return index;
  };
  const auto range = [&](Value* number, int64_t size, int64_t extent) {
    Value* begin = b_.CreateMul(number, code_.Int64(size), "", /*HasNUW=*/true, /*HasNSW=*/true);
    Value* end = b_.CreateAdd(begin, code_.Int64(size), "", true, true);
    if (extent % size != 0) {
      end = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, end, code_.Int64(extent));
    }
    return Range{begin, end};
  };
  const int64_t side = transposed.side;
  const Range last = range(take(transposed.strips_of_last), side * transposed.blocks_in_strip,
                           transposed.last_loop().extent);
  const Range across =
      range(take(transposed.blocks_of_across()), side, transposed.across_loop().extent);
  for (size_t level = nest.loops.size() - 1; level-- > 0;) {
    if (level == transposed.across) continue;
    Bind(nest.loops[level]->induction, take(nest.loops[level]->extent));
  }

  std::vector<Copy> copies;
  for (const Statement* statement : transposed.loads) {
    const DType dtype = kernel_.Buffer(std::get<LoadStatement>(statement->value).buffer).dtype;
    // The pitch is an odd number of cache lines, so that neighbours along the other loop are in
    // different cache sets.
    const int64_t pitch = side + kCacheLineBytes / ir::StorageBytesOf(dtype);
    llvm::AllocaInst* array =
        entry_.CreateAlloca(llvm::ArrayType::get(code_.StorageType(dtype), side * pitch));
    array->setAlignment(llvm::Align(kBufferAlignment));
    copies.push_back({statement, array, pitch});
  }
  EmitSteps(last, side, [&](Value* begin) {
    Value* end = b_.CreateBinaryIntrinsic(
        llvm::Intrinsic::umin, b_.CreateAdd(begin, code_.Int64(side), "", true, true), last.end);
    EmitBlockOf(transposed, copies, across, {begin, end});
  });
}

void FunctionEmitter::EmitBlockOf(const TransposedNest& transposed, const std::vector<Copy>& copies,
                                  Range across, Range last) {
  const ForStatement& across_loop = transposed.across_loop();
  const ForStatement& last_loop = transposed.last_loop();
  const int64_t side = transposed.side;
  // The work of an element, and of a row or column of the block.
  const double work = EstimateWork(kernel_, transposed.nest.body());
  const double work_of_line = static_cast<double>(side) * work;
  const auto address_in = [&](const Copy& copy) {
    Value* row = b_.CreateSub(In(last_loop.induction), last.begin, "", true, true);
    Value* at = b_.CreateAdd(b_.CreateMul(row, code_.Int64(copy.pitch), "", true, true),
                             b_.CreateSub(In(across_loop.induction), across.begin, "", true, true),
                             "", true, true);
    return b_.CreateInBoundsGEP(copy.array->getAllocatedType()->getArrayElementType(), copy.array,
                                at);
  };
  for (const Copy& copy : copies) {
    EmitRange(last_loop, {last.begin, last.end, side}, work_of_line, [&] {
      EmitRange(across_loop, {across.begin, across.end, side}, work, [&] {
        for (const Statement& statement : transposed.nest.body()) {
          if (!transposed.indices.contains(&statement)) continue;
          std::visit([this](const auto& one) { Emit(one); }, statement.value);
        }
        const auto& load = std::get<LoadStatement>(copy.load->value);
        const llvm::Align alignment(ir::StorageBytesOf(kernel_.Buffer(load.buffer).dtype));
        llvm::LoadInst* value =
            b_.CreateAlignedLoad(copy.array->getAllocatedType()->getArrayElementType(),
                                 ElementAddress(load.buffer, load.index), alignment);
        NoteParallelAccess(value);
        NoteParallelAccess(b_.CreateAlignedStore(value, address_in(copy), alignment));
      });
    });
  }
  EmitRange(across_loop, {across.begin, across.end, side}, work_of_line, [&] {
    EmitRange(last_loop, {last.begin, last.end, side}, work, [&] {
      for (const Statement& statement : transposed.nest.body()) {
        const auto copy = std::find_if(copies.begin(), copies.end(),
                                       [&](const Copy& c) { return c.load == &statement; });
        if (copy == copies.end()) {
          std::visit([this](const auto& one) { Emit(one); }, statement.value);
        } else {
          EmitLoad(std::get<LoadStatement>(statement.value), address_in(*copy));
        }
      }
    });
  });
}

}  // namespace acceld::kernels::cpu

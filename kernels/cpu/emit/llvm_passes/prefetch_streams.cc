#include "kernels/cpu/emit/llvm_passes/prefetch_streams.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "common/ceil_divide.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"

namespace acceld::kernels::cpu {
namespace {

// Smaller buffers usually are in a cache.
constexpr uint64_t kMinBufferBytes = uint64_t{8} << 20;
// Several longer rows do not fit into the first-level cache together.
constexpr int64_t kMaxRowBytes = int64_t{16} << 10;
// The distance of the row that is prefetched from memory into the second-level cache, while the
// next row is prefetched from there into the first-level cache: the time for one row is too short
// for a read from memory.
constexpr int64_t kRowsAhead = 4;
// The number of bytes that are read between a prefetch and its use.
constexpr int64_t kDistanceBytes = 2048;
// The same for prefetches from memory into the second-level cache. They are for loops that also
// write to memory, where reads take longer.
constexpr int64_t kFarBytes = 8 * kDistanceBytes;
constexpr int64_t kMaxStepBytes = int64_t{1} << 20;
// The number of instructions that execute while memory accepts one vector.
constexpr int64_t kInstructionsPerStore = 16;
// A loop that executes more instructions than this for each vector that it reads does not gain from
// prefetches into the first-level cache.
constexpr int64_t kMostForFirstCache = 16;

// A vector load in an innermost loop whose address advances by the same number of bytes in each
// iteration.
struct StreamLoad {
  llvm::LoadInst* load;
  const llvm::Loop* loop;
  const llvm::Argument* buffer;
  int64_t step_bytes;  // from one iteration of `loop` to the next
  // The surrounding loop, each iteration of which reads a row; null if there is none.
  const llvm::Loop* rows;
  int64_t row_bytes;  // from one iteration of `rows` to the next; 0 if unknown
};

bool IsLarge(const llvm::Argument& buffer) {
  return buffer.getDereferenceableBytes() >= kMinBufferBytes;
}

// Returns the bytes by which `address` advances in each iteration of `loop`, and its value in the
// first iteration; nullopt if it does not advance by a constant.
absl::optional<std::pair<int64_t, const llvm::SCEV*>> Advance(const llvm::SCEV* address,
                                                              const llvm::Loop* loop) {
  const auto* recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(address);
  if (recurrence == nullptr || recurrence->getLoop() != loop || !recurrence->isAffine()) {
    return absl::nullopt;
  }
  const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(recurrence->getOperand(1));
  if (step == nullptr) return absl::nullopt;
  return std::make_pair(step->getAPInt().getSExtValue(), recurrence->getStart());
}

// The most terms of an address that are visited. The start of a row has few terms. Other addresses
// share subexpressions, which are visited once for every path to them.
constexpr int kMostTerms = 64;

// Returns by how many bytes the start of a row advances in each iteration of `loop`, except for the
// last iterations, which may stay at the same row. Returns 0 if it does not advance or this is
// unknown. Visits at most `terms_left` terms.
int64_t RowBytes(const llvm::SCEV* start, const llvm::Loop* loop, int& terms_left) {
  if (--terms_left < 0) return 0;
  if (const auto advance = Advance(start, loop)) return advance->first;
  const llvm::ArrayRef<const llvm::SCEV*> operands = start->operands();
  int64_t bytes = 0;
  switch (start->getSCEVType()) {
    case llvm::scAddExpr:
      for (const llvm::SCEV* operand : operands) {
        if (llvm::AddOverflow(bytes, RowBytes(operand, loop, terms_left), bytes)) return 0;
      }
      return bytes;
    case llvm::scMulExpr:
      if (const auto* factor = llvm::dyn_cast<llvm::SCEVConstant>(operands[0])) {
        if (operands.size() == 2 &&
            llvm::MulOverflow(factor->getAPInt().getSExtValue(),
                              RowBytes(operands[1], loop, terms_left), bytes)) {
          return 0;
        }
      }
      return bytes;
    case llvm::scSMinExpr:
    case llvm::scUMinExpr:
      for (const llvm::SCEV* operand : operands) {
        bytes = std::max(bytes, RowBytes(operand, loop, terms_left));
      }
      return bytes;
    default:
      return 0;
  }
}

// Returns whether the loop carries floats. A loop over rows does not, as rows are independent of
// each other; a loop over the blocks of one row carries its sums.
bool CarriesFloats(const llvm::Loop& loop) {
  return llvm::any_of(loop.getHeader()->phis(),
                      [](const llvm::PHINode& phi) { return phi.getType()->isFPOrFPVectorTy(); });
}

absl::optional<StreamLoad> AsStream(llvm::LoadInst& load, const llvm::Loop& loop,
                                    llvm::ScalarEvolution& evolution) {
  if (!load.getType()->isVectorTy()) return absl::nullopt;
  const auto* buffer =
      llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(load.getPointerOperand()));
  if (buffer == nullptr || !IsLarge(*buffer)) return absl::nullopt;
  const auto inner = Advance(evolution.getSCEV(load.getPointerOperand()), &loop);
  if (!inner.has_value() || inner->first <= 0 || inner->first > kMaxStepBytes) return absl::nullopt;
  const llvm::Loop* rows = loop.getParentLoop();
  const llvm::SCEV* start = inner->second;
  if (rows != nullptr && CarriesFloats(*rows)) {
    // The surrounding loop goes through the blocks of a row if each block begins where the previous
    // one ended.
    const int64_t block_bytes = evolution.getSmallConstantTripCount(&loop) * inner->first;
    const auto blocks = Advance(start, rows);
    if (blocks.has_value() && blocks->first == block_bytes) {
      rows = rows->getParentLoop();
      start = blocks->second;
    }
  }
  int terms_left = kMostTerms;
  return StreamLoad{&load, &loop, buffer, inner->first, rows, RowBytes(start, rows, terms_left)};
}

std::vector<StreamLoad> FindStreams(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  std::vector<StreamLoad> streams;
  for (llvm::BasicBlock* block : loop.blocks()) {
    for (llvm::Instruction& instruction : *block) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load == nullptr) continue;
      if (const auto stream = AsStream(*load, loop, evolution)) streams.push_back(*stream);
    }
  }
  return streams;
}

enum class Cache : int { kFirst = 3, kSecond = 2 };

void Prefetch(const StreamLoad& stream, int64_t distance, Cache cache) {
  llvm::IRBuilder<> b(stream.load);
  llvm::Value* address = b.CreatePtrAdd(stream.load->getPointerOperand(), b.getInt64(distance));
  constexpr int kRead = 0, kData = 1;
  b.CreateIntrinsic(
      llvm::Intrinsic::prefetch, {address->getType()},
      {address, b.getInt32(kRead), b.getInt32(static_cast<int>(cache)), b.getInt32(kData)});
}

int64_t StoresToMemory(const llvm::Loop& loop) {
  int64_t stores = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    stores += llvm::count_if(*block, [](const llvm::Instruction& instruction) {
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      return store != nullptr &&
             llvm::isa<llvm::Argument>(llvm::getUnderlyingObject(store->getPointerOperand()));
    });
  }
  return stores;
}

// Returns about how long an iteration computes, in instructions, while memory is not busy with its
// stores.
int64_t TimeOf(const llvm::Loop& loop) {
  int64_t size = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) size += static_cast<int64_t>(block->size());
  return std::max<int64_t>(0, size - kInstructionsPerStore * StoresToMemory(loop));
}

// The loads of the loops within one loop that read the same rows. Remainder loops, which have
// shorter vectors, are left out.
class Readers {
 public:
  void Add(const StreamLoad& stream) {
    const uint64_t bits = stream.load->getType()->getPrimitiveSizeInBits();
    if (bits < vector_bits_) return;
    if (bits > vector_bits_) streams_.clear();
    vector_bits_ = bits;
    streams_.push_back(stream);
  }

  void PrefetchAll() const {
    const auto vector_bytes = static_cast<int64_t>(vector_bits_ / 8);
    llvm::MapVector<const llvm::Loop*, int64_t> bytes_read;  // in an iteration of the loop
    for (const StreamLoad& stream : streams_) bytes_read[stream.loop] += vector_bytes;
    const int64_t row_bytes = streams_[0].row_bytes;
    const bool next_row = bytes_read.size() > 1 && row_bytes > 0;
    if (next_row && row_bytes > kMaxRowBytes) return;
    // The loop that computes longest per byte of the row has most time for prefetches of the next
    // row.
    const llvm::Loop* longest = streams_[0].loop;
    for (const auto& [loop, bytes] : bytes_read) {
      if (TimeOf(*loop) * bytes_read.lookup(longest) > TimeOf(*longest) * bytes) longest = loop;
    }
    for (const StreamLoad& stream : streams_) {
      if (next_row && stream.loop != longest) continue;
      const int64_t bytes = bytes_read.lookup(stream.loop);
      if (next_row) {
        if (TimeOf(*stream.loop) <= kMostForFirstCache * bytes / vector_bytes) {
          Prefetch(stream, row_bytes, Cache::kFirst);
        }
        Prefetch(stream, kRowsAhead * row_bytes, Cache::kSecond);
        continue;
      }
      const auto ahead = [&](int64_t distance_bytes) {
        return CeilDivide(distance_bytes, bytes) * stream.step_bytes;
      };
      Prefetch(stream, ahead(kDistanceBytes), Cache::kFirst);
      if (StoresToMemory(*stream.loop) > 0) Prefetch(stream, ahead(kFarBytes), Cache::kSecond);
    }
  }

 private:
  uint64_t vector_bits_ = 0;
  std::vector<StreamLoad> streams_;
};

}  // namespace

llvm::PreservedAnalyses PrefetchStreamsPass::run(llvm::Function& function,
                                                 llvm::FunctionAnalysisManager& analyses) {
  if (llvm::none_of(function.args(), IsLarge)) return llvm::PreservedAnalyses::all();
  const llvm::LoopInfo& all = analyses.getResult<llvm::LoopAnalysis>(function);
  llvm::ScalarEvolution& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  // The readers by the loop over rows, the buffer, and the distance of its rows.
  llvm::MapVector<const llvm::Loop*,
                  llvm::MapVector<std::pair<const llvm::Argument*, int64_t>, Readers>>
      readers;
  for (const llvm::Loop* loop : all.getLoopsInPreorder()) {
    if (!loop->isInnermost()) continue;
    for (const StreamLoad& stream : FindStreams(*loop, evolution)) {
      readers[stream.rows][{stream.buffer, stream.row_bytes}].Add(stream);
    }
  }
  if (readers.empty()) return llvm::PreservedAnalyses::all();
  for (const auto& [rows, of_rows] : readers) {
    for (const auto& [row, loops_of_row] : of_rows) loops_of_row.PrefetchAll();
  }
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace acceld::kernels::cpu

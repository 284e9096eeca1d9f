#include "kernels/cpu/support/routines/routine_run.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include "absl/strings/str_cat.h"
#include "common/ceil_divide.h"
#include "common/threads/mutex.h"
#include "kernels/cpu/routine_key.h"
#include "kernels/cpu/support/openmp_threads.h"
#include "kernels/cpu/support/parallel_for.h"
#include "kernels/cpu/support/poll.h"
#include "kernels/cpu/support/routines/for_each_in_blocks.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels::cpu {
namespace {

// The operations of an item from which on its own parallel loops pay.
constexpr double kMinLargeWork = 4e6;
// The least operations of a tile. Smaller items share a tile, so that distributing tiles costs
// nothing in comparison.
constexpr double kMinTileWork = 1e5;

struct Tiles {
  absl::FunctionRef<absl::Status(int64_t)> body;
  int64_t count, per_tile;
  Mutex mutex;
  absl::Status failure ABSL_GUARDED_BY(mutex);

  int32_t Run(int64_t tile) {
    DisableOpenMpThreads();
    const int64_t end = std::min(count, (tile + 1) * per_tile);
    absl::Status status;
    try {
      for (int64_t i = tile * per_tile; i < end && status.ok(); ++i) status = body(i);
    } catch (const std::bad_alloc&) {
      status = absl::ResourceExhaustedError("no memory for the workspace");
    }
    if (status.ok()) return static_cast<int32_t>(CodeStatus::kOk);
    const MutexLock lock(mutex);
    if (failure.ok()) failure = std::move(status);
    return static_cast<int32_t>(CodeStatus::kFailed);
  }
};

// The elements that are copied between two polls, in a few milliseconds.
constexpr int64_t kPolledElements = int64_t{1} << 20;

int64_t Product(const std::vector<int64_t>& dims, int64_t begin, int64_t end) {
  int64_t product = 1;
  for (int64_t d = begin; d < end; ++d) product *= dims[d];
  return product;
}

RoutineBuffer ReadBuffer(RoutineKeyReader& key, int64_t batch_rank, void* address) {
  RoutineBuffer buffer{};
  buffer.dtype = static_cast<ir::DType>(key.Next());
  buffer.dims = key.NextList();
  const auto rank = static_cast<int64_t>(buffer.dims.size());
  buffer.batch = Product(buffer.dims, 0, batch_rank);
  buffer.rows = rank > batch_rank ? buffer.dims[batch_rank] : 1;
  buffer.columns = Product(buffer.dims, std::min(batch_rank + 1, rank), rank);
  buffer.data = static_cast<char*>(address);
  return buffer;
}

}  // namespace

absl::Status RoutineRun::ForEach(int64_t count, double work,
                                 absl::FunctionRef<absl::Status(int64_t)> body) const {
  const auto per_tile =
      std::clamp<int64_t>(static_cast<int64_t>(kMinTileWork / std::max(work, 1.0)), 1, 1 << 20);
  Tiles tiles{body, count, per_tile, {}, {}};
  const auto run = [](const void* frame, int64_t tile) {
    return static_cast<Tiles*>(const_cast<void*>(frame))->Run(tile);
  };
  const int32_t status = ParallelFor(context, run, &tiles, CeilDivide(count, per_tile));
  if (status == static_cast<int32_t>(CodeStatus::kCancelled)) return absl::CancelledError("");
  const MutexLock lock(tiles.mutex);
  return tiles.failure;
}

absl::Status RoutineRun::ForEachItem(double work,
                                     absl::FunctionRef<absl::Status(int64_t)> body) const {
  if (work < kMinLargeWork || batch() >= context->num_threads) return ForEach(batch(), work, body);
  for (int64_t i = 0; i < batch(); ++i) {
    ACCELD_RETURN_IF_ERROR(Poll());
    ACCELD_RETURN_IF_ERROR(body(i));
  }
  return absl::OkStatus();
}

absl::Status RoutineRun::Copy(void* to, const void* from, int64_t size_bytes) const {
  const int32_t status = CopyInPieces(context, to, from, size_bytes);
  if (status == static_cast<int32_t>(CodeStatus::kOk)) return absl::OkStatus();
  return absl::CancelledError("");
}

absl::StatusOr<std::shared_ptr<void>> RoutineRun::Allocate(int64_t size_bytes) const {
  if (context->working_memory != nullptr) return context->working_memory->Allocate(size_bytes);
  const int64_t rounded = RoundUp(size_bytes, kBufferAlignment);
  void* const memory = std::aligned_alloc(kBufferAlignment, rounded);
  if (memory == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no memory for a workspace of ", size_bytes, " bytes"));
  }
  return std::shared_ptr<void>(memory, std::free);
}

RoutineRun ReadRoutine(const LaunchContext* context, const int64_t* descriptor,
                       void* const* addresses) {
  RoutineKeyReader key(descriptor);
  RoutineRun run{context, static_cast<Routine>(key.Next()), key.NextList(), key.Next(), {}, {}};
  for (std::vector<RoutineBuffer>* buffers : {&run.operands, &run.results}) {
    for (int64_t i = 0, count = key.Next(); i < count; ++i) {
      buffers->push_back(ReadBuffer(key, run.batch_rank, *addresses++));
    }
  }
  return run;
}

namespace {

// Loads rows [begin, end) of item `i`.
template <typename T>
void LoadRows(const RoutineBuffer& from, int64_t i, int64_t begin, int64_t end, T* out) {
  const char* item = from.Item(i);
  const int64_t columns = from.columns, rows = from.rows;
  if (IsStoredAs<T>(from.dtype)) {
    const T* in = reinterpret_cast<const T*>(item);
    ForEachInBlocks(end - begin, columns, [&](int64_t r, int64_t c) {
      out[c * rows + begin + r] = in[(begin + r) * columns + c];
    });
  } else if constexpr (!kIsComplex<T>) {
    ForEachInBlocks(end - begin, columns, [&](int64_t r, int64_t c) {
      out[c * rows + begin + r] =
          static_cast<T>(ir::ReadFloat(from.dtype, item, (begin + r) * columns + c));
    });
  }
}

template <typename T>
void StoreRows(const T* from, const RoutineBuffer& to, int64_t i, int64_t begin, int64_t end) {
  char* item = to.Item(i);
  const int64_t columns = to.columns, rows = to.rows;
  if (IsStoredAs<T>(to.dtype)) {
    T* out = reinterpret_cast<T*>(item);
    ForEachInBlocks(end - begin, columns, [&](int64_t r, int64_t c) {
      out[(begin + r) * columns + c] = from[c * rows + begin + r];
    });
  } else if constexpr (!kIsComplex<T>) {
    ForEachInBlocks(end - begin, columns, [&](int64_t r, int64_t c) {
      ir::WriteFloat(to.dtype, item, (begin + r) * columns + c, from[c * rows + begin + r]);
    });
  }
}

// Calls `move(begin, end)` for ranges that cover all rows of an item, with polls.
template <typename Move>
absl::Status MoveRows(const RoutineRun& run, const RoutineBuffer& buffer, Move move) {
  const int64_t step =
      std::max<int64_t>(1, kPolledElements / std::max<int64_t>(buffer.columns, 1) / 16) * 16;
  for (int64_t row = 0; row < buffer.rows; row += step) {
    ACCELD_RETURN_IF_ERROR(run.Poll());
    move(row, std::min(buffer.rows, row + step));
  }
  return absl::OkStatus();
}

}  // namespace

template <typename T>
void StoreColumns(const T* from, const RoutineBuffer& to, int64_t i) {
  StoreRows(from, to, i, 0, to.rows);
}
template <typename T>
absl::Status LoadColumns(const RoutineRun& run, const RoutineBuffer& from, int64_t i, T* out) {
  return MoveRows(run, from,
                  [&](int64_t begin, int64_t end) { LoadRows(from, i, begin, end, out); });
}
template <typename T>
absl::Status StoreColumns(const RoutineRun& run, const T* from, const RoutineBuffer& to,
                          int64_t i) {
  return MoveRows(run, to, [&](int64_t begin, int64_t end) { StoreRows(from, to, i, begin, end); });
}

#define ACCELD_COLUMNS(T)                                                                     \
  template void StoreColumns<T>(const T*, const RoutineBuffer&, int64_t);                     \
  template absl::Status LoadColumns<T>(const RoutineRun&, const RoutineBuffer&, int64_t, T*); \
  template absl::Status StoreColumns<T>(const RoutineRun&, const T*, const RoutineBuffer&, int64_t);
ACCELD_COLUMNS(float)
ACCELD_COLUMNS(double)
ACCELD_COLUMNS(std::complex<float>)
ACCELD_COLUMNS(std::complex<double>)
#undef ACCELD_COLUMNS

void FillWithNan(const RoutineBuffer& buffer, int64_t i) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (int64_t e = 0; e < buffer.item_elements(); ++e) {
    if (ir::IsComplex(buffer.dtype)) {
      ir::WriteComplex(buffer.dtype, buffer.Item(i), e, {kNan, kNan});
    } else {
      ir::WriteFloat(buffer.dtype, buffer.Item(i), e, kNan);
    }
  }
}

void FillWithZeros(const RoutineBuffer& buffer, int64_t i) {
  std::memset(buffer.Item(i), 0, buffer.item_elements() * ir::StorageBytesOf(buffer.dtype));
}

}  // namespace acceld::kernels::cpu

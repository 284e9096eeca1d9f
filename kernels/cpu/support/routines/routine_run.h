#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/ir/types/element.h"
#include "common/ir/types/type.h"
#include "common/status.h"
#include "kernels/cpu/support/poll.h"
#include "kernels/cpu/support_abi.h"
#include "kernels/ir/routine.h"

// Types and functions for the implementations of routines. Only for the run-time support.
namespace acceld::kernels::cpu {

// An operand or result of a routine: `batch` items, each a dense row-major matrix of rows x columns
// elements. A vector is a matrix with one column, a scalar one with one row and one column.
struct RoutineBuffer {
  ir::DType dtype;
  std::vector<int64_t> dims;
  int64_t batch, rows, columns;
  char* data;

  int64_t item_elements() const { return rows * columns; }
  int64_t size_bytes() const { return batch * item_elements() * ir::StorageBytesOf(dtype); }
  char* Item(int64_t i) const { return data + i * item_elements() * ir::StorageBytesOf(dtype); }
};

// A call of a routine. Exists only during RunRoutine. Borrows the context and the buffers' memory.
struct RoutineRun {
  const LaunchContext* context;
  Routine routine;
  std::vector<int64_t> parameters;
  int64_t batch_rank;
  std::vector<RoutineBuffer> operands, results;

  int64_t batch() const { return operands[0].batch; }
  ir::DType dtype() const { return operands[0].dtype; }

  // Calls `body(i)` for every i in [0, count) on the context's threads, and blocks until all calls
  // have returned. `work` is about the number of operations of a call; small calls are grouped.
  // Returns the first error of `body`, CANCELLED if the run has to end, RESOURCE_EXHAUSTED if
  // `body` throws std::bad_alloc.
  absl::Status ForEach(int64_t count, double work,
                       absl::FunctionRef<absl::Status(int64_t)> body) const;

  // The same for the items of the batch, for a `body` that has parallel loops of its own. If the
  // items are large and fewer than the threads, they are processed one after the other, each on all
  // threads; exceptions of `body` then pass.
  absl::Status ForEachItem(double work, absl::FunctionRef<absl::Status(int64_t)> body) const;

  // Polls whether the run is interrupted: blocks while it has to pause, and returns CANCELLED if it
  // has to end. Routines call this at least after every ten milliseconds of work, where a library
  // lets them.
  absl::Status Poll() const {
    if (cpu::Poll(*context) == static_cast<int32_t>(CodeStatus::kOk)) return absl::OkStatus();
    return absl::CancelledError("");
  }
  // Copies between ranges that are equal or disjoint, with polls. Returns CANCELLED if the run has
  // to end.
  absl::Status Copy(void* to, const void* from, int64_t size_bytes) const;

  // Allocates from the context's working memory, as WorkingMemory::Allocate; from the heap if the
  // context has none.
  absl::StatusOr<std::shared_ptr<void>> Allocate(int64_t size_bytes) const;
};

// Decodes the call that `descriptor` and `addresses` stand for (RoutineFunction in support_abi.h).
RoutineRun ReadRoutine(const LaunchContext* context, const int64_t* descriptor,
                       void* const* addresses);

// For debug and sanitizer builds: aborts the process if CheckRoutine refuses the call, if an
// address is not aligned, if results overlap each other or a part of an operand, or if the address
// sanitizer knows that a buffer is shorter than the descriptor says.
void CheckRun(const RoutineRun& run);

// The implementations of the routines. Shapes and parameters are such that CheckRoutine accepts
// them, and at least one result has elements. Errors: CANCELLED, RESOURCE_EXHAUSTED, and failures
// of the library that no result of the routine expresses. std::bad_alloc may be thrown.
#define ACCELD_ROUTINE(Kind, name, signature, parameters) absl::Status Run##Kind(const RoutineRun&);
#include "kernels/ir/routines.def"

// The type of the real part of T: T itself if T is not complex.
template <typename T>
struct RealOf {
  using Type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using Type = T;
};
template <typename T>
using Real = typename RealOf<T>::Type;
template <typename T>
inline constexpr bool kIsComplex = !std::is_same_v<T, Real<T>>;

// Calls `body(T())` for the C++ type T in which libraries compute with `dtype`: float for f32 and
// narrower floats.
template <typename Body>
absl::Status ForElementType(ir::DType dtype, Body body) {
  switch (dtype) {
    case ir::DType::kF64:
      return body(double());
    case ir::DType::kC64:
      return body(std::complex<float>());
    case ir::DType::kC128:
      return body(std::complex<double>());
    default:
      return body(float());
  }
}

// Load item `i` as a column-major matrix to `out`, and store one. Elements narrower than T are
// converted. The functions that take `run` poll, and return CANCELLED if the run has to end. The
// one without is for routines that call a library which cannot be interrupted anyway.
template <typename T>
absl::Status LoadColumns(const RoutineRun& run, const RoutineBuffer& from, int64_t i, T* out);
template <typename T>
void StoreColumns(const T* from, const RoutineBuffer& to, int64_t i);
template <typename T>
absl::Status StoreColumns(const RoutineRun& run, const T* from, const RoutineBuffer& to, int64_t i);

// Returns whether elements of `dtype`, which T is the computation type of, are stored as T, not in
// a narrower type.
template <typename T>
bool IsStoredAs(ir::DType dtype) {
  return ir::StorageBytesOf(dtype) == static_cast<int64_t>(sizeof(T));
}

// Returns the elements of item `i`, row-major, as T: the item's own memory, or `converted`, which
// then gets their converted values.
template <typename T>
T* RowMajorElements(const RoutineBuffer& from, int64_t i, std::vector<T>& converted) {
  char* const item = from.Item(i);
  if constexpr (!kIsComplex<T>) {
    if (!IsStoredAs<T>(from.dtype)) {
      converted.resize(from.item_elements());
      for (int64_t e = 0; e < from.item_elements(); ++e) {
        converted[e] = static_cast<T>(ir::ReadFloat(from.dtype, item, e));
      }
      return converted.data();
    }
  }
  return reinterpret_cast<T*>(item);
}

// A result that is computed in place from an operand of the same shape. Load provides a row-major
// array of T with the operand's elements. This is the memory of the result if its elements are
// stored as T; otherwise it is a converted copy, which Store writes to the result.
template <typename T>
class InPlaceItem {
 public:
  InPlaceItem(const RoutineBuffer& from, const RoutineBuffer& to, int64_t i)
      : from_(from), to_(to), item_(i) {}

  // To be called first. Returns CANCELLED if the run has to end.
  absl::Status Load(const RoutineRun& run) {
    data_ = RowMajorElements(from_, item_, converted_);
    if (!converted_.empty()) return absl::OkStatus();
    data_ = reinterpret_cast<T*>(to_.Item(item_));
    return run.Copy(data_, from_.Item(item_),
                    from_.item_elements() * static_cast<int64_t>(sizeof(T)));
  }
  T* data() const { return data_; }
  // To be called last.
  void Store() const {
    for (size_t e = 0; e < converted_.size(); ++e) {
      ir::WriteFloat(to_.dtype, to_.Item(item_), static_cast<int64_t>(e),
                     static_cast<double>(std::real(converted_[e])));
    }
  }

 private:
  const RoutineBuffer& from_;
  const RoutineBuffer& to_;
  const int64_t item_;
  std::vector<T> converted_;
  T* data_ = nullptr;
};

// Set all elements of item `i` to NaN, or to 0.
void FillWithNan(const RoutineBuffer& buffer, int64_t i);
void FillWithZeros(const RoutineBuffer& buffer, int64_t i);

// Returns the elements of item `i` of an i32 operand or result.
inline int32_t* Integers(const RoutineBuffer& buffer, int64_t i) {
  return reinterpret_cast<int32_t*>(buffer.Item(i));
}

}  // namespace acceld::kernels::cpu

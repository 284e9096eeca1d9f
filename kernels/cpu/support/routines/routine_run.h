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

// What the implementations of routines work with. Only within the support's folder.
namespace acceld::kernels::cpu {

// One operand or result: `batch` items of rows x columns elements, row-major and dense. A vector is
// one column, a number one row of it.
struct RoutineBuffer {
  ir::DType dtype;
  std::vector<int64_t> dims;
  int64_t batch, rows, columns;
  char* data;

  int64_t item_elements() const { return rows * columns; }
  int64_t size_bytes() const { return batch * item_elements() * ir::StorageBytesOf(dtype); }
  char* Item(int64_t i) const { return data + i * item_elements() * ir::StorageBytesOf(dtype); }
};

// A call of a routine. It outlives nothing: made and used within RunRoutine.
struct RoutineRun {
  const LaunchContext* context;
  Routine routine;
  std::vector<int64_t> parameters;
  int64_t batch_rank;
  std::vector<RoutineBuffer> operands, results;

  int64_t batch() const { return operands[0].batch; }
  ir::DType dtype() const { return operands[0].dtype; }

  // Calls `body(i)` for every i below `count`, on the context's threads; `work` is about how many
  // operations each is: small ones run in groups. The first failure; CANCELLED when the context is;
  // RESOURCE_EXHAUSTED for a std::bad_alloc.
  absl::Status ForEach(int64_t count, double work,
                       absl::FunctionRef<absl::Status(int64_t)> body) const;

  // The same for the items of the batch, for a `body` that has parallel loops of its own: large
  // items that are fewer than the threads come one after another, each on all threads. Throws what
  // `body` throws.
  absl::Status ForEachItem(double work, absl::FunctionRef<absl::Status(int64_t)> body) const;

  // CANCELLED when the run is to end; waits while it is to pause. Routines call it at least every
  // ten milliseconds of work where a library lets them.
  absl::Status Poll() const {
    if (cpu::Poll(*context) == static_cast<int32_t>(CodeStatus::kOk)) return absl::OkStatus();
    return absl::CancelledError("");
  }
  // Copies between ranges that are equal or disjoint, with polls.
  absl::Status Copy(void* to, const void* from, int64_t size_bytes) const;

  // Of the context's working memory. As WorkingMemory::Allocate.
  absl::StatusOr<std::shared_ptr<void>> Allocate(int64_t size_bytes) const;
};

RoutineRun ReadRoutine(const LaunchContext* context, const int64_t* descriptor,
                       void* const* places);

// Debug and sanitizer builds: ends the process if the descriptor is no call that CheckRoutine
// accepts, if a place is not aligned, or if the address sanitizer knows that what a descriptor says
// lies at a place is more than is there.
void CheckRun(const RoutineRun& run);

// One per routine. Shapes and parameters are what CheckRoutine accepts, and a result has elements;
// errors are failures of the library that no result can say.
#define ACCELD_ROUTINE(Kind, name, signature, parameters) absl::Status Run##Kind(const RoutineRun&);
#include "kernels/ir/routines.def"

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

// Calls `body(T())` for the C++ type in which a library computes: float for f32 and narrower.
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

// Item `i` as a column-major matrix at `out`, with polls, and back, with polls for what no library
// does at once anyway. Elements narrower than T are converted.
template <typename T>
absl::Status LoadColumns(const RoutineRun& run, const RoutineBuffer& from, int64_t i, T* out);
template <typename T>
void StoreColumns(const T* from, const RoutineBuffer& to, int64_t i);
template <typename T>
absl::Status StoreColumns(const RoutineRun& run, const T* from, const RoutineBuffer& to, int64_t i);

// Whether elements of `dtype` are T's.
template <typename T>
bool IsStoredAs(ir::DType dtype) {
  return ir::StorageBytesOf(dtype) == static_cast<int64_t>(sizeof(T));
}

// Item `i` as row-major elements in T: its own, or what they are converted to in `converted`.
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

// A result to be computed in place from an operand of the same shape: row-major elements in T, the
// operand's at first, which are the result's own or have to be stored.
template <typename T>
class InPlaceItem {
 public:
  InPlaceItem(const RoutineBuffer& from, const RoutineBuffer& to, int64_t i)
      : from_(from), to_(to), item_(i) {}

  // To be called first.
  absl::Status Load(const RoutineRun& run) {
    data_ = RowMajorElements(from_, item_, converted_);
    if (!converted_.empty()) return absl::OkStatus();
    data_ = reinterpret_cast<T*>(to_.Item(item_));
    return run.Copy(data_, from_.Item(item_),
                    from_.item_elements() * static_cast<int64_t>(sizeof(T)));
  }
  T* data() const { return data_; }
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

// Sets all elements of item `i` to NaN, or to 0.
void FillWithNan(const RoutineBuffer& buffer, int64_t i);
void FillWithZeros(const RoutineBuffer& buffer, int64_t i);

// The i32 results and operands that the routines have beside matrices.
inline int32_t* Integers(const RoutineBuffer& buffer, int64_t i) {
  return reinterpret_cast<int32_t*>(buffer.Item(i));
}

}  // namespace acceld::kernels::cpu

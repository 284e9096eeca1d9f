#pragma once

#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "absl/strings/string_view.h"
#include "common/status.h"
#include "common/threads/stop_flag.h"

// When memory runs out while a request is served, these functions let the request fail instead of
// the process.
//
// Memory budgets (common/ir/verify/memory_budget.h) refuse the requests whose need can be computed
// beforehand. Other work whose allocations depend on its input (reading, specializing, compiling
// and loading a program) runs in ContainAllocationFailure, in some cases with a limit on its
// memory. Such "contained work" calls CheckMayContinue often and returns the error that
// CheckMayContinue reports. When operator new finds no memory in contained work, one of two things
// happens:
//
// - The process gives a reserve of address space back to the system, and the allocation succeeds at
//   a second attempt. From then on CheckMayContinue returns RESOURCE_EXHAUSTED to the thread. This
//   covers the many small allocations that no code expects to fail: an exception that interrupts
//   the growth of an Abseil hash table leaves the table broken, and the same holds for objects of
//   LLVM, which is compiled without exceptions. Allocations of threads outside of contained work
//   also succeed thanks to the reserve.
// - If the allocation is larger than the reserve, or the reserve is used up, std::bad_alloc or
//   std::length_error is thrown, which ContainAllocationFailure catches. Strings and vectors whose
//   sizes an input names fail in this way, which they survive.
//
// The process may still end if the reserve is used up between two calls of CheckMayContinue; the
// work between two calls is bounded by the number of ops of a program. LLVM's own small vectors
// call malloc and end the process when it fails. A system that grants more memory than it has
// (overcommit, memory.max of a cgroup) kills processes without any failed allocation; therefore
// work whose memory grows with its input has a bound.
namespace acceld {

// Limits of a piece of contained work.
struct WorkBounds {
  static constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();

  // How many bytes of heap the thread may hold beyond what it held at the beginning. Not enforced
  // while there is no heap counter (SetHeapCounter).
  int64_t memory_bytes = kUnbounded;
  const StopFlag* stop = nullptr;  // stops the work; nullptr: none for this piece of work
};

// While an object of this class lives, its thread does contained work. Objects may be nested: the
// smallest of their memory limits applies, and the innermost stop flag.
class ContainedWork {
 public:
  explicit ContainedWork(const WorkBounds& bounds = {});
  ~ContainedWork();
  ContainedWork(const ContainedWork&) = delete;
  ContainedWork& operator=(const ContainedWork&) = delete;

  // Returns the bounds of the calling thread's contained work, for helper threads that take part in
  // it under a ContainedWork of their own. The memory limit holds for each thread separately.
  static WorkBounds Bounds();

 private:
  const WorkBounds outer_;
  const int64_t outer_most_held_;
};

// Whether the contained work of this thread may continue: it is not stopped, no allocation of it
// has failed, and it holds no more memory than it may. Takes nanoseconds, so that it can be asked
// often.
bool MayContinue();

// As MayContinue, as a status: CANCELLED when the work is stopped; RESOURCE_EXHAUSTED, "<where>:
// ...", when an allocation has failed or the work holds more memory than it may.
absl::Status CheckMayContinue(absl::string_view where);

// Returns RESOURCE_EXHAUSTED, "<where>: memory ran out". If there is no memory for that message,
// the message lacks `where`.
absl::Status OutOfMemoryError(absl::string_view where) noexcept;

// Sets the function that counts the heap memory of the calling thread: the bytes that it has
// allocated less those that it has freed. For the start of the program.
void SetHeapCounter(int64_t (*bytes_of_thread)());

// The longest error message that contained work returns.
inline constexpr size_t kMaxErrorBytes = 4096;

// Returns the status with a message of at most kMaxErrorBytes: of a longer message the beginning
// and the end are kept.
absl::Status ShortenMessage(const absl::Status& status);
template <typename Value>
absl::StatusOr<Value> ShortenMessage(absl::StatusOr<Value> result) {
  return result.ok() ? std::move(result) : ShortenMessage(result.status());
}

// Runs `work` as contained work and returns its result, a Status or StatusOr; OutOfMemoryError when
// an allocation in it failed. `where` names what was being done. The message of an error, which may
// quote the input, is shortened (ShortenMessage), because arrays keep their error as long as they
// exist. Exceptions other than std::bad_alloc and std::length_error are passed on.
template <typename Work>
std::invoke_result_t<Work> ContainAllocationFailure(absl::string_view where,
                                                    const WorkBounds& bounds, Work&& work) {
  const ContainedWork contained(bounds);
  try {
    return ShortenMessage(std::forward<Work>(work)());
  } catch (const std::bad_alloc&) {
    return OutOfMemoryError(where);
  } catch (const std::length_error&) {
    return OutOfMemoryError(where);
  }
}

template <typename Work>
std::invoke_result_t<Work> ContainAllocationFailure(absl::string_view where, Work&& work) {
  return ContainAllocationFailure(where, WorkBounds{}, std::forward<Work>(work));
}

}  // namespace acceld

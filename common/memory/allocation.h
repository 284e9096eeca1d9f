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

// What happens when memory runs out while a request is served: the request fails, not the process.
//
// Budgets (ir/memory_budget.h) refuse what can be foreseen. For the rest, the places where a
// request enters work that allocates by its input (reading, specializing, compiling, loading) run
// it in ContainAllocationFailure, some with bounds. The work asks CheckGoOn as it goes, and ends
// with what that says. Two things may happen to an allocation that fails there:
//
// - The process has a reserve, which is given back to the system for it, and the allocation
//   succeeds after all. CheckGoOn says RESOURCE_EXHAUSTED from then on.
//   This is what happens to the many small allocations, which no code expects to fail: a hash table
//   of abseil is broken by an exception in the midst of growing, and so are objects of LLVM, which
//   is compiled without exceptions. Threads that are not in such work go on by the reserve too.
// - It is larger than the reserve, or the reserve is gone: std::bad_alloc or std::length_error,
//   which ends in ContainAllocationFailure. So do sizes that an input names, for strings and
//   vectors, which survive that. That the reserve goes before the work asks is the one case
//   that may still end the process; what lies between two questions is bounded, by the number of
//   ops of a program.
//
// LLVM's own small vectors ask malloc and end the process when it fails. A system that grants more
// memory than it has (memory.max of a cgroup, overcommit) ends processes without asking anybody:
// against that, work whose memory grows with its input has a bound.
namespace acceld {

// What a piece of contained work may take, and what tells it to end.
struct WorkBounds {
  static constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();

  // What the thread may hold of the heap beyond what it held at the beginning. Without a heap
  // counter nothing is known of that, and there is no bound.
  int64_t memory_bytes = kUnbounded;
  const StopFlag* stop = nullptr;  // nullptr: never stopped
};

// While it lives, its thread does contained work. They may nest: an inner one has the bounds of the
// outer ones, too.
class ContainedWork {
 public:
  explicit ContainedWork(const WorkBounds& bounds = {});
  ~ContainedWork();
  ContainedWork(const ContainedWork&) = delete;
  ContainedWork& operator=(const ContainedWork&) = delete;

  // Those of the calling thread's work, for threads that help with it. Each of them may take as
  // much.
  static WorkBounds Bounds();

 private:
  const WorkBounds outer_;
  const int64_t outer_most_held_;
};

// Whether the contained work of this thread goes on. Some nanoseconds: ask often.
bool MayGoOn();

// The same as a Status: CANCELLED when the work is stopped; RESOURCE_EXHAUSTED, "<where>: ...",
// when an allocation of it has failed or it holds more memory than it may.
absl::Status CheckGoOn(absl::string_view where);

// "<where>: memory ran out". Never fails for lack of memory itself.
absl::Status OutOfMemoryError(absl::string_view where) noexcept;

// Tells how much of the heap a thread holds, that is how many bytes it has allocated less those
// that it has freed. For the program's start.
void SetHeapCounter(int64_t (*bytes_of_thread)());

// The longest message of an error that contained work gives.
inline constexpr size_t kMaxErrorBytes = 4096;

// The status, with a message of at most kMaxErrorBytes: of a longer one the beginning and the end.
absl::Status ShortenMessage(const absl::Status& status);
template <typename Value>
absl::StatusOr<Value> ShortenMessage(absl::StatusOr<Value> result) {
  return result.ok() ? std::move(result) : ShortenMessage(result.status());
}

// Gives what `work` gives, a Status or StatusOr, or OutOfMemoryError when an allocation failed in
// it. `where` names what was being done. An error's message, which may quote the input, is
// shortened: arrays keep it for as long as they are there. Other exceptions pass.
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

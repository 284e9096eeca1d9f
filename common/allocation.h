#pragma once

#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "absl/strings/string_view.h"
#include "common/status.h"

// What happens when memory runs out while a request is served: the request fails, not the process.
//
// Budgets (ir/memory_budget.h) refuse what can be foreseen. For the rest, the places where a
// request enters work that allocates by its input (reading, specializing, compiling, loading) run
// it in ContainAllocationFailure. Two things may happen to an allocation that fails there:
//
// - The process has a reserve, which is given back to the system for it, and the allocation
//   succeeds after all. The work asks CheckMemory as it goes, and ends with RESOURCE_EXHAUSTED.
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
// memory than it has (memory.max of a cgroup, overcommit) ends processes without asking anybody.
namespace acceld {

// RESOURCE_EXHAUSTED, "<where>: memory ran out", when an allocation of the contained work that this
// thread does has failed. One look at a variable otherwise.
absl::Status CheckMemory(absl::string_view where);

// The same without a question. Never fails for lack of memory itself.
absl::Status OutOfMemoryError(absl::string_view where) noexcept;

// While it lives, its thread does contained work. They may nest; the outermost one counts.
class ContainedWork {
 public:
  ContainedWork();
  ~ContainedWork();
  ContainedWork(const ContainedWork&) = delete;
  ContainedWork& operator=(const ContainedWork&) = delete;
};

// Gives what `work` gives, a Status or StatusOr, or OutOfMemoryError when an allocation failed in
// it. `where` names what was being done. Other exceptions pass.
template <typename Work>
std::invoke_result_t<Work> ContainAllocationFailure(absl::string_view where, Work&& work) {
  const ContainedWork contained;
  try {
    return std::forward<Work>(work)();
  } catch (const std::bad_alloc&) {
    return OutOfMemoryError(where);
  } catch (const std::length_error&) {
    return OutOfMemoryError(where);
  }
}

}  // namespace acceld

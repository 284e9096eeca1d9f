#include "server/runtime/memory/host_memory.h"

#include <new>

#include "absl/strings/str_cat.h"

namespace acceld::runtime {

absl::StatusOr<std::shared_ptr<HostMemory::Block>> HostMemory::Allocate(
    int64_t size_bytes, const std::shared_ptr<Meter>& owner, Cause cause) {
  Charge of_owner;
  if (owner != nullptr) {
    ACCELD_ASSIGN_OR_RETURN(of_owner, Charge::Take(owner, size_bytes));
  }
  ACCELD_ASSIGN_OR_RETURN(Charge in_budget,
                          Charge::Take(cause == Cause::kAny ? unreserved_ : budget_, size_bytes));
  std::unique_ptr<char[]> bytes(new (std::nothrow) char[static_cast<size_t>(size_bytes)]);
  if (bytes == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("host memory: the system refuses ", size_bytes, " bytes"));
  }
  return std::make_shared<Block>(std::move(in_budget), std::move(of_owner), std::move(bytes),
                                 size_bytes);
}

}  // namespace acceld::runtime

#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "absl/types/span.h"
#include "common/files/unique_fd.h"
#include "common/status.h"

namespace acceld::rpc {

// Memory of a client's (memfd_create(2)) from which the daemon takes bytes. It is read like a file
// and never mapped: the client may change, shrink or never have touched it.
class LentMemory {
 public:
  // INVALID_ARGUMENT for what is no such memory: reading something else could block.
  static absl::StatusOr<LentMemory> Accept(UniqueFd fd);

  LentMemory() = default;
  // Has work done on another thread, later, or not at all.
  using Helper = std::function<void(std::function<void()> work)>;
  // Blocks for the copy, in which the helper takes part if it comes in time. INVALID_ARGUMENT when
  // the memory ends before, FAILED_PRECONDITION for a default-constructed one.
  absl::Status Read(uint64_t offset, absl::Span<char> to, const Helper& helper) const;

 private:
  explicit LentMemory(UniqueFd fd) : fd_(std::move(fd)) {}
  absl::Status ReadAlone(uint64_t offset, absl::Span<char> to) const;

  UniqueFd fd_;
};

}  // namespace acceld::rpc

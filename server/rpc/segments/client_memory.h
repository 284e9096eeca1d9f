#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "absl/types/span.h"
#include "common/files/unique_fd.h"
#include "common/status.h"

namespace acceld::rpc {

// Memory that a client shares with the daemon (memfd_create(2)), from which the daemon copies the
// bytes of uploads. The daemon reads it like a file and never maps it, because the client may write
// to it or truncate it at any time, and may not have allocated its pages.
class ClientMemory {
 public:
  // Takes over the descriptor that a client passed. INVALID_ARGUMENT when it does not refer to an
  // in-memory file: reading from another kind of file could block.
  static absl::StatusOr<ClientMemory> Accept(UniqueFd fd);

  ClientMemory() = default;
  // Runs `work` on another thread, possibly later or not at all.
  using Helper = std::function<void(std::function<void()> work)>;
  // Copies to.size() bytes from `offset` on to `to`. Blocks for the copy; where there is much to
  // copy, `helper` copies half of it if its work starts in time. INVALID_ARGUMENT when the memory
  // ends earlier; FAILED_PRECONDITION for a default-constructed object; or the system's error.
  absl::Status Read(uint64_t offset, absl::Span<char> to, const Helper& helper) const;

 private:
  explicit ClientMemory(UniqueFd fd) : fd_(std::move(fd)) {}
  absl::Status ReadAlone(uint64_t offset, absl::Span<char> to) const;

  UniqueFd fd_;
};

}  // namespace acceld::rpc

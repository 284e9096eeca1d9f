#pragma once

#include <cstddef>

#include "common/files/unique_fd.h"
#include "common/memory/shared_bytes.h"
#include "common/status.h"

namespace acceld {

// Memory that two processes share: an anonymous file (memfd_create(2)) of a size that nobody can
// change, mapped readable and writable. It has no name; who holds the descriptor has access.
//
// The other process writes when it likes: bytes are to be copied out first and looked at then.
class MemorySegment {
 public:
  // RESOURCE_EXHAUSTED or what the system says. Pages are allocated when they are touched.
  static absl::StatusOr<MemorySegment> Create(size_t size_bytes);
  // One that another process has made. INVALID_ARGUMENT when it could shrink under its readers, or
  // is no memory.
  static absl::StatusOr<MemorySegment> Map(UniqueFd fd);

  MemorySegment() = default;
  MemorySegment(MemorySegment&& other) noexcept;
  MemorySegment& operator=(MemorySegment&& other) noexcept;
  ~MemorySegment();

  // Takes all pages now, so that there is an error here and not a signal later when there is no
  // memory. RESOURCE_EXHAUSTED or what the system says.
  absl::Status AllocatePages();

  int fd() const { return fd_.get(); }
  // The memory stays; it can be passed on no longer.
  void CloseFile() { fd_ = UniqueFd(); }
  char* data() const { return data_; }
  size_t size_bytes() const { return size_bytes_; }

 private:
  UniqueFd fd_;
  char* data_ = nullptr;
  size_t size_bytes_ = 0;
};

// What another process shares and nobody can change any more, mapped readable; gone with the last
// owner. INVALID_ARGUMENT when it could be changed.
absl::StatusOr<SharedBytes> MapUnchanging(const UniqueFd& fd);

}  // namespace acceld

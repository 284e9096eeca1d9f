#pragma once

#include <cstddef>

#include "common/files/unique_fd.h"
#include "common/memory/shared_bytes.h"
#include "common/status.h"

namespace acceld {

// Memory that two processes share: an anonymous file (memfd_create(2)) whose size nobody can
// change, mapped readable and writable. The file has no name; a process that holds its descriptor
// has access.
//
// The other process may write at any time. Therefore bytes have to be copied out of the segment
// before they are checked or used.
class MemorySegment {
 public:
  // Creates a segment. Its pages are allocated when they are first touched. RESOURCE_EXHAUSTED or
  // another error of the system.
  static absl::StatusOr<MemorySegment> Create(size_t size_bytes);
  // Maps a segment that another process has created. INVALID_ARGUMENT when the file is not in
  // memory, or when it could be made smaller, so that reading it would end this process with
  // SIGBUS.
  static absl::StatusOr<MemorySegment> Map(UniqueFd fd);

  MemorySegment() = default;
  MemorySegment(MemorySegment&& other) noexcept;
  MemorySegment& operator=(MemorySegment&& other) noexcept;
  ~MemorySegment();

  // Allocates all pages, so that a lack of memory is an error of this call and not a SIGBUS at a
  // later access. RESOURCE_EXHAUSTED or another error of the system.
  absl::Status AllocatePages();

  int fd() const { return fd_.get(); }
  // Closes the file's descriptor. The memory stays mapped, but can no longer be passed to another
  // process.
  void CloseFile() { fd_ = UniqueFd(); }
  // nullptr for a default-constructed segment.
  char* data() const { return data_; }
  size_t size_bytes() const { return size_bytes_; }

 private:
  UniqueFd fd_;
  char* data_ = nullptr;
  size_t size_bytes_ = 0;
};

// Maps a file that another process shares and that nobody can write or shrink any more, for
// reading. The last owner of the result unmaps it. INVALID_ARGUMENT when the file could still be
// changed.
absl::StatusOr<SharedBytes> MapImmutable(const UniqueFd& fd);

}  // namespace acceld

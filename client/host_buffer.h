#pragma once

#include <cstddef>
#include <memory>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld {
class MemorySegment;
}  // namespace acceld

namespace acceld::client {

// Host memory that a daemon on the same host can read directly, for large arrays that are uploaded
// often. Client::UploadShared of a HostBuffer costs a single copy, made by the daemon; bytes in
// other memory are copied twice, first by this process. For a daemon on another host a HostBuffer
// is ordinary memory.
//
// The buffer may be reused for one upload after the other. Thread safety is that of a vector.
class HostBuffer {
 public:
  // Allocates page-aligned, zeroed memory and commits all of its pages. RESOURCE_EXHAUSTED or
  // another error of the system; INVALID_ARGUMENT for a size of 0.
  static absl::StatusOr<HostBuffer> Allocate(size_t size_bytes);

  HostBuffer(HostBuffer&&) noexcept;
  HostBuffer& operator=(HostBuffer&&) noexcept;
  // All uploads from the buffer must have called their `release` before.
  ~HostBuffer();

  char* data() const;
  size_t size_bytes() const;
  absl::string_view bytes() const { return {data(), size_bytes()}; }

 private:
  friend class Client;
  explicit HostBuffer(std::unique_ptr<const MemorySegment> segment);
  // For uploads. It does not move with the HostBuffer.
  const MemorySegment& segment() const { return *segment_; }

  std::unique_ptr<const MemorySegment> segment_;
};

}  // namespace acceld::client

#pragma once

#include <cstddef>
#include <memory>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::client {

// Host memory that a daemon on this host can read by itself, for large arrays that are uploaded
// often: Client::UploadShared of bytes in it costs one copy, the daemon's. Bytes of other memory
// are copied twice, the first time by this process. To a daemon elsewhere it is memory like any
// other.
//
// It may be used for one upload after the other; the pages are this process's. Thread-safe like a
// vector.
class HostBuffer {
 public:
  // Zeros, aligned to pages, all of which are there. RESOURCE_EXHAUSTED or what else the system
  // says; INVALID_ARGUMENT for no bytes.
  static absl::StatusOr<HostBuffer> Allocate(size_t size_bytes);

  HostBuffer(HostBuffer&&) noexcept;
  HostBuffer& operator=(HostBuffer&&) noexcept;
  // Uploads from it must have released their bytes.
  ~HostBuffer();

  char* data() const;
  size_t size_bytes() const;
  absl::string_view bytes() const { return {data(), size_bytes()}; }

 private:
  class Impl;
  explicit HostBuffer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace acceld::client

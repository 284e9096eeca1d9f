#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "common/memory/memory_segment.h"

namespace acceld::client {

// Bytes to upload. Whoever makes one keeps the memory until the upload has ended.
struct UploadSource {
  absl::string_view bytes;
  // The memory segment that contains all of the bytes, whose file descriptor can be passed to a
  // daemon on this host, so that it reads them directly; nullptr: they lie in other memory.
  const MemorySegment* segment = nullptr;

  // Returns where the bytes begin in the segment.
  uint64_t segment_offset() const { return static_cast<uint64_t>(bytes.data() - segment->data()); }
};

}  // namespace acceld::client

#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/memory/memory_segment.h"

namespace acceld::client {

// A process-wide registry of the memory segments whose file descriptors can be passed to a daemon,
// so that it reads the memory directly. Finds the segment that contains given bytes. Thread-safe.
class SegmentRegistry {
 public:
  // Registers and unregisters a segment. Between the two calls the object `segment` must not move.
  static void Add(const MemorySegment& segment);
  static void Remove(const MemorySegment& segment);

  // A range of bytes as a segment and an offset in it.
  struct Place {
    int fd = -1;  // The segment's file descriptor.
    uint64_t offset = 0;
  };
  // Returns the segment and offset of `bytes`, or nullopt unless all of them lie in one registered
  // segment.
  static absl::optional<Place> Find(absl::string_view bytes);
};

}  // namespace acceld::client

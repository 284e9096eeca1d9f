#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/memory/memory_segment.h"

namespace acceld::client {

// The memory of this process that a daemon can be lent: whose is found by the address of what lies
// in it. Any thread may call.
class LendableMemory {
 public:
  // From Add to Remove, `segment` stays where it is.
  static void Add(const MemorySegment& segment);
  static void Remove(const MemorySegment& segment);

  struct Place {
    int fd = -1;  // the segment's
    uint64_t offset = 0;
  };
  // Where `bytes` lie, if all of them lie in one segment.
  static absl::optional<Place> Find(absl::string_view bytes);
};

}  // namespace acceld::client

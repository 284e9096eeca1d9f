#pragma once

#include <memory>

#include "absl/strings/string_view.h"

namespace acceld {

// Bytes in host memory, which exist and do not change as long as `owner` is alive.
struct SharedBytes {
  absl::string_view view;
  std::shared_ptr<const void> owner;  // Shared with all readers of the bytes.
  // The immutable object whose value the bytes are, if that is known: two SharedBytes with the same
  // source have equal bytes.
  std::weak_ptr<const void> source;
};

}  // namespace acceld

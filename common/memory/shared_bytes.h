#pragma once

#include <memory>

#include "absl/strings/string_view.h"

namespace acceld {

// Bytes in host memory, there and unchanged as long as the owner lives.
struct SharedBytes {
  absl::string_view view;
  std::shared_ptr<const void> owner;  // Shared with all that read them.
  // What they are the unchanging value of, if that is known: equal ones have equal bytes.
  std::weak_ptr<const void> source;
};

}  // namespace acceld

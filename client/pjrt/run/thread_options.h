#pragma once

#include <chrono>

#include "absl/types/optional.h"
#include "client/array.h"
#include "client/server_info.h"

namespace acceld::pjrt {

// What a Python program has said for the calls of one thread (extensions/acceld.h). The functions
// of the interface run on the thread of their caller.
struct ThreadOptions {
  absl::optional<std::chrono::milliseconds> timeout;  // of each execution
  absl::optional<client::Priority> priority;          // the same
  // The next array that this thread makes from host memory is this one; the host memory is not
  // looked at. Empty: it is made from the memory.
  client::Array next_array;
};

ThreadOptions& CurrentThreadOptions();

}  // namespace acceld::pjrt

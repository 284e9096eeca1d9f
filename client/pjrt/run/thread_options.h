#pragma once

#include <chrono>

#include "absl/types/optional.h"
#include "client/array.h"
#include "client/server_info.h"

namespace acceld::pjrt {

// Settings that a Python program has made for the calling thread (extensions/acceld.h). They apply
// because the interface's functions run on the thread of their caller.
struct ThreadOptions {
  absl::optional<std::chrono::milliseconds> timeout;  // Of each execution.
  absl::optional<client::Priority> priority;          // Of each execution.
  // If not empty: the next array that this thread creates from host memory, if type and device
  // match, is this one, and the host memory is not read.
  client::Array next_array;
};

// Returns the settings of the calling thread.
ThreadOptions& CurrentThreadOptions();

}  // namespace acceld::pjrt

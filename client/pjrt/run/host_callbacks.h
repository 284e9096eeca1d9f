#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "client/host_callbacks.h"
#include "client/pjrt/extensions/acceld.h"

// Python functions that programs call while they run. Python assigns a number to each, and one C
// function (Acceld_PythonCallback) calls all of them. All functions here are thread-safe.
namespace acceld::pjrt {

// Sets the function that calls Python functions. nullptr makes all calls fail from now on, which is
// necessary before the Python interpreter ends.
void SetPythonCallback(Acceld_PythonCallback callback);

// Returns host callbacks that call Python functions: callback N of the program is the function with
// the number ids[N]. When all copies have been destroyed, the numbers are released
// (TakeReleasedCallbacks).
client::HostCallbacks PythonCallbacks(absl::Span<const uint64_t> ids);

// Returns up to `at_most` of the numbers that were released and not returned before, so that Python
// can drop the functions.
std::vector<uint64_t> TakeReleasedCallbacks(size_t at_most);

}  // namespace acceld::pjrt

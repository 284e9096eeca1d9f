#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "client/host_callbacks.h"
#include "client/pjrt/extensions/acceld.h"

// Python functions that programs call while they run. Python knows them by numbers that it has
// given out, and runs all of them through one function. All functions here may be called by any
// thread.
namespace acceld::pjrt {

// Sets the function through which Python's are called; nullptr: calls fail from now on, as they
// must when the interpreter is about to end.
void SetPythonCallback(Acceld_PythonCallback callback);

// Callbacks that are Python functions: callback N of a program is the N-th of `ids`. When nothing
// can call them any more their numbers are released.
client::HostCallbacks PythonCallbacks(absl::Span<const uint64_t> ids);

// The numbers that were released since the last call, so that Python forgets the functions.
std::vector<uint64_t> TakeReleasedCallbacks(size_t at_most);

}  // namespace acceld::pjrt

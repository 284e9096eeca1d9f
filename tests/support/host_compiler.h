#pragma once

#include <string>

#include "common/status.h"

namespace acceld::testing {

// Compiles generated CUDA C++ for the processor of this machine, with the compiler that has built
// the tests. `source` is the path of a file that begins with #include
// "tests/support/cuda_on_host.h", and `library` the path of the shared library to make. INTERNAL,
// with the begin of what the compiler said, if it refuses the file. Blocks until the compiler has
// ended. Thread-safe.
absl::Status CompileForHost(const std::string& source, const std::string& library);

}  // namespace acceld::testing

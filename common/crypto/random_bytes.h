#pragma once

#include <cstddef>
#include <string>

namespace acceld {

// Returns `size` cryptographically secure random bytes. Aborts the process when the random
// generator fails.
std::string RandomBytes(size_t size);

}  // namespace acceld

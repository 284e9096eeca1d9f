#pragma once

#include <cstddef>
#include <string>

namespace acceld {

// Bytes that nobody can guess, from the system. Ends the process where there are none.
std::string RandomBytes(size_t size);

}  // namespace acceld

#pragma once

#include <cstdlib>
#include <string>

namespace acceld::systemd {

// Returns the value of an environment variable, empty if it is not set, and removes it from the
// environment. Must be called before threads are started.
inline std::string TakeVariable(const char* name) {
  const char* const found = std::getenv(name);
  std::string value = found == nullptr ? "" : found;
  unsetenv(name);
  return value;
}

}  // namespace acceld::systemd

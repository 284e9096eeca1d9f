#pragma once

#include <cstdlib>
#include <string>

namespace acceld::systemd {

// The variable's value, empty when it is not set; takes it out of the environment. Before there are
// threads.
inline std::string TakeVariable(const char* name) {
  const char* const found = std::getenv(name);
  std::string value = found == nullptr ? "" : found;
  unsetenv(name);
  return value;
}

}  // namespace acceld::systemd

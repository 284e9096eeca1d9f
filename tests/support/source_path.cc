#include "tests/support/source_path.h"

#include <cstdlib>

namespace acceld::testing {

std::string SourcePath(const std::string& name) {
  const char* folder = std::getenv("ACCELD_SOURCE_DIR");
  return std::string(folder != nullptr ? folder : ACCELD_SOURCE_DIR) + "/" + name;
}

}  // namespace acceld::testing

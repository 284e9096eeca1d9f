#pragma once

#include <string>

namespace acceld::testing {

// Where a file of the source tree is that a test reads, named from the repository's root: in the
// folder that $ACCELD_SOURCE_DIR names (a bundle has the files of its tests), else where the test
// was built.
std::string SourcePath(const std::string& name);

}  // namespace acceld::testing

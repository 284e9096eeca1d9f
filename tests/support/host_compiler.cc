#include "tests/support/host_compiler.h"

#include <vector>

#include "absl/strings/str_split.h"
#include "tests/support/daemon/process.h"
#include "tests/support/source_path.h"

namespace acceld::testing {

absl::Status CompileForHost(const std::string& source, const std::string& library) {
  std::vector<std::string> command = absl::StrSplit(ACCELD_HOST_FLAGS, ' ');
  command.insert(command.begin(), ACCELD_HOST_COMPILER);
  // The folder of the precompiled header comes first. Where it does not fit, GCC reads the source.
  command.insert(command.end(), {"-I", ACCELD_HOST_PRECOMPILED, "-I", SourcePath(""), "-shared",
                                 "-o", library, source});
  const CommandResult result = RunCommand(command);
  if (result.exit_code == 0) return absl::OkStatus();
  return absl::InternalError(result.output.substr(0, 4000));
}

}  // namespace acceld::testing

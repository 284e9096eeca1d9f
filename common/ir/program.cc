#include "common/ir/program.h"

#include "common/ir/bytecode.h"
#include "common/ir/text.h"

namespace acceld::ir {

absl::StatusOr<Module> ReadProgram(absl::string_view bytes, absl::string_view file_name) {
  return IsBytecode(bytes) ? ReadBytecode(bytes, file_name) : ParseModule(bytes, file_name);
}

}  // namespace acceld::ir
